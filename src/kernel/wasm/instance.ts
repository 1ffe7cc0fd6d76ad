/**
 * One instance of the kernel module: its exports, its memory and the arena over it.
 *
 * Invariants
 * - All parameters are numbers; addresses above 2^31 wrap to negative on the way in and are unsigned again inside. No BigInt crosses.
 * - Results that do not fit a return value lie at RESULTS, 8 bytes each; the views of them are retaken when memory has grown.
 *
 * An instance costs about 0.1 ms and two pages of memory; WebAssembly memory never shrinks.
 */

import { Arena } from "./arena.ts";

/** Fixed addresses, as in assembly/memory.ts. */
const RESULTS = 64;
const RESULT_COUNT = 8;
export const SCRATCH = 4096;
export const SCRATCH_BYTES = 65536;

type Call<P extends readonly number[], R = void> = (...parameters: P) => R;
type N = number;

/** The exports of assembly/index.ts. Booleans cross as 0 or 1. */
export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly arenaStart: Call<[], N>;
  readonly configure: Call<[seed: N, collide: N]>;
  readonly copyBits: Call<[and: N, dst: N, src: N, srcBit: N, count: N], N>;
  readonly packFixed: Call<[dst: N, stride: N, cell: N, src: N, width: N, form: N, count: N]>;
  readonly packBits: Call<[dst: N, stride: N, cell: N, src: N, srcBit: N, count: N]>;
  readonly packCodes: Call<[dst: N, stride: N, src: N, width: N, signed: N, map: N, mapLength: N, valid: N, count: N], N>;
  readonly nullCells: Call<[dst: N, stride: N, cell: N, maskAt: N, mask: N, valid: N, count: N]>;
  readonly minMax: Call<[keys: N, width: N, signed: N, valid: N, from: N, to: N], N>;
  readonly seek: Call<
    [
      width: N,
      table: N,
      slots: N,
      count: N,
      limit: N,
      keyStore: N,
      used: N,
      room: N,
      keys: N,
      data: N,
      valid: N,
      from: N,
      to: N,
      first: N,
      out: N,
    ],
    N
  >;
  readonly rehash: Call<[width: N, old: N, oldSlots: N, from: N, to: N, table: N, slots: N], N>;
  readonly relabel: Call<[width: N, table: N, slots: N, from: N, to: N, handles: N]>;
  readonly seekDirect: Call<
    [width: N, table: N, minLow: N, minHigh: N, range: N, count: N, keys: N, valid: N, from: N, to: N, first: N, out: N]
  >;
  readonly relabelDirect: Call<[table: N, handles: N, from: N, to: N]>;
  readonly countDuplicates: Call<[reps: N, from: N, to: N, counts: N]>;
  readonly numberGroups: Call<[counts: N, from: N, to: N, group: N, start: N, offsets: N]>;
  readonly scatterGroups: Call<[reps: N, handles: N, from: N, to: N, offsets: N, rows: N]>;
  readonly countIds: Call<[ids: N, from: N, to: N, counts: N]>;
  readonly numberRuns: Call<[counts: N, from: N, to: N, start: N, offsets: N]>;
  readonly scatterIds: Call<[ids: N, values: N, from: N, to: N, offsets: N, rows: N]>;
  readonly summarize: Call<[handles: N, from: N, to: N, offsets: N]>;
  readonly fillNulls: Call<[handles: N, valid: N, from: N, to: N, value: N]>;
  readonly expand: Call<
    [handles: N, row: N, pos: N, at: N, to: N, offsets: N, rows: N, outer: N, probeBase: N, outProbe: N, outBuild: N, limit: N]
  >;
  readonly selectRows: Call<[handles: N, row: N, at: N, to: N, matched: N, probeBase: N, out: N, limit: N]>;
  readonly markMatches: Call<[handles: N, from: N, to: N, rowMarks: N, groupMarks: N], N>;
  readonly spreadMarks: Call<[groupMarks: N, from: N, to: N, offsets: N, rows: N, rowMarks: N]>;
  readonly scanMarks: Call<[rowMarks: N, row: N, at: N, to: N, want: N, out: N, limit: N]>;
  readonly gatherPlaced: Call<[source: N, width: N, rows: N, count: N, dst: N]>;
  readonly locate: Call<[ids: N, count: N, starts: N, batches: N, outSources: N, outRows: N]>;
  readonly measurePairs: Call<[handles: N, row: N, pos: N, to: N, offsets: N, limit: N], N>;
  readonly takePairs: Call<
    [width: N, build: N, byRow: N, byGroup: N, handles: N, row: N, pos: N, endRow: N, endPos: N, offsets: N, dst: N]
  >;
  readonly selectPairs: Call<
    [bits: N, handles: N, row: N, pos: N, endRow: N, endPos: N, offsets: N, rows: N, probeBase: N, outProbe: N, outBuild: N],
    N
  >;
  readonly keepRows: Call<[bits: N, count: N, first: N, second: N], N>;
  readonly takeRows: Call<[width: N, src: N, rows: N, count: N, dst: N]>;
  readonly ordinals: Call<[src: N, width: N, kind: N, count: N, dst: N]>;
  readonly searchPairs: Call<
    [
      width: N,
      equal: N,
      swap: N,
      negate: N,
      probe: N,
      byRow: N,
      byGroup: N,
      handles: N,
      row: N,
      pos: N,
      to: N,
      offsets: N,
      rows: N,
      probeBase: N,
      outProbe: N,
      outBuild: N,
      room: N,
      budget: N,
    ]
  >;
  readonly compareTile: Call<
    [width: N, equal: N, swap: N, negate: N, probe: N, rows: N, count: N, build: N, length: N, bits: N, stride: N, both: N],
    N
  >;
  readonly listBits: Call<
    [bits: N, stride: N, length: N, row: N, pos: N, at: N, rows: N, count: N, probeBase: N, members: N, outProbe: N, outBuild: N, limit: N]
  >;
  readonly loadNumbers: Call<[lane: N, src: N, count: N, to: N]>;
  readonly splitLongs: Call<[unsigned: N, src: N, count: N, to: N], N>;
  readonly loadUnits: Call<[fine: N, factor: N, shift: N, src: N, count: N, to: N]>;
  readonly orderTimes: Call<[times: N, from: N, to: N, valid: N, major: N, minor: N], N>;
  readonly mergeBackward: Call<
    [
      flags: N,
      ...sides: [leftTimes: N, leftIds: N, rightTimes: N, rightIds: N],
      ...memo: [rows: N, times: N],
      ...before: [major: N, minor: N],
      base: N,
      ...horizon: [major: N, minor: N],
      rowBase: N,
      ...cursor: [left: N, right: N],
      to: N,
      end: N,
      out: N,
    ]
  >;
  readonly advanceBackward: Call<[flags: N, times: N, ids: N, rows: N, memo: N, rowBase: N, right: N, end: N, major: N, minor: N], N>;
  readonly linkRows: Call<[ids: N, from: N, to: N, next: N, heads: N, tails: N]>;
  readonly mergeAhead: Call<
    [
      flags: N,
      ...sides: [leftTimes: N, leftIds: N, rightTimes: N, rightIds: N],
      ...memo: [rows: N, times: N],
      ...before: [major: N, minor: N],
      ...after: [major: N, minor: N],
      base: N,
      ...horizon: [major: N, minor: N],
      rowBase: N,
      ...queues: [next: N, heads: N],
      ...cursor: [left: N, popped: N, memoed: N],
      to: N,
      end: N,
      out: N,
    ]
  >;
  readonly countBytes: Call<[keys: N, width: N, byte: N, from: N, to: N, counts: N]>;
  readonly moveKeys: Call<[keys: N, rows: N, width: N, byte: N, from: N, to: N, groupOf: N, next: N, outKeys: N, outRows: N]>;
  readonly searchSorted: Call<
    [width: N, keys: N, samples: N, offsets: N, ends: N, handles: N, from: N, to: N, ordinals: N, after: N, floors: N, out: N]
  >;
  readonly orderPairs: Call<[probe: N, build: N, count: N, spare: N]>;
  readonly raiseTree: Call<[values: N, width: N, max: N, below: N, count: N, at: N, from: N, to: N]>;
  readonly listRange: Call<
    [
      handles: N,
      from: N,
      to: N,
      ...stretches: [offsets: N, ends: N, rows: N, lows: N, highs: N],
      least: N,
      shift: N,
      ...tree: [values: N, width: N, places: N, swap: N, negate: N, queries: N],
      probeBase: N,
      outProbe: N,
      outBuild: N,
      room: N,
    ]
  >;
  readonly testRange: Call<
    [
      handles: N,
      from: N,
      to: N,
      ...stretches: [offsets: N, ends: N, rows: N, lows: N, highs: N],
      ...tree: [values: N, width: N, places: N, swap: N, negate: N, queries: N],
      out: N,
    ]
  >;
  readonly updateExtremes: Call<[ids: N, ordinals: N, width: N, valid: N, count: N, max: N, extremes: N, seen: N]>;
  readonly testExtremes: Call<[ids: N, ordinals: N, width: N, valid: N, count: N, swap: N, negate: N, extremes: N, seen: N, out: N]>;
  readonly compare: Call<[less: N, width: N, float: N, unsigned: N, a: N, aStep: N, b: N, bStep: N, count: N, out: N], N>;
  readonly compareText: Call<[less: N, a: N, aStep: N, aData: N, b: N, bStep: N, bData: N, count: N, out: N]>;
  readonly computeLongs: Call<[op: N, unsigned: N, a: N, aStep: N, b: N, bStep: N, count: N, out: N, failed: N], N>;
  readonly computeFloats: Call<[op: N, a: N, aStep: N, b: N, bStep: N, count: N, out: N]>;
  readonly bitwise: Call<[op: N, a: N, b: N, count: N, out: N]>;
  readonly bitsToBytes: Call<[bits: N, count: N, out: N]>;
}

export class KernelInstance {
  readonly module: WebAssembly.Module;
  readonly exports: KernelExports;
  readonly arena: Arena;
  #i32: Int32Array;
  #f64: Float64Array;

  constructor(module: WebAssembly.Module, exports: KernelExports) {
    this.module = module;
    this.exports = exports;
    this.arena = new Arena(exports.memory, exports.arenaStart() >>> 0);
    [this.#i32, this.#f64] = this.#results();
  }

  /** Result `index` as an i32, or its low half. */
  low(index: number): number {
    this.#refresh();
    return this.#i32[index * 2];
  }

  /** The high half of a 64-bit result. */
  high(index: number): number {
    this.#refresh();
    return this.#i32[index * 2 + 1];
  }

  float(index: number): number {
    this.#refresh();
    return this.#f64[index];
  }

  /** A detached view has length 0. */
  #refresh(): void {
    if (this.#i32.length === 0) [this.#i32, this.#f64] = this.#results();
  }

  #results(): [Int32Array, Float64Array] {
    const { buffer } = this.exports.memory;
    return [new Int32Array(buffer, RESULTS, RESULT_COUNT * 2), new Float64Array(buffer, RESULTS, RESULT_COUNT)];
  }
}
