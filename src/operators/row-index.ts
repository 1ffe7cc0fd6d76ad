/**
 * `RowIndex`: the index of a join without keys. Every build row that the build side's own conditions leave is in one group, so each probe
 * row has all of them as candidates.
 *
 *     build rows   0 1 2 3 4      row 2 is ruled out      group 0   rows 0 1 3 4        a probe row's handle   Multi(0)
 *
 * Where no pair is looked at (`grouped` false) there is no group: the handle of every probe row is One(0), and stands for them all.
 * 4 bytes a build row; O(rows).
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Groups, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { BuildSide } from "./build-side.ts";
import { type IndexedRows, visitRows } from "./indexed-rows.ts";
import type { HandleChunk, ProbeHandles } from "./probe-handles.ts";

/** Of group 0. */
const ALL = -2;

export class RowIndex implements ProbeHandles {
  readonly #kernel: Kernel;
  readonly #side: BuildSide;
  readonly #observer: IndexedRows;
  readonly #grouped: boolean;
  readonly tableKind = "none";
  groups: Groups | null = null;
  keyedRows = 0;
  #ids: Region | null = null;
  #visit: (() => boolean) | null = null;

  constructor(kernel: Kernel, side: BuildSide, grouped: boolean, observer: IndexedRows) {
    this.#kernel = kernel;
    this.#side = side;
    this.#grouped = grouped;
    this.#observer = observer;
  }

  get groupCount(): number {
    return this.groups ? 1 : 0;
  }

  /** All rows have one key, if there are any. */
  get distinctKeys(): number {
    return Math.min(1, this.keyedRows);
  }

  get bytes(): number {
    return this.groups ? this.groups.offsets.bytes + this.groups.rows.bytes : 0;
  }

  /** One bounded piece; true when the rows are known. */
  step(): boolean {
    if (this.#visit) return this.#visit();
    const kernel = this.#kernel;
    this.#ids = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    if (this.#grouped) {
      const rows = kernel.alloc(4 * this.#side.rows + 64, "the build rows");
      this.groups = { offsets: kernel.alloc(8, "the build rows", true), rows };
    }
    this.#visit = visitRows(this.#side, (batch, start, rows, base) => this.#take(batch, start, rows, base));
    return false;
  }

  #take(batch: InputBatch, start: number, rows: number, base: number): void {
    const kernel = this.#kernel;
    const ids = this.#ids as Region;
    kernel.i32(ids).fill(0, 0, rows);
    const keep = this.#observer.keep(batch, start, rows);
    if (keep) kernel.clearHandles(ids, 0, rows, keep);
    const kept = keep ? kernel.countBits(kernel.u8(keep), 0, rows) : rows;
    this.#observer.take(batch, start, rows, base, ids);
    if (this.groups) {
      const list = kernel.i32(this.groups.rows);
      const found = kernel.i32(ids);
      let at = this.keyedRows;
      for (let i = 0; i < rows; i++) if (found[i] !== NONE) list[at++] = base + i;
      kernel.i32(this.groups.offsets)[1] = at;
    }
    this.keyedRows += kept;
  }

  next(batch: InputBatch, _index: number, start: number): HandleChunk {
    const rows = Math.min(CHUNK_ROWS, batch.length - start);
    const handles = this.#ids as Region;
    const all = this.keyedRows === 0 ? NONE : this.groups ? ALL : 0;
    this.#kernel.i32(handles).fill(all, 0, rows);
    return { handles, from: 0, start, rows, keyed: null };
  }
}
