/**
 * `PairKernels` over an instance: passes addresses and cursors; loops are in assembly/pairs.ts and assembly/extremes.ts.
 *
 * What differs from a loop of matches only in its base address is that loop: handles cleared are nulls filled, rows marked are matches
 * marked. O(1) a call beside the loop.
 */

import type { ExpandCursor, Groups, Region } from "../contract.ts";
import { NONE } from "../contract.ts";
import type { NumberLane, PairKernels, SortKernels } from "../expression-contract.ts";
import type { CompareOp, LoopKernels, PairBits } from "../loop-contract.ts";
import { WasmTables } from "./tables.ts";

type Cursor = Readonly<ExpandCursor>;

/** Kinds as numbered in assembly/extremes.ts, by the first letter of the lane. */
const KINDS = "uif";

export class WasmPairs extends WasmTables implements PairKernels, LoopKernels, SortKernels {
  measurePairs(handles: Region, start: Cursor, to: number, groups: Groups | null, limit: number, end: ExpandCursor): number {
    const count = this.wasm.measurePairs(this.at(handles), start.row, start.pos, to, groups === null ? 0 : this.at(groups.offsets), limit);
    end.row = this.instance.low(0);
    end.pos = this.instance.low(1);
    return count;
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
    this.#take(width, false, this.at(src) + base * width, 0, handles, start, end, groups, dst);
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
    this.#take(width, true, this.at(byRow), this.optional(byGroup), handles, start, end, groups, dst);
  }

  #take(
    width: number,
    build: boolean,
    byRow: number,
    byGroup: number,
    handles: Region,
    start: Cursor,
    end: Cursor,
    groups: Groups | null,
    dst: Region,
  ): void {
    this.wasm.takePairs(
      width,
      Number(build),
      byRow,
      byGroup,
      this.at(handles),
      start.row,
      start.pos,
      end.row,
      end.pos,
      groups === null ? 0 : this.at(groups.offsets),
      this.at(dst),
    );
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
    return this.wasm.selectPairs(
      this.at(bits),
      this.at(handles),
      start.row,
      start.pos,
      end.row,
      end.pos,
      groups === null ? 0 : this.at(groups.offsets),
      groups === null ? 0 : this.at(groups.rows),
      probeBase,
      this.at(outProbe),
      this.at(outBuild),
    );
  }

  takeRows(src: Region, width: number, rows: Region, from: number, count: number, base: number, dst: Region, dstAt: number): void {
    this.wasm.takeRows(width, this.at(src) + base * width, this.at(rows) + from * 4, count, this.at(dst) + dstAt * width);
  }

  keepRows(bits: Region, count: number, first: Region, second: Region | null): number {
    return this.wasm.keepRows(this.at(bits), count, this.at(first), this.at(second ?? first));
  }

  clearHandles(handles: Region, from: number, count: number, bits: Region): void {
    this.wasm.fillNulls(this.at(handles) + from * 4, this.at(bits), 0, count, NONE);
  }

  markRows(rows: Region, from: number, count: number, marks: Region): number {
    return this.wasm.markMatches(this.at(rows), from, from + count, this.at(marks), 0);
  }

  ordinals(lane: NumberLane, src: Region, count: number, dst: Region, dstAt: number): void {
    const width = Number(lane.slice(1)) / 8;
    this.wasm.ordinals(this.at(src), width, KINDS.indexOf(lane[0]), count, this.at(dst) + dstAt * Math.max(width, 4));
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
    this.wasm.updateExtremes(
      this.at(ids) + idsFrom * 4,
      this.at(ordinals),
      width,
      this.optional(valid),
      count,
      Number(max),
      this.at(extremes),
      this.at(seen),
    );
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
    // gt is lt with its sides swapped; le and ge are what gt and lt are not.
    this.wasm.testExtremes(
      this.at(ids) + idsFrom * 4,
      this.at(ordinals),
      width,
      this.optional(valid),
      count,
      Number(op === "gt" || op === "le"),
      Number(op === "le" || op === "ge"),
      this.at(extremes),
      this.at(seen),
      this.at(out),
    );
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
    const { instance } = this;
    const [equal, swap, negate] = formOf(op);
    this.wasm.searchPairs(
      width,
      equal,
      swap,
      negate,
      this.at(probe) + base * width,
      this.at(byRow),
      this.optional(byGroup),
      this.at(handles),
      cursor.row,
      cursor.pos,
      to,
      groups === null ? 0 : this.at(groups.offsets),
      groups === null ? 0 : this.at(groups.rows),
      probeBase,
      this.at(outProbe),
      this.at(outBuild),
      room,
      budget,
    );
    cursor.row = instance.low(0);
    cursor.pos = instance.low(1);
    return { tested: instance.low(2), kept: instance.low(3) };
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
    const [equal, swap, negate] = formOf(op);
    return this.wasm.compareTile(
      width,
      equal,
      swap,
      negate,
      this.at(probe),
      this.at(rows) + first * 4,
      count,
      this.at(build) + from * width,
      to - from,
      this.at(region) + at,
      stride,
      Number(both),
    );
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
    const { instance } = this;
    this.wasm.listBits(
      this.at(region) + at,
      stride,
      length,
      cursor.row,
      cursor.pos,
      cursor.at,
      this.at(rows) + first * 4,
      count,
      probeBase,
      this.at(members) + from * 4,
      this.at(outProbe),
      this.at(outBuild),
      limit,
    );
    cursor.row = instance.low(0);
    cursor.pos = instance.low(1);
    cursor.at = instance.low(2);
  }

  countBytes(keys: Region, width: 4 | 8, byte: number, from: number, to: number, counts: Region): void {
    this.wasm.countBytes(this.at(keys), width, byte, from, to, this.at(counts));
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
    this.wasm.moveKeys(this.at(keys), this.at(rows), width, byte, from, to, 0, this.at(next), this.at(outKeys), this.at(outRows));
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
    this.wasm.moveKeys(
      this.at(keys),
      this.at(rows),
      width,
      0,
      from,
      to,
      this.at(groupOf),
      this.at(next),
      this.at(outKeys),
      this.at(outRows),
    );
  }
}

/** gt is lt with its sides swapped; le, ge and ne are what gt, lt and eq are not: whether equal, swapped, negated. */
const formOf = (op: CompareOp): [number, number, number] => [
  Number(op === "eq" || op === "ne"),
  Number(op === "gt" || op === "le"),
  Number(op === "le" || op === "ge" || op === "ne"),
];
