/**
 * `BufferLedger`: the buffers that one input's batches hold, each counted once however many batches share it, and given back with the last.
 */

import type { InputBatch } from "../arrow/input.ts";
import type { MemoryAccount } from "./memory.ts";

/** What one batch holds, to be given back. */
export type Receipt = ReadonlySet<ArrayBufferLike>;

export class BufferLedger {
  readonly #columns: readonly number[];
  readonly #account: MemoryAccount | null;
  readonly #holders = new Map<ArrayBufferLike, number>();
  bytes = 0;

  /** `columns`: those that are read. `account` null: the batches are the caller's, and nothing is counted. */
  constructor(columns: readonly number[], account: MemoryAccount | null) {
    this.#columns = columns;
    this.#account = account;
  }

  take(batch: InputBatch): Receipt {
    const buffers = new Set<ArrayBufferLike>();
    if (!this.#account) return buffers;
    batch.bufferBytes(this.#columns, buffers);
    let more = 0;
    for (const buffer of buffers) {
      const holders = this.#holders.get(buffer) ?? 0;
      this.#holders.set(buffer, holders + 1);
      if (holders === 0) more += buffer.byteLength;
    }
    this.#charge(more);
    return buffers;
  }

  give(receipt: Receipt): void {
    let less = 0;
    for (const buffer of receipt) {
      const holders = (this.#holders.get(buffer) as number) - 1;
      if (holders > 0) this.#holders.set(buffer, holders);
      else {
        this.#holders.delete(buffer);
        less += buffer.byteLength;
      }
    }
    this.#charge(-less);
  }

  #charge(bytes: number): void {
    this.bytes += bytes;
    this.#account?.charge(bytes);
  }
}
