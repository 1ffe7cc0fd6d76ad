import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExpandCursor, Groups, Kernel, Region } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import type { Random } from "./random.ts";
import { flags, random } from "./random.ts";
import { putBits, putBytes, putI32, takeBytes, takeI32, unpacked } from "./regions.ts";

const WIDTHS = [1, 2, 4, 8, 32];
const LIMITS = [1, 2, 3, 64, 2048];
const BUILD_ROWS = 3000;
/** Sizes around every store width and every word of a bitmap, from an odd first offset on. */
const GROUP_SIZES = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 130, 1000, 5000];
const GUARD = 0xa5;

interface Candidate {
  /** Row among the handles. */
  readonly probe: number;
  readonly build: number;
  /** Where the build row lies in the groups' rows, or -1 for One. */
  readonly place: number;
}

/** Handles over the groups, in runs of one kind or mixed. */
function randomHandles(r: Random, count: number, largest: number): number[] {
  const kinds = [() => NONE, () => r.below(BUILD_ROWS), () => -2 - r.below(largest)];
  const handles: number[] = [];
  while (handles.length < count) {
    const kind = r.below(4);
    for (let run = 1 + r.below(9); run > 0; run--) handles.push(kinds[kind === 3 ? r.below(3) : kind]());
  }
  return handles.slice(0, count);
}

function candidatesOf(handles: readonly number[], offsets: readonly number[], rows: readonly number[]): Candidate[] {
  return handles.flatMap((handle, probe): Candidate[] => {
    if (handle === NONE) return [];
    if (handle >= 0) return [{ probe, build: handle, place: -1 }];
    const first = offsets[-2 - handle];
    return Array.from({ length: offsets[-1 - handle] - first }, (_, i) => ({ probe, build: rows[first + i], place: first + i }));
  });
}

