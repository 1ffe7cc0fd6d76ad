/**
 * `RangeIndex`: the build rows of each group sorted by the value that a range asks for, and, where it asks for a second, the tree of its
 * extremes over the sorted places (layouts: kernel/range-contract.ts; shapes: spec/range-shape.ts).
 *
 *     group 0   rows 2 5 7 9    values 4 1 9 4        sorted: values 1 4 4 9   rows 5 2 9 7
 *               r.v > 3         stretch 4 4 9         rows 2 9 7
 *
 *     load ─▶ count ⇄ move, a byte at a time ─┬──────────────┬─┬────────────────────────────────────┬─▶ done
 *                              several groups └─▶ by group ──┘ └─▶ level 0 ─▶ raise, level by level ─┘ a second value
 *
 * Values are ordinals of 4 or 8 bytes; rows in which a value is null are left out. Sorted once by radix: O(rows) a byte, in bounded steps,
 * about 50 ns a row of 8 bytes. Holds 8 or 12 bytes for each row of a group, with a tree 5 or 9 more; twice the former while it sorts.
 */

import { CHUNK_ROWS, type Groups, type Kernel, type Region } from "../kernel/contract.ts";
import { type RangeTree, SAMPLE_ROWS, type SortedRows, treeLevels } from "../kernel/range-contract.ts";
import type { NumberLane } from "../spec/filter-spec.ts";
import type { RangeShape } from "../spec/range-shape.ts";
import { laneBytes } from "./column-loader.ts";
import type { RowParts } from "./row-filter.ts";

type State =
  | { at: "load"; row: number; group: number }
  | { at: "count" | "move"; byte: number; row: number }
  | { at: "byGroup"; row: number }
  | { at: "values"; row: number }
  | { at: "raise"; level: number; count: number; row: number }
  | { at: "done" };

/** Of an ordinal of the lane. */
export const ordinalBytes = (lane: NumberLane): 4 | 8 => (laneBytes(lane) <= 4 ? 4 : 8);

const PART = "the range index";

export class RangeIndex {
  readonly groups: Groups;
  readonly #kernel: Kernel;
  readonly #shape: RangeShape;
  readonly #parts: RowParts;
  readonly #groupCount: number;
  readonly #members: number;
  readonly #width: 4 | 8;
  /** Sorted so far, and where the next pass sorts to. */
  #from: Pick<SortedRows, "keys" | "rows">;
  #to: Pick<SortedRows, "keys" | "rows">;
  readonly #ends: Region;
  readonly #values: Region;
  readonly #counts: Region;
  /** By build row, where there are several groups. */
  readonly #groupOf: Region | null;
  /** Rows that have their values. */
  #count = 0;
  #samples: Region | null = null;
  #tree: RangeTree | null = null;
  #levels: readonly number[] = [];
  #state: State = { at: "load", row: 0, group: 0 };

