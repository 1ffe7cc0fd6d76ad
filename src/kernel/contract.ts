/**
 * The kernel contract: what the WASM kernels and their TypeScript twin both implement, over blocks of kernel memory.
 *
 * Invariants
 * - A kernel knows rows, bytes and bits; no Arrow, no join kind.
 * - Every call does bounded work: the caller passes a range of rows (at most `CHUNK_ROWS`), slots or pairs; what can stop
 *   early says where it stopped. All cursors are plain data owned by the caller.
 * - A `Region` is opaque. Typed-array views of it (`u8`, `i32`) are valid only until the next `alloc`: growing WASM memory
 *   detaches them.
 * - Hashes never leave a kernel, and a hash is never an identity: equal hashes are followed by a comparison of the key.
 * - Layouts inside a table region belong to the kernel that made it; the layouts documented here are shared by both.
 *
 * Match handles, i32, one per probe row:
 *
 *     -1        NONE      no partner (or a null key)
 *      r >= 0   One(r)    exactly one build row
 *     -2 - g    Multi(g)  the build rows  rows[offsets[g]] ... rows[offsets[g + 1] - 1]
 */

import type { AsofKernels } from "./asof-contract.ts";
import type { ExpressionKernels, PairKernels, SortKernels } from "./expression-contract.ts";
import type { LoopKernels } from "./loop-contract.ts";
import type { ExpandCursor, Groups, KernelMemory, Region } from "./memory-contract.ts";
import type { RangeKernels } from "./range-contract.ts";

export type { ExpandCursor, Groups, KernelMemory, KernelName, Region } from "./memory-contract.ts";
export { checkLimit } from "./memory-contract.ts";

/** No partner: in handles, in row numbers to gather (the output is null), in codes (no such key). */
export const NONE = -1;
/** In dictionary maps: the dictionary's value at this code is null. */
export const NULL_VALUE = -2;
/** Rows a caller passes to one kernel call at most: keys, handles and row numbers of a chunk stay in L2. */
export const CHUNK_ROWS = 16384;
/** Row ids are i32 with -1 for none. */
export const MAX_ROWS = 2 ** 31 - 2;

/** Bitmaps are least significant bit first, as Arrow's. Regions written here start at bit 0 and have the bits after the last row of the last byte cleared. */
export interface BitKernels {
  /** dst bits [0, count) := src bits [srcBit, srcBit + count). Returns how many are set. */
  copyBits(dst: Region, src: Region, srcBit: number, count: number): number;
  /** dst bits [0, count) &= src bits [srcBit, srcBit + count). Returns how many stay set. */
  andBits(dst: Region, src: Region, srcBit: number, count: number): number;
  /** How many of the bits [bit, bit + count) of host bytes are set. */
  countBits(bytes: Uint8Array, bit: number, count: number): number;
}

/** How `packFixed` brings a value to the form in which equal keys have equal bytes. */
export type KeyForm =
  /** Bytes as they are, zero-padded to the cell. */
  | "raw"
  /** Little-endian integer, sign-extended to the cell. */
  | "int"
  /** Little-endian integer, zero-extended to the cell. */
  | "uint"
  /** IEEE float of the width 2, 4 or 8: every NaN one pattern, -0 becomes +0; zero-padded to the cell. */
  | "float";

/** Keys of a chunk: `count` cells of `width` bytes (4, 8, or a multiple of 8), one after the other. */
export interface FixedKeys {
  readonly kind: "fixed";
  readonly width: number;
  readonly keys: Region;
  /** Bit i clear: row i has no key (null). Null when all rows have one. */
  readonly valid: Region | null;
}

/** Keys of a chunk as byte strings: row i is data[offsets[i], offsets[i + 1]) (i32 offsets, not necessarily starting at 0). */
export interface BytesKeys {
  readonly kind: "bytes";
  readonly offsets: Region;
  readonly data: Region;
  /** Subtract from each offset to get the position in `data` (a chunk's bytes are copied from its first byte on). */
  readonly origin: number;
  readonly valid: Region | null;
}

export type KeyBlock = FixedKeys | BytesKeys;