describe.each(implementations)("candidate pairs of $name", ({ make }) => {
  let kernel: Kernel;
  let groups: Groups;
  let offsets: number[];
  let rows: number[];
  beforeEach(() => {
    kernel = make();
    const r = random(7);
    offsets = [0];
    for (const size of GROUP_SIZES) offsets.push(offsets[offsets.length - 1] + size);
    rows = Array.from({ length: offsets[offsets.length - 1] }, () => r.below(BUILD_ROWS));
    groups = { offsets: putI32(kernel, offsets), rows: putI32(kernel, rows) };
  });
  afterEach(() => kernel.close());

  /** A region as the contract sizes them, filled so that a stray write is seen. */
  function guarded(count: number, width: number): Region {
    const region = kernel.alloc((((count + 63) >> 6) << 6) * width + 64, "guarded");
    kernel.fill(region, GUARD, 0, region.bytes);
    return region;
  }

  /** The region holds `bytes`, and what lies behind is as it was. */
  function expectBytes(region: Region, bytes: Uint8Array): void {
    const all = kernel.u8(region);
    expect(Buffer.compare(all.subarray(0, bytes.length), bytes)).toBe(0);
    expect(all.subarray(bytes.length).every((byte) => byte === GUARD)).toBe(true);
  }

  /** Walks to the end, tile by tile, and lets `visit` see each. */
  function walk(
    handles: Region,
    to: number,
    limit: number,
    visit: (start: ExpandCursor, end: ExpandCursor, from: number, count: number) => void,
  ): number {
    let start: ExpandCursor = { row: 0, pos: 0, at: 0 };
    let total = 0;
    while (start.row < to) {
      const end: ExpandCursor = { row: -1, pos: -1, at: 99 };
      const count = kernel.measurePairs(handles, start, to, groups, limit, end);
      expect(count).toBeLessThanOrEqual(limit);
      expect(end.at).toBe(99);
      visit(start, end, total, count);
      total += count;
      if (count < limit) expect(end).toEqual({ row: to, pos: 0, at: 99 });
      start = end;
    }
    return total;
  }

  function valuesOf(bytes: Uint8Array, width: number, places: readonly number[]): Uint8Array {
    const values = new Uint8Array(places.length * width);
    places.forEach((place, i) => {
      values.set(bytes.subarray(place * width, (place + 1) * width), i * width);
    });
    return values;
  }

  it.each(LIMITS)("are counted in tiles of %i that together list every pair once", (limit) => {
    const r = random(limit);
    for (let round = 0; round < 6; round++) {
      const handles = randomHandles(r, 100, limit < 64 ? 12 : GROUP_SIZES.length);
      const region = putI32(kernel, handles);
      const expected = candidatesOf(handles, offsets, rows);
      const total = walk(region, handles.length, limit, (_start, end, from, count) => {
        const next = expected[from + count];
        if (next === undefined) expect([end.row, end.pos]).toEqual([handles.length, 0]);
        else if (end.pos > 0) expect([end.row, offsets[-2 - handles[end.row]] + end.pos]).toEqual([next.probe, next.place]);
        else {
          expect(end.row).toBeLessThanOrEqual(next.probe);
          expect(next.place).toBe(handles[next.probe] < 0 ? offsets[-2 - handles[next.probe]] : -1);
          expect(handles.slice(end.row, next.probe).every((handle) => handle === NONE)).toBe(true);
        }
      });
      expect(total).toBe(expected.length);
    }
  });

  it("end at the row they were counted to, not later, and at once where no row has a partner", () => {
    const region = putI32(kernel, [3, NONE, -2, NONE, NONE, NONE, NONE, NONE, 4]);
    const end = { row: 0, pos: 0, at: 0 };
    expect(kernel.measurePairs(region, { row: 0, pos: 0, at: 0 }, 8, groups, 3, end)).toBe(3);
    expect(end).toMatchObject({ row: 8, pos: 0 });
    expect(kernel.measurePairs(region, { row: 3, pos: 0, at: 0 }, 8, groups, 100, end)).toBe(0);
    expect(end).toMatchObject({ row: 8, pos: 0 });
    expect(kernel.measurePairs(region, { row: 2, pos: 1, at: 0 }, 9, groups, 1, end)).toBe(1);
    expect(end).toMatchObject({ row: 8, pos: 0 });
  });

  it("of no tile write nothing, wherever it stands", () => {
    const region = putI32(kernel, [3, -9, NONE, 5]);
    const source = putI32(
      kernel,
      Array.from({ length: 8 * rows.length }, (_, i) => i),
    );
    for (const at of [
      { row: 0, pos: 0, at: 0 },
      { row: 1, pos: 2, at: 0 },
      { row: 3, pos: 0, at: 0 },
      { row: 4, pos: 0, at: 0 },
    ]) {
      for (const width of WIDTHS) {
        const dst = guarded(1, width);
        kernel.takeProbe(source, width, 0, region, at, at, groups, dst);
        kernel.takeBuild(source, source, width, region, at, at, groups, dst);
        expectBytes(dst, new Uint8Array(0));
      }
      expect(kernel.selectPairs(putBits(kernel, flags(random(1), 64, 1)), region, at, at, groups, 0, guarded(1, 4), guarded(1, 4))).toBe(0);
    }
  });

  it.each(WIDTHS.flatMap((width) => LIMITS.map((limit) => [width, limit])))(
    "take values of %i bytes of either side in tiles of %i, and not a byte more",
    (width, limit) => {
      const r = random(width * 10_000 + limit);
      const base = 13;
      const handles = randomHandles(r, 60, limit < 64 ? 12 : GROUP_SIZES.length);
      const expected = candidatesOf(handles, offsets, rows);
      const probe = r.bytes((base + handles.length) * width);
      const build = r.bytes(BUILD_ROWS * width);
      const grouped = valuesOf(build, width, rows);
      const [handlesAt, probeAt, buildAt, groupedAt] = [
        putI32(kernel, handles),
        putBytes(kernel, probe),
        putBytes(kernel, build),
        putBytes(kernel, grouped),
      ];
      const dst = guarded(limit, width);
      walk(handlesAt, handles.length, limit, (start, end, from, count) => {
        const tile = expected.slice(from, from + count);
        kernel.fill(dst, GUARD, 0, dst.bytes);
        kernel.takeProbe(probeAt, width, base, handlesAt, start, end, groups, dst);
        expectBytes(
          dst,
          valuesOf(
            probe,
            width,
            tile.map((pair) => base + pair.probe),
          ),
        );
        kernel.fill(dst, GUARD, 0, dst.bytes);
        kernel.takeBuild(buildAt, groupedAt, width, handlesAt, start, end, groups, dst);
        expectBytes(
          dst,
          valuesOf(
            build,
            width,
            tile.map((pair) => pair.build),
          ),
        );
      });
    },
  );

  it("take values of any part of any group", () => {
    const r = random(3);
    const values = r.bytes(rows.length * 32);
    const source = putBytes(kernel, values);
    for (const width of WIDTHS) {
      for (let group = 0; group < 14; group++) {
        const size = GROUP_SIZES[group];
        const handles = putI32(kernel, [NONE, -2 - group]);
        for (let from = 0; from < Math.min(size, 18); from++) {
          for (const to of [from + 1, from + 2, (from + size) >> 1, size - 1, size]) {
            if (to <= from || to > size) continue;
            const [start, end] = [{ row: 1, pos: from, at: 0 }, to === size ? { row: 2, pos: 0, at: 0 } : { row: 1, pos: to, at: 0 }];
            const dst = guarded(to - from, width);
            kernel.takeBuild(source, source, width, handles, start, end, groups, dst);
            expectBytes(dst, values.subarray((offsets[group] + from) * width, (offsets[group] + to) * width));
            kernel.fill(dst, GUARD, 0, dst.bytes);
            kernel.takeProbe(source, width, 0, handles, start, end, groups, dst);
            expectBytes(dst, valuesOf(values, width, Array(to - from).fill(1)));
            kernel.free(dst);
          }
        }
      }
    }
  });

  it("take values without groups where every row has one partner or none", () => {
    const handles = putI32(kernel, [NONE, 2, 0, NONE, 1, NONE]);
    const source = putI32(kernel, [10, 11, 12, 13, 14, 15]);
    const [start, end] = [
      { row: 0, pos: 0, at: 0 },
      { row: 0, pos: 0, at: 0 },
    ];
    expect(kernel.measurePairs(handles, start, 6, null, 100, end)).toBe(3);
    const dst = guarded(3, 4);
    kernel.takeProbe(source, 4, 0, handles, start, end, null, dst);
    expect(takeI32(kernel, dst, 3)).toEqual([11, 12, 14]);
    kernel.takeBuild(source, null, 4, handles, start, end, null, dst);
    expect(takeI32(kernel, dst, 3)).toEqual([12, 10, 11]);
    const [outProbe, outBuild] = [guarded(3, 4), guarded(3, 4)];
    expect(kernel.selectPairs(putBits(kernel, [true, false, true]), handles, start, end, null, 5, outProbe, outBuild)).toBe(2);
    expect([takeI32(kernel, outProbe, 2), takeI32(kernel, outBuild, 2)]).toEqual([
      [6, 9],
      [2, 1],
    ]);
  });

  it.each([
    ["all", 1],
    ["none", 0],
    ["half", 0.5],
    ["few", 0.01],
    ["most", 0.99],
  ])("are written where %s of them passed, in any tiles", (_what, probability) => {
    const r = random(probability * 100);
    for (const limit of LIMITS) {
      const handles = randomHandles(r, 80, limit < 64 ? 12 : GROUP_SIZES.length);
      const handlesAt = putI32(kernel, handles);
      const expected = candidatesOf(handles, offsets, rows);
      const [outProbe, outBuild] = [guarded(limit, 4), guarded(limit, 4)];
      walk(handlesAt, handles.length, limit, (start, end, from, count) => {
        const bits = flags(r, count, probability);
        const kept = expected.slice(from, from + count).filter((_, i) => bits[i]);
        const bitsAt = putBits(kernel, bits);
        for (const out of [outProbe, outBuild]) kernel.fill(out, GUARD, 0, out.bytes);
        expect(kernel.selectPairs(bitsAt, handlesAt, start, end, groups, 1000, outProbe, outBuild)).toBe(kept.length);
        expect(takeI32(kernel, outProbe, kept.length)).toEqual(kept.map((pair) => 1000 + pair.probe));
        expect(takeI32(kernel, outBuild, kept.length)).toEqual(kept.map((pair) => pair.build));
        for (const out of [outProbe, outBuild]) {
          expect(
            kernel
              .u8(out)
              .subarray(count * 4)
              .every((byte) => byte === GUARD),
          ).toBe(true);
        }
        kernel.free(bitsAt);
      });
    }
  });
});

