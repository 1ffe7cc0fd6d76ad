/**
 * `TableKernels` over an instance: chooses the table by key width, passes addresses, stores the new counts.
 *
 *     width   table (assembly/)     bytes a slot    most keys of n slots
 *     4       bucket.ts             8               7/8 n
 *     8       bucket.ts             16              7/8 n       (10 lanes for 8 slots: 7/10 of the lanes)
 *     16..    swiss.ts              width + 5       7/8 n
 *     bytes   bytes-table.ts        16              3/4 n
 *     direct  direct.ts             4 a possible key
 *
 * One call a chunk: what it costs is in the kernels.
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
    const { wasm } = this;
    const { width, slots, count } = table;
    const at = this.at(table.region);
    const valid = this.optional(block.valid);
    const target = this.at(out) + outAt * 4;
    const limit = this.swissLimit(width, slots);
    let done: number;
    if (block.kind === "bytes") {
      const { keyBytes, keyBytesUsed } = table;
      const data = this.at(block.data) - block.origin;
      const keyStore = this.optional(keyBytes);
      // Positions are u32: of a store of 4 GiB and more the rest stays unused.
      const room = keyBytes === null ? 0 : Math.min(keyBytes.bytes, 2 ** 32 - 1);
      done = wasm.insertBytes(
        at,
        slots,
        count,
        limit,
        keyStore,
        keyBytesUsed,
        room,
        this.at(block.offsets),
        data,
        valid,
        from,
        to,
        base,
        target,
      );
      table.keyBytesUsed = this.instance.low(1) >>> 0;
    } else {
      const keys = this.at(block.keys);
      if (width === 4) done = wasm.insert4(at, slots, count, limit, keys, valid, from, to, base, target);
      else if (width === 8) done = wasm.insert8(at, slots, count, limit, keys, valid, from, to, base, target);
      else done = wasm.insertWide(at, slots, count, limit, keys, width, valid, from, to, base, target);
    }
    table.count = this.instance.low(0);
    return done;
  }

  probeSwiss(table: SwissState, block: KeyBlock, from: number, to: number, out: Region, outAt: number): void {
    const { wasm } = this;
    const { width, slots } = table;
    const at = this.at(table.region);
    const valid = this.optional(block.valid);
    const target = this.at(out) + outAt * 4;
    if (block.kind === "bytes") {
      const data = this.at(block.data) - block.origin;
      wasm.probeBytes(at, slots, this.optional(table.keyBytes), this.at(block.offsets), data, valid, from, to, target);
      return;
    }
    const keys = this.at(block.keys);
    if (width === 4) wasm.probe4(at, slots, keys, valid, from, to, target);
    else if (width === 8) wasm.probe8(at, slots, keys, valid, from, to, target);
    else wasm.probeWide(at, slots, keys, width, valid, from, to, target);
  }

  rehashSwiss(old: SwissState, next: SwissState, from: number, to: number): void {
    const { wasm } = this;
    const source = this.at(old.region);
    const target = this.at(next.region);
    if (old.width === 4) next.count += wasm.rehash4(source, from, to, target, next.slots);
    else if (old.width === 8) next.count += wasm.rehash8(source, from, to, target, next.slots);
    else if (old.width === 0) next.count += wasm.rehashBytes(source, from, to, target, next.slots);
    else next.count += wasm.rehashWide(source, old.slots, from, to, target, next.slots, old.width);
  }

  relabelSwiss(table: SwissState, handles: Region, from: number, to: number): void {
    const { wasm } = this;
    const at = this.at(table.region);
    const labels = this.at(handles);
    if (table.width === 4) wasm.relabel4(at, from, to, labels);
    else if (table.width === 8) wasm.relabel8(at, from, to, labels);
    else if (table.width === 0) wasm.relabelBytes(at, from, to, labels);
    else wasm.relabelWide(at, table.slots, from, to, table.width, labels);
  }

  insertDirect(table: DirectState, block: FixedKeys, from: number, to: number, base: number, out: Region, outAt: number): void {
    const { width, signed, min, range, count } = table;
    this.#checkRange(table);
    this.wasm.insertDirect(
      this.at(table.region),
      width,
      Number(signed),
      lowHalf(min),
      highHalf(min),
      range,
      count,
      this.at(block.keys),
      this.optional(block.valid),
      from,
      to,
      base,
      this.at(out) + outAt * 4,
    );
    table.count = this.instance.low(0);
  }

  probeDirect(table: DirectState, block: FixedKeys, from: number, to: number, out: Region, outAt: number): void {
    const { width, signed, min, range } = table;
    this.#checkRange(table);
    this.wasm.probeDirect(
      this.at(table.region),
      width,
      Number(signed),
      lowHalf(min),
      highHalf(min),
      range,
      this.at(block.keys),
      this.optional(block.valid),
      from,
      to,
      this.at(out) + outAt * 4,
    );
  }

  relabelDirect(table: DirectState, handles: Region, from: number, to: number): void {
    this.wasm.relabelDirect(this.at(table.region), this.at(handles), from, to);
  }

  /** A range beyond the region would let keys write outside it. */
  #checkRange({ range, region }: DirectState): void {
    if (!(range >= 0 && range * 4 <= region.bytes)) {
      throw new ArrowJoinError("INTERNAL", `A direct table of ${range} cells in a region of ${region.bytes} bytes.`);
    }
  }
}

/** A 64-bit integer, signed or unsigned, as two 32-bit halves: once a call, never in a loop. */
function lowHalf(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

function highHalf(value: bigint): number {
  return Number(BigInt.asIntN(32, value >> 32n));
}