/** Composes key cells. A cell of row i lies at keys[i * stride + at, ... + cell). */
export interface KeyKernels {
  /** Writes `count` values of `width` bytes from src (row 0 at byte 0) into cells. */
  packFixed(dst: Region, stride: number, at: number, cell: number, src: Region, width: number, form: KeyForm, count: number): void;
  /** Writes bits [srcBit, srcBit + count) as 0 or 1 into cells. */
  packBits(dst: Region, stride: number, at: number, cell: number, src: Region, srcBit: number, count: number): void;
  /**
   * Writes map[code] (i32) into 4-byte cells; codes are little-endian integers of `width` 1, 2, 4 or 8 bytes in src. Rows that are
   * not valid are not read and get 0. Where the map says NULL_VALUE the row's valid bit is cleared and the cell is 0.
   * Returns -1, or the first row whose code is not in [0, mapLength); nothing after that row is written.
   */
  packCodes(
    dst: Region,
    stride: number,
    at: number,
    src: Region,
    width: number,
    signed: boolean,
    map: Region,
    mapLength: number,
    valid: Region,
    count: number,
  ): number;
  /**
   * Rows not valid: zeroes the cell, then ors `mask` into the row's byte at `maskAt`. Where nulls are equal and several columns are
   * compared as one cell.
   */
  nullCells(dst: Region, stride: number, at: number, cell: number, maskAt: number, mask: number, valid: Region, count: number): void;
  /** Smallest and largest valid key of rows [from, to) as integers of the block's width (4 or 8); null when there is none. */
  minMax(block: FixedKeys, signed: boolean, from: number, to: number): { min: bigint; max: bigint } | null;
}

/**
 * An open-addressing table with one slot per distinct key; a slot holds the key and one i32 value.
 * `width` is the cell width of `FixedKeys`, or 0 for `BytesKeys`. `count` slots are in use.
 * The region must be zeroed when the table is new: a zero byte pattern is an empty table.
 */
export interface SwissState {
  readonly kind: "swiss";
  readonly width: number;
  /** Power of two, at least 16. */
  readonly slots: number;
  readonly region: Region;
  count: number;
  /** Bytes tables: the distinct keys' bytes, appended; null otherwise. */
  keyBytes: Region | null;
  keyBytesUsed: number;
}

/** A table addressed by key - min, for integer keys of width 4 or 8. The region (4 * range bytes) must be zeroed when new. */
export interface DirectState {
  readonly kind: "direct";
  readonly width: 4 | 8;
  readonly signed: boolean;
  readonly min: bigint;
  /** Number of cells: max - min + 1, at most 2^31 - 1. Compared in 64 bits before anything is narrowed. */
  readonly range: number;
  readonly region: Region;
  /** Distinct keys. */
  count: number;
}

export interface TableKernels {
  /** Region size of a table of `slots` slots (power of two >= 16). */
  swissBytes(width: number, slots: number): number;
  /** Most keys a table of `slots` slots takes before it must grow (at most 7/8 of the slots). */
  swissLimit(width: number, slots: number): number;
  /**
   * Finds or inserts the keys of rows [from, to); out[outAt + i - from] := the value of row i's key (NONE where not valid). A new key
   * gets the value `base + i`, or with base = -1 the number of keys before it (a dense id).
   * Returns `to`, or the first row not done because the table is at its limit or, for bytes, the key store has no room
   * (`keyBytesUsed` plus the row's length exceeds it).
   */
  insertSwiss(table: SwissState, block: KeyBlock, from: number, to: number, base: number, out: Region, outAt: number): number;
  /** out[outAt + i - from] := the value of row i's key, or NONE. */
  probeSwiss(table: SwissState, block: KeyBlock, from: number, to: number, out: Region, outAt: number): void;
  /** Inserts what the slots [from, to) of `old` hold into `next` (same width, more slots). `next` shares the key store. */
  rehashSwiss(old: SwissState, next: SwissState, from: number, to: number): void;
  /** In the slots [from, to): value v becomes handles[v]. */
  relabelSwiss(table: SwissState, handles: Region, from: number, to: number): void;

  /** As `insertSwiss`; every valid key must lie in the range. Always ends at `to`. */
  insertDirect(table: DirectState, block: FixedKeys, from: number, to: number, base: number, out: Region, outAt: number): void;
  probeDirect(table: DirectState, block: FixedKeys, from: number, to: number, out: Region, outAt: number): void;
  relabelDirect(table: DirectState, handles: Region, from: number, to: number): void;
}