  /** `members`: rows in groups; `parts`: of all `buildRows`. */
  constructor(kernel: Kernel, groups: Groups, groupCount: number, members: number, shape: RangeShape, parts: RowParts, buildRows: number) {
    this.#kernel = kernel;
    this.groups = groups;
    this.#groupCount = groupCount;
    this.#members = members;
    this.#shape = shape;
    this.#parts = parts;
    this.#width = ordinalBytes(shape.lane);
    // A place that no row takes, after a group's last that is not null, has row 0: what is computed by place may read it.
    const make = () => ({
      keys: kernel.alloc(this.#width * members + 64, PART),
      rows: kernel.alloc(4 * members, PART, groupCount > 1),
    });
    this.#from = make();
    this.#to = make();
    this.#ends = kernel.alloc(4 * groupCount, PART);
    kernel.copy(this.#ends, 0, groups.offsets, 0, 4 * groupCount);
    this.#values = kernel.alloc(8 * CHUNK_ROWS + 64, PART);
    this.#counts = kernel.alloc(4 * 256, PART);
    this.#groupOf = groupCount > 1 ? kernel.alloc(4 * buildRows, PART) : null;
  }

  /** About what is held at most: sorted twice, what walks need, chunks of probe rows. */
  static bytesOf({ lane, second }: RangeShape, members: number): number {
    const width = ordinalBytes(lane);
    return (2 * (width + 4) + 3 * width + (second ? ordinalBytes(second.lane) : 0)) * members + 64 * CHUNK_ROWS;
  }

  /** Only when `step` has said true. */
  get sorted(): SortedRows {
    return { width: this.#width, ...this.#from, samples: this.#samples as Region, ends: this.#ends };
  }

  get tree(): RangeTree | null {
    return this.#tree;
  }

  /** One bounded piece; true when all is built. */
  step(): boolean {
    const kernel = this.#kernel;
    const state = this.#state;
    const { keys, rows } = this.#from;
    const { keys: outKeys, rows: outRows } = this.#to;
    const to = state.at === "done" ? 0 : Math.min(this.#count, state.row + CHUNK_ROWS);
    switch (state.at) {
      case "load":
        this.#load(state);
        return false;
      case "count":
        kernel.countBytes(keys, this.#width, state.byte, state.row, to, this.#counts);
        break;
      case "move":
        kernel.moveByByte(keys, rows, this.#width, state.byte, state.row, to, this.#counts, outKeys, outRows);
        break;
      case "byGroup":
        kernel.moveByGroup(keys, rows, this.#width, state.row, to, this.#groupOf as Region, this.#ends, outKeys, outRows);
        break;
      case "values":
      case "raise":
        this.#raise(this.#tree as RangeTree, state);
        return false;
      case "done":
        return true;
    }
    state.row = to;
    if (to === this.#count) this.#endPass(state);
    return false;
  }

  /** The next rows in group order of which no value is null. */
  #load(state: { row: number; group: number }): void {
    const kernel = this.#kernel;
    const { part, lane, second } = this.#shape;
    const { groups } = this;
    const count = Math.min(CHUNK_ROWS, this.#members - state.row);
    const column = this.#parts.columns[part];
    this.#takeOrdinals(part, lane, groups.rows, state.row, count, this.#from.keys, this.#count);
    const other = second && this.#parts.columns[second.part].valid;
    const [valid, otherValid] = [column.valid && kernel.u8(column.valid), other && kernel.u8(other)];
    const [members, offsets] = [kernel.i32(groups.rows), kernel.i32(groups.offsets)];
    const [rows, keys] = [kernel.i32(this.#from.rows), kernel.i32(this.#from.keys)];
    const groupOf = this.#groupOf && kernel.i32(this.#groupOf);
    const words = this.#width >> 2;
    const first = this.#count;
    let at = first;
    for (let i = 0; i < count; i++) {
      const row = members[state.row + i];
      if ((valid && valid[row] === 0) || (otherValid && otherValid[row] === 0)) continue;
      for (let w = 0; at < first + i && w < words; w++) keys[at * words + w] = keys[(first + i) * words + w];
      rows[at++] = row;
      if (!groupOf) continue;
      while (state.row + i >= offsets[state.group + 1]) state.group++;
      groupOf[row] = state.group;
    }
    this.#count = at;
    state.row += count;
    if (state.row === this.#members) this.#sortBy(0);
  }

  /** Ordinals of a part, of the build rows rows[from, from + count), to place `at` on. */
  #takeOrdinals(part: number, lane: NumberLane, rows: Region, from: number, count: number, to: Region, at: number): void {
    const kernel = this.#kernel;
    const { values, width } = this.#parts.columns[part];
    kernel.takeRows(values, width, rows, from, count, 0, this.#values, 0);
    kernel.ordinals(lane, this.#values, count, to, at);
  }

  #endPass(state: Exclude<State, { at: "load" | "values" | "raise" | "done" }>): void {
    if (state.at === "count") {
      const counts = this.#kernel.i32(this.#counts);
      let start = 0;
      let used = 0;
      for (let i = 0; i < 256; i++) {
        const count = counts[i];
        if (count > 0) used++;
        counts[i] = start;
        start += count;
      }
      // All values have the same byte here: they stay where they are.
      if (used <= 1) this.#sortBy(state.byte + 1);
      else this.#state = { at: "move", byte: state.byte, row: 0 };
      return;
    }
    [this.#from, this.#to] = [this.#to, this.#from];
    if (state.at === "move") this.#sortBy(state.byte + 1);
    else this.#endSort();
  }

  /** The next byte to sort by, or the groups. */
  #sortBy(byte: number): void {
    const kernel = this.#kernel;
    kernel.fill(this.#counts, 0, 0, 1024);
    if (this.#count > 0 && byte < this.#width) this.#state = { at: "count", byte, row: 0 };
    else if (this.#count > 0 && this.#groupOf) this.#state = { at: "byGroup", row: 0 };
    else {
      if (this.#groupCount === 1) kernel.i32(this.#ends)[0] = this.#count;
      this.#endSort();
    }
  }

  #endSort(): void {
    const kernel = this.#kernel;
    for (const region of [this.#to.keys, this.#to.rows, this.#counts, this.#groupOf]) if (region) kernel.free(region);
    const places = this.#groupOf ? this.#members : this.#count;
    this.#samples = this.#sampleKeys(Math.ceil(places / SAMPLE_ROWS));
    const { second } = this.#shape;
    if (!second || places === 0) return this.#end();
    const width = ordinalBytes(second.lane);
    this.#levels = treeLevels(places);
    const values = kernel.alloc(width * this.#levels[this.#levels.length - 1] + 64, PART);
    this.#tree = { values, width, places, op: second.op };
    this.#state = { at: "values", row: 0 };
  }

  #sampleKeys(count: number): Region {
    const kernel = this.#kernel;
    const samples = kernel.alloc(this.#width * count + 64, PART);
    const words = this.#width >> 2;
    const [from, to] = [kernel.i32(this.#from.keys), kernel.i32(samples)];
    for (let i = 0; i < count; i++) for (let w = 0; w < words; w++) to[words * i + w] = from[words * SAMPLE_ROWS * i + w];
    return samples;
  }

  #raise({ values, width, places, op }: RangeTree, state: Extract<State, { at: "values" | "raise" }>): void {
    const { second } = this.#shape;
    if (state.at === "values" && second) {
      const count = Math.min(CHUNK_ROWS, places - state.row);
      this.#takeOrdinals(second.part, second.lane, this.#from.rows, state.row, count, values, state.row);
      state.row += count;
      if (state.row === places) this.#nextLevel(1, places);
    } else if (state.at === "raise") {
      const [below, at] = [this.#levels[state.level - 1], this.#levels[state.level]];
      const nodes = Math.ceil(state.count / 16);
      const to = Math.min(nodes, state.row + CHUNK_ROWS / 4);
      this.#kernel.raiseTree(values, width, op === "gt" || op === "ge", below, state.count, at, state.row, to);
      state.row = to;
      if (to === nodes) this.#nextLevel(state.level + 1, nodes);
    }
  }

  #nextLevel(level: number, count: number): void {
    if (level < this.#levels.length - 1) this.#state = { at: "raise", level, count, row: 0 };
    else this.#end();
  }

  #end(): void {
    this.#kernel.free(this.#values);
    this.#state = { at: "done" };
  }
}
