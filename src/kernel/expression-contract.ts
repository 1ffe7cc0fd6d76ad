/**
 * The part of the kernel contract that evaluates expressions over vectors of rows, and tests the candidate pairs of a join.
 *
 * Vectors lie in regions: an array of a number lane; `wide`, 32-byte signed little-endian integers; `text`, two i32 a row (offset into a
 * region of bytes, as unsigned; length); bits. An `Operand` that is constant has one value: the region has at least 64 bytes, filled with
 * repetitions of it (wide: two, text: one). Regions have room for `count` rounded up to 64 rows, plus 64 bytes: what lies after `count`
 * may be read and, in bits up to the next multiple of 64, written.
 *
 * Output bitmaps start at bit 0; bits after `count` in the last 64-bit word come out clear. Calls take at most CHUNK_ROWS rows.
 * Out regions may be an input's region only where that is said.
 */

import type { CompareOp } from "./loop-contract.ts";
import type { ExpandCursor, Groups, Region } from "./memory-contract.ts";

export type NumberLane = "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f32" | "f64";

export interface Operand {
  readonly region: Region;
  /** One value for all rows. */
  readonly constant: boolean;
}

export interface TextOperand extends Operand {
  readonly data: Region;
}

/** Constants that values are looked up among; made by `members`, for one lane. Opaque. */
export type Members = object;

export interface ExpressionKernels {
  /** The constants as `among` takes them; values as in `Step`. */
  members(lane: NumberLane | "text", values: readonly (string | number)[]): Members;
  /** Bit i: row i equals one of the members, in the sense of `compare` and `compareText`. O(1) a row. No constant operand. */
  among(lane: NumberLane | "text", a: Operand | TextOperand, members: Members, count: number, out: Region): void;
  /** Floats: every NaN equals every NaN and is above everything else, -0 equals +0; without a NaN among the rows that costs one test a vector. */
  compare(op: "eq" | "lt", lane: NumberLane, a: Operand, b: Operand, count: number, out: Region): void;
  /** By bytes, as unsigned; a prefix comes first. startsWith, endsWith, contains: whether a has b there; the empty text is everywhere. */
  compareText(op: "eq" | "lt" | "startsWith" | "endsWith" | "contains", a: TextOperand, b: TextOperand, count: number, out: Region): void;
  /** Of 32-byte integers. */
  compareWide(op: "eq" | "lt", a: Operand, b: Operand, count: number, out: Region): void;
  /**
   * An f64 vector against a wide one that counts units of 10^-scale (-76 to 76), exactly; NaN is above everything. `floatFirst`: the f64 is
   * the left operand.
   */
  compareScaled(op: "eq" | "lt", floats: Operand, wides: Operand, scale: number, floatFirst: boolean, count: number, out: Region): void;
  /** Bits [0, count); `out` may be `a` or `b`. andNot: a and not b. xnor: not (a xor b). `not` ignores b. */
  bitwise(op: "and" | "or" | "andNot" | "xnor" | "not", a: Region, b: Region, count: number, out: Region): void;
  /**
   * Sets in `failed` the bits of rows whose result leaves the lane (i64, u64) or divides by zero (f64 `div` and `mod` too), clears the
   * others, and returns how many are set. f64 is IEEE; `mod` has the sign of the dividend. neg and abs ignore b.
   */
  arithmetic(
    op: "add" | "sub" | "mul" | "div" | "mod" | "neg" | "abs",
    lane: "i64" | "u64" | "f64",
    a: Operand,
    b: Operand,
    count: number,
    out: Region,
    failed: Region,
  ): number;
  /** i64 results of one operand that is u64, `unsigned` says which (0: a), and one that is i64: failing only where the result leaves i64. */
  mixedArithmetic(
    op: "add" | "sub" | "mul" | "mod",
    a: Operand,
    b: Operand,
    unsigned: 0 | 1,
    count: number,
    out: Region,
    failed: Region,
  ): number;
  /** Values kept; a row that does not fit fails (see `arithmetic`). Floats go to integers towards zero, NaN fails. i64 and u64 round to floats. */
  convert(from: NumberLane, to: NumberLane, src: Region, count: number, out: Region, failed: Region): number;
  /** Integers times `factor` (positive, below 2^255) as 32-byte integers; beyond 256 bits the largest or the smallest. `bytes`: width of a signed little-endian source value (16 or 32), where `from` is wide. */
  widen(from: NumberLane | "wide", bytes: number, src: Region, factor: bigint, count: number, out: Region): void;
  /** Wide integers times 10^-scale as the nearest f64. */
  unscale(src: Region, scale: number, count: number, out: Region): void;
  /** i64, rounded down; the divisor is positive. */
  floorDivide(src: Region, divisor: bigint, count: number, out: Region): void;
  /** out[at + i] := 1 where bit i is set, else 0, as bytes. */
  bitsToBytes(bits: Region, count: number, out: Region, at: number): void;
  /** Bit i := bytes[i] is not 0. */
  bytesToBits(bytes: Region, count: number, out: Region): void;
}

/**
 * Candidate pairs: those that `expand` lists (without outer), in its order, from one cursor to another. Widths are 1, 2, 4, 8 and 32 bytes.
 */
