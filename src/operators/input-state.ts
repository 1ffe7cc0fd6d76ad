/**
 * `InputState`: one input of an as-of join: what has come and is not read yet, how far it is read, and whether more may be asked for.
 *
 *     pushed ──▶ queue: batch, batch, watermark, batch ──▶ chunk under way ──▶ (right) memo or queues by key, (left) output
 *                └── above the mark: the input is not asked for          └── order checked, rows without a time told apart
 *
 * Invariants
 * - Rows are read in order, at most CHUNK_ROWS at a time, and checked as they are read: `horizon` is the largest time or watermark so far,
 *   and no row below it is ever let through (UNSORTED).
 * - A watermark stands in the queue where it came, so it speaks of what came after it.
 * - The mark counts what is not read: 8 batches, or its share of `memoryLimit`.
 */

import { type InputBatch, nameOf } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import type { TimePoint } from "../kernel/asof-contract.ts";
import { CHUNK_ROWS, type Kernel, type Region } from "../kernel/contract.ts";
import type { TimeColumn } from "../spec/asof-spec.ts";
import type { BufferLedger, Receipt } from "./buffer-ledger.ts";
import { isBefore, NO_TIME, TimeLoader, timeAt, timeOf, timeValue } from "./time-loader.ts";

/** Batches that may wait. */
const MARK_BATCHES = 8;

interface QueuedBatch {
  readonly batch: InputBatch;
  readonly receipt: Receipt;
}

/** Rows [start, start + rows) of a batch. Whoever reads the last gives the receipt back. */
export interface InputChunk extends QueuedBatch {
  readonly start: number;
  readonly rows: number;
}

export class InputState {
  readonly name: string;
  readonly ledger: BufferLedger;
  rows = 0;
  batches = 0;
  ended = false;
  /** No later row has a time below this. */
  horizon: TimePoint = NO_TIME;
  /** The largest time read; NO_TIME before the first. */
  latest: TimePoint = NO_TIME;
  readonly #kernel: Kernel;
  readonly form: TimeColumn;
  readonly #loader: TimeLoader;
  readonly #share: number;
  readonly #valid: Region;
  #queue: (QueuedBatch | TimePoint)[] = [];
  #queued = 0;
  #front: QueuedBatch | null = null;
  #row = 0;

  /** `share`: bytes that the input may hold before it is only asked for what is needed. */
  constructor(kernel: Kernel, name: string, form: TimeColumn, ledger: BufferLedger, share: number) {
    this.#kernel = kernel;
    this.name = name;
    this.form = form;
    this.ledger = ledger;
    this.#share = share;
    this.#loader = new TimeLoader(kernel, form);
    this.#valid = kernel.alloc(CHUNK_ROWS >> 3, "scratch");
  }

  push(batch: InputBatch): void {
    if (this.ended) throw new ArrowJoinError("INTERNAL", `The ${this.name} input has ended.`);
    this.rows += batch.length;
    this.batches++;
    if (batch.length === 0) return;
    this.#queue.push({ batch, receipt: this.ledger.take(batch) });
    this.#queued++;
  }

  /** A watermark: no later row has a time below it. Throws INVALID_INPUT. */
  mark(value: unknown): void {
    const form = this.form;
    const isDate = Object.prototype.toString.call(value) === "[object Date]";
    const time = isDate ? fromDate(form.type, Number(value)) : value;
    const point = typeof time === "number" || typeof time === "bigint" ? timeOf(form, time) : null;
    if (!point) {
      throw new ArrowJoinError(
        "INVALID_INPUT",
        `The ${this.name} input has a watermark of ${typeof value === "object" && !isDate ? nameOf(value) : String(value)}: give a time in the unit of its column "${form.name}".`,
      );
    }
    // Of several in a row the largest says it all, however many come while nothing is read.
    const last = this.#queue.at(-1);
    if (!last || !("major" in last)) this.#queue.push(point);
    else if (isBefore(last, point)) this.#queue[this.#queue.length - 1] = point;
  }

