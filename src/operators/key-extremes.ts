/**
 * `KeyExtremes`: existence joins whose only condition on both sides is one inequality, `l.k = r.k and l.v > r.v`. Of all partners of a row
 * the one with the largest (or smallest) value decides: it is kept for each key, and each row is answered by one look.
 *
 *     held      key a: 3 9 4   key b: 7          extreme (>)   a: 9   b: 7
 *     asking    (a, 8)  (b, 7)  (c, 1)                          9 > 8 yes    7 > 7 no    no key
 *
 * Nothing is sorted and no pair is tested: O(1) a row. 4 or 8 bytes for each row of the build side (a key's extreme lies at its first row).
 * The side that is held is the one that is not output: the build side, or the probe side while it streams by.
 */

import { CHUNK_ROWS, type Kernel, type Region } from "../kernel/contract.ts";
import { type Inequality, MIRRORED, type RangeConjunct } from "../spec/filter-spec.ts";
import { otherSide, type Side } from "../spec/join-spec.ts";
import { laneBytes } from "./column-loader.ts";
import type { RowParts } from "./row-filter.ts";

/** Less than a millisecond. */
const ANSWERED_CHUNKS = 16;

export class KeyExtremes {
  readonly #kernel: Kernel;
  readonly #range: RangeConjunct;
  readonly #held: Side;
  readonly #op: Inequality;
  readonly #width: 4 | 8;
  readonly #extremes: Region;
  readonly #seen: Region;
  readonly #ordinals: Region;
  readonly #values: Region;
  readonly #bits: Region;
  /** Asking rows that need no more of the held side, and the batch of that with which it is asked whether more do not. */
  #answered = 0;
  #askAt = 1;

  /** `buildRows`: ids are rows of the build side. */
  constructor(kernel: Kernel, range: RangeConjunct, held: Side, buildRows: number) {
    this.#kernel = kernel;
    this.#range = range;
    this.#held = held;
    this.#op = (held === "left" ? range.op : MIRRORED[range.op]) as Inequality;
    this.#width = laneBytes(range.lane) <= 4 ? 4 : 8;
    this.#extremes = kernel.alloc(this.#width * buildRows, "the extremes");
    this.#seen = kernel.alloc((buildRows + 7) >>> 3, "the extremes", true);
    this.#ordinals = kernel.alloc(8 * CHUNK_ROWS + 64, "scratch");
    this.#values = kernel.alloc(8 * CHUNK_ROWS + 64, "scratch");
    this.#bits = kernel.alloc(CHUNK_ROWS / 8 + 64, "scratch");
  }

  /** Rows of the held side: ids[from + i] is the key of row `at + i` of its parts. */
  hold(ids: Region, from: number, parts: RowParts, at: number, rows: number): void {
    const valid = this.#load(this.#held, parts, at, rows);
    const max = this.#op === "gt" || this.#op === "ge";
    this.#kernel.updateExtremes(ids, from, this.#ordinals, this.#width, valid, rows, max, this.#extremes, this.#seen);
  }

  /** Bits of the asking rows that have a partner. Valid until the next call. */
  ask(ids: Region, from: number, parts: RowParts, at: number, rows: number): Region {
    const valid = this.#load(otherSide(this.#held), parts, at, rows);
    this.#kernel.testExtremes(ids, from, this.#ordinals, this.#width, valid, rows, this.#op, this.#extremes, this.#seen, this.#bits);
    return this.#bits;
  }

  /**
   * Whether all `total` asking rows, whose ids and parts these are, are answered for good: they have a partner already, or can have none. Asked
   * with each batch of the held side; most times it is not looked at, and else from the first row on that was not.
   */
  allAnswered(batches: number, ids: Region, parts: RowParts | null, total: number): boolean {
    if (!parts || batches < this.#askAt) return false;
    const before = this.#answered;
    for (let chunk = 0; this.#answered < total && chunk < ANSWERED_CHUNKS; chunk++) {
      const rows = Math.min(CHUNK_ROWS, total - this.#answered);
      if (!this.#isAnswered(ids, parts, this.#answered, rows)) break;
      this.#answered += rows;
    }
    this.#askAt = batches + 1 + (this.#answered > before ? 0 : batches >> 3);
    return this.#answered === total;
  }

  #isAnswered(ids: Region, parts: RowParts, at: number, rows: number): boolean {
    const kernel = this.#kernel;
    const { valid } = parts.columns[this.#range[otherSide(this.#held)]];
    const bits = kernel.u8(this.ask(ids, at, parts, at, rows));
    const keys = kernel.i32(ids);
    const values = valid && kernel.u8(valid);
    for (let i = 0; i < rows; i++) {
      const has = (bits[i >> 3] >> (i & 7)) & 1;
      if (has === 0 && keys[at + i] >= 0 && values?.[at + i] !== 0) return false;
    }
    return true;
  }

  /** Rows at ... of a side's part as ordinals; which of them are not null (bytes). */
  #load(side: Side, parts: RowParts, at: number, rows: number): Region | null {
    const kernel = this.#kernel;
    const { values, valid, width } = parts.columns[this.#range[side]];
    kernel.copy(this.#values, 0, values, width * at, width * rows);
    kernel.ordinals(this.#range.lane, this.#values, rows, this.#ordinals, 0);
    if (!valid || at === 0) return valid;
    kernel.copy(this.#values, 0, valid, at, rows);
    return this.#values;
  }
}
