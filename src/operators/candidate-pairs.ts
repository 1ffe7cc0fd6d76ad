/**
 * `CandidatePairs`: the pairs of a chunk of probe rows that fulfil the residual filter, a tile of candidates at a time.
 *
 *     handles   5  -1  Multi(0)  7     candidates (0,5) (2,r0) (2,r1) (2,r2) (3,7)      tile of 2
 *                                      tested     (0,5) (2,r0) | (2,r1) (2,r2) | (3,7)
 *                                      left       (2,r0)       | -             | (3,7)    rows done: 2 | 3 | 4
 *
 * Resumable: the cursor is plain data. Pairs come in probe order, partners of a row in build order. Without conditions on both sides all
 * candidates are left.
 */

import type { ExpandCursor, Groups, Kernel, Region } from "../kernel/contract.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { PairFilter } from "./pair-filter.ts";
import type { HandleChunk } from "./probe-handles.ts";

/** Pairs of a chunk's rows that fulfil all conditions, in probe order, partners of a row in build order, some a call. */
export interface PairSource {
  /** Ids of the pairs that are left: rows of the probe batch, global build rows. */
  readonly probe: Region;
  readonly build: Region;
  /** Of the last call; who takes them may take less. */
  count: number;
  /** Candidates that were tested, over all chunks. */
  tested: number;
  /** Rows of the batch before this one have no further pair. */
  readonly rowsDone: number;
  begin(chunk: HandleChunk): void;
  /** The next pairs, possibly none; false: all rows of the chunk are done. */
  next(): boolean;
}

export class CandidatePairs implements PairSource {
  readonly #kernel: Kernel;
  readonly #groups: Groups | null;
  readonly #filter: PairFilter | null;
  readonly #tile: number;
  readonly probe: Region;
  readonly build: Region;
  count = 0;
  tested = 0;
  rowsDone = 0;
  #chunk: HandleChunk | null = null;
  #cursor: ExpandCursor = { row: 0, pos: 0, at: 0 };
  #end: ExpandCursor = { row: 0, pos: 0, at: 0 };
  /** The first condition is searched in this chunk. */
  #searches = false;
  /** Where the rows end, in the handles. */
  #to = 0;

  /** `filter` null: no condition reads both sides. */
  constructor(kernel: Kernel, groups: Groups | null, filter: PairFilter | null, tile = TILE_ROWS) {
    this.#kernel = kernel;
    this.#groups = groups;
    this.#filter = filter;
    this.#tile = tile;
    // A search needs room for a step of 16 more.
    this.probe = kernel.alloc(4 * TILE_ROWS + 128, "scratch");
    this.build = kernel.alloc(4 * TILE_ROWS + 128, "scratch");
  }

  begin(chunk: HandleChunk): void {
    this.#chunk = chunk;
    this.#cursor = { row: chunk.from, pos: 0, at: 0 };
    this.#to = chunk.from + chunk.rows;
    this.rowsDone = chunk.start;
    this.count = 0;
    this.#searches = this.#filter?.beginSearch(chunk.rows) ?? false;
  }

  /** Of a chunk that has begun: only its rows [from, to) from now on. */
  only(from: number, to: number): void {
    const { from: first } = this.#chunk as HandleChunk;
    this.#cursor = { row: first + from, pos: 0, at: 0 };
    this.#to = first + to;
  }

  next(): boolean {
    const { handles, from: first, start } = this.#chunk as HandleChunk;
    const to = this.#to;
    this.count = 0;
    if (this.#cursor.row >= to) return false;
    const base = start - first;
    const kernel = this.#kernel;
    const cursor = this.#cursor;
    const filter = this.#filter;
    if (filter && this.#searches) {
      const found = filter.search(handles, -first, cursor, to, base, this.probe, this.build, Math.max(this.#tile, 16));
      this.tested += found.tested;
      this.count = found.kept;
    } else if (filter?.walks) {
      const end = this.#end;
      const tested = kernel.measurePairs(handles, cursor, to, this.#groups, this.#tile, end);
      this.tested += tested;
      if (tested > 0) this.count = filter.testWalk({ handles, base: -first, start: cursor, end }, tested, base, this.probe, this.build);
      this.#cursor = end;
      this.#end = cursor;
    } else {
      cursor.at = 0;
      kernel.expand(handles, cursor, to, this.#groups, false, base, this.probe, this.build, this.#tile);
      this.tested += cursor.at;
      this.count = filter && cursor.at > 0 ? filter.testRows(cursor.at, this.probe, this.build, -start) : cursor.at;
    }
    this.rowsDone = this.#cursor.row + base;
    return true;
  }
}
