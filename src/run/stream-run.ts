/**
 * The async driver, which is the `JoinStream` that callers get: pulls inputs when the machine needs them, gives way to the event loop, and
 * owns how a stream ends.
 *
 *     open ──next()──▶ running ──┬─▶ ended      done, cancel(), return(): next() is done from now on
 *                                └─▶ failed     an input's error, our own, an aborted signal: next() rejects with that same error
 *
 * - Work starts at the first pull. Nothing is read ahead: a slow consumer stops all pulling, but for pulls that are in flight.
 * - Inputs that the machine asks for at once are pulled at once, one pull each; whichever answers first is taken first.
 * - Calls of next() are served in order.
 * - Ending cancels the inputs that are still wanted by nobody, without awaiting a pull in flight: its late value is dropped, its late
 *   rejection handled.
 * - Files of a spill store are gone before next() says that the stream has ended or failed, and before cancel() and return() resolve; a
 *   request of the store that is under way is waited for, its answer dropped.
 */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import { IPCEncoder } from "../arrow/ipc.ts";
import type { OutputSchema } from "../arrow/output.ts";
import type { StreamInput } from "../arrow/stream.ts";
import { ArrowJoinError } from "../error.ts";
import type { InputName, Machine } from "../operators/machine.ts";
import type { JoinMetrics } from "../operators/metrics.ts";
import { Breath, nextTask } from "./breath.ts";
import type { StreamSettings } from "./settings.ts";
import { SpillSession } from "./spill-session.ts";

type Ending = { readonly how: "ended" } | { readonly how: "cancelled" } | { readonly how: "failed"; readonly error: unknown };

/** Calls of onProgress are at least this far apart. */
const PROGRESS_MS = 100;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** `I`: how the machine calls its inputs. */
export class StreamRun<I extends PropertyKey = InputName> implements AsyncIterableIterator<RecordBatch> {
  readonly schema: Schema;
  readonly #output: OutputSchema;
  /** Null once the stream has ended: its batches and its index go with it. */
  #machine: Machine<I> | null;
  readonly #release: () => void;
  readonly #inputs: Readonly<Record<I, StreamInput>>;
  readonly #settings: StreamSettings;
  readonly #spill: SpillSession;
  /** Inputs of which a pull is in flight. */
  readonly #asked = new Set<I>();
  /** Called when an input has answered. */
  #wake: () => void = () => {};
  readonly #breath = new Breath();
  #ending: Ending | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #progressAt = Number.NEGATIVE_INFINITY;
  #abort: (() => void) | null = null;
  /** The metrics at the end. */
  #last: JoinMetrics | null = null;

