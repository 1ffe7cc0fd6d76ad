/**
 * One join's use of a `SpillStore`: what a machine asks is asked of the store, and what the store does is checked.
 *
 *     machine ── { append, read, remove }, by the number of a file ──▶ session ──▶ store.create ──▶ file.append, file.read, file.remove
 *
 * Invariants
 * - A file is made when it is first appended to, and removed once: when the machine asks, else by `close`.
 * - A block is read as it was appended, in whole. Its length and a checksum are kept, so other bytes do not pass.
 * - Whatever goes wrong with the store is SPILL_FAILED, what it threw being the cause.
 * - A store that answers at once is answered at once; the first promise makes a promise of the whole request.
 *
 * O(bytes) a request, besides what the store costs; 16 bytes are kept a block.
 */

import { nameOf } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import type { StoreRequest } from "../operators/machine.ts";
import { checksum } from "./checksum.ts";
import type { SpillFile, SpillStore } from "./spill-store.ts";
import { perform, type Work } from "./work.ts";

interface Block {
  readonly length: number;
  readonly sum: number;
}

/** A file with the blocks that it has, by their offsets. */
interface OpenFile {
  readonly file: SpillFile;
  readonly blocks: Map<number, Block>;
  bytes: number;
}

export class SpillSession {
  /** Bytes of all blocks appended so far. */
  writtenBytes = 0;
  readonly #store: SpillStore | null;
  readonly #files = new Map<number, OpenFile>();
  /** The request under way, where it is a promise; it never rejects. */
  #pending: Promise<unknown> | null = null;
  #closed = false;
  #removed: void | Promise<void> = undefined;

  /** `store` null: none was given, and a machine that asks for one is at fault. */
  constructor(store: SpillStore | null) {
    this.#store = store;
  }

  /**
   * Does what is asked: the block read, from a multiple of 8 of its buffer on, or null. One request at a time. After `close` nothing is
   * done any more. Throws, or rejects with, SPILL_FAILED.
   */
  perform(request: StoreRequest): Uint8Array | null | Promise<Uint8Array | null> {
    const answer = perform(this.#work(request));
    if (answer instanceof Promise) this.#pending = answer.catch(() => {});
    return answer;
  }

  *#work(request: StoreRequest): Work<Uint8Array | null> {
    if (this.#closed) return null;
    const open = this.#files.get(request.file);
    switch (request.op) {
      case "append":
        yield* this.#append(open ?? (yield* this.#create(request.file)), request.block);
        return null;
      case "read":
        return yield* this.#read(open, request.offset, request.length);
      case "remove":
        this.#files.delete(request.file);
        if (open) yield* this.#ask(`remove file ${request.file}`, () => open.file.remove());
        return null;
    }
  }

  *#create(number: number): Work<OpenFile> {
    const store = this.#store;
    if (store === null) throw new ArrowJoinError("INTERNAL", "A join without a spill store asks for one.");
    const file = (yield* this.#ask(`make file ${number}`, () => store.create(`${number}`))) as SpillFile;
    const open: OpenFile = { file, blocks: new Map(), bytes: 0 };
    this.#files.set(number, open);
    return open;
  }

  *#append(open: OpenFile, bytes: Uint8Array): Work<void> {
    // Closed while the file was made, which is removed now.
    if (this.#closed) return;
    const { length } = bytes;
    const block: Block = { length, sum: checksum(aligned(bytes)) };
    yield* this.#ask(`write ${length} bytes`, () => open.file.append(bytes));
    open.blocks.set(open.bytes, block);
    open.bytes += length;
    this.writtenBytes += length;
  }

  *#read(open: OpenFile | undefined, offset: number, length: number): Work<Uint8Array> {
    const block = open?.blocks.get(offset);
    if (!open || block?.length !== length) throw new ArrowJoinError("INTERNAL", `No block of ${length} bytes was written at ${offset}.`);
    const answer = yield* this.#ask(`read ${length} bytes at ${offset}`, () => open.file.read(offset, length));
    // By its tag: an array may come from another realm.
    if (Object.prototype.toString.call(answer) !== "[object Uint8Array]")
      throw failed(`answered a read with ${nameOf(answer)}, not with a Uint8Array`);
    const bytes = answer as Uint8Array;
    if (bytes.length !== length) throw failed(`gave back ${bytes.length} bytes where ${length} were written`);
    const read = aligned(bytes);
    if (checksum(read) !== block.sum) throw failed(`gave back other bytes than the ${length} that were written`);
    return read;
  }

  /** What the store answers. */
  *#ask(what: string, call: () => unknown): Work<unknown> {
    try {
      return yield call();
    } catch (cause) {
      throw failed(`could not ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }

  /**
   * Removes what files are left, after the request under way. Never throws or rejects: a join that ends by itself removes its files while it
   * runs, and is told of what fails; of one that was ended, why it ended is what counts.
   */
  close(): void | Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#removed = perform(this.#removeAll());
    }
    return this.#removed;
  }

  *#removeAll(): Work<void> {
    yield this.#pending;
    for (const { file } of this.#files.values()) {
      try {
        yield file.remove();
      } catch {
        // The others are removed all the same.
      }
    }
    this.#files.clear();
  }
}

const failed = (what: string, options?: { cause: unknown }): ArrowJoinError =>
  new ArrowJoinError(
    "SPILL_FAILED",
    `The spill store ${what}. Give spill a store with room that nothing else writes to, or set a higher memoryLimit so that less is spilled.`,
    options,
  );

/** The bytes from a multiple of 8 on. Of a Buffer, whose `slice` copies nothing, they are a plain array too. */
const aligned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteOffset % 8 === 0 ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : new Uint8Array(bytes);
