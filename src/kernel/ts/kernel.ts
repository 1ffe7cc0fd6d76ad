/**
 * The TypeScript twin of the WASM kernels: runs where WebAssembly may not, and is what the WASM path is measured against.
 *
 * This class resolves regions to typed arrays and picks the loop by key width, once a call; the loops are top-level functions in the
 * files beside this one. Cost: O(1) a call besides the loop.
 */

import type {
  DirectState,
  ExpandCursor,
  FixedKeys,
  Groups,
  HandleSummary,
  Kernel,
  KernelOptions,
  KeyBlock,
  KeyForm,
  Region,
  ScanCursor,
  Segment,
  SwissState,
} from "../contract.ts";
import { TsAsof } from "./asof-kernels.ts";
import * as bits from "./bits.ts";
import { viewOf } from "./byte-runs.ts";
import * as cells from "./cells.ts";
import * as direct from "./direct.ts";
import { minMax } from "./extremes.ts";
import { gatherWords } from "./gather-words.ts";
import * as groupLoops from "./groups.ts";
import type { HashMix } from "./hash.ts";
import { LAST } from "./hash.ts";
import * as matches from "./matches.ts";
import type { TsRegion } from "./memory.ts";
import * as tables from "./tables.ts";

export function createTsKernel(options: KernelOptions): Kernel {
  return new TsKernel(options);
}

const at = (region: Region): TsRegion => region as TsRegion;
const i32 = (region: Region): Int32Array => (region as TsRegion).i32;
const u8 = (region: Region): Uint8Array => (region as TsRegion).u8;
const u8OrNull = (region: Region | null): Uint8Array | null => (region === null ? null : (region as TsRegion).u8);

class TsKernel extends TsAsof implements Kernel {
  readonly #mix: HashMix;
  readonly #touched: tables.Touched = { sink: 0 };

  constructor(options: KernelOptions) {
    super();
    this.#mix = { seed: options.hashSeed | 0, mul: options.switches?.collideHashes === true ? 0 : LAST };
  }

  // Bits

  copyBits(dst: Region, src: Region, srcBit: number, count: number): number {
    bits.appendBits(u8(dst), 0, u8(src), srcBit, count);
    return bits.countBits(u8(dst), 0, count);
  }

  andBits(dst: Region, src: Region, srcBit: number, count: number): number {
    bits.andBits(u8(dst), u8(src), srcBit, count);
    return bits.countBits(u8(dst), 0, count);
  }

  // Keys

  packFixed(dst: Region, stride: number, to: number, cell: number, src: Region, width: number, form: KeyForm, count: number): void {
    cells.packFixed(u8(dst), stride, to, cell, u8(src), width, form, count);
  }

  packBits(dst: Region, stride: number, to: number, cell: number, src: Region, srcBit: number, count: number): void {
    cells.packBits(u8(dst), stride, to, cell, u8(src), srcBit, count);
  }

  packCodes(
    dst: Region,
    stride: number,
    to: number,
    src: Region,
    width: number,
    signed: boolean,
    map: Region,
    mapLength: number,
    valid: Region,
    count: number,
  ): number {
    return cells.packCodes(i32(dst), stride, to, viewOf(u8(src)), width, signed, i32(map), mapLength, u8(valid), count);
  }

  nullCells(dst: Region, stride: number, to: number, cell: number, maskAt: number, mask: number, valid: Region, count: number): void {
    cells.nullCells(u8(dst), stride, to, cell, maskAt, mask, u8(valid), count);
  }

  minMax(block: FixedKeys, signed: boolean, from: number, to: number): { min: bigint; max: bigint } | null {
    return minMax(at(block.keys), block.width, u8OrNull(block.valid), signed, from, to);
  }

  // Tables

  swissBytes(width: number, slots: number): number {
    return tables.swissBytes(width, slots);
  }

  swissLimit(_width: number, slots: number): number {
    return tables.swissLimit(slots);
  }

