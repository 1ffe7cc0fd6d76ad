import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kernel } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import { kernels } from "./kernels.ts";
import { cells, flags, random, strings } from "./random.ts";
import { putI32, takeI32 } from "./regions.ts";
import {
  bytesBlock,
  fixedBlock,
  freeBlock,
  freeTable,
  grown,
  identity,
  insertAll,
  modelInsert,
  modelProbe,
  newSwiss,
  probeAll,
} from "./tables.ts";

function identities(bytes: Uint8Array, width: number, valid: readonly boolean[] | null = null): (string | null)[] {
  return Array.from({ length: bytes.length / width }, (_, i) =>
    valid === null || valid[i] ? identity(bytes.subarray(i * width, (i + 1) * width)) : null,
  );
}

describe.each(kernels)("tables of distinct keys of $name", ({ make, collides }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  const sizes = collides ? [0, 1, 15, 300] : [0, 1, 15, 300, 6000];

  it.each([4, 8, 16, 24, 32])("finds each key's first row through growth from 16 slots, width %i", (width) => {
    const r = random(width);
    for (const count of sizes) {
      for (const base of [-1, 0, 1_000_000]) {
        const valid = count % 2 === 0 ? flags(r, count, 0.8) : null;
        const { bytes } = cells(r, width, count, Math.max(1, Math.floor(count * 0.7)));
        const block = fixedBlock(kernel, width, bytes, valid);
        const { table, values } = insertAll(kernel, block, count, base);
        const model = modelInsert(identities(bytes, width, valid), base);
        expect(values).toEqual(model.values);
        expect(table.count).toBe(model.map.size);
        expect(probeAll(kernel, table, block, count)).toEqual(model.values);
        const other = cells(r, width, 200, 100).bytes;
        other.set(bytes.subarray(0, Math.min(bytes.length, width * 100)));
        const probe = fixedBlock(kernel, width, other);
        expect(probeAll(kernel, table, probe, 200)).toEqual(modelProbe(model.map, identities(other, width)));
        for (const each of [block, probe]) freeBlock(kernel, each);
        freeTable(kernel, table);
        expect(kernel.usedBytes).toBe(0);
      }
    }
  });

  it("finds each string's first row through growth of slots and key store", () => {
    const r = random(11);
    for (const count of sizes) {
      for (const [base, origin] of [
        [-1, 0],
        [0, 7],
        [5000, 123_456],
      ] as const) {
        const texts = strings(r, count, Math.max(1, Math.floor(count * 0.7)), 40);
        const valid = count % 2 === 0 ? flags(r, count, 0.8) : null;
        const keys = texts.map((text, i) => (valid === null || valid[i] ? identity(text) : null));
        const block = bytesBlock(kernel, texts, valid, origin);
        const { table, values } = insertAll(
          kernel,
          block,
          count,
          base,
          texts.map((text) => text.length),
        );
        const model = modelInsert(keys, base);
        expect(values).toEqual(model.values);
        expect(table.count).toBe(model.map.size);
        expect(table.keyBytesUsed).toBe([...model.map.keys()].reduce<number>((sum, key) => sum + String(key).length, 0));
        const others = [...texts.slice(0, 100), ...strings(r, 100, 100, 40), new Uint8Array(0)];
        const probe = bytesBlock(kernel, others, null, 3);
        expect(probeAll(kernel, table, probe, others.length)).toEqual(modelProbe(model.map, others.map(identity)));
        for (const each of [block, probe]) freeBlock(kernel, each);
        freeTable(kernel, table);
        expect(kernel.usedBytes).toBe(0);
      }
    }
  });

  it("takes exactly its limit of distinct keys, keeps answering for those it has, and goes on after growth", () => {
    for (const slots of [16, 32, 64]) {
      const limit = kernel.swissLimit(8, slots);
      expect(limit).toBeGreaterThan(0);
      expect(limit).toBeLessThanOrEqual((slots * 7) / 8);
      const keys = new BigInt64Array(limit + 3);
      for (let i = 0; i < keys.length; i++) keys[i] = BigInt(i % (limit + 1)) * 0x1_0000_0001n - 3n;
      const block = fixedBlock(kernel, 8, new Uint8Array(keys.buffer));
      const table = newSwiss(kernel, 8, slots);
      const out = kernel.alloc(keys.length * 4, "values");
      expect(kernel.insertSwiss(table, block, 0, keys.length, -1, out, 0)).toBe(limit);
      expect(table.count).toBe(limit);
      expect(takeI32(kernel, out, limit)).toEqual(Array.from({ length: limit }, (_, i) => i));
      expect(probeAll(kernel, table, block, keys.length)).toEqual(Array.from(keys, (_, i) => (i === limit ? NONE : i % (limit + 1))));
      const next = grown(kernel, table, slots * 4, 5);
      expect(kernel.insertSwiss(next, block, limit, keys.length, -1, out, 0)).toBe(keys.length);
      expect(takeI32(kernel, out, 3)).toEqual([limit, 0, 1]);
    }
  });

  it("stops at the first new string that the key store has no room for", () => {
    const texts = ["aaaa", "bbbb", "aaaa", "", "cccccccccc", "dd"].map((text) => new TextEncoder().encode(text));
    const block = bytesBlock(kernel, texts);
    const table = newSwiss(kernel, 0, 16, 16);
    const room = table.keyBytes!.bytes;
    const long = new Uint8Array(room - 8).fill(1);
    const filled = bytesBlock(kernel, [...texts.slice(0, 4), long, texts[5]]);
    const out = kernel.alloc(64, "values");
    expect(kernel.insertSwiss(table, filled, 0, 6, 0, out, 0)).toBe(5);
    expect(takeI32(kernel, out, 5)).toEqual([0, 1, 0, 3, 4]);
    expect(table.keyBytesUsed).toBe(room);
    expect(table.count).toBe(4);
    expect(probeAll(kernel, table, block, 6)).toEqual([0, 1, 0, 3, NONE, NONE]);
  });

  it("writes where it is told and leaves the rest of the output", () => {
    const block = fixedBlock(kernel, 4, new Uint8Array(Int32Array.of(5, 6, 5, 7, 6).buffer));
    const table = newSwiss(kernel, 4, 16);
    const out = putI32(kernel, new Array<number>(8).fill(99));
    expect(kernel.insertSwiss(table, block, 1, 4, 10, out, 3)).toBe(4);
    expect(takeI32(kernel, out, 8)).toEqual([99, 99, 99, 11, 12, 13, 99, 99]);
    kernel.probeSwiss(table, block, 2, 5, out, 0);
    expect(takeI32(kernel, out, 8)).toEqual([12, 13, 11, 11, 12, 13, 99, 99]);
  });

  it.each([4, 8, 24, 0])("relabels values to handles of every kind, in steps, width %i", (width) => {
    const count = 40;
    const { bytes } = cells(random(3), Math.max(width, 8), count, count);
    const texts = Array.from({ length: count }, (_, i) => new TextEncoder().encode(`k${i}`));
    const block = width === 0 ? bytesBlock(kernel, texts) : fixedBlock(kernel, width, bytes.subarray(0, width * count));
    const { table, values } = insertAll(
      kernel,
      block,
      count,
      -1,
      texts.map((text) => text.length),
    );
    const handles = Array.from({ length: table.count }, (_, id) => [NONE, id, -2 - id, 2 ** 31 - 3, -(2 ** 31) + 2][id % 5]);
    const region = putI32(kernel, handles);
    for (let from = 0; from < table.slots; from += 10) kernel.relabelSwiss(table, region, from, Math.min(table.slots, from + 10));
    expect(probeAll(kernel, table, block, count)).toEqual(values.map((value) => handles[value]));
    const bigger = grown(kernel, table);
    expect(probeAll(kernel, bigger, block, count)).toEqual(values.map((value) => handles[value]));
  });

  it("tells apart keys that are zero, all ones, or differ in one bit", () => {
    for (const width of [4, 8, 16, 24]) {
      const keys: Uint8Array[] = [new Uint8Array(width), new Uint8Array(width).fill(0xff)];
      for (let bit = 0; bit < width * 8; bit++) {
        const key = new Uint8Array(width);
        key[bit >> 3] = 1 << (bit & 7);
        keys.push(key);
      }
      const bytes = Uint8Array.from(keys.flatMap((key) => [...key]));
      const block = fixedBlock(kernel, width, bytes);
      const { table, values } = insertAll(kernel, block, keys.length, -1);
      expect(values).toEqual(keys.map((_, i) => i));
      expect(probeAll(kernel, table, block, keys.length)).toEqual(values);
    }
  });

  it("tells apart strings of zeros by their length, and strings that differ in any one byte", () => {
    const texts = [
      ...Array.from({ length: 40 }, (_, i) => new Uint8Array(i)),
      ...Array.from({ length: 39 }, (_, i) => new Uint8Array(39).fill(1, i, i + 1)),
    ];
    const block = bytesBlock(kernel, texts, null, 1);
    const { table, values } = insertAll(
      kernel,
      block,
      texts.length,
      -1,
      texts.map((text) => text.length),
    );
    expect(values).toEqual(texts.map((_, i) => i));
    expect(probeAll(kernel, table, block, texts.length)).toEqual(values);
  });

  it("agrees with a Map for any small keys and any nulls", () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.integer({ min: -4, max: 20 }), { nil: null }), { maxLength: 60 }),
        fc.array(fc.integer({ min: -8, max: 24 }), { maxLength: 20 }),
        (keys, probes) => {
          const block = fixedBlock(
            kernel,
            4,
            new Uint8Array(Int32Array.from(keys, (key) => key ?? 7).buffer),
            keys.map((key) => key !== null),
          );
          const probe = fixedBlock(kernel, 4, new Uint8Array(Int32Array.from(probes).buffer));
          const { table, values } = insertAll(kernel, block, keys.length, 0);
          const model = modelInsert(keys, 0);
          expect(values).toEqual(model.values);
          expect(probeAll(kernel, table, probe, probes.length)).toEqual(modelProbe(model.map, probes));
          for (const each of [block, probe]) freeBlock(kernel, each);
          freeTable(kernel, table);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });
});

describe.each(kernels.filter(({ collides }) => !collides))("large tables of $name", ({ make }) => {
  it("holds 100 000 distinct keys of each kind", () => {
    const kernel = make();
    const count = 100_000;
    const words = new Int32Array(count * 2);
    for (let i = 0; i < count; i++) words[2 * i + 1] = i;
    const ids = Array.from({ length: count }, (_, i) => i);
    const dense = fixedBlock(kernel, 4, new Uint8Array(Int32Array.from(ids).buffer));
    const highWords = fixedBlock(kernel, 8, new Uint8Array(words.buffer));
    const texts = ids.map((id) => new TextEncoder().encode(`key-${id}`));
    const text = bytesBlock(kernel, texts);
    for (const [block, lengths] of [
      [dense, null],
      [highWords, null],
      [text, texts.map((each) => each.length)],
    ] as const) {
      const { table, values } = insertAll(kernel, block, count, -1, lengths);
      expect(table.count).toBe(count);
      expect(values.every((value, i) => value === i)).toBe(true);
      expect(probeAll(kernel, table, block, count).every((value, i) => value === i)).toBe(true);
    }
    kernel.close();
  });
});