export interface PairKernels {
  /** Counts candidates from `start` on until row `to`, at most `limit`, and sets row and pos of `end` to where that stops. */
  measurePairs(handles: Region, start: Readonly<ExpandCursor>, to: number, groups: Groups | null, limit: number, end: ExpandCursor): number;
  /** dst[i] := src[probe row of candidate i] (its index in handles plus `base`). */
  takeProbe(
    src: Region,
    width: number,
    base: number,
    handles: Region,
    start: Readonly<ExpandCursor>,
    end: Readonly<ExpandCursor>,
    groups: Groups | null,
    dst: Region,
  ): void;
  /** dst[i] := the value of candidate i's build row: byRow[row] for One(row); for a group byGroup, which lies in the order of groups.rows. */
  takeBuild(
    byRow: Region,
    byGroup: Region | null,
    width: number,
    handles: Region,
    start: Readonly<ExpandCursor>,
    end: Readonly<ExpandCursor>,
    groups: Groups | null,
    dst: Region,
  ): void;
  /** Writes the candidates whose bit is set: outProbe := probeBase + row, outBuild := build row. Returns how many. */
  selectPairs(
    bits: Region,
    handles: Region,
    start: Readonly<ExpandCursor>,
    end: Readonly<ExpandCursor>,
    groups: Groups | null,
    probeBase: number,
    outProbe: Region,
    outBuild: Region,
  ): number;
  /**
   * The same for one comparison, `build op probe`, of ordinals of 4 or 8 bytes (see `ordinals`), without a copy: tests the candidates from
   * `cursor` on until row `to`, about `budget` of them, as long as 16 places of `room` are free. Writes those that fulfil it as `selectPairs`
   * does and moves the cursor. `probe`, `base`, `byRow` and `byGroup` as in `takeProbe` and `takeBuild`; byGroup has room for 16 values more.
   */
  searchPairs(
    op: CompareOp,
    width: 4 | 8,
    probe: Region,
    base: number,
    byRow: Region,
    byGroup: Region | null,
    handles: Region,
    cursor: ExpandCursor,
    to: number,
    groups: Groups | null,
    probeBase: number,
    outProbe: Region,
    outBuild: Region,
    room: number,
    budget: number,
  ): { tested: number; kept: number };
  /** dst[dstAt + i] := src[rows[from + i] + base]. No row is NONE. */
  takeRows(src: Region, width: number, rows: Region, from: number, count: number, base: number, dst: Region, dstAt: number): void;
  /** Keeps, in place and in order, the elements (i32) [0, count) of `first`, and of `second` if given, whose bit is set. Returns how many. */
  keepRows(bits: Region, count: number, first: Region, second: Region | null): number;
  /** handles[from + i] := NONE where bit i is clear, for i in [0, count). */
  clearHandles(handles: Region, from: number, count: number, bits: Region): void;
  /** Sets the bits of rows[from, from + count); returns how many were clear before. */
  markRows(rows: Region, from: number, count: number, marks: Region): number;

  /** Order-preserving unsigned integers of 4 bytes (lanes up to 4 bytes) or 8: floats with every NaN as the largest and -0 as +0. dst[dstAt + i]. */
  ordinals(lane: NumberLane, src: Region, count: number, dst: Region, dstAt: number): void;
  /**
   * extremes[ids[i]] := the larger (`max`) or smaller of itself and ordinals[i], for i in [0, count) with ids[i] >= 0 and valid[i] (bytes;
   * null: all). `seen` has a bit an id, set for those that have one.
   */
  updateExtremes(
    ids: Region,
    idsFrom: number,
    ordinals: Region,
    width: 4 | 8,
    valid: Region | null,
    count: number,
    max: boolean,
    extremes: Region,
    seen: Region,
  ): void;
  /**
   * Bit i := ids[idsFrom + i] >= 0, its id is seen, valid[i], and `extreme op ordinals[i]` holds. `op` is lt, le, gt or ge.
   */
  testExtremes(
    ids: Region,
    idsFrom: number,
    ordinals: Region,
    width: 4 | 8,
    valid: Region | null,
    count: number,
    op: "lt" | "le" | "gt" | "ge",
    extremes: Region,
    seen: Region,
    out: Region,
  ): void;
}

/**
 * A stable radix sort of unsigned integers of `width` 4 or 8 bytes, each with an i32 that goes along, a byte and a bounded stretch a call:
 * counted from the lowest byte, moved by the sums of the counts.
 */
export interface SortKernels {
  /** counts[byte `byte` of keys[i]] += 1 for i in [from, to); 256 of them. */
  countBytes(keys: Region, width: 4 | 8, byte: number, from: number, to: number, counts: Region): void;
  /** For i in [from, to): moves keys[i] and rows[i] to place next[byte]++. */
  moveByByte(
    keys: Region,
    rows: Region,
    width: 4 | 8,
    byte: number,
    from: number,
    to: number,
    next: Region,
    outKeys: Region,
    outRows: Region,
  ): void;
  /** The same to place next[groupOf[rows[i]]]++: what is sorted stays so within its group. */
  moveByGroup(
    keys: Region,
    rows: Region,
    width: 4 | 8,
    from: number,
    to: number,
    groupOf: Region,
    next: Region,
    outKeys: Region,
    outRows: Region,
  ): void;
}
