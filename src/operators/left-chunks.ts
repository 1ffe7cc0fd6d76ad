/**
 * `LeftChunks`: the buffered side of a nested loop, in chunks that fit. A chunk is batches as they came; a batch of which only a part fits is
 * cut, and the part is a copy, so that a chunk holds no more than its rows.
 *
 *     pushed     [ 100 rows ] [ 100 rows ] [ 500 rows, does not fit ]
 *     chunks     [ 100 ] [ 100 ] [ copy of 50 ]  |  [ copy of 250 ]  |  [ copy of 200 ]
 *
 * Buffers are charged once, whole. The batch that overflows stands apart until its rows are taken. O(rows).
 */

import { BlockFormat } from "../arrow/block.ts";
import type { InputBatch, InputField } from "../arrow/input.ts";
import type { Side } from "../spec/join-spec.ts";
import type { MemoryAccount } from "./memory.ts";

interface Entry {
  readonly batch: InputBatch;
  /** Rows before this one are taken. */
  from: number;
  readonly bytes: number;
}

export class LeftChunks {
  readonly #fields: readonly InputField[];
  readonly #columns: readonly number[];
  readonly #side: Side;
  readonly #account: MemoryAccount;
  readonly #charged: boolean;
  /** Limits of a chunk. */
  mostRows = Number.POSITIVE_INFINITY;
  mostBytes = Number.POSITIVE_INFINITY;
  /** What is reckoned of a row beside its batch: what will be computed of it. */
  rowBytes = 0;
  /** Rows that are in no chunk yet. */
  rows = 0;
  /** Rows before the present chunk. */
  taken = 0;
  #waiting: Entry[] = [];
  #chunk: Entry[] = [];
  #chunkRows = 0;
  #seen = new Set<ArrayBufferLike>();
  /** Rows of the chunk that was halved last; whether those after it may grow. */
  #halved = 0;
  #grows = true;
  #held = 0;

  /** `charged` false: the batches are the caller's. */
  constructor(fields: readonly InputField[], columns: readonly number[], side: Side, account: MemoryAccount, charged: boolean) {
    this.#fields = fields;
    this.#columns = columns;
    this.#side = side;
    this.#account = account;
    this.#charged = charged;
  }

  push(batch: InputBatch): void {
    const bytes = this.#charged ? batch.bufferBytes(this.#columns, this.#seen) : 0;
    this.#waiting.push({ batch, from: 0, bytes });
    this.rows += batch.length;
    this.#settle();
  }

  get #bytes(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, this.rows * this.rowBytes);
  }

  /** There are as many as a chunk takes. */
  get full(): boolean {
    return this.rows >= this.mostRows || this.#bytes >= this.mostBytes;
  }

  /** All that wait are one chunk. */
  get fits(): boolean {
    return this.rows <= this.mostRows && this.#bytes <= this.mostBytes;
  }

  /** The next chunk. Only when the one before was released. */
  take(): InputBatch[] {
    this.taken += this.#chunkRows;
    this.#chunkRows = 0;
    let bytes = 0;
    while (this.#waiting.length > 0 && this.#chunkRows < this.mostRows) {
      const entry = this.#waiting[0];
      const { batch, from } = entry;
      const room = Math.min(batch.length - from, this.mostRows - this.#chunkRows);
      const whole = entry.bytes + batch.length * this.rowBytes;
      if (room === batch.length && bytes + whole <= this.mostBytes) {
        this.#chunk.push(entry);
        this.#waiting.shift();
        bytes += whole;
        this.#chunkRows += room;
        continue;
      }
      const fitting = Math.min(room, Math.floor(((this.mostBytes - bytes) * batch.length) / Math.max(1, whole)));
      if (fitting < 1 && this.#chunk.length > 0) break;
      const copy = this.#copy(batch, from, Math.max(1, fitting));
      this.#chunk.push(copy);
      this.#chunkRows += copy.batch.length;
      bytes += copy.bytes + copy.batch.length * this.rowBytes;
      entry.from += copy.batch.length;
      if (entry.from === batch.length) this.#waiting.shift();
    }
    this.rows -= this.#chunkRows;
    this.#settle();
    return this.#chunk.map(({ batch }) => batch);
  }

  #copy(batch: InputBatch, from: number, count: number): Entry {
    const format = new BlockFormat(this.#fields, this.#columns, this.#side);
    const block = format.encode(batch, from, count);
    return { batch: format.decode(block, this.taken + this.#chunkRows, 0), from: 0, bytes: block.length };
  }

  /** The chunk did fit: the next may be larger, once fewer rows wait beside it, until that fails. */
  grow(): void {
    if (this.#halved > 0 && this.#grows) this.mostRows *= 2;
  }

  /** Nothing reads the chunk any more. */
  release(): void {
    this.#chunk = [];
    this.#settle();
  }

  /** Gives the chunk back, for ones of half as many rows; false: it has one row. */
  halve(): boolean {
    if (this.#chunkRows <= 1) return false;
    this.#grows = this.#halved === 0 || this.#chunkRows < this.#halved;
    this.#halved = this.#chunkRows;
    this.mostRows = Math.floor(this.#chunkRows / 2);
    this.#waiting.unshift(...this.#chunk);
    this.#chunk = [];
    this.rows += this.#chunkRows;
    this.#chunkRows = 0;
    this.#settle();
    return true;
  }

  /** Charges what is held now; the last batch stands apart where it does not fit. */
  #settle(): void {
    const all = [...this.#chunk, ...this.#waiting].reduce((sum, { bytes }) => sum + bytes, 0);
    const last = this.#waiting[this.#waiting.length - 1];
    const apart = last && all > this.mostBytes ? last.bytes : 0;
    this.#account.charge(all - apart - this.#held);
    this.#held = all - apart;
    this.#account.setApart(apart);
    if (this.#chunk.length + this.#waiting.length === 0) this.#seen = new Set();
  }
}
