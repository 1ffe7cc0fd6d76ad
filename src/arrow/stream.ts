/**
 * Inputs of the stream verbs: everything that comes batch by batch, or as the bytes of an IPC stream or file.
 *
 *     Table, RecordBatch, RecordBatch[]          ──▶ batches at hand: row count known
 *     { schema, batches }                        ──▶ pull ──────────────────────────────────▶ batches
 *     Response, web or Node stream, iterable     ──▶ pull ──▶ first item a batch? ──▶ yes ──▶ batches
 *     IPC bytes                                  ──────────────────┐              └─▶ bytes
 *                                                                  └─▶ RecordBatchReader ──▶ batches
 *
 * Invariants
 * - The schema is known when `openStream` resolves; each later batch is checked against it.
 * - What a source throws arrives as SOURCE_FAILED with the original as `cause`; errors of our own pass as they are. After an error the
 *   source has been cancelled and every `next` rejects with that error.
 * - Batches without rows never end a stream.
 *
 * O(columns) a batch besides what the source costs.
 */

import { RecordBatchReader } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import { ViewCache } from "./dictionary-view.ts";
import type { InputSchema, InputSide } from "./input.ts";
import { batchesOf, InputBatch, invalidInput, isBatch, isSchema, nameOf, notATable, readInput, readSchema, SCHEMA_FORM } from "./input.ts";
import type { Pull } from "./pull.ts";
import { openPull } from "./pull.ts";
import type { RawSchema } from "./raw.ts";

/** What may stand between two batches of an as-of join's input: no later row has a time below it. */
export interface Watermark {
  readonly watermark: unknown;
}

export interface StreamInput extends InputSchema {
  /** All rows, where the input is at hand; otherwise null. */
  readonly rows: number | null;
  /** The next batch (or watermark, where they are asked for), null after the last or after `cancel`. One call at a time. Rejects with INVALID_INPUT or SOURCE_FAILED. */
  next(): Promise<InputBatch | Watermark | null>;
  /** Ends the stream and tells the source, without waiting for it. */
  cancel(reason?: unknown): void;
}

const isWatermark = (x: unknown): x is Watermark => typeof x === "object" && x !== null && "watermark" in x && !isBatch(x);

const noMarks = (side: InputSide) => invalidInput(side, "yielded a watermark, which only as-of joins take.");

const isBytes = (x: unknown): x is ArrayBufferView | ArrayBufferLike =>
  ArrayBuffer.isView(x) || ["[object ArrayBuffer]", "[object SharedArrayBuffer]"].includes(Object.prototype.toString.call(x));

const asBytes = (x: ArrayBufferView | ArrayBufferLike): Uint8Array =>
  ArrayBuffer.isView(x) ? new Uint8Array(x.buffer, x.byteOffset, x.byteLength) : new Uint8Array(x);

const TAKES =
  "a Table, RecordBatches (one, an array, or an iterable), a RecordBatchReader, a stream of batches or of Arrow IPC bytes, a Response, IPC bytes, or `{ schema, batches }`";

function sourceError(error: unknown, side: InputSide): ArrowJoinError {
  if (error instanceof ArrowJoinError) return error;
  return new ArrowJoinError("SOURCE_FAILED", `The ${side} input failed: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}

/** The batches of a pull: checked, counted, its errors named. */
class PulledStream implements StreamInput {
  readonly rows = null;
  readonly fields: InputSchema["fields"];
  readonly metadata: InputSchema["metadata"];
  readonly #pull: Pull;
  readonly #schema: RawSchema;
  readonly #side: InputSide;
  readonly #cache = new ViewCache();
  /** Things that came before the schema was known. */
  readonly #peeked: unknown[];
  readonly #marks: boolean;
  #count = 0;
  #read = 0;
  #error: ArrowJoinError | null = null;

  constructor(pull: Pull, schema: RawSchema, peeked: readonly unknown[], side: InputSide, marks: boolean) {
    ({ fields: this.fields, metadata: this.metadata } = readSchema(schema, side));
    this.#pull = pull;
    this.#schema = schema;
    this.#peeked = [...peeked];
    this.#side = side;
    this.#marks = marks;
  }

  async next(): Promise<InputBatch | Watermark | null> {
    if (this.#error !== null) throw this.#error;
    try {
      let batch = this.#peeked.shift();
      if (batch === undefined) {
        const { done, value } = await this.#pull.next();
        if (done) return null;
        batch = value;
      }
      if (isWatermark(batch)) {
        if (this.#marks) return { watermark: batch.watermark };
        throw noMarks(this.#side);
      }
      if (!isBatch(batch)) throw invalidInput(this.#side, `yielded ${nameOf(batch)} as item ${this.#count}, where a RecordBatch was due.`);
      const view = new InputBatch(batch, this.fields, this.#side, this.#count++, this.#cache, this.#schema, this.#read);
      this.#read += view.length;
      return view;
    } catch (error) {
      this.#error = sourceError(error, this.#side);
      this.cancel(error);
      throw this.#error;
    }
  }

  cancel(reason?: unknown): void {
    this.#peeked.length = 0;
    this.#pull.cancel(reason);
  }
}

/** An input at hand, as a stream. */
function streamOf(input: unknown, side: InputSide): StreamInput {
  const { fields, metadata, rows, batches } = readInput(input, side);
  let at = 0;
  return {
    fields,
    metadata,
    rows,
    next: async () => batches[at++] ?? null,
    cancel: () => {
      at = batches.length;
    },
  };
}

/** Bytes as the batches they hold. Cancelling goes to the source of the bytes: the reader between is only dropped. */
async function decode(bytes: Pull, first: Uint8Array, side: InputSide): Promise<Pull> {
  let failure: { readonly error: unknown } | null = null;
  const chunks = (async function* () {
    yield first;
    for (;;) {
      const { done, value } = await bytes.next().catch((error) => {
        failure = { error };
        throw error;
      });
      if (done) return;
      if (!isBytes(value)) throw invalidInput(side, `yielded ${nameOf(value)} among the bytes of an Arrow IPC stream.`);
      yield asBytes(value);
    }
  })();
  /** What the source threw is its own; anything else says that the bytes are wrong. */
  const told = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (failure) throw failure.error;
      throw badBytes(error, side);
    }
  };
  const batches = openPull(await told(RecordBatchReader.from(chunks)))!;
  return {
    next: () => told(batches.next()),
    cancel: (reason) => {
      bytes.cancel(reason);
      batches.cancel(reason);
    },
  };
}

