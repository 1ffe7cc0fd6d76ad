/**
 * `MatchMarks`: which build rows have found a partner. Where no pair is looked at, keys are marked: a row whose key is unique by its own bit, the rows of
 * a group by the group's bit, which is spread to the rows once, when the probe has ended. The scan of (un)matched rows is resumable.
 *
 * One bit a row and one a group; O(1) a probe row, O(rows / 64) for the scan where all or none match.
 */

import { CHUNK_ROWS, type Groups, type Kernel, type Region } from "../kernel/contract.ts";

export class MatchMarks {
  readonly #kernel: Kernel;
  readonly #rows: number;
  readonly #groupCount: number;
  readonly #groups: Groups | null;
  /** A bit a row, complete once spread. */
  readonly rowMarks: Region;
  readonly #groupMarks: Region | null;
  /** Keys that have found a partner. */
  matchedKeys = 0;
  /** Rows that were marked by id. */
  matchedRows = 0;
  #spread = 0;

  constructor(kernel: Kernel, rows: number, groups: Groups | null, groupCount: number) {
    this.#kernel = kernel;
    this.#rows = rows;
    this.#groups = groups;
    this.#groupCount = groups ? groupCount : 0;
    this.rowMarks = kernel.alloc((rows + 7) >>> 3, "the match marks", true);
    this.#groupMarks = groups ? kernel.alloc((groupCount + 7) >>> 3, "the match marks", true) : null;
  }

  mark(handles: Region, from: number, to: number): void {
    this.matchedKeys += this.#kernel.markMatches(handles, from, to, this.rowMarks, this.#groupMarks);
  }

  /** Marks rows by id, where each pair is looked at. Returns how many were not marked before. */
  markRows(rows: Region, from: number, count: number): number {
    const added = this.#kernel.markRows(rows, from, count, this.rowMarks);
    this.matchedRows += added;
    return added;
  }

  /** Spreads a bounded number of group marks to their rows; true when all are. Call before `scan`. */
  spread(): boolean {
    if (this.#spread >= this.#groupCount || !this.#groups || !this.#groupMarks) return true;
    const to = Math.min(this.#spread + CHUNK_ROWS, this.#groupCount);
    this.#kernel.spreadMarks(this.#groupMarks, this.#spread, to, this.#groups, this.rowMarks);
    this.#spread = to;
    return to === this.#groupCount;
  }

  /** Writes ids of rows that are (not) matched to `out`, at most `limit`, from cursor.row on. */
  scan(cursor: { row: number; at: number }, want: boolean, out: Region, limit: number): void {
    // A bounded stretch of bits: where few rows are wanted the call must end all the same.
    const to = Math.min(cursor.row + SCAN_ROWS, this.#rows);
    this.#kernel.scanMarks(this.rowMarks, cursor, to, want, out, limit);
  }

  /** Rows that have found a partner, once spread. */
  countRows(): number {
    return this.#kernel.countBits(this.#kernel.u8(this.rowMarks), 0, this.#rows);
  }
}

/** Skipping 64 bits at a time, about a quarter of a millisecond. */
const SCAN_ROWS = 1 << 22;
