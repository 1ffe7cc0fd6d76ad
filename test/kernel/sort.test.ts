/** The radix sort of both kernels against a stable sort of BigInts. */

import { describe, expect, it } from "vitest";
import type { Kernel, Region } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { putBytes, putI32 } from "./regions.ts";

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
}

function keysOf(count: number, width: 4 | 8, distinctBytes: number): bigint[] {
  const next = random(count * 7 + width);
  return Array.from({ length: count }, () => {
    const low = BigInt(next() % (1 << (8 * Math.min(3, distinctBytes))));
    return width === 4 ? low : low | (BigInt(next() >>> 28) << 60n);
  });
}

function put(kernel: Kernel, keys: readonly bigint[], width: 4 | 8): Region {
  const words = new BigUint64Array(keys);
  if (width === 8) return putBytes(kernel, new Uint8Array(words.buffer));
  return putI32(
    kernel,
    Int32Array.from(keys, (key) => Number(key) | 0),
  );
}

describe.each(implementations)("keys sorted by bytes ($name)", ({ make }) => {
  for (const width of [4, 8] as const) {
    for (const count of [1, 2, 255, 1000, 5000]) {
      it(`come in order of ${width}-byte keys and stay in order where equal, ${count} rows in stretches of 300, then by group`, () => {
        const kernel = make();
        const keys = keysOf(count, width, 1 + (count % 3));
        let from = {
          keys: put(kernel, keys, width),
          rows: putI32(
            kernel,
            Int32Array.from({ length: count }, (_, i) => i),
          ),
        };
        let to = { keys: kernel.alloc(width * count, "test"), rows: kernel.alloc(4 * count, "test") };
        const counts = kernel.alloc(1024, "test");
        const stretches = (work: (from: number, to: number) => void) => {
          for (let at = 0; at < count; at += 300) work(at, Math.min(count, at + 300));
        };
        const starts = (lengths: readonly number[]) => {
          let start = 0;
          return lengths.map((length) => (start += length) - length);
        };
        for (let byte = 0; byte < width; byte++) {
          kernel.fill(counts, 0, 0, 1024);
          stretches((a, b) => kernel.countBytes(from.keys, width, byte, a, b, counts));
          const seen = [...kernel.i32(counts).subarray(0, 256)];
          expect(seen.reduce((sum, n) => sum + n, 0)).toBe(count);
          kernel.i32(counts).set(starts(seen));
          stretches((a, b) => kernel.moveByByte(from.keys, from.rows, width, byte, a, b, counts, to.keys, to.rows));
          [from, to] = [to, from];
        }
        const order = keys.map((_, i) => i).sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
        expect([...kernel.i32(from.rows).subarray(0, count)]).toEqual(order);

        const groupOf = keys.map((_, i) => (i * 7) % 3);
        kernel.i32(counts).set(starts([0, 1, 2].map((group) => groupOf.filter((g) => g === group).length)));
        const groups = putI32(kernel, Int32Array.from(groupOf));
        stretches((a, b) => kernel.moveByGroup(from.keys, from.rows, width, a, b, groups, counts, to.keys, to.rows));
        const byGroup = [0, 1, 2].flatMap((group) => order.filter((row) => groupOf[row] === group));
        expect([...kernel.i32(to.rows).subarray(0, count)]).toEqual(byGroup);
        const sorted = width === 8 ? new BigUint64Array(kernel.u8(to.keys).slice(0, 8 * count).buffer) : null;
        byGroup.forEach((row, i) => expect(sorted ? sorted[i] : BigInt(kernel.i32(to.keys)[i] >>> 0)).toBe(keys[row]));
        kernel.close();
      });
    }
  }
});
