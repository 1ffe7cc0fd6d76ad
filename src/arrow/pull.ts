/**
 * Whatever yields things one after the other, as one shape: `next()` and a `cancel()` that waits for nothing.
 *
 * Web streams, Node streams, async iterables (readers of record batches among them) and plain iterables.
 *
 * Invariants
 * - `cancel` tells the source (`cancel`, `destroy` or `return`) and returns; it does not wait for a pull in flight, which a generator's
 *   `return` would. A pull in flight then answers *done* at once; the late value is dropped, the late rejection handled.
 * - No promise of the source is ever left without a handler.
 *
 * O(1) a pull.
 */

export interface Pull {
  /** The next thing; after the end or a cancel: done. Calls are not made concurrently. */
  next(): Promise<IteratorResult<unknown>>;
  cancel(reason?: unknown): void;
}

interface Source {
  next(): unknown;
  cancel(reason: unknown): unknown;
}

const DONE: IteratorResult<unknown> = { done: true, value: undefined };
const ignore = (): void => {};

type Member = (...args: unknown[]) => unknown;

/** The method of that name, bound; null when there is none. */
function method(x: unknown, name: PropertyKey): Member | null {
  if (typeof x !== "object" || x === null) return null;
  const member = (x as Record<PropertyKey, unknown>)[name];
  return typeof member === "function" ? (member.bind(x) as Member) : null;
}

function sourceOf(x: unknown): Source | null {
  const getReader = method(x, "getReader");
  if (getReader !== null && method(x, "cancel") !== null) {
    const reader = getReader();
    return { next: method(reader, "read")!, cancel: method(reader, "cancel")! };
  }
  const iterate = method(x, Symbol.asyncIterator) ?? method(x, Symbol.iterator);
  if (iterate === null) return null;
  const iterator = iterate();
  const next = method(iterator, "next")!;
  const destroy = method(x, "pipe") === null ? null : method(x, "destroy");
  if (destroy !== null) {
    // A Node stream may report an error after it was destroyed, when nobody listens any more: that would end the process.
    method(x, "on")?.("error", ignore);
    return { next, cancel: () => destroy() };
  }
  return { next, cancel: () => method(iterator, "return")?.() };
}

/** A pull over the thing, or null when it yields nothing. Throws what the thing throws, for example because a stream is locked. */
export function openPull(x: unknown): Pull | null {
  const source = sourceOf(x);
  if (source === null) return null;
  let ended = false;
  let settle: ((result: IteratorResult<unknown>) => void) | null = null;

  const pull = async (): Promise<IteratorResult<unknown>> => {
    const result = (await source.next()) as IteratorResult<unknown>;
    // A plain iterable may yield promises.
    return result.done ? DONE : { done: false, value: await result.value };
  };

  return {
    next() {
      if (ended) return Promise.resolve(DONE);
      return new Promise((resolve, reject) => {
        settle = resolve;
        pull().then(
          (result) => {
            ended ||= result.done === true;
            resolve(result);
          },
          (error) => {
            ended = true;
            reject(error);
          },
        );
      });
    },
    cancel(reason) {
      if (ended) return;
      ended = true;
      settle?.(DONE);
      try {
        Promise.resolve(source.cancel(reason)).catch(ignore);
      } catch {
        // A source that fails to be cancelled is of no more interest than one that obeys.
      }
    },
  };
}
