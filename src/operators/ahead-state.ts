/**
 * `AheadState`: the closest right row of each key at or after a left row's time (forward), or on either side of it (nearest). Right rows are read
 * ahead of the left as far as the oldest undecided left row needs, and wait in a queue of their key.
 *
 *     memo (nearest)        queues
 *     last row by key  ◀──  [ row row row row row row ]  ◀── read when a left row is not decided
 *
 * What is kept: the rows read ahead (those within `after`, and for nearest no farther than the row before is; without either as far as the next
 * row of the key is away), and with a memo one row a key.
 */

import type { AheadCursor, AheadMerge } from "../kernel/asof-contract.ts";
import type { Kernel, Region } from "../kernel/contract.ts";
import type { AsofRight } from "../spec/asof-spec.ts";
import type { HeldRows } from "./held-rows.ts";
import type { InputChunk, InputState } from "./input-state.ts";
import type { IndexSwitches } from "./join-index-map.ts";
import { ByKey, MemoStore } from "./memo-store.ts";
import { type LeftChunk, type Progress, RightState, type RightWindow } from "./right-state.ts";
import { RowWindow, shiftRows } from "./row-window.ts";

export class AheadState extends RightState {
  readonly #window: RowWindow;
  readonly #memo: MemoStore | null;
  readonly #heads: ByKey;
  readonly #tails: ByKey;
  readonly #cursor: AheadCursor = { left: 0, popped: 0, memoed: 0 };
  /** Id of the window's first row. */
  #base = 0;

  constructor(kernel: Kernel, spec: AsofRight, input: InputState, held: HeldRows | null, switches: IndexSwitches) {
    super(kernel, spec, input, held, switches);
    this.#window = new RowWindow(kernel, 1);
    this.#memo = spec.direction === "nearest" ? new MemoStore(kernel, true) : null;
    this.#heads = new ByKey(kernel);
    this.#tails = new ByKey(kernel);
  }

  get decided(): number {
    return this.#cursor.left;
  }

  override get waitingRows(): number {
    return this.#window.end - this.#low;
  }

  /** Rows before it are of no use but through the memo. */
  get #low(): number {
    return this.#memo ? this.#cursor.memoed : this.#cursor.popped;
  }

  protected beginLeft(): void {
    this.#cursor.left = 0;
  }

  protected ensureKeys(keys: number): void {
    this.#memo?.ensure(keys);
    this.#heads.ensure(keys);
    this.#tails.ensure(keys);
  }

  protected match(): Progress {
    const { rows, times } = this.left as LeftChunk;
    if (this.#cursor.left < rows) this.kernel.mergeAhead(this.#merge(times), this.#cursor, rows, this.#window.end, this.refs);
    if (this.#cursor.left === rows) return "done";
    if (!this.input.hasRows) return "starved";
    this.load();
    return "working";
  }

  #merge(leftTimes: Region): AheadMerge {
    const { spec } = this;
    return {
      leftTimes,
      leftIds: this.leftIds,
      rightTimes: this.#window.times,
      rightIds: this.#window.ids,
      base: spec.time.base,
      strict: spec.strict,
      before: spec.before,
      after: spec.after,
      horizon: this.horizon,
      rowBase: this.#base,
      queues: this.#queues,
      memo: this.#memo,
      backFirst: spec.ties === "first",
      aheadLast: spec.ties === "last",
    };
  }

  get #queues() {
    return { next: this.#window.links[0], heads: this.#heads.region, tails: this.#tails.region };
  }

  protected place(rows: number): RightWindow {
    if (this.held?.isDue) this.#compact(this.held);
    const window = this.#window;
    const shift = window.makeRoom(rows, this.#low);
    if (shift > 0) {
      for (const list of [this.kernel.i32(window.links[0]).subarray(0, window.end), this.#heads.values, this.#tails.values])
        shiftRows(list, shift);
      this.#cursor.popped -= shift;
      this.#cursor.memoed -= shift;
      if (this.held) this.#base += shift;
    }
    return { times: window.times, at: window.end };
  }

  protected loaded({ rows }: InputChunk, base: number): void {
    const window = this.#window;
    const { kernel, rightIds } = this;
    window.putIds(rightIds, rows);
    this.#base = this.held ? base - window.end : 0;
    kernel.linkRows(window.ids, window.end, window.end + rows, this.#queues);
    window.end += rows;
  }

  #compact(held: HeldRows): void {
    const low = this.#base + this.#low;
    const boundary = held.boundary(low, this.input.midBatch);
    if (boundary > 0) this.#base += this.keep(held, boundary, low, this.decided, this.#memo);
  }
}
