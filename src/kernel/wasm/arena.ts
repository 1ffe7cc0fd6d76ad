/**
 * The arena: blocks of WebAssembly memory, given out and taken back by the host. The module itself has no allocator.
 *
 *     | fixed low part | block | free | block | block | free | block |  never used, or no longer  | 64 spare bytes |
 *     0                base                                          top           (fresh)                     memory end
 *
 * Invariants
 * - Blocks are multiples of 64 bytes at multiples of 64: a bucket of a table is one cache line, and every block is 16-byte aligned.
 * - The free list is sorted by address; no two free blocks touch, and none touches `top`: what is freed there lowers `top`.
 * - Memory at and above `fresh` was never given out and is zero, as WebAssembly makes it: `zeroed` costs nothing there. `reset` keeps
 *   `fresh`, since a pooled instance's memory is used.
 * - The last 64 bytes of memory belong to no block: kernels may read past the end of one.
 * - Sizes and addresses are numbers up to 2^53, compared before they are narrowed: nothing wraps at 4 GiB.
 *
 * First fit: alloc and free are O(free blocks); a join holds some dozens of blocks. Growing detaches all views of the memory.
 */

import { ArrowJoinError } from "../../error.ts";

const PAGE_BYTES = 65536;
/** One page less than 4 GiB: the end of memory stays below 2^32, so an address one past a block is still an address. */
const MAX_PAGES = 65535;
export const BLOCK_BYTES = 64;
const SPARE_BYTES = 64;
/** Growth asks for an eighth more than needed now, so that many small blocks cost few detached views, but at most for 8 MiB more. */
const MAX_SLACK_PAGES = 128;

export interface Block {
  readonly at: number;
  readonly bytes: number;
}

/** What the arena needs of a WebAssembly.Memory. */
export interface GrowableMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  grow(pages: number): number;
}

export class Arena {
  /** Bytes of the blocks given out. */
  usedBytes = 0;
  /** The whole memory; replaced when it grows. */
  heap: Uint8Array;

  readonly #memory: GrowableMemory;
  readonly #base: number;
  readonly #maxPages: number;
  #top: number;
  #fresh: number;
  #free: { at: number; bytes: number }[] = [];

  /** `maxPages` is lowered by tests only. */
  constructor(memory: GrowableMemory, base: number, maxPages = MAX_PAGES) {
    this.#memory = memory;
    this.#base = Math.ceil(base / BLOCK_BYTES) * BLOCK_BYTES;
    this.#maxPages = Math.min(maxPages, MAX_PAGES);
    this.#top = this.#base;
    this.#fresh = this.#base;
    this.heap = new Uint8Array(memory.buffer);
  }

  get heldBytes(): number {
    return this.heap.length;
  }

  /** A block of at least `bytes` bytes. Throws MEMORY_LIMIT before anything changed. */
  alloc(bytes: number, part: string, zeroed: boolean): Block {
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new ArrowJoinError("INTERNAL", `A block of ${bytes} bytes was asked for: ${part}.`);
    const size = Math.max(BLOCK_BYTES, Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES);
    const at = this.#take(size, zeroed) ?? this.#bump(size, part, zeroed);
    this.usedBytes += size;
    return { at, bytes: size };
  }

  free(block: Block): void {
    this.usedBytes -= block.bytes;
    const free = this.#free;
    let low = 0;
    for (let high = free.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (free[middle].at < block.at) low = middle + 1;
      else high = middle;
    }
    let { at } = block;
    let end = at + block.bytes;
    let removed = 0;
    if (low < free.length && free[low].at === end) {
      end += free[low].bytes;
      removed = 1;
    }
    if (low > 0 && free[low - 1].at + free[low - 1].bytes === at) {
      at = free[--low].at;
      removed++;
    }
    if (end === this.#top) {
      this.#top = at;
      free.splice(low, removed);
    } else free.splice(low, removed, { at, bytes: end - at });
  }

  /** Takes back every block. */
  reset(): void {
    this.#top = this.#base;
    this.#free = [];
    this.usedBytes = 0;
  }

  /** First fit, from the low end of a free block. */
  #take(size: number, zeroed: boolean): number | null {
    const free = this.#free;
    for (let i = 0; i < free.length; i++) {
      const { at, bytes } = free[i];
      if (bytes < size) continue;
      if (bytes === size) free.splice(i, 1);
      else free[i] = { at: at + size, bytes: bytes - size };
      if (zeroed) this.heap.fill(0, at, at + size);
      return at;
    }
    return null;
  }

  #bump(size: number, part: string, zeroed: boolean): number {
    const at = this.#top;
    const end = at + size;
    this.#reach(end + SPARE_BYTES, size, part);
    if (zeroed && at < this.#fresh) this.heap.fill(0, at, Math.min(end, this.#fresh));
    this.#top = end;
    if (end > this.#fresh) this.#fresh = end;
    return at;
  }

  /** Grows memory so that it ends at or after `end`. */
  #reach(end: number, size: number, part: string): void {
    const held = this.heap.length;
    if (end <= held) return;
    const pages = Math.ceil(end / PAGE_BYTES);
    if (pages > this.#maxPages) throw this.#refused(size, part, `WebAssembly memory ends at ${megabytes(this.#maxPages * PAGE_BYTES)}`);
    const slack = Math.min(MAX_SLACK_PAGES, pages >>> 3);
    const have = held / PAGE_BYTES;
    try {
      this.#grow(Math.min(pages + slack, this.#maxPages) - have);
    } catch {
      try {
        this.#grow(pages - have);
      } catch (cause) {
        throw this.#refused(size, part, "the system gives no more", cause);
      }
    }
  }

  #grow(pages: number): void {
    this.#memory.grow(pages);
    this.heap = new Uint8Array(this.#memory.buffer);
  }

  #refused(size: number, part: string, why: string, cause?: unknown): ArrowJoinError {
    return new ArrowJoinError(
      "MEMORY_LIMIT",
      `Out of kernel memory: ${part} needs ${megabytes(size)} beside the ${megabytes(this.usedBytes)} in use, and ${why}. Build on the smaller side, or join in parts.`,
      { cause },
    );
  }
}

function megabytes(bytes: number): string {
  return `${bytes} bytes (${(bytes / 2 ** 20).toFixed(1)} MiB)`;
}
