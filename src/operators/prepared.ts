/** Values that take bounded pieces of work to make, and those that may never be needed. */

/** What is made when it is first asked for; null while it is, one bounded piece a call. */
export type WhenNeeded<T> = () => T | null;

export interface Prepared<T> {
  readonly value: T;
  /** One bounded piece; true when the value is ready. */
  readonly prepare: () => boolean;
}

export function whenNeeded<T>(make: () => Prepared<T>): WhenNeeded<T> {
  let made: Prepared<T> | null = null;
  let ready = false;
  return () => {
    made ??= make();
    ready ||= made.prepare();
    return ready ? made.value : null;
  };
}