  /** Batches that are not read yet, but for the one under way. */
  get queuedBatches(): number {
    return this.#queued;
  }

  /** Rows that are not read yet. */
  get queuedRows(): number {
    const waiting = this.#queue.reduce((sum, item) => sum + ("batch" in item ? item.batch.length : 0), 0);
    return waiting + (this.#front ? this.#front.batch.length - this.#row : 0);
  }

  /** Whether it may be asked for more: less waits than the mark. */
  get wantsMore(): boolean {
    return !this.ended && this.#queued < MARK_BATCHES && this.ledger.bytes < this.#share;
  }

  /** Whether there are rows at hand. Takes the watermarks that come first. */
  get hasRows(): boolean {
    while (!this.#front && this.#queue.length > 0) {
      const next = this.#queue.shift() as QueuedBatch | TimePoint;
      if ("major" in next) {
        if (isBefore(this.horizon, next)) this.horizon = next;
      } else {
        this.#front = next;
        this.#row = 0;
        this.#queued--;
      }
    }
    return this.#front !== null;
  }

  /** Whether a batch is read in part. */
  get midBatch(): boolean {
    return this.#front !== null && this.#row > 0;
  }

  /** The next rows, at most `max`, of one batch; only when it has some. They are not read yet. */
  peek(max: number): InputChunk {
    const { batch, receipt } = this.#front as QueuedBatch;
    return { batch, receipt, start: this.#row, rows: Math.min(max, CHUNK_ROWS, batch.length - this.#row) };
  }

  /**
   * Reads the chunk: its times go to times[at ...], none below the horizon, which moves. Returns the rows that have a time as bits, or null if
   * all have one; valid until the next call. Throws UNSORTED.
   */
  read(chunk: InputChunk, times: Region, at: number): Region | null {
    const kernel = this.#kernel;
    const { batch, start, rows } = chunk;
    const { bad, some } = this.#loader.loadInOrder(batch, start, rows, times, at, this.#valid, this.horizon);
    const valid = some ? this.#valid : null;
    if (bad > at) this.#refuse(chunk, bad - at, timeAt(kernel, times, bad), timeAt(kernel, times, bad - 1), false);
    if (bad >= 0) this.#refuse(chunk, 0, timeAt(kernel, times, bad), this.horizon, isBefore(this.latest, this.horizon));
    const last = timeAt(kernel, times, at + rows - 1);
    this.horizon = last;
    if (!valid || kernel.countBits(kernel.u8(valid), 0, rows) > 0) this.latest = last;
    this.#row += rows;
    if (this.#row === batch.length) this.#front = null;
    return valid;
  }

  #refuse({ batch, start }: InputChunk, row: number, time: TimePoint, before: TimePoint, isMark: boolean): never {
    const form = this.form;
    const [value, known] = [time, before].map((point) => String(timeValue(form, point)));
    throw new ArrowJoinError(
      "UNSORTED",
      `The ${this.name} input is not sorted by "${form.name}": row ${batch.firstRow + start + row} has ${value}, after ${isMark ? "a watermark of " : ""}${known}. Sort it by "${form.name}" first; one-shot joins do with unsorted: "sort".`,
    );
  }
}

/** Milliseconds in the unit of the column, rounded down: what is not below a watermark is not below this. */
function fromDate({ name, unit }: TimeColumn["type"], ms: number): number | bigint {
  if (!/^(date|timestamp)/.test(name)) return Number.NaN;
  if (Number.isNaN(ms)) return ms;
  if (name === "date32") return Math.floor(ms / 86_400_000);
  if (unit === "us" || unit === "ns") return BigInt(ms) * (unit === "us" ? 1000n : 1_000_000n);
  return unit === "s" ? Math.floor(ms / 1000) : ms;
}
