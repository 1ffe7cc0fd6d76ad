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

export class CandidatePairs {
  readonly #kernel: Kernel;
  readonly #groups: Groups | null;
  readonly #filter: PairFilter | null;
  readonly #tile: number;
  /** Ids of the pairs that are left: rows of the probe batch, global build rows. */
  readonly probe: Region;
  readonly build: Region;
  count = 0;
  /** Candidates that were tested, over all chunks. */
  tested = 0;
  /** Rows of the batch before this one have no further candidate. */
  rowsDone = 0;
  #chunk: HandleChunk | null = null;
  #cursor: ExpandCursor = { row: 0, pos: 0, at: 0 };
  #end: ExpandCursor = { row: 0, pos: 0, at: 0 };
  /** The first condition is searched in this chunk. */
  #searches = false;
  /** Where the walk ends. */
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
    this.#to = chunk.from;
    this.rowsDone = chunk.start;
    this.count = 0;
    this.#searches = this.#filter?.beginSearch(chunk.rows) ?? false;
  }

  /** Tests the next tile; false: all rows of the chunk are done. */
  next(): boolean {
    const { from, rows } = this.#chunk as HandleChunk;
    this.count = 0;
    if (this.#cursor.row >= from + rows) return false;
    this.#to = from + rows;
    return this.walk();
  }

  /** Whether rows of the last walk are left. */
  protected get walking(): boolean {
    return this.#cursor.row < this.#to;
  }

  /** Tests the next tile of the rows [from, to) of the handles, or goes on with those of the call before. */
  protected walk(from?: number, to = this.#to): true {
    const { handles, from: first, start } = this.#chunk as HandleChunk;
    if (from !== undefined) this.#cursor = { row: from, pos: 0, at: 0 };
    this.#to = to;
    const base = start - first;
    const kernel = this.#kernel;
    const cursor = this.#cursor;
    const filter = this.#filter;
    this.count = 0;
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
