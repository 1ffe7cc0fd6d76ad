/**
 * `RangePairs`: pairs of which a `RangeIndex` answers some conditions; the others are tested on the candidates that it lists.
 *
 *     candidates of a row      none          nothing to do
 *                              few           listed, many rows a call; those that pass the rest are put in row order
 *                              many          left to whoever tests pairs: reading the whole group costs less
 *
 *     list ─▶ (test the rest, a tile a call) ─▶ order ─▶ give, a tile a call ─▶ list ...        a row is left ─▶ others ─▶ list ...
 *
 * Small groups and single rows are left, too, and so is what follows rows with many candidates, twice as far each time.
 * Cost of a row: the searches, O(log rows), and O(log rows) a candidate. What the others need is made when the first row is left.
 */

import type { Kernel, Region } from "../kernel/contract.ts";
import type { CandidatePairs, PairSource } from "./candidate-pairs.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { WhenNeeded } from "./prepared.ts";
import type { HandleChunk } from "./probe-handles.ts";
import type { ChosenRange } from "./range-choice.ts";

const MOST_LEFT = 1024;

export class RangePairs implements PairSource {
  readonly #kernel: Kernel;
  readonly #range: ChosenRange;
  readonly #others: WhenNeeded<CandidatePairs>;
  readonly #tile: number;
  readonly #ownProbe: Region;
  readonly #ownBuild: Region;
  readonly #spare: Region;
  probe: Region;
  build: Region;
  count = 0;
  tested = 0;
  rowsDone = 0;
  #chunk: HandleChunk | null = null;
  /** Rows of the chunk whose candidates are listed or left. */
  #row = 0;
  /** Rows from there that are left, and how many are when the next has many candidates. */
  #left = 0;
  #stride = 1;
  /** Of what is listed: how many, tested or given, and (while they are tested) those that passed. */
  #listed = 0;
  #done = 0;
  #passed = 0;
  #state: "list" | "test" | "give" | "others" = "list";
  #hasBegun = false;

  /** `others` test all conditions. */
  constructor(kernel: Kernel, range: ChosenRange, others: WhenNeeded<CandidatePairs>, tile = TILE_ROWS) {
    this.#kernel = kernel;
    this.#range = range;
    this.#others = others;
    this.#tile = tile;
    this.#ownProbe = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
    this.#ownBuild = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
    this.#spare = kernel.alloc(range.search.build.bytes, "scratch");
    this.probe = this.#ownProbe;
    this.build = this.#ownBuild;
  }

  begin(chunk: HandleChunk): void {
    this.#chunk = chunk;
    this.#range.search.begin(chunk);
    this.#row = 0;
    this.#left = 0;
    this.#state = "list";
    this.#hasBegun = false;
    this.count = 0;
    this.rowsDone = chunk.start;
  }

  next(): boolean {
    const chunk = this.#chunk as HandleChunk;
    this.count = 0;
    switch (this.#state) {
      case "list":
        if (this.#left > 0) return this.#startOthers(chunk);
        if (this.#row === chunk.rows) return false;
        this.#list(chunk);
        return true;
      case "test":
        this.#test(chunk);
        return true;
      case "give":
        this.#give();
        return true;
      case "others":
        return this.#askOthers();
    }
  }

  #list({ start, rows }: HandleChunk): void {
    const { search, rest } = this.#range;
    const { row, kept, left } = search.list(this.#row);
    this.#row = row;
    this.#listed = kept;
    this.#done = 0;
    this.#passed = 0;
    if (left) this.#left = this.#leave(row, rows) - row;
    else this.#stride = 1;
    if (kept === 0) this.rowsDone = start + row;
    else if (rest) this.#state = "test";
    else this.#order(kept);
  }

  /** The end of the rows that are left from `row` on. */
  #leave(row: number, rows: number): number {
    const { search } = this.#range;
    const next = search.nextSearched(row);
    if (next > row) return next;
    const to = Math.min(rows, row + this.#stride);
    this.#stride = Math.min(2 * this.#stride, MOST_LEFT);
    return search.nextSearched(to);
  }

  /** Tests the next tile of what is listed; what passes moves to the front. */
  #test({ start }: HandleChunk): void {
    const { search, rest } = this.#range;
    const kernel = this.#kernel;
    const count = this.#take();
    const passed = rest ? rest.testRows(count, this.#ownProbe, this.#ownBuild, -start) : count;
    this.tested += count;
    kernel.copy(search.probe, 4 * this.#passed, this.#ownProbe, 0, 4 * passed);
    kernel.copy(search.build, 4 * this.#passed, this.#ownBuild, 0, 4 * passed);
    this.#passed += passed;
    if (this.#done === this.#listed) this.#order(this.#passed);
  }

  #order(count: number): void {
    const { search } = this.#range;
    this.#kernel.orderPairs(search.probe, search.build, count, this.#spare);
    this.#listed = count;
    this.#done = 0;
    this.#state = count > 0 ? "give" : "list";
    if (count === 0) this.#endList();
  }

  #give(): void {
    this.probe = this.#ownProbe;
    this.build = this.#ownBuild;
    this.count = this.#take();
    if (this.#done === this.#listed) this.#endList();
    else this.rowsDone = this.#kernel.i32(this.#range.search.probe)[this.#done];
  }

  #endList(): void {
    this.rowsDone = (this.#chunk as HandleChunk).start + this.#row;
    this.#state = "list";
  }

  /** The next tile of what is listed. */
  #take(): number {
    const kernel = this.#kernel;
    const { search } = this.#range;
    const count = Math.min(this.#tile, this.#listed - this.#done);
    kernel.copy(this.#ownProbe, 0, search.probe, 4 * this.#done, 4 * count);
    kernel.copy(this.#ownBuild, 0, search.build, 4 * this.#done, 4 * count);
    this.#done += count;
    return count;
  }

  #startOthers(chunk: HandleChunk): true {
    const others = this.#others();
    if (!others) return true;
    if (!this.#hasBegun) others.begin(chunk);
    this.#hasBegun = true;
    others.only(this.#row, this.#row + this.#left);
    this.#row += this.#left;
    this.#left = 0;
    this.#state = "others";
    return true;
  }

  #askOthers(): true {
    const others = this.#others() as CandidatePairs;
    const before = others.tested;
    if (others.next()) {
      this.probe = others.probe;
      this.build = others.build;
      this.count = others.count;
      this.rowsDone = others.rowsDone;
    } else this.#endList();
    this.tested += others.tested - before;
    return true;
  }
}
