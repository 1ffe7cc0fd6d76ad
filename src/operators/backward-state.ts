/**
 * `BackwardState`: the last right row of each key at or before a left row's time. Right rows enter the memo in order as left rows pass them, so
 * what is kept is one row a key and the chunk under way, however long the input is.
 *
 * Cost: about 1 ns a right row for the merge, beside its time (1 ns) and its key's id; without keys right rows are galloped over.
 */

import type { BackwardCursor, BackwardMerge, TimePoint } from "../kernel/asof-contract.ts";
import type { Kernel, Region } from "../kernel/contract.ts";
import type { AsofRight } from "../spec/asof-spec.ts";
import type { HeldRows } from "./held-rows.ts";
import type { InputChunk, InputState } from "./input-state.ts";
import type { IndexSwitches } from "./join-index-map.ts";
import { MemoStore } from "./memo-store.ts";
import { chunkTimes, type LeftChunk, type Progress, RightState, type RightWindow } from "./right-state.ts";

export class BackwardState extends RightState {
  readonly #memo: MemoStore;
  readonly #times: Region;
  readonly #cursor: BackwardCursor = { left: 0, right: 0 };
  /** Rows of the chunk under way, and the id of its first. */
  #end = 0;
  #base = 0;

  constructor(kernel: Kernel, spec: AsofRight, input: InputState, held: HeldRows | null, switches: IndexSwitches) {
    super(kernel, spec, input, held, switches);
    this.#times = chunkTimes(kernel);
    this.#memo = new MemoStore(kernel, spec.before !== null || spec.ties === "first");
  }

  get decided(): number {
    return this.#cursor.left;
  }

  protected override get checkRegion(): Region {
    return this.#times;
  }

  protected beginLeft(): void {
    this.#cursor.left = 0;
  }

  protected ensureKeys(keys: number): void {
    this.#memo.ensure(keys);
  }

  protected match(): Progress {
    const cursor = this.#cursor;
    const { rows, times } = this.left as LeftChunk;
    if (cursor.left < rows) this.kernel.mergeBackward(this.#merge(times), cursor, rows, this.#end, this.refs);
    if (cursor.left === rows) return "done";
    if (!this.input.hasRows) return "starved";
    this.load();
    return "working";
  }

  override take(time: TimePoint): boolean {
    if (this.#cursor.right < this.#end) this.kernel.advanceBackward(this.#merge(this.#times), this.#cursor, this.#end, time);
    if (this.#cursor.right < this.#end || !this.input.hasRows) return false;
    this.load();
    return true;
  }

  #merge(leftTimes: Region): BackwardMerge {
    const { spec } = this;
    return {
      leftTimes,
      leftIds: this.leftIds,
      rightTimes: this.#times,
      rightIds: this.rightIds,
      base: spec.time.base,
      strict: spec.strict,
      before: spec.before,
      horizon: this.horizon,
      rowBase: this.#base,
      memo: this.#memo,
      first: spec.ties === "first",
    };
  }

  /** All rows of the last chunk are in the memo. */
  protected place(): RightWindow {
    if (this.held?.isDue) this.#compact(this.held);
    this.#end = 0;
    this.#cursor.right = 0;
    return { times: this.#times, at: 0 };
  }

  protected loaded({ rows }: InputChunk, base: number): void {
    this.#end = rows;
    this.#base = base;
  }

  #compact(held: HeldRows): void {
    // Of a batch under way more rows are to come, whose ids go on from its first.
    const boundary = this.input.midBatch ? held.settled : held.rows;
    if (boundary > 0) this.keep(held, boundary, boundary, this.decided, this.#memo);
  }
}
