/**
 * The account of one join's memory (SEMANTICS 6.4): what it holds now by part, and the most it held. The caller's one-shot inputs and
 * batches already handed out are not in it.
 *
 * Kernel memory (tables, marks, scratch) is read from the kernel; the rest is charged before it is taken.
 */

import { ArrowJoinError } from "../error.ts";
import type { Kernel } from "../kernel/contract.ts";

export class MemoryAccount {
  readonly #kernel: Kernel;
  readonly #limit: number;
  #charged = 0;
  #pending = 0;
  peakBytes = 0;

  /** `limit` in bytes; Infinity: only counted. */
  constructor(kernel: Kernel, limit = Number.POSITIVE_INFINITY) {
    this.#kernel = kernel;
    this.#limit = limit;
  }

  get usedBytes(): number {
    return this.#kernel.usedBytes + this.#charged + this.#pending;
  }

  /** Buffered batches: charged for as long as the join lives, before they are kept. */
  charge(bytes: number, part: string): void {
    this.check(bytes, part);
    this.#charged += bytes;
    this.observe();
  }

  release(bytes: number): void {
    this.#charged -= bytes;
  }

  /** Output buffers under way: their size now. */
  setPending(bytes: number): void {
    this.#pending = bytes;
    this.observe();
  }

  /** Refuses what would pass the limit. */
  check(bytes: number, part: string): void {
    if (this.usedBytes + bytes <= this.#limit) return;
    throw new ArrowJoinError(
      "MEMORY_LIMIT",
      `${part} needs ${bytes} bytes more, but the join already holds ${this.usedBytes} of the ${this.#limit} it may. Raise the limit, or build on the smaller side.`,
    );
  }

  observe(): void {
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
  }
}
