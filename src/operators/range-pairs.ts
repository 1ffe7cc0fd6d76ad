/**
 * `RangePairs`: `CandidatePairs` where one condition is an inequality and groups are large: of a sorted group (sorted-groups.ts) only the
 * stretch that fulfils it is looked at, brought back into row order.
 *
 *     a stretch of a group that is          empty      nothing to do
 *                                           short      its rows, by a bitmap over the group; the other conditions are tested for them
 *                                           long       the group is walked like any other: reading it all costs less than reordering
 *
 * Small groups and single rows are walked. Cost of a row: a binary search, O(log rows), and O(rows of the stretch + group / 64).
 */

import { type Groups, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import { MIRRORED, type RangeConjunct } from "../spec/filter-spec.ts";
import type { Side } from "../spec/join-spec.ts";
import { CandidatePairs } from "./candidate-pairs.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { PairFilter } from "./pair-filter.ts";
import type { HandleChunk } from "./probe-handles.ts";
import type { RowParts } from "./row-filter.ts";
import type { SortedGroups } from "./sorted-groups.ts";

/** Rows of a group from which a search pays: it costs as much as walking about 100 rows. */
export const LARGE_GROUP = 128;
/** A stretch is reordered at about 3 ns a row, a group is walked at 0.5. */
const LONG_STRETCH = 1 / 8;

export class RangePairs extends CandidatePairs {
  readonly #kernel: Kernel;
  readonly #groups: Groups;
  readonly #sorted: SortedGroups;
  /** Of the other conditions; null: there is none. */
  readonly #rest: PairFilter | null;
  readonly #least: number;
  readonly #tile: number;
  readonly #lane: RangeConjunct["lane"];
  readonly #part: number;
  readonly #probeParts: RowParts;
  /** Of a sorted group `value op probe value` holds for a suffix, else a prefix; whether equal values belong to it. */
  readonly #suffix: boolean;
  readonly #equal: boolean;
  readonly #ordinals: Region;
  #chunk: HandleChunk | null = null;
  /** Rows of the stretch of the present row, in order, and how many are done. */
  #stretch = new Int32Array(TILE_ROWS);
  #bits = new Int32Array(64);
  #length = 0;
  #done = 0;
  /** Position in handles. */
  #row = 0;

  /** `walked` tests all conditions, `rest` all but the inequality. `least`: rows of a group that is searched. */
  constructor(
    kernel: Kernel,
    groups: Groups,
    walked: PairFilter,
    rest: PairFilter | null,
    sorted: SortedGroups,
    range: RangeConjunct,
    probeSide: Side,
    probeParts: RowParts,
    least = LARGE_GROUP,
    tile = TILE_ROWS,
  ) {
    super(kernel, groups, walked, tile);
    this.#kernel = kernel;
    this.#groups = groups;
    this.#sorted = sorted;
    this.#rest = rest;
    this.#least = least;
    this.#tile = tile;
    this.#lane = range.lane;
    this.#part = range[probeSide];
    this.#probeParts = probeParts;
    // The range as the build side sees it.
    const op = probeSide === "right" ? range.op : MIRRORED[range.op];
    this.#suffix = op === "gt" || op === "ge";
    this.#equal = op === "ge" || op === "le";
    this.#ordinals = kernel.alloc(8 * 16384 + 64, "scratch");
  }

  override begin(chunk: HandleChunk): void {
    super.begin(chunk);
    this.#chunk = chunk;
    this.#row = chunk.from;
    this.#length = 0;
    this.#done = 0;
    const column = this.#probeParts.columns[this.#part];
    this.#kernel.ordinals(this.#lane, column.values, chunk.rows, this.#ordinals, 0);
  }

  override next(): boolean {
    if (this.#done < this.#length) return this.#takeStretch();
    const { handles, from, start, rows } = this.#chunk as HandleChunk;
    const ids = this.#kernel.i32(handles);
    const offsets = this.#kernel.i32(this.#groups.offsets);
    const isLarge = (handle: number) => handle < NONE && offsets[-1 - handle] - offsets[-2 - handle] >= this.#least;
    const end = from + rows;
    if (this.walking) return this.walk();
    // Rows up to the next large group are walked together.
    let to = this.#row;
    while (to < end && !isLarge(ids[to])) to++;
    if (to > this.#row) {
      const first = this.#row;
      this.#row = to;
      return this.walk(first, to);
    }
    if (this.#row === end) {
      this.count = 0;
      return false;
    }
    const row = this.#row++;
    const group = -2 - ids[row];
    const [low, high] = this.#search(group, row - from);
    this.tested++;
    this.count = 0;
    if (high - low > LONG_STRETCH * (offsets[group + 1] - offsets[group])) return this.walk(row, row + 1);
    if (high > low) this.#order(group, low, high);
    this.rowsDone = high > low ? start + row - from : start + row + 1 - from;
    return true;
  }

  /** The stretch [low, high) of the sorted group that fulfils the inequality with row `row` of the probe parts. */
  #search(group: number, row: number): [number, number] {
    const kernel = this.#kernel;
    const { valid } = this.#probeParts.columns[this.#part];
    const start = kernel.i32(this.#groups.offsets)[group];
    const end = kernel.i32(this.#sorted.ends)[group];
    if (valid && kernel.u8(valid)[row] === 0) return [start, start];
    const keys = kernel.i32(this.#sorted.sorted.keys);
    const ordinals = kernel.i32(this.#ordinals);
    const wide = this.#sorted.width === 8;
    const [lowWord, highWord] = wide ? [ordinals[2 * row] >>> 0, ordinals[2 * row + 1] >>> 0] : [0, ordinals[row] >>> 0];
    // Below: values less than the row's; with a suffix that takes equal ones or a prefix that does not, equal values are not below.
    const orEqual = this.#suffix !== this.#equal;
    let low = start;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const word = keys[wide ? 2 * middle + 1 : middle] >>> 0;
      const less = word !== highWord ? word < highWord : wide ? isBelow(keys[2 * middle] >>> 0, lowWord, orEqual) : orEqual;
      if (less) low = middle + 1;
      else high = middle;
    }
    return this.#suffix ? [low, end] : [start, low];
  }

  /** The build rows of a stretch in row order: places in a group ascend with the rows. */
  #order(group: number, low: number, high: number): void {
    const kernel = this.#kernel;
    const offsets = kernel.i32(this.#groups.offsets);
    const members = kernel.i32(this.#groups.rows);
    const places = kernel.i32(this.#sorted.sorted.rows);
    const first = offsets[group];
    const size = offsets[group + 1] - first;
    const count = high - low;
    if (this.#stretch.length < count) this.#stretch = new Int32Array(2 * count);
    const rows = this.#stretch;
    if (count * 32 < size) {
      for (let i = 0; i < count; i++) rows[i] = members[places[low + i]];
      rows.subarray(0, count).sort();
    } else {
      const words = (size + 31) >>> 5;
      if (this.#bits.length < words) this.#bits = new Int32Array(2 * words);
      const bits = this.#bits;
      for (let i = low; i < high; i++) bits[(places[i] - first) >>> 5] |= 1 << ((places[i] - first) & 31);
      let at = 0;
      for (let w = 0; w < words; w++) {
        let word = bits[w];
        bits[w] = 0;
        for (; word !== 0; word &= word - 1) rows[at++] = members[first + 32 * w + 31 - Math.clz32(word & -word)];
      }
    }
    this.#length = count;
    this.#done = 0;
  }

  /** The next rows of the stretch, of which the other conditions leave some. */
  #takeStretch(): true {
    const kernel = this.#kernel;
    const { start, from } = this.#chunk as HandleChunk;
    const row = start + this.#row - 1 - from;
    const count = Math.min(this.#tile, this.#length - this.#done);
    kernel.i32(this.build).set(this.#stretch.subarray(this.#done, this.#done + count));
    kernel.i32(this.probe).fill(row, 0, count);
    this.#done += count;
    if (this.#rest) this.tested += count;
    this.count = this.#rest ? this.#rest.testRows(count, this.probe, this.build, -start) : count;
    this.rowsDone = this.#done === this.#length ? row + 1 : row;
    return true;
  }
}

const isBelow = (a: number, b: number, orEqual: boolean) => a < b || (orEqual && a === b);
