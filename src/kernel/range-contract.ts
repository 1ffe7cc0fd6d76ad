/**
 * The part of the kernel contract that answers inequalities by sorted search: values of build rows sorted within each group, and beside them
 * an implicit tree of the extremes of a second value.
 *
 *     sorted    keys   1 4 4 9 | 2 7             group 0 has places [0, 4), group 1 [4, 6)
 *               rows   5 2 9 7 | 3 0             build rows, ascending where keys are equal
 *     tree      level 0, by place    8 3 5 6 2 9 ...  (16 values)  8 1 ...  (16)  ...
 *               level 1              9                8                           the largest (or smallest) of 16
 *               level 2              9 ...                                        of 256, and so on
 *
 * A probe row's *stretch* is [low, high) of its group's places; its candidates are those rows of the stretch whose value in the tree passes.
 * Keys and values are ordinals of 4 or 8 bytes. What is by row has the index of the row's handle.
 */

import type { Groups, Region } from "./memory-contract.ts";

export const SAMPLE_ROWS = 64;

export interface SortedRows {
  readonly width: 4 | 8;
  /** With room for 64 bytes more. */
  readonly keys: Region;
  /** Every SAMPLE_ROWS-th key, from the first on, with room for 64 bytes more: what a search looks at first stays in a cache. */
  readonly samples: Region;
  readonly rows: Region;
  /** The places of group g are [offsets[g], ends[g]). */
  readonly ends: Region;
}

export interface RangeTree {
  /** Level after level, each padded to a multiple of 16 values. */
  readonly values: Region;
  readonly width: 4 | 8;
  readonly places: number;
  /** `value op query`; lt and le need the smallest values in the upper levels, gt and ge the largest. */
  readonly op: "lt" | "le" | "gt" | "ge";
}

/** What the rows of a chunk ask of their groups. */
export interface RangeSearch {
  readonly groups: Groups;
  readonly sorted: SortedRows;
  readonly tree: RangeTree | null;
  /** Where each row's stretch begins, and where it ends, as `searchSorted` writes them; null: where its group does. */
  readonly lows: Region | null;
  readonly highs: Region | null;
  /** What the tree's values are compared with; null without a tree. */
  readonly queries: Region | null;
}

export interface RangeKernels {
  /**
   * For rows [from, to) of the handles: out[row] := the first place of the row's group whose key is not less than (`after`: is
   * greater than) its ordinal; anything for rows of no group. `floors`: places of the group; what lies before the row's may be any place up to it.
   */
  searchSorted(
    sorted: SortedRows,
    groups: Groups,
    handles: Region,
    from: number,
    to: number,
    ordinals: Region,
    after: boolean,
    floors: Region | null,
    out: Region,
  ): void;
  /** Values [from, to) of the level that starts at `at`, from the level of `count` values at `below`: the largest (`max`) or smallest of 16 each. */
  raiseTree(values: Region, width: 4 | 8, max: boolean, below: number, count: number, at: number, from: number, to: number): void;
  /**
   * Lists the candidates of whole rows, from row `from` on, in order of their places: outProbe := row + probeBase, outBuild := build row. Stops
   * where the next row's do not fit what is left of `room`, and before a row that is not searched: one of a handle One or of a group below
   * `least` rows, or one with more candidates than size >> `shift` of its group (stretches count as a whole where there is no tree). Returns
   * the row at which it stopped; without a pair kept such a row, or `to`.
   */
  listRange(
    search: RangeSearch,
    handles: Region,
    from: number,
    to: number,
    least: number,
    shift: number,
    probeBase: number,
    outProbe: Region,
    outBuild: Region,
    room: number,
  ): { row: number; kept: number };
  /** Sorts, of pairs whose probe rows ascend, the build rows of each. `spare` has room for as many. */
  orderPairs(probe: Region, build: Region, count: number, spare: Region): void;
  /** Bit i: row from + i has a candidate, or is of no group. `out` ends with whole words of 64 bits. */
  testRange(search: RangeSearch, handles: Region, from: number, to: number, out: Region): void;
}

/** Where each level of a tree over so many places starts, in values; the last number is the length of them all. */
export function treeLevels(places: number): number[] {
  const starts = [0];
  for (let count = places, start = 0; ; count = Math.ceil(count / 16)) {
    start += Math.ceil(count / 16) * 16;
    starts.push(start);
    if (count <= 16) return starts;
  }
}
