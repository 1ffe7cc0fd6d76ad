import { describe, expect, it } from "vitest";
import type { Kernel, KeyBlock } from "../../src/kernel/contract.ts";
import { kernels } from "./kernels.ts";
import { cells, flags, random, strings } from "./random.ts";
import { putI32, takeBytes, takeI32 } from "./regions.ts";
import { bytesBlock, fixedBlock, insertAll } from "./tables.ts";

const BUILD = 700;
const PROBE = 500;

/** A whole join of random data, build to pairs, selections and marks, as plain data. */
function joinTrace(kernel: Kernel, makeBlock: (rows: number, offset: number) => { block: KeyBlock; lengths: number[] | null }): object {
  const build = makeBlock(BUILD, 0);
  const { table, values } = insertAll(kernel, build.block, BUILD, 0, build.lengths);
  const reps = putI32(kernel, values);
  const counts = kernel.alloc(BUILD * 4, "counts", true);
  const added = kernel.countDuplicates(reps, 0, BUILD, counts);
  const groups = {
    offsets: kernel.alloc((added.groups + 1) * 4, "offsets"),
    rows: kernel.alloc((added.duplicates + added.groups) * 4, "rows"),
  };
  const next = { group: 0, start: 0 };
  kernel.numberGroups(counts, 0, BUILD, next, groups.offsets);
  kernel.scatterGroups(reps, counts, 0, BUILD, groups.offsets, groups.rows);
  kernel.relabelSwiss(table, counts, 0, table.slots);

  const probe = makeBlock(PROBE, 350);
  const handles = kernel.alloc(PROBE * 4, "handles");
  kernel.probeSwiss(table, probe.block, 0, PROBE, handles, 0);
  const summary = kernel.summarize(handles, 0, PROBE, groups);
  const limit = summary.pairs + summary.none;
  const cursor = { row: 0, pos: 0, at: 0 };
  const [outProbe, outBuild, out] = [0, 0, 0].map(() => kernel.alloc((limit + 1) * 4, "pairs"));
  kernel.expand(handles, cursor, PROBE, groups, true, 0, outProbe, outBuild, limit + 1);
  const unmatched = { row: 0, at: 0 };
  kernel.selectRows(handles, unmatched, PROBE, false, 0, out, limit + 1);
  const rowMarks = kernel.alloc((BUILD >> 3) + 1, "marks", true);
  const groupMarks = kernel.alloc((added.groups >> 3) + 1, "marks", true);
  const fresh = kernel.markMatches(handles, 0, PROBE, rowMarks, groupMarks);
  kernel.spreadMarks(groupMarks, 0, added.groups, groups, rowMarks);
  return {
    values,
    count: table.count,
    keyBytesUsed: table.keyBytesUsed,
    added,
    next,
    handles: takeI32(kernel, handles, PROBE),
    offsets: takeI32(kernel, groups.offsets, added.groups + 1),
    rows: takeI32(kernel, groups.rows, next.start),
    summary,
    cursor,
    probe: takeI32(kernel, outProbe, cursor.at),
    build: takeI32(kernel, outBuild, cursor.at),
    unmatched: takeI32(kernel, out, unmatched.at),
    fresh,
    marks: takeBytes(kernel, rowMarks, Math.ceil(BUILD / 8)),
  };
}

function trace(kernel: Kernel, width: number): object {
  const r = random(width + 1);
  if (width > 0) {
    const pool = cells(r, width, BUILD + PROBE, 600).bytes;
    return joinTrace(kernel, (rows, offset) => ({
      block: fixedBlock(kernel, width, pool.subarray(offset * width, (offset + rows) * width), flags(r, rows, 0.9)),
      lengths: null,
    }));
  }
  const pool = strings(r, BUILD + PROBE, 600, 30);
  return joinTrace(kernel, (rows, offset) => {
    const texts = pool.slice(offset, offset + rows);
    return { block: bytesBlock(kernel, texts, flags(r, rows, 0.9), offset), lengths: texts.map((text) => text.length) };
  });
}

describe("both kernels, every seed, and forced collisions", () => {
  it.each([4, 8, 16, 24, 0])("give identical values, handles, groups, pairs and marks for keys of width %i", (width) => {
    const [first, ...others] = kernels.map(({ make }) => {
      const kernel = make();
      const result = trace(kernel, width);
      kernel.close();
      return result;
    });
    expect(Object.keys(first).length).toBeGreaterThan(10);
    for (const other of others) expect(other).toEqual(first);
  });

  it("canonicalise floats to identical bytes", () => {
    const r = random(77);
    const bytes = r.bytes(800);
    for (let i = 0; i < 800; i += 16) bytes.set([0xff, 0xf0 | (i & 15)], i + 6);
    const packings = kernels.map(({ make }) => {
      const kernel = make();
      const src = kernel.alloc(800, "values");
      kernel.write(src, 0, bytes);
      const dst = kernel.alloc(1600, "cells", true);
      const result = [2, 4, 8].map((width) => {
        kernel.packFixed(dst, 16, 0, 8, src, width, "float", 100);
        return takeBytes(kernel, dst, 1600);
      });
      kernel.close();
      return result;
    });
    for (const packing of packings.slice(1)) expect(packing).toEqual(packings[0]);
  });
});
