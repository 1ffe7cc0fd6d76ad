/** What only large tables and high addresses reach: buckets that are touched ahead, and memory beyond 2 GiB. */

import { describe, expect, it } from "vitest";
import type { Kernel, KeyBlock, SwissState } from "../../src/kernel/contract.ts";
import { acquireKernel, releaseKernel } from "../../src/kernel/load.ts";
import { putBits, putI32, takeI32 } from "./regions.ts";

const ROWS = 60_000;
const DISTINCT = 40_000;
/** Row i has key number i modulo DISTINCT; every 97th row has none. */
const isNull = (row: number) => row % 97 === 96;

function blockOf(kernel: Kernel, width: number, from: number, rows: number): KeyBlock {
  const numbers = Array.from({ length: rows }, (_, i) => (from + i) % DISTINCT);
  const valid = putBits(
    kernel,
    numbers.map((_, i) => !isNull(from + i)),
  );
  if (width > 0) {
    const words = width / 4;
    const keys = putI32(
      kernel,
      numbers.flatMap((number) => Array.from({ length: words }, (_, w) => (w === words - 1 ? Math.imul(number, 0x9e3779b1) : 7))),
    );
    return { kind: "fixed", width, keys, valid };
  }
  const text = new TextEncoder().encode(numbers.map((number) => `key number ${number}`).join(""));
  const offsets = [100];
  for (const number of numbers) offsets.push(offsets.at(-1)! + `key number ${number}`.length);
  const data = kernel.alloc(text.length, "keys");
  kernel.write(data, 0, text);
  return { kind: "bytes", offsets: putI32(kernel, offsets), data, origin: 100, valid };
}

function emptyTable(kernel: Kernel, width: number, slots: number): SwissState {
  const keyBytes = width === 0 ? kernel.alloc(DISTINCT * 16, "key store") : null;
  return {
    kind: "swiss",
    width,
    slots,
    region: kernel.alloc(kernel.swissBytes(width, slots), "table", true),
    count: 0,
    keyBytes,
    keyBytesUsed: 0,
  };
}

function checkTable(kernel: Kernel, width: number): void {
  const block = blockOf(kernel, width, 0, ROWS);
  const out = kernel.alloc(ROWS * 4, "out");
  const first = Array.from({ length: ROWS }, (_, row) => row % DISTINCT);
  // A null in the first round leaves its key to the second.
  const expected = first.map((number, row) => (isNull(row) ? -1 : isNull(number) ? number + DISTINCT : number));
  let table = emptyTable(kernel, width, 32768);
  for (let from = 0; from < ROWS; ) {
    const done = kernel.insertSwiss(table, block, from, Math.min(ROWS, from + 1000), 0, out, from);
    if (done === from) {
      const next = {
        ...table,
        slots: table.slots * 2,
        region: kernel.alloc(kernel.swissBytes(width, table.slots * 2), "table", true),
        count: 0,
      };
      for (let slot = 0; slot < table.slots; slot += 1001) kernel.rehashSwiss(table, next, slot, Math.min(table.slots, slot + 1001));
      expect(next.count).toBe(table.count);
      table = next;
    }
    from = done;
  }
  expect(takeI32(kernel, out, ROWS)).toEqual(expected);
  kernel.fill(out, 0, 0, out.bytes);
  kernel.probeSwiss(table, block, 0, ROWS, out, 0);
  expect(takeI32(kernel, out, ROWS)).toEqual(expected);
}

const acquire = () => acquireKernel({ kernel: "wasm", hashSeed: 3 }).kernel;

describe("large tables", () => {
  it.each([4, 8, 16, 40, 0])("with keys of width %d find what they took, growing from 32768 slots", (width) => {
    const kernel = acquire();
    checkTable(kernel, width);
    releaseKernel(kernel);
  });
});

describe("memory beyond 2 GiB", () => {
  it.each([4, 8, 16, 0])("holds tables of width %d as memory below does", (width) => {
    const kernel = acquire();
    kernel.alloc(2 ** 31 - 2 ** 20, "the first two GiB");
    checkTable(kernel, width);
    releaseKernel(kernel);
  });

  it("holds direct tables, groups and placed columns", () => {
    const kernel = acquire();
    kernel.alloc(2 ** 31 + 2 ** 30, "the first three GiB");
    const keys = putI32(kernel, [5, 7, 5, 9, 5]);
    const block = { kind: "fixed", width: 4, keys, valid: null } as const;
    const table = { kind: "direct", width: 4, signed: true, min: 5n, range: 5, region: kernel.alloc(20, "table", true), count: 0 } as const;
    const reps = kernel.alloc(20, "reps");
    kernel.insertDirect(table, block, 0, 5, 0, reps, 0);
    expect(takeI32(kernel, reps, 5)).toEqual([0, 1, 0, 3, 0]);
    const counts = kernel.alloc(20, "counts", true);
    expect(kernel.countDuplicates(reps, 0, 5, counts)).toEqual({ duplicates: 2, groups: 1 });
    const groups = { offsets: kernel.alloc(8, "offsets"), rows: kernel.alloc(12, "rows") };
    kernel.numberGroups(counts, 0, 5, { group: 0, start: 0 }, groups.offsets);
    kernel.scatterGroups(reps, counts, 0, 5, groups.offsets, groups.rows);
    expect(takeI32(kernel, groups.rows, 3)).toEqual([0, 2, 4]);
    const dst = new Uint8Array(16);
    kernel.gatherPlaced(keys, 4, { kind: "rows", source: 0, rows: putI32(kernel, [3, -1, 1]), from: 0, count: 3, hasNone: true }, dst, 1);
    expect(Array.from(new Int32Array(dst.buffer))).toEqual([0, 9, 0, 7]);
    kernel.close();
  });
});
