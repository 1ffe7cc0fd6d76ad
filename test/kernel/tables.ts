/** Drives kernel tables as an operator does: chunks, growth when an insert stops, a growing key store. And the naive model of it. */

import { expect } from "vitest";
import type { BytesKeys, FixedKeys, Kernel, KeyBlock, SwissState } from "../../src/kernel/contract.ts";
import { CHUNK_ROWS, NONE } from "../../src/kernel/contract.ts";
import { putBits, putBytes, putI32, takeI32 } from "./regions.ts";

export function fixedBlock(kernel: Kernel, width: number, bytes: Uint8Array, valid: readonly boolean[] | null = null): FixedKeys {
  return { kind: "fixed", width, keys: putBytes(kernel, bytes), valid: valid === null ? null : putBits(kernel, valid) };
}

/** `origin` is put on every offset, as in a chunk that starts in the middle of a column. */
export function bytesBlock(kernel: Kernel, texts: readonly Uint8Array[], valid: readonly boolean[] | null = null, origin = 0): BytesKeys {
  const offsets = new Int32Array(texts.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i] + text.length;
  });
  const data = new Uint8Array(offsets[texts.length]);
  texts.forEach((text, i) => data.set(text, offsets[i]));
  return {
    kind: "bytes",
    offsets: putI32(
      kernel,
      offsets.map((offset) => offset + origin),
    ),
    data: putBytes(kernel, data),
    origin,
    valid: valid === null ? null : putBits(kernel, valid),
  };
}

export function newSwiss(kernel: Kernel, width: number, slots: number, keyBytes = 0): SwissState {
  return {
    kind: "swiss",
    width,
    slots,
    region: kernel.alloc(kernel.swissBytes(width, slots), "table", true),
    count: 0,
    keyBytes: width === 0 ? kernel.alloc(keyBytes, "key store") : null,
    keyBytesUsed: 0,
  };
}

/** A table of `slots` slots with the same keys; rehashes in steps of `step` slots and frees the old slots. */
export function grown(kernel: Kernel, old: SwissState, slots = old.slots * 2, step = 1000): SwissState {
  const next: SwissState = { ...old, slots, region: kernel.alloc(kernel.swissBytes(old.width, slots), "table", true), count: 0 };
  for (let from = 0; from < old.slots; from += step) kernel.rehashSwiss(old, next, from, Math.min(old.slots, from + step));
  expect(next.count).toBe(old.count);
  kernel.free(old.region);
  return next;
}

/** Makes room in the key store for one string more. */
function growStore(kernel: Kernel, table: SwissState, length: number): void {
  const old = table.keyBytes!;
  const next = kernel.alloc((table.keyBytesUsed + length) * 2, "key store");
  kernel.copy(next, 0, old, 0, table.keyBytesUsed);
  kernel.free(old);
  table.keyBytes = next;
}

/** Inserts all rows in chunks from a table of 16 slots on, checks each stop, returns the table and every row's value. */
export function insertAll(
  kernel: Kernel,
  block: KeyBlock,
  rows: number,
  base: number,
  lengths: readonly number[] | null = null,
  slots = 16,
): { table: SwissState; values: number[] } {
  let table = newSwiss(kernel, block.kind === "bytes" ? 0 : block.width, slots, 16);
  const out = kernel.alloc(rows * 4, "values");
  let row = 0;
  while (row < rows) {
    const to = Math.min(rows, row + CHUNK_ROWS);
    const stop = kernel.insertSwiss(table, block, row, to, base, out, row);
    expect(stop).toBeGreaterThanOrEqual(row);
    expect(stop).toBeLessThanOrEqual(to);
    expect(table.count).toBeLessThanOrEqual(kernel.swissLimit(table.width, table.slots));
    row = stop;
    if (stop === to) continue;
    if (lengths !== null && table.keyBytes !== null && table.keyBytesUsed + lengths[stop] > table.keyBytes.bytes)
      growStore(kernel, table, lengths[stop]);
    else {
      expect(table.count).toBe(kernel.swissLimit(table.width, table.slots));
      table = grown(kernel, table);
    }
  }
  const values = takeI32(kernel, out, rows);
  kernel.free(out);
  return { table, values };
}

export function probeAll(kernel: Kernel, table: SwissState, block: KeyBlock, rows: number): number[] {
  const out = kernel.alloc(rows * 4, "handles");
  for (let row = 0; row < rows; row += CHUNK_ROWS) kernel.probeSwiss(table, block, row, Math.min(rows, row + CHUNK_ROWS), out, row);
  const handles = takeI32(kernel, out, rows);
  kernel.free(out);
  return handles;
}

/** Every row's value by a Map over the key's identity; null: no key. */
export function modelInsert(
  keys: readonly (string | number | null)[],
  base: number,
  map = new Map<string | number, number>(),
): { map: Map<string | number, number>; values: number[] } {
  const values = keys.map((key, i) => {
    if (key === null) return NONE;
    const found = map.get(key);
    if (found !== undefined) return found;
    const value = base === -1 ? map.size : base + i;
    map.set(key, value);
    return value;
  });
  return { map, values };
}

export function modelProbe(map: ReadonlyMap<string | number, number>, keys: readonly (string | number | null)[]): number[] {
  return keys.map((key) => (key === null ? NONE : (map.get(key) ?? NONE)));
}

/** A key's identity: its bytes as text. */
export function identity(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

export function freeBlock(kernel: Kernel, block: KeyBlock): void {
  if (block.kind === "fixed") kernel.free(block.keys);
  else {
    kernel.free(block.offsets);
    kernel.free(block.data);
  }
  if (block.valid !== null) kernel.free(block.valid);
}

export function freeTable(kernel: Kernel, table: SwissState): void {
  kernel.free(table.region);
  if (table.keyBytes !== null) kernel.free(table.keyBytes);
}
