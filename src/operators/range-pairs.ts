/**
 * `RangePairs`: `CandidatePairs` of which a `RangeIndex` answers some conditions; the others are tested on the candidates that it lists.
 *
 *     candidates of a row      none          nothing to do
 *                              few           listed in row order, many rows a call
 *                              many          the group is walked like any other: reading it all costs less than putting them in order
 *
 * Small groups and single rows are walked, as is what follows rows with many candidates, twice as far each time.
 * Cost of a row: the searches, O(log rows), and O(log rows) a candidate. What walking needs is made when the first row is walked.
 */

import type { Groups, Kernel } from "../kernel/contract.ts";
import { CandidatePairs } from "./candidate-pairs.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { PairFilter } from "./pair-filter.ts";
import type { HandleChunk } from "./probe-handles.ts";
import type { ChosenRange } from "./range-choice.ts";

const MOST_WALKED = 1024;

export class RangePairs extends CandidatePairs {
  readonly #kernel: Kernel;
  readonly #range: ChosenRange;
  readonly #prepareWalk: () => boolean;
  readonly #tile: number;
  #chunk: HandleChunk | null = null;
  /** Rows of the chunk whose candidates are listed or walked. */
  #row = 0;
  /** Rows from there that must be walked, and how many are when the next has many candidates. */
  #walked = 0;
  #stride = 1;
  /** Listed pairs, and those of them that are done. */
  #listed = 0;
  #taken = 0;
  #canWalk = false;
  #hasBegun = false;

  /** `walked` tests all conditions, of pairs that `prepareWalk` has brought into order. */
  constructor(kernel: Kernel, groups: Groups, walked: PairFilter, range: ChosenRange, prepareWalk: () => boolean, tile = TILE_ROWS) {
    super(kernel, groups, walked, tile);
    this.#kernel = kernel;
    this.#range = range;
    this.#prepareWalk = prepareWalk;
    this.#tile = tile;
  }

  override begin(chunk: HandleChunk): void {
    this.#chunk = chunk;
    this.#range.search.begin(chunk);
    this.#row = 0;
    this.#walked = 0;
    this.#listed = 0;
    this.#taken = 0;
    this.#hasBegun = false;
    this.count = 0;
    this.rowsDone = chunk.start;
  }

  override next(): boolean {
    const chunk = this.#chunk as HandleChunk;
    if (this.#taken < this.#listed) return this.#take(chunk);
    if (this.#hasBegun && this.walking) return this.walk();
    this.count = 0;
    if (this.#walked > 0) return this.#walk(chunk);
    if (this.#row === chunk.rows) return false;
    const { row, kept, left } = this.#range.search.list(this.#row);
    this.#row = row;
    this.#listed = kept;
    this.#taken = 0;
    if (left) this.#walked = this.#rowsToWalk(row, chunk) - row;
    else this.#stride = 1;
    if (kept === 0) this.rowsDone = chunk.start + row;
    return true;
  }

  /** The end of the rows that are walked from `row` on. */
  #rowsToWalk(row: number, { rows }: HandleChunk): number {
    const { search } = this.#range;
    const next = search.nextSearched(row);
    if (next > row) return next;
    const to = Math.min(rows, row + this.#stride);
    this.#stride = Math.min(2 * this.#stride, MOST_WALKED);
    return search.nextSearched(to);
  }

  #walk(chunk: HandleChunk): true {
    if (!this.#canWalk) {
      this.#canWalk = this.#prepareWalk();
      return true;
    }
    if (!this.#hasBegun) super.begin(chunk);
    this.#hasBegun = true;
    const first = chunk.from + this.#row;
    this.#row += this.#walked;
    this.#walked = 0;
    return this.walk(first, chunk.from + this.#row);
  }

  /** The next tile of what is listed, of which the other conditions leave some. */
  #take({ start }: HandleChunk): true {
    const kernel = this.#kernel;
    const { search, rest } = this.#range;
    const count = Math.min(this.#tile, this.#listed - this.#taken);
    kernel.copy(this.probe, 0, search.probe, 4 * this.#taken, 4 * count);
    kernel.copy(this.build, 0, search.build, 4 * this.#taken, 4 * count);
    this.#taken += count;
    if (rest) this.tested += count;
    this.count = rest ? rest.testRows(count, this.probe, this.build, -start) : count;
    this.rowsDone = this.#taken < this.#listed ? kernel.i32(search.probe)[this.#taken] : start + this.#row;
    return true;
  }
}
