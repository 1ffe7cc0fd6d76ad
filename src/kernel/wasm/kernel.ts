/**
 * The WASM kernel: the whole contract over one instance.
 *
 * Each method resolves regions to addresses and makes one call; loops are in assembly/. Gathers from host buffers are the
 * loops that both kernels inherit (ts/gather.ts): WebAssembly cannot read JavaScript's buffers.
 */

import { ArrowJoinError } from "../../error.ts";
import type {
  ExpandCursor,
  FixedKeys,
  Groups,
  HandleSummary,
  Kernel,
  KernelOptions,
  KeyForm,
  Region,
  ScanCursor,
  Segment,
} from "../contract.ts";
import { WasmExpressions } from "./expressions.ts";
import { type KernelInstance, SCRATCH, SCRATCH_BYTES } from "./instance.ts";

/** As numbered in assembly/cells.ts: to the kernel raw bytes and unsigned integers are both zero extension. */
const FORMS: Record<KeyForm, number> = { raw: 0, uint: 0, int: 1, float: 2 };

export class WasmKernel extends WasmExpressions implements Kernel {
  constructor(instance: KernelInstance, options: KernelOptions) {
    super(instance);
    this.wasm.configure(options.hashSeed | 0, Number(options.switches?.collideHashes === true));
  }

  // Bits

  copyBits(dst: Region, src: Region, srcBit: number, count: number): number {
    return this.wasm.copyBits(0, this.at(dst), this.at(src), srcBit, count);
  }

  andBits(dst: Region, src: Region, srcBit: number, count: number): number {
    return this.wasm.copyBits(1, this.at(dst), this.at(src), srcBit, count);
  }

  // Keys

  packFixed(dst: Region, stride: number, at: number, cell: number, src: Region, width: number, form: KeyForm, count: number): void {
    this.wasm.packFixed(this.at(dst) + at, stride, cell, this.at(src), width, FORMS[form], count);
  }

