/**
 * `KernelMemory` over an instance: regions are blocks of its arena.
 *
 * Invariants
 * - A region knows the kernel that gave it out until it is freed: a freed or foreign region is an INTERNAL error, never an address.
 * - Views are taken anew at every call; the arena replaces the whole-memory view when memory grows.
 * - After `close` nothing can be allocated; freeing is harmless, because cleaning up must be possible in any order.
 *
 * Every call checks its byte range before anything is narrowed. O(1) beside the bytes moved.
 */

import { ArrowJoinError } from "../../error.ts";
import { checkLimit, type KernelMemory, type Region } from "../contract.ts";
import { HostExpressions } from "../ts/expressions.ts";
import type { Block } from "./arena.ts";
import type { KernelExports, KernelInstance } from "./instance.ts";

class WasmRegion implements Region {
  readonly block: Block;
  readonly bytes: number;
  owner: WasmMemory | null;
  readonly scope: Set<Region> | null;

  constructor(owner: WasmMemory, block: Block) {
    this.owner = owner;
    this.scope = owner.scope;
    this.scope?.add(this);
    this.block = block;
    this.bytes = block.bytes;
  }
}

export class WasmMemory extends HostExpressions implements KernelMemory {
  readonly name = "wasm";
  scope: Set<Region> | null = null;
  limitBytes = Number.POSITIVE_INFINITY;
  otherBytes = 0;
  protected readonly instance: KernelInstance;
  protected readonly wasm: KernelExports;
  #state: "open" | "closed" | "released" = "open";

  constructor(instance: KernelInstance) {
    super();
    this.instance = instance;
    this.wasm = instance.exports;
  }

  get usedBytes(): number {
    return this.#state === "open" ? this.instance.arena.usedBytes : 0;
  }

  get heldBytes(): number {
    return this.#state === "open" ? this.instance.arena.heldBytes : 0;
  }

  alloc(bytes: number, part: string, zeroed = false): Region {
    if (this.#state !== "open") throw new ArrowJoinError("INTERNAL", `The kernel is closed: no memory for ${part}.`);
    checkLimit(this, bytes, part);
    return new WasmRegion(this, this.instance.arena.alloc(bytes, part, zeroed));
  }

  free(region: Region): void {
    const { owner, block } = region as WasmRegion;
    if (this.#state !== "open") return;
    if (owner !== this) throw foreign();
    (region as WasmRegion).owner = null;
    (region as WasmRegion).scope?.delete(region);
    this.instance.arena.free(block);
  }

  u8(region: Region): Uint8Array {
    return new Uint8Array(this.instance.arena.heap.buffer, this.at(region), region.bytes);
  }

  i32(region: Region): Int32Array {
    return new Int32Array(this.instance.arena.heap.buffer, this.at(region), region.bytes >>> 2);
  }

  f64(region: Region): Float64Array {
    return new Float64Array(this.instance.arena.heap.buffer, this.at(region), region.bytes >>> 3);
  }

  write(region: Region, at: number, bytes: Uint8Array): void {
    this.instance.arena.heap.set(bytes, this.#range(region, at, bytes.length));
  }

  copy(dst: Region, dstAt: number, src: Region, srcAt: number, bytes: number): void {
    const from = this.#range(src, srcAt, bytes);
    this.instance.arena.heap.copyWithin(this.#range(dst, dstAt, bytes), from, from + bytes);
  }

  fill(region: Region, value: number, from: number, to: number): void {
    const at = this.#range(region, from, to - from);
    this.instance.arena.heap.fill(value, at, at + (to - from));
  }

  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closed";
    this.instance.arena.reset();
  }

  /** After `close`: the instance, the first time, for the pool. */
  releaseInstance(): KernelInstance | null {
    this.close();
    if (this.#state === "released") return null;
    this.#state = "released";
    return this.instance;
  }

  /** The address of a region. */
  protected at(region: Region): number {
    if ((region as WasmRegion).owner !== this || this.#state !== "open") throw foreign();
    return (region as WasmRegion).block.at;
  }

  /** The address of an optional region: 0 stands for none. */
  protected optional(region: Region | null): number {
    return region === null ? 0 : this.at(region);
  }

  #range(region: Region, at: number, bytes: number): number {
    const start = this.at(region);
    if (!(at >= 0 && bytes >= 0 && at + bytes <= region.bytes)) {
      throw new ArrowJoinError("INTERNAL", `Bytes ${at} to ${at + bytes} of a region of ${region.bytes}.`);
    }
    return start + at;
  }
}

function foreign(): ArrowJoinError {
  return new ArrowJoinError("INTERNAL", "A kernel region was used after it was freed, or with another kernel.");
}