describe.each(implementations)("rows of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  it.each(WIDTHS)("are taken by number, values of %i bytes, behind those taken before", (width) => {
    const r = random(width);
    const source = r.bytes(500 * width);
    const sourceAt = putBytes(kernel, source);
    for (const base of [0, 7, -20]) {
      const rows = Array.from({ length: 300 }, () => Math.max(0, -base) + r.below(400));
      const rowsAt = putI32(kernel, rows);
      const dst = kernel.alloc(320 * width, "taken");
      kernel.fill(dst, GUARD, 0, dst.bytes);
      kernel.takeRows(sourceAt, width, rowsAt, 3, 200, base, dst, 5);
      const expected = rows.slice(3, 203).flatMap((row) => Array.from(source.subarray((row + base) * width, (row + base + 1) * width)));
      expect(takeBytes(kernel, dst, 320 * width)).toEqual([
        ...Array(5 * width).fill(GUARD),
        ...expected,
        ...Array(115 * width).fill(GUARD),
      ]);
    }
  });

  it.each([0, 0.02, 0.5, 1])("are kept in place and in order where their bit is set (%d of them)", (probability) => {
    const r = random(probability * 100 + 1);
    for (const count of [0, 1, 31, 32, 63, 64, 65, 1000]) {
      const bits = flags(r, count, probability);
      const [first, second] = [0, 1].map(() => Array.from({ length: count }, () => r.i32()));
      const kept = (values: number[]) => values.filter((_, i) => bits[i]);
      const bitsAt = putBits(kernel, bits);
      const [firstAt, secondAt, loneAt] = [putI32(kernel, first), putI32(kernel, second), putI32(kernel, first)];
      expect(kernel.keepRows(bitsAt, count, firstAt, secondAt)).toBe(kept(first).length);
      expect(takeI32(kernel, firstAt, kept(first).length)).toEqual(kept(first));
      expect(takeI32(kernel, secondAt, kept(second).length)).toEqual(kept(second));
      expect(kernel.keepRows(bitsAt, count, loneAt, null)).toBe(kept(first).length);
      expect(takeI32(kernel, loneAt, kept(first).length)).toEqual(kept(first));
    }
  });

  it("lose their handles where their bit is clear, in a part of a chunk", () => {
    const r = random(5);
    const handles = Array.from({ length: 300 }, () => r.below(1000) - 500);
    const bits = flags(r, 150, 0.5);
    const region = putI32(kernel, handles);
    kernel.clearHandles(region, 77, 150, putBits(kernel, bits));
    expect(takeI32(kernel, region, 300)).toEqual(handles.map((handle, i) => (i < 77 || i >= 227 || bits[i - 77] ? handle : NONE)));
  });

  it("are marked in part, and counted once each", () => {
    const r = random(6);
    const rows = Array.from({ length: 200 }, () => r.below(300));
    const marks = kernel.alloc(64, "marks", true);
    const rowsAt = putI32(kernel, rows);
    expect(kernel.markRows(rowsAt, 10, 100, marks)).toBe(new Set(rows.slice(10, 110)).size);
    expect(kernel.markRows(rowsAt, 50, 100, marks)).toBe(new Set(rows.slice(10, 150)).size - new Set(rows.slice(10, 110)).size);
    const wanted = new Set(rows.slice(10, 150));
    expect(unpacked(kernel.u8(marks), 0, 300)).toEqual(Array.from({ length: 300 }, (_, row) => wanted.has(row)));
  });
});
