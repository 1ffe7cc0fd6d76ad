import { describe, expect, it } from "vitest";
import { clearFrom, nullsIn } from "../../src/arrow/bits.ts";

const bit = (bytes: Uint8Array, i: number) => (bytes[i >> 3] >> (i & 7)) & 1;
const buffer = new Uint8Array(64).map((_, i) => (i * 97 + 31) & 255);

describe("bits", () => {
  it("are counted over every range, wherever the bytes begin", () => {
    for (const at of [0, 1, 2, 3]) {
      const bytes = buffer.subarray(at);
      for (let from = 0; from < 40; from++) {
        let expected = 0;
        for (let count = 0; count < 150; count++) {
          expect(nullsIn({ bytes, bit: from >> 1 }, from - (from >> 1), count)).toBe(expected);
          expected += 1 - bit(bytes, from + count);
        }
      }
    }
  });

  it("are cleared exactly", () => {
    for (let from = 0; from < 20; from++) {
      const bytes = new Uint8Array(8).fill(255);
      clearFrom(bytes, from);
      expect(nullsIn({ bytes, bit: 0 }, 0, 64)).toBe(64 - from);
    }
    const full = new Uint8Array(2).fill(255);
    clearFrom(full, 16);
    expect([...full]).toEqual([255, 255]);
  });
});
