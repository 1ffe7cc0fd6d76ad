/**
 * `TableKernels` over an instance: sizes tables, passes addresses, stores the new counts. The module chooses the table by key width.
 *
 *     width   table (assembly/)     bytes a slot    most keys of n slots
 *     4       bucket.ts             8               7/8 n
 *     8       bucket.ts             16              7/8 n       (10 lanes for 8 slots: 7/10 of the lanes)
 *     16..    swiss.ts              width + 5       7/8 n
 *     bytes   bytes-table.ts        16              3/4 n
 *     direct  direct.ts             4 a possible key
 *
 * A limit or count of -1 turns inserting into finding. One call a chunk: what it costs is in the kernels.
 */

import { ArrowJoinError } from "../../error.ts";
import type { DirectState, FixedKeys, KeyBlock, Region, SwissState, TableKernels } from "../contract.ts";
import { WasmMemory } from "./regions.ts";

export class WasmTables extends WasmMemory implements TableKernels {
  swissBytes(width: number, slots: number): number {
    if (width === 4) return slots * 8;
    if (width === 8 || width === 0) return slots * 16;
    return slots * (width + 5);
  }

  swissLimit(width: number, slots: number): number {
    return width === 0 ? (slots / 4) * 3 : (slots / 8) * 7;
  }

  insertSwiss(table: SwissState, block: KeyBlock, from: number, to: number, base: number, out: Region, outAt: number): number {
    return this.#seek(table, block, from, to, base, out, outAt, this.swissLimit(table.width, table.slots));
  }

  probeSwiss(table: SwissState, block: KeyBlock, from: number, to: number, out: Region, outAt: number): void {
    this.#seek(table, block, from, to, 0, out, outAt, -1);
  }

  rehashSwiss(old: SwissState, next: SwissState, from: number, to: number): void {
    next.count += this.wasm.rehash(old.width, this.at(old.region), old.slots, from, to, this.at(next.region), next.slots);
  }

  relabelSwiss(table: SwissState, handles: Region, from: number, to: number): void {
    this.wasm.relabel(table.width, this.at(table.region), table.slots, from, to, this.at(handles));
  }

  insertDirect(table: DirectState, block: FixedKeys, from: number, to: number, base: number, out: Region, outAt: number): void {
    this.#seekDirect(table, block, from, to, base, out, outAt, table.count);
    table.count = this.instance.low(0);
  }

  probeDirect(table: DirectState, block: FixedKeys, from: number, to: number, out: Region, outAt: number): void {
    this.#seekDirect(table, block, from, to, 0, out, outAt, -1);
  }

  relabelDirect(table: DirectState, handles: Region, from: number, to: number): void {
    this.wasm.relabelDirect(this.at(table.region), this.at(handles), from, to);
  }

  /** A negative limit: nothing is inserted, count and key store stay. */
  #seek(table: SwissState, block: KeyBlock, from: number, to: number, base: number, out: Region, outAt: number, limit: number): number {
    const { keyBytes } = table;
    const strings = block.kind === "bytes";
    const done = this.wasm.seek(
      table.width,
      this.at(table.region),
      table.slots,
      table.count,
      limit,
      this.optional(keyBytes),
      table.keyBytesUsed,
      // Positions are u32: of a store of 4 GiB and more the rest stays unused.
      Math.min(keyBytes?.bytes ?? 0, 2 ** 32 - 1),
      this.at(strings ? block.offsets : block.keys),
      strings ? this.at(block.data) - block.origin : 0,
      this.optional(block.valid),
      from,
      to,
      base,
      this.at(out) + outAt * 4,
    );
    table.count = this.instance.low(0);
    table.keyBytesUsed = this.instance.low(1) >>> 0;
    return done;
  }

  /** A negative count: nothing is inserted. A range beyond the region would let keys write outside it. */
  #seekDirect(
    { width, min, range, region }: DirectState,
    block: FixedKeys,
    from: number,
    to: number,
    base: number,
    out: Region,
    outAt: number,
    count: number,
  ): void {
    if (!(range >= 0 && range * 4 <= region.bytes)) {
      throw new ArrowJoinError("INTERNAL", `A direct table of ${range} cells in a region of ${region.bytes} bytes.`);
    }
    // A 64-bit integer as two 32-bit halves: once a call, never in a loop.
    const [low, high] = [min, min >> 32n].map((half) => Number(BigInt.asIntN(32, half)));
    this.wasm.seekDirect(
      width,
      this.at(region),
      low,
      high,
      range,
      count,
      this.at(block.keys),
      this.optional(block.valid),
      from,
      to,
      base,
      this.at(out) + outAt * 4,
    );
  }
}
