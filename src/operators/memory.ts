/**
 * The account of one join's memory (SEMANTICS 6.4): what it holds now, and the most it held. The caller's one-shot inputs and batches
 * already handed out are not in it. Kernel memory (tables, marks, scratch) is read from the kernel, which refuses what would pass the limit.
 */

import { ArrowJoinError } from "../error.ts";
import type { Kernel } from "../kernel/contract.ts";

export class MemoryAccount {
  readonly #kernel: Kernel;
  readonly #limit: number;
  #buffered = 0;
  #pending = 0;
  #apart = 0;
  peakBytes = 0;
  /** Bytes that are kept free for what comes later. */
  reserved = 0;

  constructor(kernel: Kernel, limit = Number.POSITIVE_INFINITY) {
    this.#kernel = kernel;
    this.#limit = limit;
  }

  /** Buffered batches and what else lies in host memory, held until it is taken back. */
  charge(bytes: number): void {
    this.#buffered += bytes;
    this.observe();
  }

  /** A batch that does not fit, while rows are taken from it: one may be beyond the limit. */
  setApart(bytes: number): void {
    this.#apart = bytes;
    this.observe();
  }

  /** Output buffers under way: their size now. Throws MEMORY_LIMIT. */
  setPending(bytes: number): void {
    const more = bytes > this.#pending;
    this.#pending = bytes;
    this.observe();
    const held = this.#kernel.usedBytes + this.#buffered + bytes + this.reserved;
    if (!more || held <= this.#limit) return;
    throw new ArrowJoinError(
      "MEMORY_LIMIT",
      `The output under way has ${bytes} bytes, which makes ${held} with what the join holds; memoryLimit is ${this.#limit}. Raise it, give a spill store, or take a smaller batchSize.`,
    );
  }

  /** Refuses to hold more than the limit; `what` is most of it. */
  demand(what: string): void {
    const held = this.#kernel.usedBytes + this.#buffered + this.#pending;
    if (held <= this.#limit) return;
    throw new ArrowJoinError(
      "MEMORY_LIMIT",
      `${what} makes ${held} bytes; memoryLimit is ${this.#limit}. Raise it, give smaller batches, or a tolerance, beyond which no row is kept.`,
    );
  }

  observe(): void {
    const host = this.#buffered + this.#pending;
    if (this.#limit < Number.POSITIVE_INFINITY) {
      const others = Math.min(this.#limit, host + this.reserved);
      this.#kernel.limitBytes = this.#limit - others;
      this.#kernel.otherBytes = others;
    }
    this.peakBytes = Math.max(this.peakBytes, this.#kernel.usedBytes + host + this.#apart);
  }
}
