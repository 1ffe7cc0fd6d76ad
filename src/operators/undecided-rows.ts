/**
 * Which build rows have a partner that fulfils the filter, while probe rows stream by: every probe row is tested against the rows of its
 * key that are still undecided. A row that is decided leaves its group.
 *
 *     group 0    rows 2 5 7 9 | end 4       row 5 marked:  rows 2 7 9 | end 3       a group without rows costs nothing any more
 *
 * Each pair is tested at most once, and none of a row that was decided before its batch began. 4 bytes a row of a group.
 */

import { type Groups, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { MatchMarks } from "./match-marks.ts";
import type { PairFilter } from "./pair-filter.ts";
import type { HandleChunk } from "./probe-handles.ts";

/** 4 MB a copy, about a millisecond where its pages are new. */
const COPY_ROWS = 1 << 20;

/** Rows of a group that a call looks at, decided ones too. */
const LOOKED_ROWS = 1 << 18;

export class UndecidedRows {
  readonly #kernel: Kernel;
  readonly #groups: Groups | null;
  readonly #filter: PairFilter;
  readonly #marks: MatchMarks;
  readonly #tile: number;
  readonly #probe: Region;
  readonly #build: Region;
  /** Rows of the groups, the undecided ones first; where these end. */
  readonly #rows: Region | null;
  readonly #ends: Region | null;
  readonly #members: number;
  #copied = 0;
  #chunk: HandleChunk | null = null;
  #row = 0;
  /** In the group of that row: looked at, and still undecided. */
  #pos = 0;
  #kept = 0;
  tested = 0;

  constructor(kernel: Kernel, groups: Groups | null, groupCount: number, filter: PairFilter, marks: MatchMarks, tile = TILE_ROWS) {
    this.#kernel = kernel;
    this.#groups = groups;
    this.#filter = filter;
    this.#marks = marks;
    this.#tile = tile;
    this.#probe = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
    this.#build = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
    this.#members = groups ? kernel.i32(groups.offsets)[groupCount] : 0;
    this.#rows = groups && kernel.alloc(4 * this.#members, "the undecided rows");
    this.#ends = groups && kernel.alloc(4 * groupCount, "the undecided rows");
    if (groups && this.#ends) kernel.copy(this.#ends, 0, groups.offsets, 4, 4 * groupCount);
  }

  /** Copies a bounded stretch of the groups' rows; true when all are. */
  prepare(): boolean {
    if (!this.#groups || !this.#rows) return true;
    const count = Math.min(COPY_ROWS, this.#members - this.#copied);
    this.#kernel.copy(this.#rows, 4 * this.#copied, this.#groups.rows, 4 * this.#copied, 4 * count);
    this.#copied += count;
    return this.#copied === this.#members;
  }

  begin(chunk: HandleChunk): void {
    this.#chunk = chunk;
    this.#row = chunk.from;
    this.#pos = 0;
    this.#kept = 0;
  }

  /** Tests one batch; true when the chunk's rows are done. */
  step(): boolean {
    const { start, from, rows } = this.#chunk as HandleChunk;
    if (this.#row === from + rows) return true;
    const count = this.#candidates();
    if (count === 0) return false;
    this.tested += count;
    const left = this.#filter.testRows(count, this.#probe, this.#build, -start);
    this.#marks.markRows(this.#build, 0, left);
    return false;
  }

  /** Fills a tile with candidates; returns how many. */
  #candidates(): number {
    const kernel = this.#kernel;
    const { handles, from, start, rows } = this.#chunk as HandleChunk;
    const ids = kernel.i32(handles);
    const [probe, build, marks] = [kernel.i32(this.#probe), kernel.i32(this.#build), kernel.u8(this.#marks.rowMarks)];
    const offsets = this.#groups && kernel.i32(this.#groups.offsets);
    const members = this.#rows && kernel.i32(this.#rows);
    const ends = this.#ends && kernel.i32(this.#ends);
    const isMarked = (row: number) => (marks[row >>> 3] >> (row & 7)) & 1;
    let count = 0;
    let looked = 0;
    for (; this.#row < from + rows && count < this.#tile; this.#row++) {
      const handle = ids[this.#row];
      const probeRow = start + this.#row - from;
      if (handle > NONE && !isMarked(handle)) {
        probe[count] = probeRow;
        build[count++] = handle;
      }
      if (handle >= NONE || !offsets || !members || !ends) continue;
      // Rows that were decided meanwhile leave the group as it is gone through.
      const group = -2 - handle;
      const first = offsets[group];
      for (; first + this.#pos < ends[group] && count < this.#tile && looked < LOOKED_ROWS; this.#pos++, looked++) {
        const row = members[first + this.#pos];
        if (isMarked(row)) continue;
        members[first + this.#kept++] = row;
        probe[count] = probeRow;
        build[count++] = row;
      }
      if (first + this.#pos < ends[group]) return count;
      ends[group] = first + this.#kept;
      this.#pos = 0;
      this.#kept = 0;
    }
    return count;
  }
}
