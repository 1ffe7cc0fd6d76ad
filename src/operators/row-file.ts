/**
 * `RowFile`: rows of batches that are put aside, to be read again from the first to the last, as often as needed.
 *
 *     append(batch) ─▶ block ─┬─ stored     written to the store; of a block its place stays
 *                             └─ held       kept in memory, charged to the join, where there is no store
 *
 * The machine that owns it does no I/O: writing and reading are requests for its driver. O(bytes).
 */

import { BlockFormat } from "../arrow/block.ts";
import type { InputBatch, InputField } from "../arrow/input.ts";
import type { Side } from "../spec/join-spec.ts";
import type { StoreRequest } from "./machine.ts";
import type { MemoryAccount } from "./memory.ts";

interface Block {
  readonly offset: number;
  readonly length: number;
  readonly rows: number;
  readonly firstRow: number;
  /** Where there is no store. */
  readonly held: InputBatch | null;
}

export class RowFile {
  readonly #format: BlockFormat;
  readonly #number: number;
  readonly #stored: boolean;
  readonly #account: MemoryAccount;
  readonly blocks: Block[] = [];
  rows = 0;
  #bytes = 0;
  #charged = 0;

  constructor(
    fields: readonly InputField[],
    columns: readonly number[],
    side: Side,
    number: number,
    stored: boolean,
    account: MemoryAccount,
  ) {
    this.#format = new BlockFormat(fields, columns, side);
    this.#number = number;
    this.#stored = stored;
    this.#account = account;
  }

  /** Bytes that these rows would take. */
  bytesOf(batch: InputBatch, start: number, count: number): number {
    return this.#format.blockBytes(batch, start, count);
  }

  /** Puts rows aside. The batch is a copy of them; the request, where there is a store, writes them. */
  append(batch: InputBatch, start: number, count: number): { readonly batch: InputBatch; readonly request: StoreRequest | null } {
    const bytes = this.#format.encode(batch, start, count);
    const copy = this.#format.decode(bytes, this.rows, this.blocks.length);
    this.#charge(this.#format.dictionaryBytes + (this.#stored ? 0 : this.#bytes + bytes.length));
    const { length } = bytes;
    this.blocks.push({ offset: this.#bytes, length, rows: count, firstRow: this.rows, held: this.#stored ? null : copy });
    this.#bytes += length;
    this.rows += count;
    return { batch: copy, request: this.#stored ? { op: "append", file: this.#number, block: bytes } : null };
  }

  /** A batch that is in memory in any case. */
  hold(batch: InputBatch): void {
    this.blocks.push({ offset: 0, length: 0, rows: batch.length, firstRow: this.rows, held: batch });
    this.rows += batch.length;
  }

  /** Block `i`, or what must be read for `decode`. */
  read(i: number): InputBatch | StoreRequest {
    const { held, offset, length } = this.blocks[i];
    return held ?? { op: "read", file: this.#number, offset, length };
  }

  decode(i: number, bytes: Uint8Array): InputBatch {
    return this.#format.decode(bytes, this.blocks[i].firstRow, i);
  }

  /** Its rows are needed no more; the request, where there is one, frees the store. */
  remove(): StoreRequest | null {
    this.#charge(0);
    const stored = this.#stored && this.#bytes > 0;
    this.blocks.length = 0;
    return stored ? { op: "remove", file: this.#number } : null;
  }

  /** Bytes written to the store. */
  get storedBytes(): number {
    return this.#stored ? this.#bytes : 0;
  }

  #charge(bytes: number): void {
    this.#account.charge(bytes - this.#charged);
    this.#charged = bytes;
  }
}

export const isRequest = (read: InputBatch | StoreRequest): read is StoreRequest => "op" in read;
