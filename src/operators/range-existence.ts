/**
 * Existence joins by a `RangeIndex`: which probe rows have a partner, or which build rows do, while probe rows stream by.
 *
 *     output side is     conditions are all searched           others are left
 *     probed             one test a row, nothing is listed     candidates are tested until the row has a hit
 *     built              what is listed is marked              candidates that are not marked yet are tested
 *
 * Rows of small groups, and those with many candidates, are left to who tests pairs (row-matcher.ts), and ends early or meets only what is
 * undecided. The fewer build rows are undecided, the more rows are left.
 * O(log rows) a row and a candidate that is listed.
 */

import { CHUNK_ROWS, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { MatchMarks } from "./match-marks.ts";
import type { WhenNeeded } from "./prepared.ts";
import type { HandleChunk } from "./probe-handles.ts";
import type { ChosenRange } from "./range-choice.ts";
import type { RowMatcher } from "./row-matcher.ts";

export class RangeExistence implements RowMatcher {
  readonly #kernel: Kernel;
  readonly #range: ChosenRange;
  readonly #marks: MatchMarks | null;
  readonly #others: WhenNeeded<RowMatcher>;
  readonly #keyedRows: number;
  readonly #shift: number;
  readonly #tile: number;
  readonly #probe: Region;
  readonly #build: Region;
  /** Rows of the chunk with a partner, where the probed side is output. */
  readonly #hits = new Uint8Array(CHUNK_ROWS);
  #chunk: HandleChunk | null = null;
  #row = 0;
  #listed = 0;
  #taken = 0;
  /** Rows were left to the others. */
  #leaves = false;
  #state: "search" | "prepare" | "others" = "search";
  tested = 0;

  /** `marks`: of build rows, `keyedRows` of which may be marked; null: the probed side is output. */
  constructor(
    kernel: Kernel,
    range: ChosenRange,
    marks: MatchMarks | null,
    keyedRows: number,
    others: WhenNeeded<RowMatcher>,
    tile = TILE_ROWS,
  ) {
    this.#kernel = kernel;
    this.#range = range;
    this.#marks = marks;
    this.#keyedRows = keyedRows;
    this.#others = others;
    this.#shift = range.search.shift;
    this.#tile = tile;
    this.#probe = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
    this.#build = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
  }

  begin(chunk: HandleChunk): void {
    const { search } = this.#range;
    this.#chunk = chunk;
    search.begin(chunk);
    // Whoever tests pairs meets the undecided rows of a group only.
    const undecided = Math.max(1, this.#keyedRows - (this.#marks?.matchedRows ?? 0));
    if (this.#marks && this.#shift > 0) search.shift = Math.min(31, this.#shift + Math.floor(Math.log2(this.#keyedRows / undecided)));
    this.#hits.fill(0, 0, chunk.rows);
    this.#row = 0;
    this.#listed = 0;
    this.#taken = 0;
    this.#leaves = false;
    this.#state = "search";
  }

  step(): boolean {
    const chunk = this.#chunk as HandleChunk;
    switch (this.#state) {
      case "search":
        if (this.#taken < this.#listed) this.#take(chunk);
        else if (this.#row < chunk.rows) this.#search();
        else if (this.#leaves) this.#state = "prepare";
        else return this.#end(chunk);
        return false;
      case "prepare": {
        const others = this.#others();
        if (!others) return false;
        others.begin({ ...chunk, handles: this.#range.search.handles, from: 0 });
        this.#state = "others";
        return false;
      }
      case "others": {
        const others = this.#others() as RowMatcher;
        const before = others.tested;
        const done = others.step();
        this.tested += others.tested - before;
        return done && this.#end(chunk);
      }
    }
  }

  #search(): void {
    const { search, rest } = this.#range;
    const kernel = this.#kernel;
    const from = this.#row;
    if (!this.#marks && !rest) {
      const { to, bits } = search.test(from);
      const [found, ids] = [kernel.u8(bits), kernel.i32(search.handles)];
      for (let row = from; row < to; row++) {
        const bit = row - from;
        if (ids[row] >= NONE) this.#leaves ||= ids[row] > NONE;
        else {
          this.#hits[row] = (found[bit >> 3] >> (bit & 7)) & 1;
          ids[row] = NONE;
        }
      }
      this.#row = to;
      return;
    }
    const { row, kept, left } = search.list(from);
    // What is listed is done; what is left keeps its handle.
    kernel.i32(search.handles).fill(NONE, from, row);
    this.#row = left ? Math.max(row + 1, search.nextSearched(row)) : row;
    this.#leaves ||= left;
    if (this.#marks && !rest) this.#marks.markRows(search.build, 0, kept);
    else {
      this.#listed = kept;
      this.#taken = 0;
    }
  }

  /** Tests the next candidates of which neither row is decided. */
  #take({ start }: HandleChunk): void {
    const kernel = this.#kernel;
    const { search, rest } = this.#range;
    const [probes, builds] = [kernel.i32(search.probe), kernel.i32(search.build)];
    const [probe, build] = [kernel.i32(this.#probe), kernel.i32(this.#build)];
    const marks = this.#marks && kernel.u8(this.#marks.rowMarks);
    let count = 0;
    for (; this.#taken < this.#listed && count < this.#tile; this.#taken++) {
      const row = builds[this.#taken];
      probe[count] = probes[this.#taken];
      build[count] = row;
      count += marks ? ((marks[row >>> 3] >> (row & 7)) & 1) ^ 1 : 1 - this.#hits[probe[count] - start];
    }
    if (count === 0) return;
    this.tested += count;
    const passed = rest ? rest.testRows(count, this.#probe, this.#build, -start) : count;
    if (this.#marks) this.#marks.markRows(this.#build, 0, passed);
    else {
      const hits = kernel.i32(this.#probe);
      for (let i = 0; i < passed; i++) this.#hits[hits[i] - start] = 1;
    }
  }

  /** Probe rows that have no partner lose their handles. */
  #end({ handles, from, rows }: HandleChunk): true {
    if (this.#marks) return true;
    const [ids, others] = [this.#kernel.i32(handles), this.#kernel.i32(this.#range.search.handles)];
    for (let i = 0; i < rows; i++) if (this.#hits[i] === 0 && others[i] === NONE) ids[from + i] = NONE;
    return true;
  }
}
