/**
 * `ProbeMarks`: which rows of the streamed side have found a partner in any pass of a nested loop. One bit a row, in host memory, charged to
 * the join; rows are numbered over the whole input, and the bitmap grows with them.
 */

import type { Kernel, Region } from "../kernel/contract.ts";
import type { ProbeRows } from "./batch-coalescer.ts";
import type { MemoryAccount } from "./memory.ts";

export class ProbeMarks {
  readonly #account: MemoryAccount;
  #bits = new Uint8Array(0);
  /** Rows that have a partner. */
  matched = 0;

  constructor(account: MemoryAccount) {
    this.#account = account;
  }

  /** Makes room for so many rows in all. */
  reserve(rows: number): void {
    const bytes = Math.ceil(rows / 8);
    if (bytes <= this.#bits.length) return;
    const next = new Uint8Array(Math.max(bytes, 2 * this.#bits.length, 1024));
    this.#account.charge(next.length - this.#bits.length);
    next.set(this.#bits);
    this.#bits = next;
  }

  /** Probe rows of a piece of output, all of which have a partner; `first`: the first row of their batch. */
  mark(kernel: Kernel, probe: ProbeRows, count: number, first: number): void {
    if (!probe) return;
    const ids = probe.kind === "rows" ? kernel.i32(probe.rows) : null;
    for (let i = 0; i < count; i++) {
      const row = first + (ids ? ids[(probe as { from: number }).from + i] : (probe as { start: number }).start + i);
      const at = Math.floor(row / 8);
      const bit = 1 << (row & 7);
      if (this.#bits[at] & bit) continue;
      this.#bits[at] |= bit;
      this.matched++;
    }
  }

  has(row: number): boolean {
    return ((this.#bits[Math.floor(row / 8)] >> (row & 7)) & 1) === 1;
  }

  all(first: number, rows: number): boolean {
    for (let i = 0; i < rows; i++) if (!this.has(first + i)) return false;
    return true;
  }

  /** Bit i: row first + i has a partner. */
  bits(first: number, rows: number): Uint8Array {
    const bits = new Uint8Array((rows + 7) >> 3);
    for (let i = 0; i < rows; i++) if (this.has(first + i)) bits[i >> 3] |= 1 << (i & 7);
    return bits;
  }

  /** Bit i of `out` := row first + i has none. */
  unmatched(kernel: Kernel, first: number, rows: number, out: Region): void {
    const bits = kernel.u8(out);
    bits.fill(0, 0, (rows + 7) >> 3);
    for (let i = 0; i < rows; i++) if (!this.has(first + i)) bits[i >> 3] |= 1 << (i & 7);
  }
}
