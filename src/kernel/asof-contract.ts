/**
 * The part of the kernel contract that merges times: for each left row the closest right row of its key.
 *
 * Times are two float64 each, whatever the columns are: time = major * base + minor, 0 <= minor < base, compared by major, then minor. That is
 * exact for 64-bit integers of either sign, and for two units of time that differ by a factor; one loop serves every type.
 *
 *     number    major = the value                       minor = 0                        integers of up to 32 bits, floats
 *     split     major = floor(v / 4096)                 minor = v mod 4096               64-bit integers, either sign
 *     coarse    major = floor(v / 2^k)                  minor = (v mod 2^k) * factor     the coarser of two units; base = 2^k * factor <= 2^53
 *     fine      q = floor(v / factor): floor(q / 2^k)   (q mod 2^k) * factor + v mod factor
 *
 * Coarse and fine are of signed integers: unsigned ones have no unit.
 *
 * Left rows are rows of a chunk; right rows are rows of a chunk (backward) or of a window (ahead), `rowBase` less than their row ids. Keys are
 * dense ids; a row of id NONE has no partner and is none.
 *
 *     backward   memo by key: the last right row so far, and its time          right rows that time has passed enter it
 *     ahead      queue by key: heads[key] -> next[...] -> ... -> tails[key]    right rows that are still to come, linked when they are read
 */

import type { NumberLane } from "./expression-contract.ts";
import type { Region } from "./memory-contract.ts";

export interface TimePoint {
  readonly major: number;
  readonly minor: number;
}

export interface TimeForm {
  readonly from: NumberLane;
  readonly op: "number" | "split" | "coarse" | "fine";
  /** Of coarse and fine: fine units in a coarse one, 2 to 2^30. */
  readonly factor: number;
  /** 4096 of split, 2^k * factor of coarse and fine (k the largest with 2^k * factor <= 2^53), 1 of number. */
  readonly base: number;
}

/** By key id. */
export interface Memo {
  /** i32; NONE: no row yet. */
  readonly rows: Region;
  /** The rows' times, two float64 each; null: nobody asks for them. */
  readonly times: Region | null;
}

/** How far the right is known: no row from `end` on has a time below this, which is at least that of the row before; ended: there is no such row. */
export interface Horizon extends TimePoint {
  readonly ended: boolean;
}

interface Merge {
  /** Two float64 a row, never decreasing. */
  readonly leftTimes: Region;
  /** i32 a row; null: all rows are of key 0. */
  readonly leftIds: Region | null;
  readonly rightTimes: Region;
  readonly rightIds: Region | null;
  readonly base: number;
  /** Equal times are no match. */
  readonly strict: boolean;
  /** How far a row before may be, inclusive; null: as far as it likes. */
  readonly before: TimePoint | null;
  readonly horizon: Horizon;
  /** Right row i has the id rowBase + i. */
  readonly rowBase: number;
}

export interface BackwardMerge extends Merge {
  readonly memo: Memo;
  /** Of equal times the first row counts, else the last. Needs the memo's times, as `before` does. */
  readonly first: boolean;
}

/** Rows still to come, by key. Rows are of the window. */
export interface Queues {
  /** i32 by row: the next row of its key, NONE at the end. */
  readonly next: Region;
  /** i32 by key: NONE where the queue is empty. */
  readonly heads: Region;
  readonly tails: Region;
}

export interface AheadMerge extends Merge {
  readonly queues: Queues;
  /** Rows before count too, the nearer one wins, of equal distances the one before (nearest); null: rows ahead only (forward). Has times. */
  readonly memo: Memo | null;
  /** Of equal times before (at the same time, too): the first counts, else the last. */
  readonly backFirst: boolean;
  /** Of equal times ahead: the last counts, else the first. */
  readonly aheadLast: boolean;
  readonly after: TimePoint | null;
}

export interface BackwardCursor {
  /** The next left row. */
  left: number;
  /** The next right row that has not entered the memo. */
  right: number;
}

export interface AheadCursor {
  left: number;
  /** The next row that has not left its queue, and the next that has not entered the memo (at most `popped`; equal to it without a memo). */
  popped: number;
  memoed: number;
}

export interface AsofKernels {
  /** times[at + i] := src[i], `count` values (one at least) of the form's lane from src's byte 0 on. NaN stays NaN. True: none is below the one before; false: not known. */
  loadTimes(form: TimeForm, src: Region, count: number, times: Region, at: number): boolean;
  /**
   * Checks the order of times [from, to) after `last`, and gives rows without a time (not valid, or NaN; their bits are cleared) that of the row
   * before, so that all of them never decrease. `valid`: bit i is row from + i; null: every row has one, and none is NaN. Returns the first row
   * below the time before it, or -1.
   */
  orderTimes(times: Region, from: number, to: number, valid: Region | null, last: TimePoint): number;

  /**
   * out[row] := id of the partner or NONE, for left rows from cursor.left on until `to`, or the first row that is not decided: all right rows
   * before `end` have been looked at, and one that counts for it may still come. Right rows that come before it have entered the memo then. A row
   * of time T is decided when a right row, or the horizon, is above T (strict: not below T), when the right has ended, with `first` also on a
   * partner at T. Without ids on either side, and without `first`, it gallops over right rows.
   */
  mergeBackward(merge: BackwardMerge, cursor: BackwardCursor, to: number, end: number, out: Region): void;
  /** Right rows before `end` that come before `time` (not strict: or at it) enter the memo, as if a left row of that time had come. */
  advanceBackward(merge: BackwardMerge, cursor: BackwardCursor, end: number, time: TimePoint): void;

  /** Rows [from, to) of the window join the queues of their keys, at the end; `ids` null: all are of key 0. */
  linkRows(ids: Region | null, from: number, to: number, queues: Queues): void;
  /**
   * As `mergeBackward`, over a window whose rows before `end` are linked. Before row T looks, right rows with t < T (strict, and with a memo:
   * t <= T) leave their queues, and those with t <= T (strict: t < T) enter the memo.
   *
   * forward: decided on the head of its queue, which is a partner if it is within `after` (aheadLast: once the horizon is above its time, when the
   * last row of that time becomes the head), or when the horizon is more than `after` above T, or the right has ended.
   * nearest: a row at T (not strict) closes as in mergeBackward. Else with d the distance of the memo's row, if that is within `before`: the head
   * of the queue, if nearer than d (aheadLast: as above), wins; the memo's row, once the head is not nearer, or the horizon is d or more, or
   * more than `after`, above T. Distances and bounds are compared by differences, those of equal infinities being 0.
   */
  mergeAhead(merge: AheadMerge, cursor: AheadCursor, to: number, end: number, out: Region): void;
}
