/**
 * `SortedGroups`: the rows of each key sorted by the value that an inequality compares, `l.k = r.k and l.v > r.v`: the rows that fulfil it
 * are a stretch found by binary search.
 *
 *     group 0   rows 2 5 7 9    values 4 1 9 4        sorted: values 1 4 4 9   rows 5 2 9 7
 *               v > 3           stretch 4 4 9         rows 2 9 7 -> in order 2 7 9
 *
 * Values are order-preserving integers of 4 or 8 bytes; null ones are left out. Sorted once by radix: O(rows) a byte, in bounded steps.
 * Holds 8 or 12 bytes for each row of a group, more than twice as much while it sorts.
 */

import { CHUNK_ROWS, type Groups, type Kernel, type Region } from "../kernel/contract.ts";
import type { RangeConjunct } from "../spec/filter-spec.ts";
import { laneBytes } from "./column-loader.ts";
import type { PartColumn } from "./row-filter.ts";

/** Keys and the place of their row in the groups. */
interface Sorted {
  readonly keys: Region;
  readonly rows: Region;
}

type State =
  | { at: "load"; row: number }
  | { at: "count"; byte: number; row: number }
  | { at: "move"; byte: number; row: number }
  | { at: "group"; row: number }
  | { at: "done" };

export class SortedGroups {
  readonly #kernel: Kernel;
  readonly #groups: Groups;
  readonly #groupCount: number;
  readonly #members: number;
  readonly #lane: RangeConjunct["lane"];
  readonly #column: PartColumn;
  readonly width: 4 | 8;
  #from: Sorted;
  #to: Sorted;
  readonly #counts: Region;
  readonly #groupOf: Region;
  /** Group g's sorted rows end at ends[g]; those with a null are not among them. */
  readonly #ends: Region;
  readonly #values: Region;
  readonly #valid: Region;
  #count = 0;
  #state: State = { at: "load", row: 0 };

  /** `members`: rows in groups; `column`: the build side's part. */
  constructor(kernel: Kernel, groups: Groups, groupCount: number, members: number, lane: RangeConjunct["lane"], column: PartColumn) {
    this.#kernel = kernel;
    this.#groups = groups;
    this.#groupCount = groupCount;
    this.#members = members;
    this.#lane = lane;
    this.#column = column;
    this.width = laneBytes(lane) <= 4 ? 4 : 8;
    const part = "the sorted groups";
    const make = (): Sorted => ({ keys: kernel.alloc(this.width * members + 64, part), rows: kernel.alloc(4 * members, part) });
    this.#from = make();
    this.#to = make();
    this.#counts = kernel.alloc(4 * 256, part, true);
    this.#groupOf = kernel.alloc(4 * members, part);
    this.#ends = kernel.alloc(4 * groupCount, part);
    this.#values = kernel.alloc(8 * CHUNK_ROWS + 64, part);
    this.#valid = kernel.alloc(CHUNK_ROWS + 64, part);
  }

  /** Sorted values, by group; rows are places in the groups. Only when `step` has said true. */
  get sorted(): Sorted {
    return this.#from;
  }

  get ends(): Region {
    return this.#ends;
  }

  /** One bounded piece; true when sorted. */
  step(): boolean {
    const state = this.#state;
    const kernel = this.#kernel;
    const { keys, rows } = this.#from;
    if (state.at === "done") return true;
    if (state.at === "load") {
      if (state.row < this.#members) this.#load(state);
      else this.#next(0);
      return false;
    }
    const to = Math.min(this.#count, state.row + CHUNK_ROWS);
    const out = this.#to;
    if (state.at === "count") kernel.countBytes(keys, this.width, state.byte, state.row, to, this.#counts);
    else if (state.at === "move") kernel.moveByByte(keys, rows, this.width, state.byte, state.row, to, this.#counts, out.keys, out.rows);
    else kernel.moveByGroup(keys, rows, this.width, state.row, to, this.#groupOf, this.#ends, out.keys, out.rows);
    state.row = to;
    if (to === this.#count) this.#endPass(state);
    return false;
  }

  /** The values of the next rows, in group order, that are not null. */
  #load(state: { row: number }): void {
    const kernel = this.#kernel;
    const { values, valid, width } = this.#column;
    const count = Math.min(CHUNK_ROWS, this.#members - state.row);
    kernel.takeRows(values, width, this.#groups.rows, state.row, count, 0, this.#values, 0);
    kernel.ordinals(this.#lane, this.#values, count, this.#from.keys, this.#count);
    if (valid) kernel.takeRows(valid, 1, this.#groups.rows, state.row, count, 0, this.#valid, 0);
    const [rows, keys] = [kernel.i32(this.#from.rows), kernel.i32(this.#from.keys)];
    const marks = valid && kernel.u8(this.#valid);
    const words = this.width >> 2;
    const first = this.#count;
    let at = first;
    for (let i = 0; i < count; i++) {
      if (marks && marks[i] === 0) continue;
      for (let w = 0; at < first + i && w < words; w++) keys[at * words + w] = keys[(first + i) * words + w];
      rows[at++] = state.row + i;
    }
    this.#count = at;
    state.row += count;
  }

  #endPass(state: Exclude<State, { at: "load" | "done" }>): void {
    const kernel = this.#kernel;
    if (state.at === "count") {
      const counts = kernel.i32(this.#counts);
      let start = 0;
      let used = 0;
      for (let i = 0; i < 256; i++) {
        const count = counts[i];
        if (count > 0) used++;
        counts[i] = start;
        start += count;
      }
      // All values have the same byte here: they stay where they are.
      if (used <= 1) this.#next(state.byte + 1);
      else this.#state = { at: "move", byte: state.byte, row: 0 };
      return;
    }
    [this.#from, this.#to] = [this.#to, this.#from];
    if (state.at === "move") return this.#next(state.byte + 1);
    for (const region of [this.#to.keys, this.#to.rows, this.#counts, this.#groupOf, this.#values, this.#valid]) kernel.free(region);
    this.#state = { at: "done" };
  }

  /** The next byte to sort by, or the groups. */
  #next(byte: number): void {
    const kernel = this.#kernel;
    kernel.fill(this.#counts, 0, 0, 1024);
    if (this.#count > 0 && byte < this.width) {
      this.#state = { at: "count", byte, row: 0 };
      return;
    }
    const [offsets, groupOf] = [kernel.i32(this.#groups.offsets), kernel.i32(this.#groupOf)];
    for (let group = 0; group < this.#groupCount; group++) groupOf.fill(group, offsets[group], offsets[group + 1]);
    kernel.i32(this.#ends).set(offsets.subarray(0, this.#groupCount));
    this.#state = { at: "group", row: 0 };
    if (this.#count === 0) this.#endPass(this.#state);
  }
}
