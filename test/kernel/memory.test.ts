import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ArrowJoinError } from "../../src/error.ts";
import type { Kernel, Region } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { random } from "./random.ts";
import { takeBytes } from "./regions.ts";

describe.each(implementations)("memory of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  it("starts with nothing in use", () => {
    expect(kernel.usedBytes).toBe(0);
  });

  it("gives at least the bytes asked for, 16-byte aligned, and counts them", () => {
    let used = 0;
    for (const bytes of [0, 1, 15, 16, 17, 1000, 65536, 1 << 20, (1 << 20) + 1, 3_000_000]) {
      const region = kernel.alloc(bytes, "a test");
      expect(region.bytes).toBeGreaterThanOrEqual(bytes);
      expect(kernel.u8(region).length).toBe(region.bytes);
      expect(kernel.i32(region).length).toBe(region.bytes >> 2);
      expect(kernel.u8(region).byteOffset % 16).toBe(0);
      used += region.bytes;
      expect(kernel.usedBytes).toBeGreaterThanOrEqual(used);
      expect(kernel.heldBytes).toBeGreaterThanOrEqual(kernel.usedBytes);
    }
  });

  it("zeroes a region on request even when its memory was used before", () => {
    for (const bytes of [1, 64, 5000, 100_000, 1 << 21]) {
      for (let round = 0; round < 3; round++) {
        const region = kernel.alloc(bytes, "a table", true);
        expect(kernel.u8(region).every((byte) => byte === 0)).toBe(true);
        kernel.fill(region, 0xab, 0, region.bytes);
        kernel.free(region);
      }
    }
  });

  it("keeps live regions apart under any order of alloc and free, and ends with nothing in use", () => {
    const r = random(7);
    const live: { region: Region; mark: number }[] = [];
    for (let round = 0; round < 600; round++) {
      if (live.length > 0 && r.chance(0.45)) {
        const [{ region, mark }] = live.splice(r.below(live.length), 1);
        expect(kernel.u8(region).every((byte) => byte === mark)).toBe(true);
        kernel.free(region);
      } else {
        const region = kernel.alloc(r.chance(0.1) ? r.below(300_000) : r.below(2000), "a test");
        const mark = r.below(256);
        kernel.fill(region, mark, 0, region.bytes);
        live.push({ region, mark });
      }
    }
    for (const { region, mark } of live) {
      expect(kernel.u8(region).every((byte) => byte === mark)).toBe(true);
      kernel.free(region);
    }
    expect(kernel.usedBytes).toBe(0);
  });

  it("does not hold more and more memory when regions are freed and taken again", () => {
    const cycle = (): void => {
      const regions = [100, 5000, 70_000, 1_000_000, 100].map((bytes) => kernel.alloc(bytes, "scratch"));
      for (const region of regions) kernel.free(region);
    };
    cycle();
    cycle();
    const held = kernel.heldBytes;
    for (let i = 0; i < 50; i++) cycle();
    expect(kernel.heldBytes).toBe(held);
  });

  it("writes, copies and fills parts of regions and leaves the rest", () => {
    const a = kernel.alloc(64, "a test", true);
    const b = kernel.alloc(64, "a test", true);
    kernel.write(a, 3, Uint8Array.of(1, 2, 3, 4, 5));
    kernel.copy(b, 9, a, 4, 3);
    kernel.fill(b, 7, 20, 22);
    expect(takeBytes(kernel, a, 10)).toEqual([0, 0, 0, 1, 2, 3, 4, 5, 0, 0]);
    expect(takeBytes(kernel, b, 23)).toEqual([...new Array(9).fill(0), 2, 3, 4, ...new Array(8).fill(0), 7, 7, 0]);
    kernel.copy(a, 30, a, 3, 5);
    expect(takeBytes(kernel, a, 36).slice(29)).toEqual([0, 1, 2, 3, 4, 5, 0]);
  });

  it("refuses memory that cannot be had with MEMORY_LIMIT naming the part and the bytes, and stays usable", () => {
    const kept = kernel.alloc(100, "a test", true);
    const used = kernel.usedBytes;
    try {
      kernel.alloc(2 ** 45, "build keys");
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ArrowJoinError);
      expect((error as ArrowJoinError).code).toBe("MEMORY_LIMIT");
      expect((error as ArrowJoinError).message).toMatch(/build keys/);
      expect((error as ArrowJoinError).message).toMatch(/\d/);
    }
    expect(kernel.usedBytes).toBe(used);
    expect(takeBytes(kernel, kept, 4)).toEqual([0, 0, 0, 0]);
    kernel.free(kept);
  });

  it("may be closed twice", () => {
    kernel.alloc(100, "a test");
    kernel.close();
    kernel.close();
    expect(kernel.usedBytes).toBe(0);
  });
});
