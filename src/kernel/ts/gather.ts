/**
 * The host gathers: from buffers where they lie into buffers of the host, inherited by both kernels.
 *
 * WebAssembly cannot read JavaScript's buffers, and copying a payload in and out costs more than a typed-array loop unless the column
 * is small (see `gatherPlaced`), so the WASM kernel uses these too. Here a segment's regions are resolved to views, once a call.
 */

import type { Bitmap, CodeSource, GatherKernels, Region, Segment, Words } from "../contract.ts";
import { countBits } from "./bits.ts";
import { gatherBits } from "./gather-bits.ts";
import { gatherCodes } from "./gather-codes.ts";
import { gatherBytes, gatherFixedLists, gatherLists, gatherOffsets } from "./gather-lists.ts";
import { gatherWords } from "./gather-words.ts";
import type { Picks } from "./picks.ts";

export abstract class HostGathers implements Omit<GatherKernels, "gatherPlaced" | "locate"> {
  abstract i32(region: Region): Int32Array;

  protected picks(segment: Segment): Picks {
    const { kind, count, hasNone } = segment;
    if (kind === "run") return { source: segment.source, sources: null, rows: null, from: segment.start, count, hasNone };
    const rows = this.i32(segment.rows);
    return kind === "rows"
      ? { source: segment.source, sources: null, rows, from: segment.from, count, hasNone }
      : { source: 0, sources: this.i32(segment.sources), rows, from: segment.from, count, hasNone };
  }

  countBits(bytes: Uint8Array, bit: number, count: number): number {
    return countBits(bytes, bit, count);
  }

  gatherWords(sources: readonly Words[], perRow: number, segment: Segment, dst: Words, at: number): void {
    gatherWords(sources, perRow, this.picks(segment), dst, at);
  }

  gatherBits(sources: readonly (Bitmap | null)[], segment: Segment, dst: Uint8Array, at: number): number {
    return gatherBits(sources, this.picks(segment), dst, at);
  }

  gatherCodes(sources: readonly CodeSource[], segment: Segment, dst: Int32Array, at: number): void {
    gatherCodes(sources, this.picks(segment), dst, at);
  }

  gatherOffsets(sources: readonly Int32Array[], segment: Segment, dst: Int32Array, at: number, maxBytes: number): boolean {
    return gatherOffsets(sources, this.picks(segment), dst, at, maxBytes);
  }

  gatherBytes(
    offsets: readonly Int32Array[],
    bytes: readonly Uint8Array[],
    segment: Segment,
    dstOffsets: Int32Array,
    dst: Uint8Array,
    at: number,
  ): void {
    gatherBytes(offsets, bytes, this.picks(segment), dstOffsets, dst, at);
  }

  gatherLists(offsets: readonly Int32Array[], segment: Segment, rows: Region, sources: Region | null): number {
    return gatherLists(offsets, this.picks(segment), this.i32(rows), sources && this.i32(sources));
  }

  gatherFixedLists(size: number, segment: Segment, rows: Region, sources: Region | null): number {
    return gatherFixedLists(size, this.picks(segment), this.i32(rows), sources && this.i32(sources));
  }
}
