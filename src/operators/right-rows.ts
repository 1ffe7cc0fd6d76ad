/**
 * `RightRows`: the streamed side of a nested loop. It is read as it comes; where there are several passes its rows are put aside in the first
 * and read again in the others.
 *
 *     one pass       pushed ─▶ probed
 *     several        pushed ─▶ cut into blocks ─▶ put aside ─▶ probed         again: read ─▶ probed
 *
 * A one-shot join's batches stay where they are, the caller's.
 */

import type { InputBatch } from "../arrow/input.ts";
import type { StoreRequest } from "./machine.ts";
import { isRequest, type RowFile } from "./row-file.ts";

/** Rows are put aside in blocks of about so many bytes. */
const BLOCK_BYTES = 1 << 20;

/** A batch to be probed, after the request where there is one; what is read becomes the batch. */
export interface Fetched {
  readonly request: StoreRequest | null;
  readonly batch: (block: Uint8Array | null) => InputBatch;
}

export class RightRows {
  /** Where rows are put aside, once there are several passes. */
  file: RowFile | null = null;
  readonly #given: boolean;
  readonly #blockBytes: number;
  #queue: InputBatch[] = [];
  /** Rows of the first that are put aside. */
  #cut = 0;
  #ended = false;
  /** Next block of this reading. */
  #block = 0;

  /** `given`: all batches are at hand, the caller's. `mostBytes`: of a block. */
  constructor(given: boolean, mostBytes: number) {
    this.#given = given;
    this.#blockBytes = Math.min(BLOCK_BYTES, mostBytes);
  }

  push(batch: InputBatch): void {
    this.#queue.push(batch);
  }

  end(): void {
    this.#ended = true;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** All that there are have been read, and put aside where they are. */
  get complete(): boolean {
    return this.#ended && this.#queue.length === 0;
  }

  /** The next batch as it came; null: none has come. */
  next(): Fetched | null {
    const { file } = this;
    const batch = this.#queue[0];
    if (!batch) return null;
    if (!file || this.#given) {
      this.#queue.shift();
      file?.hold(batch);
      return { request: null, batch: () => batch };
    }
    const bytes = file.bytesOf(batch, 0, batch.length);
    const rows = Math.max(1, Math.floor((batch.length * this.#blockBytes) / bytes));
    const count = Math.min(rows, batch.length - this.#cut);
    const { batch: copy, request } = file.append(batch, this.#cut, count);
    this.#cut += count;
    if (this.#cut === batch.length) {
      this.#queue.shift();
      this.#cut = 0;
    }
    return { request, batch: () => copy };
  }

  /** From the first block on. */
  rewind(): void {
    this.#block = 0;
  }

  /** The next block of those put aside; blocks of which `decided` says so are left out. Null: there is none. */
  again(decided: (firstRow: number, rows: number) => boolean): Fetched | null {
    const file = this.file as RowFile;
    for (; this.#block < file.blocks.length; this.#block++) {
      const { firstRow, rows } = file.blocks[this.#block];
      if (decided(firstRow, rows)) continue;
      const i = this.#block++;
      const read = file.read(i);
      return isRequest(read)
        ? { request: read, batch: (block) => file.decode(i, block as Uint8Array) }
        : { request: null, batch: () => read };
    }
    return null;
  }
}
