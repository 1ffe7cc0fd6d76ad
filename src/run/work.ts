/**
 * Work over answers that come at once or later, written once for both: a generator that yields what may be a promise and is given what it
 * came to. It waits only where it must, so over answers that come at once the whole work is done at once.
 */

export type Work<T> = Generator<unknown, T, unknown>;

const isLater = (answer: unknown): answer is PromiseLike<unknown> => typeof (answer as PromiseLike<unknown> | null)?.then === "function";

/** The result; a promise of it from the first answer that is one. */
export function perform<T>(work: Work<T>): T | Promise<T> {
  return advance(work, work.next());
}

function advance<T>(work: Work<T>, step: IteratorResult<unknown, T>): T | Promise<T> {
  while (!step.done) {
    const answer = step.value;
    if (isLater(answer)) {
      return Promise.resolve(answer).then(
        (value) => advance(work, work.next(value)),
        (error) => advance(work, work.throw(error)),
      );
    }
    step = work.next(answer);
  }
  return step.value;
}