  insertSwiss(table: SwissState, block: KeyBlock, from: number, to: number, base: number, out: Region, outAt: number): number {
    return tables.seekRows(table, block, from, to, base, i32(out), outAt, tables.swissLimit(table.slots), this.#mix, this.#touched);
  }

  probeSwiss(table: SwissState, block: KeyBlock, from: number, to: number, out: Region, outAt: number): void {
    tables.seekRows(table, block, from, to, 0, i32(out), outAt, -1, this.#mix, this.#touched);
  }

  rehashSwiss(old: SwissState, next: SwissState, from: number, to: number): void {
    tables.rehashSlots(old, next, from, to, this.#mix);
  }

  relabelSwiss(table: SwissState, handles: Region, from: number, to: number): void {
    tables.relabelValues(table, handles, from, to);
  }

  insertDirect(table: DirectState, block: FixedKeys, from: number, to: number, base: number, out: Region, outAt: number): void {
    const insert = table.width === 4 ? direct.insertDirect4 : direct.insertDirect8;
    insert(table, i32(table.region), i32(block.keys), u8OrNull(block.valid), from, to, base, i32(out), outAt);
  }

  probeDirect(table: DirectState, block: FixedKeys, from: number, to: number, out: Region, outAt: number): void {
    const probe = table.width === 4 ? direct.probeDirect4 : direct.probeDirect8;
    probe(table, i32(table.region), i32(block.keys), u8OrNull(block.valid), from, to, i32(out), outAt);
  }

  relabelDirect(table: DirectState, handles: Region, from: number, to: number): void {
    direct.relabelDirect(i32(table.region), i32(handles), from, to);
  }

  // Groups

  countDuplicates(reps: Region, from: number, to: number, counts: Region): { duplicates: number; groups: number } {
    return groupLoops.countDuplicates(i32(reps), from, to, i32(counts));
  }

  numberGroups(counts: Region, from: number, to: number, next: { group: number; start: number }, offsets: Region): void {
    groupLoops.numberGroups(i32(counts), from, to, next, i32(offsets));
  }

  scatterGroups(reps: Region, handles: Region, from: number, to: number, offsets: Region, rows: Region): void {
    groupLoops.scatterGroups(i32(reps), i32(handles), from, to, i32(offsets), i32(rows));
  }

  countIds(ids: Region, from: number, to: number, counts: Region): void {
    groupLoops.countIds(i32(ids), from, to, i32(counts));
  }

  numberRuns(counts: Region, from: number, to: number, next: { start: number }, offsets: Region): void {
    groupLoops.numberRuns(i32(counts), from, to, next, i32(offsets));
  }

  scatterIds(ids: Region, values: Region, from: number, to: number, offsets: Region, rows: Region): void {
    groupLoops.scatterIds(i32(ids), i32(values), from, to, i32(offsets), i32(rows));
  }

  // Matches

  summarize(handles: Region, from: number, to: number, groups: Groups | null): HandleSummary {
    return matches.summarize(i32(handles), from, to, groups === null ? null : i32(groups.offsets));
  }

  fillNulls(handles: Region, valid: Region, from: number, to: number, value: number): void {
    matches.fillNulls(i32(handles), u8(valid), from, to, value);
  }

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
  ): void {
    const offsets = groups === null ? null : i32(groups.offsets);
    const groupRows = groups === null ? null : i32(groups.rows);
    matches.expand(i32(handles), cursor, to, offsets, groupRows, outer, probeBase, i32(outProbe), i32(outBuild), limit);
  }

  selectRows(handles: Region, cursor: ScanCursor, to: number, matched: boolean, probeBase: number, out: Region, limit: number): void {
    matches.selectRows(i32(handles), cursor, to, matched, probeBase, i32(out), limit);
  }

  markMatches(handles: Region, from: number, to: number, rowMarks: Region, groupMarks: Region | null): number {
    return matches.markMatches(i32(handles), from, to, u8(rowMarks), u8OrNull(groupMarks));
  }

  spreadMarks(groupMarks: Region, from: number, to: number, groups: Groups, rowMarks: Region): void {
    matches.spreadMarks(u8(groupMarks), from, to, i32(groups.offsets), i32(groups.rows), u8(rowMarks));
  }

  scanMarks(rowMarks: Region, cursor: ScanCursor, to: number, want: boolean, out: Region, limit: number): void {
    matches.scanMarks(i32(rowMarks), cursor, to, want, i32(out), limit);
  }

  // Gathers

  /** Host memory is kernel memory here: a placed column is gathered like any other, by words where the target is aligned. */
  gatherPlaced(source: Region, width: number, segment: Segment, dst: Uint8Array, to: number): void {
    const only = segment.kind === "located" ? segment : { ...segment, source: 0 };
    const aligned = ((width | dst.byteOffset) & 3) === 0;
    const src = aligned ? i32(source) : u8(source);
    const target = aligned ? new Int32Array(dst.buffer, dst.byteOffset, dst.length >> 2) : dst;
    gatherWords([src], aligned ? width >> 2 : width, this.picks(only), target, to);
  }

  locate(
    ids: Region,
    from: number,
    count: number,
    starts: Region,
    batches: number,
    outSources: Region,
    outRows: Region,
    outAt: number,
  ): void {
    matches.locate(i32(ids), from, count, i32(starts), batches, i32(outSources), i32(outRows), outAt);
  }
}
