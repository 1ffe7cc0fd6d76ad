import { describe, expect, it } from "vitest";
import { clearFrom, copyBits, nullsIn } from "../../src/arrow/bits.ts";

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

  it("are copied from every bit to bit 0, and no more than asked for", () => {
    for (let from = 0; from < 20; from++) {
      for (let count = 0; count < 40; count++) {
        const target = new Uint8Array((count + 7) >> 3).fill(255);
        copyBits({ bytes: buffer, bit: from >> 1 }, from - (from >> 1), count, target);
        for (let i = 0; i < target.length * 8; i++) expect(bit(target, i)).toBe(i < count ? bit(buffer, from + i) : 0);
      }
    }
    // The source ends with the last bit asked for.
    const target = new Uint8Array(1);
    copyBits({ bytes: Uint8Array.of(0, 0b1111_1000), bit: 0 }, 11, 5, target);
    expect([...target]).toEqual([0b11111]);
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
