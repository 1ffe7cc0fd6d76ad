/**
 * The twin's kernel memory: one ArrayBuffer per region, with its typed-array views made once.
 *
 * Invariants: a region is 16-byte aligned and sized; `usedBytes` is the sum of live regions, `heldBytes` adds the freed blocks
 * kept for reuse. A freed region loses its views, so a late reader sees an empty array, never another taker's data.
 * Cost: O(1) beyond zeroing. A new ArrayBuffer is zero but costs about 1 ns a byte at first touch; blocks of up to
 * POOLED_BLOCK_BYTES therefore come in powers of two and are reused, which for the scratch of a chunk saves that touch.
 */

import { ArrowJoinError } from "../../error.ts";
import { checkLimit, type KernelMemory, type Region } from "../contract.ts";
import { HostExpressions } from "./expressions.ts";

/** Larger blocks (tables, build keys) are made once a join: keeping them would only hold memory. */
const POOLED_BLOCK_BYTES = 1 << 20;
/** All freed blocks together: some dozens of chunk buffers (16384 rows of 4 to 16 bytes). */
const POOL_BYTES = 8 << 20;
const SMALLEST_BLOCK_BYTES = 64;

const NO_BYTES = new Uint8Array(0);
const NO_WORDS = new Int32Array(0);

export class TsRegion implements Region {
  readonly bytes: number;
  u8: Uint8Array;
  i32: Int32Array;
  scope: Set<Region> | null = null;

  constructor(u8: Uint8Array, i32: Int32Array) {
    this.bytes = u8.length;
    this.u8 = u8;
    this.i32 = i32;
  }
}

/** Free blocks by size class; index = log2 of the size. */
type Pool = TsRegion[][];

export class TsMemory extends HostExpressions implements KernelMemory {
  readonly name = "ts";
  scope: Set<Region> | null = null;
  limitBytes = Number.POSITIVE_INFINITY;
  otherBytes = 0;
  usedBytes = 0;
  #pooledBytes = 0;
  #pool: Pool = [];
  #live = new Set<TsRegion>();

  get heldBytes(): number {
    return this.usedBytes + this.#pooledBytes;
  }

  alloc(bytes: number, part: string, zeroed = false): Region {
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new ArrowJoinError("INTERNAL", `${bytes} bytes were asked for the ${part}`);
    const size = blockBytes(bytes);
    checkLimit(this, size, part);
    const region = this.#reuse(size, zeroed) ?? makeRegion(size, part);
    this.#live.add(region);
    region.scope = this.scope;
    this.scope?.add(region);
    this.usedBytes += size;
    return region;
  }

  free(region: Region): void {
    const { u8, i32 } = region as TsRegion;
    if (!this.#live.delete(region as TsRegion))
      throw new ArrowJoinError("INTERNAL", `a kernel region of ${region.bytes} bytes was freed twice, or by another kernel`);
    this.usedBytes -= region.bytes;
    (region as TsRegion).scope?.delete(region);
    if (region.bytes <= POOLED_BLOCK_BYTES && this.#pooledBytes + region.bytes <= POOL_BYTES) {
      (this.#pool[31 - Math.clz32(region.bytes)] ??= []).push(new TsRegion(u8, i32));
      this.#pooledBytes += region.bytes;
    }
    release(region as TsRegion);
  }

  u8(region: Region): Uint8Array {
    return (region as TsRegion).u8;
  }

  i32(region: Region): Int32Array {
    return (region as TsRegion).i32;
  }

  f64(region: Region): Float64Array {
    const { buffer, byteOffset, length } = this.u8(region);
    return new Float64Array(buffer, byteOffset, length >> 3);
  }

  write(region: Region, at: number, bytes: Uint8Array): void {
    this.u8(region).set(bytes, at);
  }

  copy(dst: Region, dstAt: number, src: Region, srcAt: number, bytes: number): void {
    this.u8(dst).set(this.u8(src).subarray(srcAt, srcAt + bytes), dstAt);
  }

  fill(region: Region, value: number, from: number, to: number): void {
    this.u8(region).fill(value, from, to);
  }

  close(): void {
    for (const region of this.#live) release(region);
    this.#live.clear();
    this.#pool = [];
    this.#pooledBytes = 0;
    this.usedBytes = 0;
  }

  #reuse(size: number, zeroed: boolean): TsRegion | undefined {
    if (size > POOLED_BLOCK_BYTES) return undefined;
    const region = this.#pool[31 - Math.clz32(size)]?.pop();
    if (region === undefined) return undefined;
    this.#pooledBytes -= size;
    if (zeroed) region.u8.fill(0);
    return region;
  }
}

function blockBytes(bytes: number): number {
  if (bytes <= SMALLEST_BLOCK_BYTES) return SMALLEST_BLOCK_BYTES;
  if (bytes <= POOLED_BLOCK_BYTES) return 2 ** (32 - Math.clz32(bytes - 1));
  return Math.ceil(bytes / 16) * 16;
}

function makeRegion(size: number, part: string): TsRegion {
  try {
    const buffer = new ArrayBuffer(size);
    return new TsRegion(new Uint8Array(buffer), new Int32Array(buffer));
  } catch (cause) {
    throw new ArrowJoinError(
      "MEMORY_LIMIT",
      `${size} bytes for the ${part} could not be allocated; join fewer rows at a time, or give a memoryLimit and a spill store`,
      { cause },
    );
  }
}

function release(region: TsRegion): void {
  region.u8 = NO_BYTES;
  region.i32 = NO_WORDS;
}
