/** `AsofKernels` over an instance: passes addresses and flags; loops are in assembly/asof.ts. */

import type { AheadCursor, AheadMerge, AsofKernels, BackwardCursor, BackwardMerge, Queues, TimeForm, TimePoint } from "../asof-contract.ts";
import type { Region } from "../contract.ts";
import { WasmRange } from "./range.ts";

/** Bytes of a value, plus 16 if it is unsigned, 32 if it is a float. */
const LANES = { i8: 1, i16: 2, i32: 4, i64: 8, u8: 17, u16: 18, u32: 20, u64: 24, f32: 36, f64: 40 } as const;

const NO_BOUND: TimePoint = { major: Number.POSITIVE_INFINITY, minor: Number.POSITIVE_INFINITY };

export class WasmAsof extends WasmRange implements AsofKernels {
  loadTimes({ from, op, factor, base }: TimeForm, src: Region, count: number, times: Region, at: number): boolean {
    const lane = LANES[from];
    const [values, to] = [this.at(src), this.at(times) + 16 * at];
    const wide = lane === 8 || lane === 24;
    if (wide && op === "split") return this.wasm.splitLongs(Number(lane === 24), values, count, to) !== 0;
    if (!wide) this.wasm.loadNumbers(lane, values, count, to);
    // Narrow integers come as numbers first.
    const [parts, size] = op === "split" ? [1, base] : [factor, base / factor];
    if (op !== "number") this.wasm.loadUnits(Number(op === "fine"), parts, Math.log2(size), wide ? values : 0, count, to);
    return false;
  }

  orderTimes(times: Region, from: number, to: number, valid: Region | null, { major, minor }: TimePoint): number {
    return this.wasm.orderTimes(this.at(times), from, to, this.optional(valid), major, minor);
  }

  mergeBackward(of: BackwardMerge, cursor: BackwardCursor, to: number, end: number, out: Region): void {
    const { memo, before, base, horizon, rowBase } = of;
    const far = before ?? NO_BOUND;
    this.wasm.mergeBackward(
      flagsOf(of, of.first),
      this.at(of.leftTimes),
      this.optional(of.leftIds),
      this.at(of.rightTimes),
      this.optional(of.rightIds),
      this.at(memo.rows),
      this.optional(memo.times),
      far.major,
      far.minor,
      base,
      horizon.major,
      horizon.minor,
      rowBase,
      cursor.left,
      cursor.right,
      to,
      end,
      this.at(out),
    );
    cursor.left = this.instance.low(0);
    cursor.right = this.instance.low(1);
  }

  advanceBackward(of: BackwardMerge, cursor: BackwardCursor, end: number, { major, minor }: TimePoint): void {
    const { memo, rowBase } = of;
    cursor.right = this.wasm.advanceBackward(
      flagsOf(of, of.first),
      this.at(of.rightTimes),
      this.optional(of.rightIds),
      this.at(memo.rows),
      this.optional(memo.times),
      rowBase,
      cursor.right,
      end,
      major,
      minor,
    );
  }

  linkRows(ids: Region | null, from: number, to: number, { next, heads, tails }: Queues): void {
    this.wasm.linkRows(this.optional(ids), from, to, this.at(next), this.at(heads), this.at(tails));
  }

  mergeAhead(of: AheadMerge, cursor: AheadCursor, to: number, end: number, out: Region): void {
    const { memo, before, after, base, horizon, rowBase, queues } = of;
    const [back, ahead] = [before ?? NO_BOUND, after ?? NO_BOUND];
    this.wasm.mergeAhead(
      flagsOf(of, of.backFirst) | (of.aheadLast ? 8 : 0),
      this.at(of.leftTimes),
      this.optional(of.leftIds),
      this.at(of.rightTimes),
      this.optional(of.rightIds),
      this.optional(memo?.rows ?? null),
      this.optional(memo?.times ?? null),
      back.major,
      back.minor,
      ahead.major,
      ahead.minor,
      base,
      horizon.major,
      horizon.minor,
      rowBase,
      this.at(queues.next),
      this.at(queues.heads),
      cursor.left,
      cursor.popped,
      cursor.memoed,
      to,
      end,
      this.at(out),
    );
    cursor.left = this.instance.low(0);
    cursor.popped = this.instance.low(1);
    cursor.memoed = this.instance.low(2);
  }
}

const flagsOf = ({ strict, horizon }: BackwardMerge | AheadMerge, first: boolean): number =>
  (strict ? 1 : 0) | (first ? 2 : 0) | (horizon.ended ? 4 : 0);