  packBits(dst: Region, stride: number, at: number, cell: number, src: Region, srcBit: number, count: number): void {
    this.wasm.packBits(this.at(dst) + at, stride, cell, this.at(src), srcBit, count);
  }

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
  ): number {
    return this.wasm.packCodes(
      this.at(dst) + at,
      stride,
      this.at(src),
      width,
      Number(signed),
      this.at(map),
      mapLength,
      this.at(valid),
      count,
    );
  }

  nullCells(dst: Region, stride: number, at: number, cell: number, maskAt: number, mask: number, valid: Region, count: number): void {
    this.wasm.nullCells(this.at(dst) + at, stride, cell, maskAt - at, mask, this.at(valid), count);
  }

  minMax(block: FixedKeys, signed: boolean, from: number, to: number): { min: bigint; max: bigint } | null {
    if (!this.wasm.minMax(this.at(block.keys), block.width, Number(signed), this.optional(block.valid), from, to)) return null;
    const narrow = signed ? BigInt.asIntN : BigInt.asUintN;
    const result = (index: number) => narrow(64, (BigInt(this.instance.high(index)) << 32n) | BigInt(this.instance.low(index) >>> 0));
    return { min: result(0), max: result(1) };
  }

  // Groups

  countDuplicates(reps: Region, from: number, to: number, counts: Region): { duplicates: number; groups: number } {
    this.wasm.countDuplicates(this.at(reps), from, to, this.at(counts));
    return { duplicates: this.instance.low(0), groups: this.instance.low(1) };
  }

  numberGroups(counts: Region, from: number, to: number, next: { group: number; start: number }, offsets: Region): void {
    this.wasm.numberGroups(this.at(counts), from, to, next.group, next.start, this.at(offsets));
    next.group = this.instance.low(0);
    next.start = this.instance.low(1);
  }

  scatterGroups(reps: Region, handles: Region, from: number, to: number, offsets: Region, rows: Region): void {
    this.wasm.scatterGroups(this.at(reps), this.at(handles), from, to, this.at(offsets), this.at(rows));
  }

  countIds(ids: Region, from: number, to: number, counts: Region): void {
    this.wasm.countIds(this.at(ids), from, to, this.at(counts));
  }

  numberRuns(counts: Region, from: number, to: number, next: { start: number }, offsets: Region): void {
    this.wasm.numberRuns(this.at(counts), from, to, next.start, this.at(offsets));
    next.start = this.instance.low(0);
  }

  scatterIds(ids: Region, values: Region, from: number, to: number, offsets: Region, rows: Region): void {
    this.wasm.scatterIds(this.at(ids), this.at(values), from, to, this.at(offsets), this.at(rows));
  }

  // Matches

  summarize(handles: Region, from: number, to: number, groups: Groups | null): HandleSummary {
    this.wasm.summarize(this.at(handles), from, to, groups === null ? 0 : this.at(groups.offsets));
    const { instance } = this;
    return { none: instance.low(0), one: instance.low(1), multi: instance.low(2), pairs: instance.float(3) };
  }

  fillNulls(handles: Region, valid: Region, from: number, to: number, value: number): void {
    this.wasm.fillNulls(this.at(handles), this.at(valid), from, to, value);
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
    const offsets = groups === null ? 0 : this.at(groups.offsets);
    const rows = groups === null ? 0 : this.at(groups.rows);
    const { row, pos, at } = cursor;
    this.wasm.expand(
      this.at(handles),
      row,
      pos,
      at,
      to,
      offsets,
      rows,
      Number(outer),
      probeBase,
      this.at(outProbe),
      this.at(outBuild),
      limit,
    );
    cursor.row = this.instance.low(0);
    cursor.pos = this.instance.low(1);
    cursor.at = this.instance.low(2);
  }

  selectRows(handles: Region, cursor: ScanCursor, to: number, matched: boolean, probeBase: number, out: Region, limit: number): void {
    this.wasm.selectRows(this.at(handles), cursor.row, cursor.at, to, Number(matched), probeBase, this.at(out), limit);
    cursor.row = this.instance.low(0);
    cursor.at = this.instance.low(1);
  }

  markMatches(handles: Region, from: number, to: number, rowMarks: Region, groupMarks: Region | null): number {
    return this.wasm.markMatches(this.at(handles), from, to, this.at(rowMarks), this.optional(groupMarks));
  }

  spreadMarks(groupMarks: Region, from: number, to: number, groups: Groups, rowMarks: Region): void {
    this.wasm.spreadMarks(this.at(groupMarks), from, to, this.at(groups.offsets), this.at(groups.rows), this.at(rowMarks));
  }

  scanMarks(rowMarks: Region, cursor: ScanCursor, to: number, want: boolean, out: Region, limit: number): void {
    this.wasm.scanMarks(this.at(rowMarks), cursor.row, cursor.at, to, Number(want), this.at(out), limit);
    cursor.row = this.instance.low(0);
    cursor.at = this.instance.low(1);
  }

  // Gathers inside kernel memory

  gatherPlaced(source: Region, width: number, segment: Segment, dst: Uint8Array, at: number): void {
    const from = this.at(source);
    const { heap } = this.instance.arena;
    if (segment.kind === "run") {
      const start = from + segment.start * width;
      dst.set(heap.subarray(start, start + segment.count * width), at * width);
      return;
    }
    if (segment.kind !== "rows") throw new ArrowJoinError("INTERNAL", `A placed column cannot be gathered by a ${segment.kind} segment.`);
    const rows = this.at(segment.rows) + segment.from * 4;
    const perChunk = Math.floor(SCRATCH_BYTES / width);
    if (perChunk === 0) throw new ArrowJoinError("INTERNAL", `A placed column of ${width} bytes a row: wider than ${SCRATCH_BYTES}.`);
    for (let done = 0; done < segment.count; done += perChunk) {
      const count = Math.min(perChunk, segment.count - done);
      this.wasm.gatherPlaced(from, width, rows + done * 4, count, SCRATCH);
      dst.set(heap.subarray(SCRATCH, SCRATCH + count * width), (at + done) * width);
    }
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
    this.wasm.locate(
      this.at(ids) + from * 4,
      count,
      this.at(starts),
      batches,
      this.at(outSources) + outAt * 4,
      this.at(outRows) + outAt * 4,
    );
  }
}
