/**
 * The account of one join's memory (SEMANTICS 6.4): what it holds now, and the most it held. The caller's one-shot inputs and batches
 * already handed out are not in it. Kernel memory (tables, marks, scratch) is read from the kernel.
 */

import type { Kernel } from "../kernel/contract.ts";

export class MemoryAccount {
  readonly #kernel: Kernel;
  #buffered = 0;
  #pending = 0;
  peakBytes = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Buffered batches, held for as long as the join lives. */
  charge(bytes: number): void {
    this.#buffered += bytes;
    this.observe();
  }

  /** Output buffers under way: their size now. */
  setPending(bytes: number): void {
    this.#pending = bytes;
    this.observe();
  }

  observe(): void {
    this.peakBytes = Math.max(this.peakBytes, this.#kernel.usedBytes + this.#buffered + this.#pending);
  }
}