  /** `release` gives the machine's memory back; called once. */
  constructor(
    machine: Machine<I>,
    release: () => void,
    output: OutputSchema,
    inputs: Readonly<Record<I, StreamInput>>,
    settings: StreamSettings,
  ) {
    this.schema = output.schema;
    this.#output = output;
    this.#machine = machine;
    this.#release = release;
    this.#inputs = inputs;
    this.#settings = settings;
    this.#spill = new SpillSession(settings.spill);
    const { signal } = settings;
    if (signal) {
      this.#abort = () => this.#finish({ how: "failed", error: signal.reason });
      signal.addEventListener("abort", this.#abort);
      if (signal.aborted) this.#abort();
    }
  }

  // ── iteration ────────────────────────────────────────────────────────────────────────────────

  next(): Promise<IteratorResult<RecordBatch, undefined>> {
    const result = this.#tail.then(() => this.#pull());
    // The next call waits for this one, whatever comes of it.
    this.#tail = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.cancel();
    return END;
  }

  async throw(error?: unknown): Promise<IteratorReturnResult<undefined>> {
    await this.cancel();
    throw error;
  }

  /** Ends the stream with an error that is no input's. */
  fail(error: unknown): void {
    this.#finish({ how: "failed", error });
  }

  async cancel(reason?: unknown): Promise<void> {
    this.#finish({ how: "cancelled" }, reason);
    await this.#spill.close();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cancel();
  }

  async #pull(): Promise<IteratorResult<RecordBatch, undefined>> {
    try {
      const batch = await this.#nextBatch();
      if (batch) return { done: false, value: batch };
    } catch (error) {
      this.#finish({ how: "failed", error });
    }
    await this.#spill.close();
    // Whatever ended the stream first is what it ended with.
    if (this.#ending?.how === "failed") throw this.#ending.error;
    return END;
  }

  /** The next batch; null once the stream has ended. */
  async #nextBatch(): Promise<RecordBatch | null> {
    this.#breath.rested();
    for (;;) {
      if (this.#ending) return null;
      const machine = this.#machine as Machine<I>;
      const step = machine.step();
      // The last call is not held back: it has all rows.
      if (step.kind === "done") this.#progressAt = Number.NEGATIVE_INFINITY;
      this.#report(machine);
      // The callback may have cancelled.
      if (this.#ending) continue;
      if (step.kind === "batch") return step.batch;
      if (step.kind === "done") {
        this.#finish({ how: "ended" });
        this.#tellMetrics();
        return null;
      }
      if (step.kind === "need") await this.#await(machine, step.inputs, step.held ?? false);
      if (step.kind === "store") {
        const block = await this.#spill.perform(step.request);
        // Ended meanwhile: the kernel may be another join's by now.
        if (!this.#ending) machine.stored!(block);
      }
      const breath = this.#breath.take();
      if (breath) await breath;
    }
  }

  /** Waits for one of the inputs; if the machine holds rows back, only as long as an input takes that has something at hand. */
  async #await(machine: Machine<I>, inputs: readonly I[], held: boolean): Promise<void> {
    let answered = false;
    // Not a race of promises, which would keep every batch alive that a slow input waits through.
    const answer = new Promise<void>((resolve) => {
      this.#wake = () => {
        answered = true;
        resolve();
      };
    });
    for (const input of inputs) this.#ask(input);
    if (!held) return answer;
    await nextTask();
    if (!answered && !this.#ending) machine.flush!();
  }

  /** Pulls the input, unless that is under way. What it answers after the end is dropped. */
  #ask(input: I): void {
    if (this.#asked.has(input)) return;
    this.#asked.add(input);
    this.#inputs[input]
      .next()
      .then((item) => {
        this.#asked.delete(input);
        const machine = this.#machine;
        if (!machine) return;
        if (!item) machine.end(input);
        else if ("watermark" in item) machine.mark!(input, item.watermark);
        else machine.push(input, item);
      })
      .catch((error) => this.fail(error))
      .finally(() => this.#wake());
  }

  // ── the end ──────────────────────────────────────────────────────────────────────────────────

  /** Ends the stream, once. Inputs that have not ended are cancelled, memory is given back. */
  #finish(ending: Ending, reason?: unknown): void {
    if (this.#ending) return;
    this.#ending = ending;
    const { signal } = this.#settings;
    if (signal && this.#abort) signal.removeEventListener("abort", this.#abort);
    this.#last = this.#machine?.metrics() ?? null;
    this.#machine = null;
    this.#release();
    this.#spill.close();
    // Those that have ended take no notice.
    for (const input of Object.values<StreamInput>(this.#inputs)) input.cancel(ending.how === "failed" ? ending.error : reason);
    this.#wake();
  }

  /** A callback that throws fails the join: its error is the caller's to see. */
  #tellMetrics(): void {
    try {
      this.#settings.onMetrics?.(this.metrics());
    } catch (error) {
      this.#ending = { how: "failed", error };
      throw error;
    }
  }

  // ── what it tells ────────────────────────────────────────────────────────────────────────────

  metrics(): JoinMetrics {
    return this.#last ?? (this.#machine as Machine<I>).metrics();
  }

  explain(): string {
    return this.metrics().plan;
  }

  #report(machine: Machine<I>): void {
    const { onProgress } = this.#settings;
    if (!onProgress) return;
    const now = performance.now();
    if (now - this.#progressAt < PROGRESS_MS) return;
    this.#progressAt = now;
    const { leftRows, rightRows, outRows } = machine.metrics();
    onProgress({ phase: machine.phase, leftRows, rightRows, outRows });
  }

  // ── as a whole ───────────────────────────────────────────────────────────────────────────────

  /** All batches that are still to come as one table. */
  async toTable(): Promise<Table> {
    const batches: RecordBatch[] = [];
    for (;;) {
      const { done, value } = await this.next();
      if (!done) batches.push(value);
      else if (this.#ending?.how === "cancelled")
        throw new ArrowJoinError("CANCELLED", "The join was cancelled before its table was complete.");
      else return this.#output.makeTable(batches);
    }
  }

  toReadableStream(): ReadableStream<RecordBatch> {
    return this.#readable(
      (batch) => batch,
      () => null,
    );
  }

  /** The result as Arrow IPC stream bytes, a chunk a batch. */
  toIPC(): ReadableStream<Uint8Array> {
    const encoder = new IPCEncoder(this.schema);
    return this.#readable(
      (batch) => encoder.batch(batch),
      () => encoder.end(),
    );
  }

  #readable<T>(encode: (batch: RecordBatch) => T, end: () => T | null): ReadableStream<T> {
    return new ReadableStream<T>(
      {
        pull: async (controller) => {
          const { done, value } = await this.next();
          if (!done) return controller.enqueue(encode(value));
          if (this.#ending?.how === "cancelled") throw new ArrowJoinError("CANCELLED", "The join was cancelled.");
          const last = end();
          if (last !== null) controller.enqueue(last);
          controller.close();
        },
        cancel: (reason) => this.cancel(reason),
      },
      // Nothing is read ahead of the reader.
      { highWaterMark: 0 },
    );
  }
}
