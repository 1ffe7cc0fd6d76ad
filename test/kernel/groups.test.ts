import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kernel } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { random } from "./random.ts";
import { putI32, takeI32 } from "./regions.ts";

/** Representatives of random keys: the first row with the same key, or NONE. */
function randomReps(seed: number, rows: number, distinct: number, nulls: number): number[] {
  const r = random(seed);
  const first = new Map<number, number>();
  return Array.from({ length: rows }, (_, row) => {
    if (r.chance(nulls)) return NONE;
    const key = r.below(distinct);
    if (!first.has(key)) first.set(key, row);
    return first.get(key)!;
  });
}

describe.each(implementations)("groups of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  it.each([
    { rows: 0, distinct: 1, nulls: 0 },
    { rows: 1, distinct: 1, nulls: 0 },
    { rows: 200, distinct: 1, nulls: 0 },
    { rows: 200, distinct: 1, nulls: 1 },
    { rows: 500, distinct: 90, nulls: 0.2 },
    { rows: 500, distinct: 1_000_000, nulls: 0 },
    { rows: 20_000, distinct: 9000, nulls: 0.01 },
  ])("counts, numbers and scatters $rows rows of about $distinct keys in steps, rows of a key in order", ({ rows, distinct, nulls }) => {
    const step = 97;
    const repsOfRows = randomReps(rows, rows, distinct, nulls);
    const reps = putI32(kernel, repsOfRows);
    const counts = kernel.alloc(rows * 4, "counts", true);
    let duplicates = 0;
    let groups = 0;
    for (let from = 0; from < rows; from += step) {
      const added = kernel.countDuplicates(reps, from, Math.min(rows, from + step), counts);
      duplicates += added.duplicates;
      groups += added.groups;
    }
    const model = new Map<number, number[]>();
    repsOfRows.forEach((rep, row) => {
      if (rep === row) model.set(rep, [row]);
      else if (rep !== NONE) model.get(rep)!.push(row);
    });
    const multi = [...model.values()].filter((each) => each.length > 1);
    expect(groups).toBe(multi.length);
    expect(duplicates).toBe(multi.reduce((sum, each) => sum + each.length - 1, 0));

    const offsets = kernel.alloc((groups + 1) * 4, "offsets");
    const groupRows = kernel.alloc((duplicates + groups) * 4, "rows");
    const next = { group: 0, start: 0 };
    for (let from = 0; from < rows; from += step) kernel.numberGroups(counts, from, Math.min(rows, from + step), next, offsets);
    if (rows > 0) expect(next).toEqual({ group: groups, start: duplicates + groups });
    for (let from = 0; from < rows; from += step) kernel.scatterGroups(reps, counts, from, Math.min(rows, from + step), offsets, groupRows);

    const handles = takeI32(kernel, counts, rows);
    const bounds = takeI32(kernel, offsets, groups + 1);
    const scattered = takeI32(kernel, groupRows, duplicates + groups);
    if (rows > 0) expect(bounds[0]).toBe(0);
    for (const [rep, partners] of model) {
      if (partners.length === 1) expect(handles[rep]).toBe(rep);
      else expect(scattered.slice(bounds[-2 - handles[rep]], bounds[-1 - handles[rep]])).toEqual(partners);
    }
  });

  it("numbers groups in the order of their representatives", () => {
    const reps = putI32(kernel, [0, 1, 0, 3, 1, 0]);
    const counts = kernel.alloc(24, "counts", true);
    expect(kernel.countDuplicates(reps, 0, 6, counts)).toEqual({ duplicates: 3, groups: 2 });
    const offsets = kernel.alloc(12, "offsets");
    const rows = kernel.alloc(20, "rows");
    kernel.numberGroups(counts, 0, 6, { group: 0, start: 0 }, offsets);
    expect(takeI32(kernel, counts, 6)).toEqual([-2, -3, 2, 3, 4, 5]);
    kernel.scatterGroups(reps, counts, 0, 6, offsets, rows);
    expect(takeI32(kernel, offsets, 3)).toEqual([0, 3, 5]);
    expect(takeI32(kernel, rows, 5)).toEqual([0, 2, 5, 1, 4]);
  });

  it("counts, numbers and scatters values by dense ids in steps, empty ids included", () => {
    const r = random(21);
    for (const [count, ids] of [
      [0, 5],
      [300, 40],
      [300, 1000],
      [5000, 1],
    ] as const) {
      const idOf = Array.from({ length: count }, () => r.below(ids));
      const drawn = Array.from({ length: count }, () => r.i32());
      const idRegion = putI32(kernel, idOf);
      const values = putI32(kernel, drawn);
      const counts = kernel.alloc(ids * 4, "counts", true);
      const offsets = kernel.alloc((ids + 1) * 4, "offsets", true);
      const rows = kernel.alloc(count * 4, "rows");
      for (let from = 0; from < count; from += 61) kernel.countIds(idRegion, from, Math.min(count, from + 61), counts);
      const next = { start: 0 };
      for (let from = 0; from < ids; from += 17) kernel.numberRuns(counts, from, Math.min(ids, from + 17), next, offsets);
      expect(next.start).toBe(count);
      for (let from = 0; from < count; from += 61) kernel.scatterIds(idRegion, values, from, Math.min(count, from + 61), offsets, rows);
      const handles = takeI32(kernel, counts, ids);
      const bounds = takeI32(kernel, offsets, ids + 1);
      const scattered = takeI32(kernel, rows, count);
      for (let id = 0; id < ids; id++) {
        const expected = drawn.filter((_, i) => idOf[i] === id);
        expect(handles[id]).toBe(expected.length === 0 ? NONE : -2 - id);
        expect(scattered.slice(bounds[id], bounds[id + 1])).toEqual(expected);
      }
    }
  });
});