/** Rows [from, to) of chunked passes over all build rows. `reps[row]` is the first row with the same key, or NONE. */
export interface GroupKernels {
  /** counts[rep] += 1 for every row that is not its own representative (counts: i32 per row, zeroed before). Returns what was added: rows, and representatives counted for the first time. */
  countDuplicates(reps: Region, from: number, to: number, counts: Region): { duplicates: number; groups: number };
  /**
   * Turns counts[from, to) into handles in place: 0 becomes One(row), n > 0 becomes Multi(next.group) with n + 1 rows reserved:
   * offsets[group + 1] := next.start (where the scatter writes), then next.group += 1, next.start += n + 1. offsets[0] is 0.
   */
  numberGroups(counts: Region, from: number, to: number, next: { group: number; start: number }, offsets: Region): void;
  /** For rows [from, to) in order: if handles[reps[row]] is Multi(g), rows[offsets[g + 1]++] := row. After all rows the offsets are final. */
  scatterGroups(reps: Region, handles: Region, from: number, to: number, offsets: Region, rows: Region): void;

  /** counts[ids[i]] += 1 for i in [from, to). */
  countIds(ids: Region, from: number, to: number, counts: Region): void;
  /** In place: counts[r] > 0 becomes Multi(r), 0 becomes NONE; offsets[r + 1] := next.start, then next.start += the count. */
  numberRuns(counts: Region, from: number, to: number, next: { start: number }, offsets: Region): void;
  /** rows[offsets[ids[i] + 1]++] := values[i] for i in [from, to). */
  scatterIds(ids: Region, values: Region, from: number, to: number, offsets: Region, rows: Region): void;
}

export interface ScanCursor {
  row: number;
  at: number;
}

export interface HandleSummary {
  none: number;
  one: number;
  multi: number;
  /** Pairs that the handles stand for (float64: may exceed 2^31). */
  pairs: number;
}

export interface MatchKernels {
  /** Counts the kinds of handles[from, to). `groups` may be null where no handle is Multi. */
  summarize(handles: Region, from: number, to: number, groups: Groups | null): HandleSummary;
  /** Rows [from, to) that are not valid: handles[row] := value. */
  fillNulls(handles: Region, valid: Region, from: number, to: number, value: number): void;
  /**
   * Writes pairs from cursor.row on until `to` or until cursor.at == limit: outProbe[at] := probeBase + row, outBuild[at] := build
   * row, partners of one row in group order. With `outer` a row of handle NONE gives one pair with build NONE, else nothing.
   */
  expand(
    handles: Region,
    cursor: ExpandCursor,
    to: number,
    groups: Groups | null,
    outer: boolean,
    probeBase: number,
    outProbe: Region,
    outBuild: Region,
    limit: number,
  ): void;
  /** Writes probeBase + row of the rows with (matched) or without a partner, until `to` or cursor.at == limit. */
  selectRows(handles: Region, cursor: ScanCursor, to: number, matched: boolean, probeBase: number, out: Region, limit: number): void;
  /** Sets the bit of each One(row) in rowMarks and of each Multi(g) in groupMarks. Returns how many bits were clear before. */
  markMatches(handles: Region, from: number, to: number, rowMarks: Region, groupMarks: Region | null): number;
  /** For groups [from, to): if the group's bit is set, sets the bits of its rows. */
  spreadMarks(groupMarks: Region, from: number, to: number, groups: Groups, rowMarks: Region): void;
  /** Writes the rows whose mark is set (want) or clear, until `to` or cursor.at == limit. */
  scanMarks(rowMarks: Region, cursor: ScanCursor, to: number, want: boolean, out: Region, limit: number): void;
}

/** Fixed-width values as the widest of these whose size divides the width: 1, 2, or 4 bytes a word. 64-bit values are two words: no BigInt, no NaN is ever touched. */
export type Words = Uint8Array | Uint16Array | Int32Array;

/** Bit i of the column is bit `bit + i` of `bytes`. */
export interface Bitmap {
  readonly bytes: Uint8Array;
  readonly bit: number;
}

