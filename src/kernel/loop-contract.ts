/**
 * The part of the kernel contract that tests all pairs of some probe rows with a stretch of build rows: no candidate is listed, a pair is a bit.
 *
 *     bits   | row 0: build rows from ... to | row 1 ...        row i's begin at byte at + i * stride, in whole 64-bit words
 *
 * Values are ordinals of 4 or 8 bytes (`ordinals`). Bits after the last build row of a word come out clear.
 */

import type { ExpandCursor, Region } from "./memory-contract.ts";

export type CompareOp = "lt" | "le" | "gt" | "ge" | "eq" | "ne";

/** A bit a pair; `at` and `stride` are multiples of 8. */
export interface PairBits {
  readonly region: Region;
  readonly at: number;
  readonly stride: number;
}

export interface LoopKernels {
  /**
   * Tests the probe rows rows[first, first + count) with the build rows [from, to): bit b of row i says whether `build op probe` holds
   * for build row from + b; with `both`, only where it was set before. At most 64 rows and LOOP_TILE_ROWS build rows. `build` has room for
   * 64 values more. Returns how many bits are set.
   */
  compareTile(
    op: CompareOp,
    width: 4 | 8,
    probe: Region,
    rows: Region,
    first: number,
    count: number,
    build: Region,
    from: number,
    to: number,
    bits: PairBits,
    both: boolean,
  ): number;
  /**
   * Writes the pairs whose bit is set from row cursor.row, bit cursor.pos on, until row `count`, until cursor.at == limit, or until a bounded
   * stretch was looked at: outProbe := probeBase + rows[first + row], outBuild := members[from + bit]. A row has `length` bits.
   */
  listBits(
    bits: PairBits,
    length: number,
    cursor: ExpandCursor,
    rows: Region,
    first: number,
    count: number,
    probeBase: number,
    members: Region,
    from: number,
    outProbe: Region,
    outBuild: Region,
    limit: number,
  ): void;
}

/** Build rows of a tile: 16 kB of 8-byte ordinals, half of an L1. */
export const LOOP_TILE_ROWS = 2048;