/** A `{ schema, batches }` whose batches come one by one, or a stream that knows its schema, as the result of a join does. */
function typedSource(input: object): { schema: RawSchema; batches: unknown } | null {
  const { schema, batches } = input as { schema?: unknown; batches?: unknown };
  if (!isSchema(schema)) return null;
  if (typeof batches === "object" && batches !== null) return { schema, batches };
  return Symbol.asyncIterator in input ? { schema, batches: input } : null;
}

function badBytes(error: unknown, side: InputSide): ArrowJoinError {
  if (error instanceof ArrowJoinError) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new ArrowJoinError("INVALID_INPUT", `The ${side} input is no complete Arrow IPC stream or file: ${said}`, { cause: error });
}

/** IPC bytes at hand. */
function readBytes(bytes: Uint8Array, side: InputSide): Pull {
  try {
    const batches = openPull(RecordBatchReader.from(bytes))!;
    return {
      next: () =>
        batches.next().catch((error) => {
          throw badBytes(error, side);
        }),
      cancel: (reason) => batches.cancel(reason),
    };
  } catch (error) {
    throw badBytes(error, side);
  }
}

/** What is to be pulled: the body of a Response, the batches of bytes, or the thing itself. */
function openSource(input: object, side: InputSide): Pull | null {
  const { body, arrayBuffer, ok, status } = input as Partial<Response>;
  if (typeof arrayBuffer === "function" && body !== undefined) {
    if (ok === false) throw new Error(`the response has status ${status}`);
    if (body === null) throw invalidInput(side, "is a Response without a body.");
    return openPull(body);
  }
  return isBytes(input) ? readBytes(asBytes(input), side) : openPull(input);
}

/**
 * Opens an input of a stream verb: resolves once its columns are known, for which the first batch may have to arrive.
 * An aborted `signal` ends the wait: it rejects with `signal.reason`, and the source is cancelled.
 *
 * `marks`: watermarks may come between batches. Rejects with INVALID_INPUT, DUPLICATE_COLUMN, SOURCE_FAILED.
 */
export async function openStream(input: unknown, side: InputSide, signal?: AbortSignal, marks = false): Promise<StreamInput> {
  signal?.throwIfAborted();
  if (typeof input !== "object" || input === null) throw notATable(input, side, TAKES);
  // A list that has watermarks is no table.
  const lists = marks ? [input, (input as { batches?: unknown }).batches].filter(Array.isArray) : [];
  if (!lists.some((list) => list.some(isWatermark)) && batchesOf(input, side) !== null) return streamOf(input, side);

  let pull: Pull | null = null;
  const abort = () => pull?.cancel(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    const typed = typedSource(input);
    pull = typed === null ? openSource(input, side) : openPull(typed.batches);
    if (pull === null) throw notATable(input, side, TAKES);
    if (typed !== null) return new PulledStream(pull, typed.schema, [], side, marks);

    let first = await pull.next();
    const before: unknown[] = [];
    for (; !first.done && isWatermark(first.value); first = await pull.next()) {
      if (!marks) throw noMarks(side);
      before.push(first.value);
    }
    if (!first.done && isBytes(first.value)) {
      pull = await decode(pull, asBytes(first.value), side);
      first = await pull.next();
    }
    signal?.throwIfAborted();
    if (first.done) throw invalidInput(side, `ended before its first batch, from which its columns would have been told: ${SCHEMA_FORM}.`);
    if (!isBatch(first.value))
      throw invalidInput(side, `yielded ${nameOf(first.value)}, which is neither a RecordBatch nor Arrow IPC bytes.`);
    return new PulledStream(pull, first.value.schema, [...before, first.value], side, marks);
  } catch (error) {
    pull?.cancel(error);
    signal?.throwIfAborted();
    throw sourceError(error, side);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