/**
 * Which source rows give the next `count` output rows; `hasNone` says whether NONE may occur among the rows.
 * - run: rows start, start + 1, ... of one source
 * - rows: rows[from + i] of one source
 * - located: row rows[from + i] of source sources[from + i]
 */
export type Segment =
  | { readonly kind: "run"; readonly source: number; readonly start: number; readonly count: number; readonly hasNone: false }
  | {
      readonly kind: "rows";
      readonly source: number;
      readonly rows: Region;
      readonly from: number;
      readonly count: number;
      readonly hasNone: boolean;
    }
  | {
      readonly kind: "located";
      readonly sources: Region;
      readonly rows: Region;
      readonly from: number;
      readonly count: number;
      readonly hasNone: boolean;
    };

/** A dictionary column's codes: word `stride * row` is the (low word of the) code; `map` translates it, null: as it is. */
export interface CodeSource {
  readonly codes: Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;
  readonly stride: 1 | 2;
  readonly map: Int32Array | null;
}

/** Gathers from host buffers, where they lie, into host buffers; rows of NONE give zero bytes, clear bits, empty strings. */
export interface GatherKernels {
  gatherWords(sources: readonly Words[], perRow: number, segment: Segment, dst: Words, at: number): void;
  /** Source null: all bits set. Bits of dst from `at` on must be clear before. Returns how many were set. */
  gatherBits(sources: readonly (Bitmap | null)[], segment: Segment, dst: Uint8Array, at: number): number;
  gatherCodes(sources: readonly CodeSource[], segment: Segment, dst: Int32Array, at: number): void;
  /**
   * Offsets of gathered variable-length rows: dst[at] is given, dst[at + i + 1] := dst[at + i] + length of row i.
   * Returns false, with dst in an arbitrary state after `at`, when a sum would exceed `maxBytes` (at most 2^31 - 1).
   */
  gatherOffsets(sources: readonly Int32Array[], segment: Segment, dst: Int32Array, at: number, maxBytes: number): boolean;
  /** Copies the bytes; `dstOffsets` as `gatherOffsets` wrote them. */
  gatherBytes(
    offsets: readonly Int32Array[],
    bytes: readonly Uint8Array[],
    segment: Segment,
    dstOffsets: Int32Array,
    dst: Uint8Array,
    at: number,
  ): void;
  /** Child rows of gathered lists, one after the other, into `rows` (and their source into `sources`, for located segments; else pass null). Returns how many. */
  gatherLists(offsets: readonly Int32Array[], segment: Segment, rows: Region, sources: Region | null): number;
  /** The same for lists of `size` elements each; a NONE parent gives `size` NONE children. */
  gatherFixedLists(size: number, segment: Segment, rows: Region, sources: Region | null): number;
  /** A fixed-width column placed in kernel memory (values of `width` bytes, row 0 at byte 0): the segment must be `rows` or `run`. dst has width bytes a row. */
  gatherPlaced(source: Region, width: number, segment: Segment, dst: Uint8Array, at: number): void;
  /**
   * Global row id -> source and row in it: starts[b] <= id < starts[b + 1] (i32, batches + 1 of them). NONE gives source 0, row NONE.
   */
  locate(
    ids: Region,
    from: number,
    count: number,
    starts: Region,
    batches: number,
    outSources: Region,
    outRows: Region,
    outAt: number,
  ): void;
}

export interface Kernel
  extends KernelMemory,
    BitKernels,
    KeyKernels,
    TableKernels,
    GroupKernels,
    MatchKernels,
    GatherKernels,
    ExpressionKernels,
    PairKernels,
    LoopKernels,
    SortKernels,
    RangeKernels,
    AsofKernels {
  /** Frees everything; the kernel may be pooled or dropped. Safe to call twice. */
  close(): void;
}

/** Internal test switches; never options of a verb. */
export interface KernelSwitches {
  /** All keys get one hash. */
  readonly collideHashes?: boolean;
  /** Tables start at 16 slots and are never sized by an estimate. */
  readonly tinyTables?: boolean;
}

export interface KernelOptions {
  /** 32 bits are used. Results never depend on it. */
  readonly hashSeed: number;
  readonly switches?: KernelSwitches;
}
