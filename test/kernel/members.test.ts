/** Values looked up among constants, in both kernels, against a plain search. */

import { describe, expect, it } from "vitest";
import { implementations } from "./kernels.ts";
import { putBytes, putI32, unpacked } from "./regions.ts";

const LANES = {
  i8: { array: Int8Array, values: [-128, -1, 0, 127] },
  u8: { array: Uint8Array, values: [0, 128, 255] },
  i16: { array: Int16Array, values: [-32768, 0, 300] },
  u16: { array: Uint16Array, values: [0, 65535] },
  i32: { array: Int32Array, values: [-(2 ** 31), -1, 0, 2 ** 31 - 1] },
  u32: { array: Uint32Array, values: [0, 2 ** 31, 2 ** 32 - 1] },
  f32: { array: Float32Array, values: [0, -0, Number.NaN, 1.5, Number.POSITIVE_INFINITY] },
  f64: { array: Float64Array, values: [0, -0, Number.NaN, 0.1, -1e300] },
  i64: { array: BigInt64Array, values: [0n, -1n, 1n << 62n, -(1n << 63n), 4294967296n] },
  u64: { array: BigUint64Array, values: [0n, 1n << 63n, (1n << 64n) - 1n] },
} as const;

/** As steps write them. */
const textOf = (value: number | bigint): string | number =>
  typeof value === "bigint" || !Number.isFinite(value) ? String(value) : Object.is(value, -0) ? "-0" : value;
const isEqual = (a: number | bigint, b: number | bigint) => a === b || (Number.isNaN(a) && Number.isNaN(b));

describe.each(implementations)("constants that values are looked up among ($name)", ({ make }) => {
  for (const [lane, { array, values }] of Object.entries(LANES)) {
    it(`are found as equality finds them (${lane}), bits after the last row clear`, () => {
      const kernel = make();
      const all = values as readonly (number | bigint)[];
      for (const count of [1, all.length, 63, 64, 65, 200]) {
        const rows = Array.from({ length: count }, (_, i) => all[(i * 7) % all.length]);
        for (let mask = 0; mask < 1 << all.length; mask += 3) {
          const chosen = all.filter((_, i) => (mask >> i) & 1);
          const members = kernel.members(lane as "i32", chosen.map(textOf));
          const typed = (array as unknown as { from(values: readonly unknown[]): Uint8Array }).from(rows);
          const region = putBytes(kernel, new Uint8Array(typed.buffer.slice(0)));
          const out = kernel.alloc(256, "test");
          kernel.fill(out, 255, 0, 256);
          kernel.among(lane as "i32", { region, constant: false }, members, count, out);
          const words = Math.ceil(count / 32) * 32;
          expect(unpacked(kernel.u8(out), 0, words)).toEqual(
            Array.from({ length: words }, (_, i) => i < count && chosen.some((value) => isEqual(value, rows[i]))),
          );
          kernel.free(region);
          kernel.free(out);
        }
      }
      kernel.close();
    });
  }

  it("are found by their bytes (text)", () => {
    const kernel = make();
    const texts = ["", "a", "ab", "ä", "😀", "a".repeat(1000)];
    const bytes = texts.map((text) => new TextEncoder().encode(text));
    const refs: number[] = [];
    let at = 0;
    for (const { length } of bytes) {
      refs.push(at, length);
      at += length;
    }
    const data = putBytes(kernel, new Uint8Array(bytes.flatMap((part) => [...part])));
    const members = kernel.members("text", ["ab", "", "😀", "none", "a".repeat(999)]);
    const out = kernel.alloc(64, "test");
    kernel.among("text", { region: putI32(kernel, refs), constant: false, data } as never, members, texts.length, out);
    expect(unpacked(kernel.u8(out), 0, texts.length)).toEqual([true, false, true, false, true, false]);
    kernel.close();
  });
});
