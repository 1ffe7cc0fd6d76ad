/**
 * `BuildSide`: all batches of a side, kept as they came. Nothing is concatenated: a row has a global id, prefix offset + row.
 *
 *     batch    0        1     2
 *     starts   0        7     9        12        (row 8 is row 1 of batch 1)
 *
 * Batches of a stream are counted once per buffer; a caller's one-shot inputs are not charged.
 * Ids are i32: more than 2^31 - 2 rows are refused before any work.
 */

import type { InputBatch } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import { type Kernel, MAX_ROWS, type Region } from "../kernel/contract.ts";
import type { Side } from "../spec/join-spec.ts";
import type { MemoryAccount } from "./memory.ts";

export class BuildSide {
  readonly batches: InputBatch[] = [];
  /** Global id of each batch's first row, and the row count after the last. */
  readonly starts: number[] = [0];
  readonly #side: Side;
  readonly #columns: readonly number[];
  readonly #account: MemoryAccount | null;
  readonly #seen = new Set<ArrayBufferLike>();
  #startsRegion: Region | null = null;
  #charged = 0;

  /** `columns`: those that will be read. `account` null: the batches are the caller's. */
  constructor(side: Side, columns: readonly number[], account: MemoryAccount | null) {
    this.#side = side;
    this.#columns = columns;
    this.#account = account;
  }

  get rows(): number {
    return this.starts[this.starts.length - 1];
  }

  push(batch: InputBatch): void {
    if (batch.length === 0) return;
    if (this.rows + batch.length > MAX_ROWS) {
      throw new ArrowJoinError(
        "INVALID_INPUT",
        `The ${this.#side} side has more than ${MAX_ROWS} rows, the most that can be buffered. Build on the other side, or join it in parts.`,
      );
    }
    if (this.#account) {
      const bytes = batch.bufferBytes(this.#columns, this.#seen);
      this.#charged += bytes;
      this.#account.charge(bytes);
    }
    this.batches.push(batch);
    this.starts.push(this.rows + batch.length);
  }

  /** Lets go of the batches; how many rows there were stays known. */
  release(): void {
    this.batches.length = 0;
    this.#seen.clear();
    this.#account?.charge(-this.#charged);
    this.#charged = 0;
  }

  /** Gives back what it has in kernel memory. */
  forget(kernel: Kernel): void {
    if (this.#startsRegion) kernel.free(this.#startsRegion);
    this.#startsRegion = null;
  }

  /** Batch and row of a global id. O(log batches). */
  locate(id: number): { batch: number; row: number } {
    let low = 0;
    let high = this.batches.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= id) low = middle;
      else high = middle - 1;
    }
    return { batch: low, row: id - this.starts[low] };
  }

  /** `starts` in kernel memory, for `Kernel.locate`. All batches must be there. */
  startsIn(kernel: Kernel): Region {
    if (!this.#startsRegion) {
      this.#startsRegion = kernel.alloc(4 * this.starts.length, "the build side");
      kernel.i32(this.#startsRegion).set(this.starts);
    }
    return this.#startsRegion;
  }
}
