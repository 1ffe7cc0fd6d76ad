import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExpandCursor, Groups, Kernel } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import type { Random } from "./random.ts";
import { flags, random } from "./random.ts";
import { putBits, putI32, takeBytes, takeI32, unpacked } from "./regions.ts";

const GROUPS = [
  [5, 9],
  [1, 2, 3, 4, 6, 7, 8],
  [30, 31],
  [10, 20, 25],
];
const BUILD_ROWS = 40;

function randomHandles(r: Random, count: number): number[] {
  return Array.from({ length: count }, () => [NONE, 10 + r.below(BUILD_ROWS - 10), -2 - r.below(GROUPS.length)][r.below(3)]);
}

function partnersOf(handle: number): readonly number[] {
  return handle === NONE ? [] : handle >= 0 ? [handle] : GROUPS[-2 - handle];
}

describe.each(implementations)("matches of $name", ({ make }) => {
  let kernel: Kernel;
  let groups: Groups;
  beforeEach(() => {
    kernel = make();
    const offsets = [0];
    for (const group of GROUPS) offsets.push(offsets[offsets.length - 1] + group.length);
    groups = { offsets: putI32(kernel, offsets), rows: putI32(kernel, GROUPS.flat()) };
  });
  afterEach(() => kernel.close());

  it("summarizes the kinds of handles and the pairs they stand for, of any rows", () => {
    const r = random(1);
    const handles = randomHandles(r, 200);
    const region = putI32(kernel, handles);
    for (const [from, to] of [
      [0, 200],
      [13, 14],
      [50, 50],
      [7, 131],
    ]) {
      const part = handles.slice(from, to);
      expect(kernel.summarize(region, from, to, groups)).toEqual({
        none: part.filter((handle) => handle === NONE).length,
        one: part.filter((handle) => handle >= 0).length,
        multi: part.filter((handle) => handle < -1).length,
        pairs: part.reduce((sum, handle) => sum + partnersOf(handle).length, 0),
      });
    }
    expect(kernel.summarize(putI32(kernel, [3, NONE, 0]), 0, 3, null)).toEqual({ none: 1, one: 2, multi: 0, pairs: 2 });
  });

  it("counts more pairs than 32 bits hold", () => {
    const wide = { offsets: putI32(kernel, [0, 2_000_000_000]), rows: groups.rows };
    expect(kernel.summarize(putI32(kernel, [-2, -2, -2, 5]), 0, 4, wide).pairs).toBe(6_000_000_001);
  });

  it("writes a value at null rows only", () => {
    const valid = flags(random(2), 100, 0.5);
    const handles = putI32(kernel, new Array<number>(100).fill(7));
    kernel.fillNulls(handles, putBits(kernel, valid), 3, 90, -1);
    expect(takeI32(kernel, handles, 100)).toEqual(valid.map((isValid, i) => (i >= 3 && i < 90 && !isValid ? -1 : 7)));
  });

  it.each([1, 2, 3, 7, 64, 1000])("expands to the same pairs when resumed at every limit of %i, inner and outer", (limit) => {
    const r = random(3);
    for (const outer of [false, true]) {
      for (const count of [0, 1, 2, 33, 150]) {
        const handles = randomHandles(r, count);
        const expected = handles.flatMap((handle, row) => {
          const partners = partnersOf(handle);
          return partners.length === 0 && outer ? [[1000 + row, NONE]] : partners.map((build) => [1000 + row, build]);
        });
        const region = putI32(kernel, handles);
        const outProbe = kernel.alloc(limit * 4, "pairs");
        const outBuild = kernel.alloc(limit * 4, "pairs");
        const cursor: ExpandCursor = { row: 0, pos: 0, at: 0 };
        const pairs: number[][] = [];
        for (let calls = 0; cursor.row < count; calls++) {
          expect(calls).toBeLessThanOrEqual(expected.length + 1);
          cursor.at = 0;
          kernel.expand(region, cursor, count, groups, outer, 1000, outProbe, outBuild, limit);
          expect(cursor.at).toBeLessThanOrEqual(limit);
          if (cursor.row < count) expect(cursor.at).toBe(limit);
          const probe = takeI32(kernel, outProbe, cursor.at);
          const build = takeI32(kernel, outBuild, cursor.at);
          for (let i = 0; i < cursor.at; i++) pairs.push([probe[i], build[i]]);
        }
        expect(cursor).toMatchObject({ row: count, pos: 0 });
        expect(pairs).toEqual(expected);
      }
    }
  });

  it("appends to an output that is partly full and stops at `to`", () => {
    const handles = putI32(kernel, [4, -3, NONE, 6, 8]);
    const outProbe = putI32(kernel, new Array<number>(20).fill(99));
    const outBuild = putI32(kernel, new Array<number>(20).fill(99));
    const cursor: ExpandCursor = { row: 1, pos: 5, at: 3 };
    kernel.expand(handles, cursor, 4, groups, true, 0, outProbe, outBuild, 20);
    expect(takeI32(kernel, outProbe, 8)).toEqual([99, 99, 99, 1, 1, 2, 3, 99]);
    expect(takeI32(kernel, outBuild, 8)).toEqual([99, 99, 99, 7, 8, NONE, 6, 99]);
    expect(cursor).toEqual({ row: 4, pos: 0, at: 7 });
  });

  it("expands without groups where no handle is of one", () => {
    const outProbe = kernel.alloc(64, "pairs");
    const outBuild = kernel.alloc(64, "pairs");
    const cursor: ExpandCursor = { row: 0, pos: 0, at: 0 };
    kernel.expand(putI32(kernel, [3, NONE, 0]), cursor, 3, null, false, 0, outProbe, outBuild, 16);
    expect(takeI32(kernel, outProbe, 2)).toEqual([0, 2]);
    expect(takeI32(kernel, outBuild, 2)).toEqual([3, 0]);
  });

  it.each([1, 2, 3, 7, 1000])("selects rows with or without a partner, resumed at every limit of %i", (limit) => {
    const handles = randomHandles(random(4), 150);
    const region = putI32(kernel, handles);
    const out = kernel.alloc(limit * 4, "rows");
    for (const matched of [true, false]) {
      const rows: number[] = [];
      const cursor = { row: 5, at: 0 };
      while (cursor.row < 140) {
        cursor.at = 0;
        kernel.selectRows(region, cursor, 140, matched, 2000, out, limit);
        if (cursor.row < 140) expect(cursor.at).toBe(limit);
        rows.push(...takeI32(kernel, out, cursor.at));
      }
      expect(rows).toEqual(handles.flatMap((handle, row) => (row >= 5 && row < 140 && (handle !== NONE) === matched ? [2000 + row] : [])));
    }
  });

  it("marks rows and groups once each and says how many marks were new", () => {
    const r = random(5);
    const rowMarks = kernel.alloc(BUILD_ROWS, "marks", true);
    const groupMarks = kernel.alloc(16, "marks", true);
    const marked = new Set<number>();
    for (let round = 0; round < 6; round++) {
      const handles = randomHandles(r, 9);
      const before = marked.size;
      for (const handle of handles.slice(1, 8)) if (handle !== NONE) marked.add(handle);
      expect(kernel.markMatches(putI32(kernel, handles), 1, 8, rowMarks, groupMarks)).toBe(marked.size - before);
      expect(unpacked(takeBytes(kernel, rowMarks, 5), 0, BUILD_ROWS)).toEqual(
        Array.from({ length: BUILD_ROWS }, (_, row) => marked.has(row)),
      );
      expect(unpacked(takeBytes(kernel, groupMarks, 1), 0, 4)).toEqual(GROUPS.map((_, group) => marked.has(-2 - group)));
    }
  });

  it("marks rows alone where no handle is of a group", () => {
    const rowMarks = kernel.alloc(16, "marks", true);
    expect(kernel.markMatches(putI32(kernel, [3, NONE, 3, 70]), 0, 4, rowMarks, null)).toBe(2);
    expect(takeBytes(kernel, rowMarks, 9)).toEqual([8, 0, 0, 0, 0, 0, 0, 0, 64]);
  });

  it("spreads marks of groups to their rows, of the groups asked for", () => {
    const rowMarks = kernel.alloc(16, "marks", true);
    kernel.spreadMarks(putBits(kernel, [true, true, false, true]), 1, 4, groups, rowMarks);
    const rows = [...GROUPS[1], ...GROUPS[3]];
    expect(unpacked(takeBytes(kernel, rowMarks, 5), 0, BUILD_ROWS)).toEqual(
      Array.from({ length: BUILD_ROWS }, (_, row) => rows.includes(row)),
    );
  });

  it.each([1, 2, 3, 7, 33, 1000])("scans marks set or clear, resumed at every limit of %i, from any row to any row", (limit) => {
    const r = random(6);
    const out = kernel.alloc(limit * 4, "rows");
    for (const probability of [0, 0.02, 0.5, 1]) {
      for (const [start, to] of [
        [0, 0],
        [0, 1],
        [0, 64],
        [3, 130],
        [31, 33],
        [32, 96],
        [65, 200],
      ]) {
        const marks = flags(r, to, probability);
        const region = putBits(kernel, marks);
        for (const want of [true, false]) {
          const rows: number[] = [];
          const cursor = { row: start, at: 0 };
          while (cursor.row < to) {
            cursor.at = 0;
            kernel.scanMarks(region, cursor, to, want, out, limit);
            if (cursor.row < to) expect(cursor.at).toBe(limit);
            rows.push(...takeI32(kernel, out, cursor.at));
          }
          expect(rows).toEqual(marks.flatMap((mark, row) => (row >= start && mark === want ? [row] : [])));
        }
      }
    }
  });

  it("locates global rows in batches, empty batches and NONE included", () => {
    const r = random(7);
    for (const sizes of [[5], [0, 5], [5, 0], [3, 0, 0, 4, 1, 0, 100], Array.from({ length: 50 }, (_, i) => (i * 7) % 5)]) {
      const starts = [0];
      for (const size of sizes) starts.push(starts[starts.length - 1] + size);
      const total = starts[sizes.length];
      const ids = Array.from({ length: 120 }, (_, i) => (i % 9 === 8 ? NONE : i < 60 ? i % total : r.below(total)));
      const outSources = putI32(kernel, new Array<number>(130).fill(99));
      const outRows = putI32(kernel, new Array<number>(130).fill(99));
      kernel.locate(putI32(kernel, ids), 10, 100, putI32(kernel, starts), sizes.length, outSources, outRows, 5);
      const sources = takeI32(kernel, outSources, 130);
      const rows = takeI32(kernel, outRows, 130);
      ids.slice(10, 110).forEach((id, i) => {
        if (id === NONE) expect([sources[5 + i], rows[5 + i]]).toEqual([0, NONE]);
        else {
          expect(starts[sources[5 + i]] + rows[5 + i]).toBe(id);
          expect(rows[5 + i]).toBeLessThan(sizes[sources[5 + i]]);
          expect(rows[5 + i]).toBeGreaterThanOrEqual(0);
        }
      });
      expect([rows[4], rows[105], sources[4], sources[105]]).toEqual([99, 99, 99, 99]);
    }
  });
});
