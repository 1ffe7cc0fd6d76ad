/** `AsofKernels` of the twin: resolves regions to typed arrays, once a call. Loops are in asof.ts and asof-times.ts. */

import type {
  AheadCursor,
  AheadMerge,
  AsofKernels,
  BackwardCursor,
  BackwardMerge,
  Memo,
  Queues,
  TimeForm,
  TimePoint,
} from "../asof-contract.ts";
import type { Region } from "../contract.ts";
import * as merge from "./asof.ts";
import * as load from "./asof-times.ts";
import { numbersOf, wordsOf } from "./asof-values.ts";
import { TsRange } from "./range-kernels.ts";

export class TsAsof extends TsRange implements AsofKernels {
  loadTimes(form: TimeForm, src: Region, count: number, times: Region, at: number): boolean {
    const bytes = this.u8(src);
    const to = this.f64(times);
    const narrow = numbersOf(form.from, bytes);
    const wide = narrow ? null : wordsOf(form.from, bytes);
    if (form.op === "coarse" || form.op === "fine") load.loadUnits(form, narrow, wide, count, to, at);
    else if (wide) load.splitWords(wide, count, to, at);
    else if (form.op === "split") load.splitNumbers(narrow as NonNullable<typeof narrow>, count, to, at);
    else load.loadNumbers(narrow as NonNullable<typeof narrow>, count, to, at);
    return false;
  }

  orderTimes(times: Region, from: number, to: number, valid: Region | null, last: TimePoint): number {
    return load.orderTimes(this.f64(times), from, to, valid && this.u8(valid), last);
  }

  mergeBackward(of: BackwardMerge, cursor: BackwardCursor, to: number, end: number, out: Region): void {
    merge.mergeBackward(this.#arrays(of, of.memo, null), of.first, cursor, to, end, this.i32(out));
  }

  advanceBackward(of: BackwardMerge, cursor: BackwardCursor, end: number, time: TimePoint): void {
    merge.advanceBackward(this.#arrays(of, of.memo, null), of.first, cursor, end, time);
  }

  linkRows(ids: Region | null, from: number, to: number, { next, heads, tails }: Queues): void {
    merge.linkRows(ids && this.i32(ids), from, to, this.i32(next), this.i32(heads), this.i32(tails));
  }

  mergeAhead(of: AheadMerge, cursor: AheadCursor, to: number, end: number, out: Region): void {
    const { next, heads } = of.queues;
    const arrays = this.#arrays(of, of.memo, of.after);
    merge.mergeAhead(arrays, this.i32(next), this.i32(heads), of.backFirst, of.aheadLast, cursor, to, end, this.i32(out));
  }

  #arrays(of: BackwardMerge | AheadMerge, memo: Memo | null, after: TimePoint | null): merge.MergeArrays {
    const { base, strict, before, horizon, rowBase } = of;
    return {
      leftTimes: this.f64(of.leftTimes),
      leftIds: of.leftIds && this.i32(of.leftIds),
      rightTimes: this.f64(of.rightTimes),
      rightIds: of.rightIds && this.i32(of.rightIds),
      memoRows: memo && this.i32(memo.rows),
      memoTimes: memo?.times ? this.f64(memo.times) : null,
      base,
      strict,
      before,
      after,
      horizon,
      ended: horizon.ended,
      rowBase,
    };
  }
}
