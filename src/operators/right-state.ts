/**
 * `RightState`: one right of an as-of join: reads its rows, gives them and the left rows key ids, and finds each left row's partner.
 *
 *     left chunk   ids, conditions on the left alone ──┐
 *                                                      ├──▶ match ──▶ refs: a row id or NONE for each left row, in left order
 *     right chunk  ids, conditions on the right alone ─┘
 *
 * Kinds: `BackwardState` (a memo by key), `AheadState` (queues by key too), `FilteredState` (the key's history, for conditions on both sides).
 *
 * Rows that cannot match (no time, no key, a condition of their own side) have the id NONE. Left rows are decided in left order; `decided`
 * counts those of the chunk. Ids of `refs` stay right when held rows are compacted.
 */

import type { InputBatch } from "../arrow/input.ts";
import type { Horizon, TimePoint } from "../kernel/asof-contract.ts";
import { CHUNK_ROWS, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { AsofRight } from "../spec/asof-spec.ts";
import type { HeldRows } from "./held-rows.ts";
import type { InputChunk, InputState } from "./input-state.ts";
import type { IndexSwitches } from "./join-index-map.ts";
import { KeyIds } from "./key-ids.ts";
import { keepLive } from "./live-rows.ts";
import type { MemoStore } from "./memo-store.ts";
import { RowFilter } from "./row-filter.ts";
import { TIME_BYTES, timeAt } from "./time-loader.ts";

/** Rows of the left that are matched at a time. */
export interface LeftChunk {
  readonly batch: InputBatch;
  readonly start: number;
  readonly rows: number;
  /** As this right's times are. */
  readonly times: Region;
  /** Bit i: row i has a time; null: all have. */
  readonly valid: Region | null;
}

/** working: again; starved: it waits for right rows; done: all left rows of the chunk are decided. */
export type Progress = "working" | "starved" | "done";

interface Loading {
  readonly chunk: InputChunk;
  readonly valid: Region | null;
}

/** Where times go. */
export interface RightWindow {
  readonly times: Region;
  readonly at: number;
}

export abstract class RightState {
  readonly spec: AsofRight;
  readonly input: InputState;
  readonly held: HeldRows | null;
  readonly refs: Region;
  /** Left rows of the chunk whose refs have been handed on. */
  taken = 0;
  protected readonly kernel: Kernel;
  protected left: LeftChunk | null = null;
  /** Null: every row is of key 0. */
  protected leftIds: Region | null = null;
  /** Of the right chunk that was loaded last; null: every row is of key 0. */
  protected rightIds: Region | null = null;
  readonly #keys: KeyIds | null;
  readonly #filters: { readonly left: RowFilter | null; readonly right: RowFilter | null };
  readonly #ids: { readonly left: Region; readonly right: Region };
  #leftReady = false;
  #checkTimes: Region | null = null;
  #loading: Loading | null = null;
  /** Id of the first row of the batch under way. */
  #batchBase = 0;

  constructor(kernel: Kernel, spec: AsofRight, input: InputState, held: HeldRows | null, switches: IndexSwitches) {
    this.kernel = kernel;
    this.spec = spec;
    this.input = input;
    this.held = held;
    this.refs = kernel.alloc(4 * CHUNK_ROWS, "the matches");
    this.#keys = spec.keys.length > 0 ? new KeyIds(kernel, spec.keys, switches) : null;
    const filter = (side: "left" | "right") =>
      spec.filter && spec.filter[side].conjuncts.length > 0 ? new RowFilter(kernel, spec.filter[side].conjuncts) : null;
    this.#filters = { left: filter("left"), right: filter("right") };
    const ids = () => kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#ids = { left: ids(), right: ids() };
  }

  abstract get decided(): number;

  /** Key ids so far. */
  get keyCount(): number {
    return this.#keys ? this.#keys.count : 1;
  }

  /** Right rows that are kept to be matched, beside the last of each key. */
  get waitingRows(): number {
    return 0;
  }

  /** Rows of keys' histories, kept for conditions on both sides, and pairs for which these were tested. */
  get historyRows(): number {
    return 0;
  }

  get pairsTested(): number {
    return 0;
  }

  /** The next left rows; only when the last are done. */
  begin(left: LeftChunk): void {
    this.left = left;
    this.taken = 0;
    this.#leftReady = false;
    if (this.#keys) this.#keys.begin("left", left.batch, left.start, left.rows, this.#ids.left);
    this.beginLeft();
  }

  /** One bounded piece of work. */
  work(): Progress {
    if (!this.#leftReady) {
      this.#leftReady = this.#stepLeft(this.left as LeftChunk);
      return "working";
    }
    return this.finishLoading() ? "working" : this.match();
  }

  /** Goes on with right rows that are being read; false where there are none. Before that no left chunk can begin. */
  finishLoading(): boolean {
    if (!this.#loading) return false;
    this.#stepLoad();
    return true;
  }

  /** Takes in right rows that come before every left row still to come, whose times are not below `time`: a piece. False when there is nothing to do. */
  take(_time: TimePoint): boolean {
    return false;
  }

  /** Reads the next right rows and checks their order, for nothing else; false where there are none at hand. */
  check(): boolean {
    if (!this.input.hasRows) return false;
    const chunk = this.input.peek(CHUNK_ROWS);
    this.input.read(chunk, this.checkRegion, 0);
    return true;
  }

  protected abstract beginLeft(): void;
  protected abstract match(): Progress;
  /** Room for the times of a chunk that are read for nothing else. */
  protected get checkRegion(): Region {
    this.#checkTimes ??= chunkTimes(this.kernel);
    return this.#checkTimes;
  }

  /** Where the times of the next right chunk go. Before a new batch is kept. */
  protected abstract place(rows: number): RightWindow;
  /** The chunk's times and `rightIds` are there; `base` is the id of its first row. */
  protected abstract loaded(chunk: InputChunk, base: number): void;
  /** Room for the ids there are. */
  protected abstract ensureKeys(keys: number): void;

  /** What is known of right rows after those at hand. */
  protected get horizon(): Horizon {
    // Watermarks that come next are taken by looking for rows.
    const ended = !this.input.hasRows && this.input.ended;
    const { major, minor } = this.input.horizon;
    return { major, minor, ended };
  }

  /** Starts to load the next right rows; only when there are some. */
  protected load(): void {
    const chunk = this.input.peek(CHUNK_ROWS);
    const { times, at } = this.place(chunk.rows);
    const valid = this.input.read(chunk, times, at);
    if (chunk.start === 0 && this.held) this.#batchBase = this.held.push(chunk.batch, chunk.receipt);
    this.#loading = { chunk, valid };
    if (this.#keys) this.#keys.begin("right", chunk.batch, chunk.start, chunk.rows, this.#ids.right);
  }

  /**
   * Lets go of the held rows before `boundary` that neither the memo names nor one of the refs before `end` that are not handed on yet; those from
   * `low` on stay. Returns how far ids moved.
   */
  protected keep(held: HeldRows, boundary: number, low: number, end: number, memo: MemoStore | null): number {
    const { before, time } = this.spec;
    const { left, keyCount } = this;
    if (memo && before && left && this.decided < left.rows)
      memo.forget(keyCount, timeAt(this.kernel, left.times, this.decided), before, time.base);
    const pending = () => this.kernel.i32(this.refs).subarray(this.taken, left ? end : 0);
    const delta = keepLive(held, boundary, low, () => (memo ? [memo.values(keyCount), pending()] : [pending()]));
    // Rows of the batch under way moved, too.
    this.#batchBase += delta;
    return delta;
  }

  #stepLoad(): void {
    const { chunk, valid } = this.#loading as Loading;
    if (this.#keys && !this.#keys.step()) return;
    this.rightIds = this.#restrict("right", chunk, valid);
    this.#loading = null;
    this.ensureKeys(this.keyCount);
    const { batch, start, rows, receipt } = chunk;
    this.loaded(chunk, this.#batchBase + (this.held ? start : 0));
    // Nobody keeps a batch of which nothing is output.
    if (!this.held && start + rows === batch.length) this.input.ledger.give(receipt);
  }

  #stepLeft(left: LeftChunk): boolean {
    if (this.#keys && !this.#keys.step()) return false;
    this.leftIds = this.#restrict("left", left, left.valid);
    this.ensureKeys(this.keyCount);
    return true;
  }

  /** Ids of the rows, NONE for those that cannot match; null where all are of key 0. */
  #restrict(
    side: "left" | "right",
    { batch, start, rows }: { batch: InputBatch; start: number; rows: number },
    valid: Region | null,
  ): Region | null {
    const kernel = this.kernel;
    const ids = this.#ids[side];
    const filter = this.#filters[side];
    const never = this.spec.filter?.never ?? false;
    if (!this.#keys) {
      if (!valid && !filter && !never) return null;
      kernel.fill(ids, never ? 255 : 0, 0, 4 * rows);
    } else if (never) kernel.fill(ids, 255, 0, 4 * rows);
    if (valid) kernel.fillNulls(ids, valid, 0, rows, NONE);
    if (filter) kernel.fillNulls(ids, filter.test(batch, start, rows), 0, rows, NONE);
    return ids;
  }
}

/** Times of a chunk. */
export const chunkTimes = (kernel: Kernel): Region => kernel.alloc(TIME_BYTES * CHUNK_ROWS, "scratch");
