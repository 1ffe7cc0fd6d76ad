/**
 * `PairKernels`, `LoopKernels` and `SortKernels` of the twin: resolves regions to typed arrays and picks the loop by width, once a call.
 * Loops are in pairs.ts, search.ts, loop.ts, range.ts and sort.ts.
 */

import type { ExpandCursor, Groups, Region } from "../contract.ts";
import { NONE } from "../contract.ts";
import type { NumberLane, PairKernels, SortKernels } from "../expression-contract.ts";
import type { CompareOp, LoopKernels, PairBits } from "../loop-contract.ts";
import * as loop from "./loop.ts";
import { fillNulls, markMatches } from "./matches.ts";
import { TsMemory } from "./memory.ts";
import * as pairs from "./pairs.ts";
import * as range from "./range.ts";
import * as search from "./search.ts";
import * as sort from "./sort.ts";

type Cursor = Readonly<ExpandCursor>;

export class TsPairs extends TsMemory implements PairKernels, LoopKernels, SortKernels {
  measurePairs(handles: Region, start: Cursor, to: number, groups: Groups | null, limit: number, end: ExpandCursor): number {
    return pairs.measurePairs(this.i32(handles), start, to, this.#offsets(groups), limit, end);
  }

  takeProbe(
    src: Region,
    width: number,
    base: number,
    handles: Region,
    start: Cursor,
    end: Cursor,
    groups: Groups | null,
    dst: Region,
  ): void {
    const offsets = this.#offsets(groups);
    const rows = this.i32(handles);
    if (width === 4) pairs.takeProbe4(this.i32(src), base, rows, start, end, offsets, this.i32(dst));
    else if (width === 8) pairs.takeProbe8(this.i32(src), base, rows, start, end, offsets, this.i32(dst));
    else pairs.takeProbeWords(this.#words(src, width), wordsOf(width), base, rows, start, end, offsets, this.#words(dst, width));
  }

  takeBuild(
    byRow: Region,
    byGroup: Region | null,
    width: number,
    handles: Region,
    start: Cursor,
    end: Cursor,
    groups: Groups | null,
    dst: Region,
  ): void {
    const offsets = this.#offsets(groups);
    const rows = this.i32(handles);
    if (width === 4 || width === 8) {
      const take = width === 4 ? pairs.takeBuild4 : pairs.takeBuild8;
      take(this.i32(byRow), byGroup === null ? null : this.i32(byGroup), rows, start, end, offsets, this.i32(dst));
      return;
    }
    const grouped = byGroup === null ? null : this.#words(byGroup, width);
    pairs.takeBuildWords(this.#words(byRow, width), grouped, wordsOf(width), rows, start, end, offsets, this.#words(dst, width));
  }

  selectPairs(
    bits: Region,
    handles: Region,
    start: Cursor,
    end: Cursor,
    groups: Groups | null,
    probeBase: number,
    outProbe: Region,
    outBuild: Region,
  ): number {
    return pairs.selectPairs(
      this.i32(bits),
      this.i32(handles),
      start,
      end,
      this.#offsets(groups),
      groups === null ? null : this.i32(groups.rows),
      probeBase,
      this.i32(outProbe),
      this.i32(outBuild),
    );
  }

  takeRows(src: Region, width: number, rows: Region, from: number, count: number, base: number, dst: Region, dstAt: number): void {
    pairs.takeRows(this.#words(src, width), wordsOf(width), this.i32(rows), from, count, base, this.#words(dst, width), dstAt);
  }

  keepRows(bits: Region, count: number, first: Region, second: Region | null): number {
    return pairs.keepRows(this.i32(bits), count, this.i32(first), this.i32(second ?? first));
  }

  clearHandles(handles: Region, from: number, count: number, bits: Region): void {
    fillNulls(this.i32(handles).subarray(from), this.u8(bits), 0, count, NONE);
  }

  markRows(rows: Region, from: number, count: number, marks: Region): number {
    return markMatches(this.i32(rows), from, from + count, this.u8(marks), null);
  }

  ordinals(lane: NumberLane, src: Region, count: number, dst: Region, dstAt: number): void {
    range.ordinals(lane, this.u8(src), count, this.i32(dst), dstAt);
  }

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
  ): void {
    const update = width === 4 ? range.updateExtremes4 : range.updateExtremes8;
    update(this.i32(ids), idsFrom, this.i32(ordinals), this.#bytes(valid), count, max, this.i32(extremes), this.u8(seen));
  }

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
  ): void {
    const test = width === 4 ? range.testExtremes4 : range.testExtremes8;
    test(this.i32(ids), idsFrom, this.i32(ordinals), this.#bytes(valid), count, op, this.i32(extremes), this.u8(seen), this.i32(out));
  }

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
  ): { tested: number; kept: number } {
    const find = width === 4 ? search.searchPairs4 : search.searchPairs8;
    return find(
      op,
      this.i32(probe),
      base,
      this.i32(byRow),
      byGroup && this.i32(byGroup),
      this.i32(handles),
      cursor,
      to,
      this.#offsets(groups),
      groups && this.i32(groups.rows),
      probeBase,
      this.i32(outProbe),
      this.i32(outBuild),
      room,
      budget,
    );
  }

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
    { region, at, stride }: PairBits,
    both: boolean,
  ): number {
    const words = width === 4 ? 1 : 2;
    const [x, y] = [this.i32(probe), this.i32(build)];
    return loop.compareTile(op, words, x, this.i32(rows), first, count, y, from, to, this.i32(region), at >> 2, stride >> 2, both);
  }

  listBits(
    { region, at, stride }: PairBits,
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
  ): void {
    loop.listBits(
      this.i32(region),
      at >> 2,
      stride >> 2,
      length,
      cursor,
      this.i32(rows),
      first,
      count,
      probeBase,
      this.i32(members),
      from,
      this.i32(outProbe),
      this.i32(outBuild),
      limit,
    );
  }

  countBytes(keys: Region, width: 4 | 8, byte: number, from: number, to: number, counts: Region): void {
    sort.countBytes(this.u8(keys), width, byte, from, to, this.i32(counts));
  }

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
  ): void {
    this.#move(keys, rows, width, byte, from, to, null, next, outKeys, outRows);
  }

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
  ): void {
    this.#move(keys, rows, width, 0, from, to, groupOf, next, outKeys, outRows);
  }

  #move(
    keys: Region,
    rows: Region,
    width: 4 | 8,
    byte: number,
    from: number,
    to: number,
    groupOf: Region | null,
    next: Region,
    outKeys: Region,
    outRows: Region,
  ): void {
    const [words, bytes] = [this.i32(keys), this.u8(keys)];
    const groups = groupOf && this.i32(groupOf);
    sort.moveKeys(
      words,
      bytes,
      this.i32(rows),
      width === 4 ? 1 : 2,
      byte,
      from,
      to,
      groups,
      this.i32(next),
      this.i32(outKeys),
      this.i32(outRows),
    );
  }

  #offsets(groups: Groups | null): Int32Array | null {
    return groups === null ? null : this.i32(groups.offsets);
  }

  #bytes(region: Region | null): Uint8Array | null {
    return region === null ? null : this.u8(region);
  }

  #words(region: Region, width: number): Uint8Array | Int32Array {
    return (width & 3) === 0 ? this.i32(region) : this.u8(region);
  }
}

/** Words a value: of 4 bytes where they divide it, else of 1. */
function wordsOf(width: number): number {
  return (width & 3) === 0 ? width >> 2 : width;
}
