/** Stream inputs that a test controls: what was pulled, whether it was cancelled, and when the next batch comes. */

import type { RecordBatch, Schema, Table } from "apache-arrow";

export interface Source {
  readonly schema: Schema;
  readonly batches: AsyncIterable<RecordBatch>;
  /** Calls of `next` so far. */
  readonly pulls: () => number;
  /** Calls of `return` so far. */
  readonly returns: () => number;
}

/** Gives the batches of a table one by one; `at` may stop, fail or delay a pull by its number. */
export function source(input: Table, at: (pull: number) => undefined | Promise<unknown> = () => undefined): Source {
  return sourceOf(input.schema, (pull) => input.batches[pull], at);
}

/** Gives the items one by one, whatever they are. */
export const itemsOf = (
  schema: Schema,
  items: readonly unknown[],
  at: (pull: number) => undefined | Promise<unknown> = () => undefined,
): Source => sourceOf(schema, (pull) => items[pull] as RecordBatch | undefined, at);

/** Gives `batch` for ever. */
export const endless = (batch: RecordBatch): Source =>
  sourceOf(
    batch.schema,
    () => batch,
    () => undefined,
  );

/** Gives the first batches of a table and then never answers, not even to `return`: as a generator does whose `next` is pending. */
export function silentAfter(input: Table, batches: number): Source {
  let returns = 0;
  const never = new Promise<never>(() => {});
  const inner = source(input, (pull) => (pull < batches ? undefined : never));
  const iterator = inner.batches[Symbol.asyncIterator]();
  const iterable: AsyncIterableIterator<RecordBatch> = {
    [Symbol.asyncIterator]: () => iterable,
    next: () => iterator.next(),
    return: () => {
      returns++;
      return never;
    },
  };
  return { schema: input.schema, batches: iterable, pulls: inner.pulls, returns: () => returns };
}

function sourceOf(
  schema: Schema,
  batch: (pull: number) => RecordBatch | undefined,
  at: (pull: number) => undefined | Promise<unknown>,
): Source {
  let pulls = 0;
  let returns = 0;
  const batches: AsyncIterableIterator<RecordBatch> = {
    [Symbol.asyncIterator]: () => batches,
    async next() {
      const pull = pulls++;
      await at(pull);
      const value = batch(pull);
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    },
    async return() {
      returns++;
      return { done: true, value: undefined };
    },
  };
  return { schema, batches, pulls: () => pulls, returns: () => returns };
}

export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Fails when the promise is not settled in time: a test that hangs says where. */
export async function inTime<T>(promise: Promise<T>, what: string, ms = 2000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets everything that can happen now happen. */
export const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
