/**
 * What all parts of the kernel contract speak of: blocks of kernel memory, groups of rows, cursors. `contract.ts` gives it on; the parts of the
 * contract import it from here.
 */

import { ArrowJoinError } from "../error.ts";

export type KernelName = "wasm" | "ts";

/** A block of kernel memory, 16-byte aligned. `bytes` is its capacity. */
export interface Region {
  readonly bytes: number;
}

export interface KernelMemory {
  readonly name: KernelName;
  /** Bytes held by live regions. */
  readonly usedBytes: number;
  /** Bytes this kernel holds from the system: WASM memory never shrinks, so this may exceed `usedBytes`. */
  readonly heldBytes: number;
  /** `alloc` throws MEMORY_LIMIT where more than so many bytes would be in use. Infinity at first. */
  limitBytes: number;
  /** Bytes that count against the same limit and are not this kernel's: `limitBytes` is what they leave. For messages. */
  otherBytes: number;
  /**
   * Where regions go that are given out from now on, until it is set anew; freed ones leave it. Several runs may share a kernel: each sets
   * its own while it works, and frees what is left in it in the end. Null: nowhere.
   */
  scope: Set<Region> | null;
  /**
   * A region of at least `bytes` bytes (0 allowed); `part` names the taker in the error. Contents are arbitrary unless `zeroed`.
   * Throws `ArrowJoinError` MEMORY_LIMIT when the memory cannot be had, before anything changed.
   */
  alloc(bytes: number, part: string, zeroed?: boolean): Region;
  free(region: Region): void;
  /** Views of the whole region; take them anew after every `alloc`. */
  u8(region: Region): Uint8Array;
  i32(region: Region): Int32Array;
  f64(region: Region): Float64Array;
  /** Copies host bytes into a region at byte `at`. */
  write(region: Region, at: number, bytes: Uint8Array): void;
  /** dst[dstAt, dstAt + bytes) := src[srcAt, srcAt + bytes); the two do not overlap. */
  copy(dst: Region, dstAt: number, src: Region, srcAt: number, bytes: number): void;
  /** region[from, to) := byte value. */
  fill(region: Region, value: number, from: number, to: number): void;
}

/** Build rows of equal key, contiguous: group g is rows[offsets[g], offsets[g + 1]). */
export interface Groups {
  readonly offsets: Region;
  readonly rows: Region;
}

/** Where an expansion stands: probe row, position inside its group, and the next free place of the output. */
export interface ExpandCursor {
  row: number;
  pos: number;
  at: number;
}

/** Refuses, before anything is taken, what would pass the limit. */
export function checkLimit({ usedBytes, limitBytes, otherBytes }: KernelMemory, bytes: number, part: string): void {
  if (usedBytes + bytes <= limitBytes) return;
  throw new ArrowJoinError(
    "MEMORY_LIMIT",
    `${part} needs ${bytes} bytes beside the ${usedBytes + otherBytes} in use, but memoryLimit is ${limitBytes + otherBytes}. Raise it, or join on fewer rows.`,
  );
}
