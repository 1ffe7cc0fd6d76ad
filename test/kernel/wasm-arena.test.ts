import { describe, expect, it } from "vitest";
import { Arena, type Block } from "../../src/kernel/wasm/arena.ts";
import { random } from "./random.ts";

const PAGE = 65536;

const arenaOf = (maxPages?: number, initial = 1) => {
  const memory = new WebAssembly.Memory({ initial });
  return { memory, arena: new Arena(memory, 4096, maxPages) };
};

describe("the arena", () => {
  it("gives blocks of whole cache lines that do not overlap and stay inside memory, and takes them back to nothing", () => {
    const r = random(7);
    const { memory, arena } = arenaOf();
    const live: Block[] = [];
    for (let step = 0; step < 2000; step++) {
      if (live.length > 0 && r.chance(step < 1500 ? 0.45 : 0.8)) {
        arena.free(live.splice(r.below(live.length), 1)[0]);
      } else {
        const bytes = r.chance(0.1) ? r.below(200_000) : r.below(500);
        const block = arena.alloc(bytes, "test", r.chance(0.3));
        expect(block.bytes).toBeGreaterThanOrEqual(Math.max(bytes, 1));
        expect(block.at % 64).toBe(0);
        expect(block.bytes % 64).toBe(0);
        live.push(block);
      }
      // One expectation a step: thousands for every block would take longer than all that they check.
      const sorted = live.toSorted((a, b) => a.at - b.at);
      const misplaced = sorted.filter(
        ({ at, bytes }, i) => at < (i === 0 ? 4096 : sorted[i - 1].at + sorted[i - 1].bytes) || at + bytes + 64 > memory.buffer.byteLength,
      );
      expect(misplaced).toEqual([]);
      expect(arena.usedBytes).toBe(live.reduce((sum, block) => sum + block.bytes, 0));
    }
    for (const block of live) arena.free(block);
    expect(arena.usedBytes).toBe(0);
    expect(arena.alloc(1, "test", false).at).toBe(4096);
  });

  it("joins neighbouring free blocks, so that freed memory serves a larger block again", () => {
    const { arena } = arenaOf();
    const [a, b, c, d] = [1000, 1000, 1000, 1000].map((bytes) => arena.alloc(bytes, "test", false));
    arena.free(a);
    arena.free(c);
    arena.free(b);
    expect(arena.alloc(3000, "test", false).at).toBe(a.at);
    expect(d.at).toBe(a.at + 3 * 1024);
  });

  it("zeroes memory that was used before, from the free list, from the top and after a reset", () => {
    const { arena } = arenaOf();
    const zeroedAfter = (dirty: () => void) => {
      const block = arena.alloc(5000, "test", false);
      const guard = arena.alloc(64, "guard", false);
      arena.heap.fill(0xff, block.at, block.at + block.bytes);
      arena.heap.fill(0xff, guard.at, guard.at + guard.bytes);
      arena.free(block);
      dirty();
      const again = arena.alloc(4000, "test", true);
      expect(arena.heap.subarray(again.at, again.at + again.bytes).every((byte) => byte === 0)).toBe(true);
      return guard;
    };
    const guard = zeroedAfter(() => {});
    expect(arena.heap[guard.at]).toBe(0xff);
    zeroedAfter(() => arena.reset());
    const large = arena.alloc(300_000, "test", true);
    expect(arena.heap.subarray(large.at, large.at + large.bytes).every((byte) => byte === 0)).toBe(true);
  });

  it("says how much is missing and for what, before anything changed", () => {
    const { memory, arena } = arenaOf(4);
    const first = arena.alloc(100_000, "the first part", false);
    const held = memory.buffer.byteLength;
    expect(() => arena.alloc(200_000, "the hash table", false)).toThrow(
      expect.objectContaining({ code: "MEMORY_LIMIT", message: expect.stringMatching(/the hash table needs 200\d\d\d bytes/) }),
    );
    expect([arena.usedBytes, memory.buffer.byteLength]).toEqual([first.bytes, held]);
    expect(arena.alloc(100_000, "a smaller part", false).at).toBe(first.at + first.bytes);
  });

  it("gives the system's refusal as the cause, and settles for memory without slack", () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 20 });
    const arena = new Arena(memory, 4096);
    arena.alloc(20 * PAGE - 4096 - 64, "all of it", false);
    expect(arena.heldBytes).toBe(20 * PAGE);
    expect(() => arena.alloc(1, "one more", false)).toThrow(
      expect.objectContaining({ code: "MEMORY_LIMIT", cause: expect.any(RangeError) }),
    );
  });

  it.each([2 ** 32 - 1, 2 ** 32, 2 ** 32 + 64, 2 ** 40, Number.MAX_SAFE_INTEGER])("refuses %d bytes instead of wrapping", (bytes) => {
    const { arena } = arenaOf();
    expect(() => arena.alloc(bytes, "far too much", false)).toThrow(expect.objectContaining({ code: "MEMORY_LIMIT" }));
    expect(arena.usedBytes).toBe(0);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d bytes as a mistake", (bytes) => {
    const { arena } = arenaOf();
    expect(() => arena.alloc(bytes, "nonsense", false)).toThrow(expect.objectContaining({ code: "INTERNAL" }));
  });
});
