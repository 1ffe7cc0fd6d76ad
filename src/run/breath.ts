/**
 * Giving way: a driver that has worked for a while lets timers, input and rendering run. By time, not by count, so that a page stays
 * alive whatever a step costs: no task is longer than this plus one step.
 */

const WORK_MS = 12;

export class Breath {
  #since = performance.now();

  /** Null while there is no need; else a promise for the next task. */
  take(): Promise<void> | null {
    if (performance.now() - this.#since < WORK_MS) return null;
    return nextTask().then(() => {
      this.#since = performance.now();
    });
  }

  /** The event loop ran in between: start counting anew. */
  rested(): void {
    this.#since = performance.now();
  }
}

/** A macrotask. `setTimeout` waits 4 ms in browsers once nested, a message does not. */
export function nextTask(): Promise<void> {
  if (typeof setImmediate === "function") return new Promise((resolve) => setImmediate(resolve));
  if (typeof MessageChannel === "function") {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    });
  }
  return new Promise((resolve) => setTimeout(resolve, 0));
}
