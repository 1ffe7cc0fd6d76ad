import { describe, expect, it } from "vitest";
import { checksum } from "../../src/run/checksum.ts";
import { flipped } from "../support/memory-store.ts";

const bytesOf = (length: number) => new Uint8Array(length).map((_, i) => (i * 131 + 7) & 255);

describe("a checksum", () => {
  it("differs after a change of any bit, for every length", () => {
    for (let length = 1; length < 40; length++) {
      const bytes = bytesOf(length);
      for (let at = 0; at < length; at++)
        for (let bit = 0; bit < 8; bit++) expect(checksum(flipped(bytes, at, bit))).not.toBe(checksum(bytes));
    }
  });

  it("differs after two changes that would cancel out without order or rotation", () => {
    const bytes = bytesOf(64);
    // The highest bit of two words of one lane.
    expect(checksum(flipped(flipped(bytes, 3, 7), 19, 7))).not.toBe(checksum(bytes));
    // Words that change places: within a lane, and between lanes.
    for (const [one, other] of [
      [0, 16],
      [0, 4],
      [4, 60],
    ]) {
      const swapped = bytes.slice();
      swapped.copyWithin(one, other, other + 4);
      swapped.set(bytes.subarray(one, one + 4), other);
      expect(checksum(swapped)).not.toBe(checksum(bytes));
    }
  });

  it("differs for zeros of another length", () => {
    const sums = Array.from({ length: 200 }, (_, length) => checksum(new Uint8Array(length)));
    expect(new Set(sums).size).toBe(200);
  });

  it("is of the bytes, wherever they lie", () => {
    const buffer = new Uint8Array(128);
    buffer.set(bytesOf(61), 12);
    expect(checksum(buffer.subarray(12, 73))).toBe(checksum(bytesOf(61)));
  });
});
