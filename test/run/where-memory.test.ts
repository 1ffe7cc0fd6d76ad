/**
 * `joinWhere`, its stream and `joinCrossStream` with `memoryLimit`: the buffered side is taken in chunks that fit, the streamed side is put aside once
 * and read again, rows and order are those of the unlimited join, and the limit holds.
 */

import type { RecordBatch, Table } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowText } from "../support/cell.ts";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { KERNELS } from "../support/loops.ts";
import { type MemoryStore, memoryStore } from "../support/memory-store.ts";
import { ALL_KINDS } from "../support/random.ts";
import { arrayBuffers, readTable } from "../support/rows.ts";
import {
  type How,
  joinCross,
  joinCrossStream,
  joinWhere,
  joinWhereStream,
  rowNumbers,
  runJoinWhere,
  runJoinWhereStream,
  type WhereOptions,
} from "../support/run.ts";
import { gate, inTime, settle, source } from "../support/source.ts";
import { resplit, table } from "../support/table.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

const unhandled: unknown[] = [];
const remember = (reason: unknown) => unhandled.push(reason);
beforeAll(() => {
  process.on("unhandledRejection", remember);
});
afterAll(async () => {
  await settle();
  process.off("unhandledRejection", remember);
  expect(unhandled).toEqual([]);
});

const MIB = 2 ** 20;
type Measured = { readonly peakBytes: number; readonly spilledBytes: number; readonly plan: string };

/** Row numbers, values with nulls, and texts of `width` bytes. */
const side = (own: string, rows: number, step: number, width = 3, batchRows = rows): Table =>
  table(
    {
      v: int32(Array.from({ length: rows }, (_, i) => (i % 13 === 5 ? null : (i * step) % 1009))),
      [own]: int32(Array.from({ length: rows }, (_, i) => i)),
      text: utf8(Array.from({ length: rows }, (_, i) => String(i).padEnd(width, "."))),
    },
    { split: new Array<number>(rows / batchRows).fill(batchRows) },
  );

const PREDICATES: { readonly [path: string]: Tree } = {
  keys: x.and(x.eq(l("v"), r("v")), x.ne(l("lrow"), r("rrow"))),
  "a band": x.and(x.lt(l("v"), r("v")), x.ge(l("v"), x.sub(r("v"), 1))),
  "a loop": x.eq(x.mod(x.add(l("v"), r("v")), 503), 3),
};

const both = (how: How) => !/^(left|right)[A-Z]/.test(how);
const isClean = (store: MemoryStore) => expect([store.files(), ...store.misuse]).toEqual([0]);
const bytesOf = (batches: readonly RecordBatch[]): number =>
  [...arrayBuffers(batches)].reduce((sum, { byteLength }) => sum + byteLength, 0);

describe("a buffered side in chunks", () => {
  const [left, right] = [side("lrow", 23, 37), side("rrow", 20, 41)];
  const near = x.le(x.abs(x.sub(l("v"), r("v"))), 60);

  it("is gone over in as many passes as there are chunks, and the plan says so", async () => {
    for (const how of ALL_KINDS) {
      const store = memoryStore();
      const given = { how, build: "right", spill: store } as const;
      const stream = await runJoinWhereStream(left, right, near, given, { wherePath: "loop", chunkRows: 7 });
      const rows = readTable(await stream.toTable()).rows.map(rowText);
      expect(rows).toEqual(readTable(joinWhere(left, right, near, { how })).rows.map(rowText));
      expect(stream.explain()).toMatch(/passes: 3\b/);
      expect(store.calls.append).toBeGreaterThan(0);
      isClean(store);
    }
  });

  it("is one pass where all of it is one chunk: nothing is put aside", async () => {
    const store = memoryStore();
    const stream = await runJoinWhereStream(left, right, near, { how: "full", spill: store }, { wherePath: "loop", chunkRows: 21 });
    await stream.toTable();
    expect(stream.explain()).not.toMatch(/passes/);
    expect(store.calls).toEqual({ create: 0, append: 0, read: 0, remove: 0 });
    expect((stream.metrics() as unknown as Measured).spilledBytes).toBe(0);
  });

  it("has the streamed side written once, however many passes there are", async () => {
    for (const how of ["leftSemi", "leftAnti", "leftMark"] as const) {
      const spilled = [1, 2, 7, 19].map((chunkRows) => {
        let bytes = 0;
        const onMetrics = (metrics: unknown) => (bytes = (metrics as Measured).spilledBytes);
        const options = { how, build: "right", spill: memoryStore() } as const;
        return runJoinWhereStream(source(left), right, near, { ...options, onMetrics }, { wherePath: "loop", chunkRows })
          .then((stream) => stream.toTable())
          .then(() => bytes);
      });
      const all = await Promise.all(spilled);
      expect(new Set(all).size, `${how}: ${all}`).toBe(1);
      expect(all[0]).toBeGreaterThan(0);
      expect(all[0]).toBeLessThan(2 * bytesOf(left.batches) + 4096);
    }
  });

  it("counts the same rows in one pass and in many", async () => {
    for (const how of ALL_KINDS) {
      const seen = [undefined, 1, 3, 7].map((chunkRows) => {
        let metrics: Record<string, unknown> = {};
        const onMetrics = (given: unknown) => (metrics = given as typeof metrics);
        runJoinWhere(
          left,
          right,
          near,
          { how, build: "right", onMetrics },
          { wherePath: "loop", noEarlyExit: true, ...(chunkRows && { chunkRows }) },
        );
        const { leftRows, rightRows, outRows, leftUnmatched, rightUnmatched, pairsPassed } = metrics;
        return JSON.stringify({ leftRows, rightRows, outRows, leftUnmatched, rightUnmatched, pairsPassed });
      });
      expect(new Set(seen).size, `${how}: ${seen.join(" ")}`).toBe(1);
    }
  });

  it("gives rows while the streamed side still comes, where the order is any", async () => {
    const late = gate();
    const batches = resplit(left, 5, false);
    const stream = await runJoinWhereStream(
      source(batches, (pull) => (pull === 3 ? late.opened : undefined)),
      right,
      near,
      { order: "any", build: "right", batchSize: 2, spill: memoryStore({ answers: "later" }) },
      { wherePath: "loop", chunkRows: 3 },
    );
    expect((await inTime(stream.next(), "a batch of the first pass")).done).toBe(false);
    late.open();
    let rows = 0;
    for await (const batch of stream) rows += batch.numRows;
    expect(rows + 2).toBe(joinWhere(left, right, near).numRows);
  });
});

describe("memoryLimit", () => {
  const limit = 6 * MIB;
  /** About 11 MB. */
  const right = side("rrow", 5500, 41, 2000, 500);
  const left = side("lrow", 900, 37, 20, 180);
  /** Rows of 2 kB: as many as leave room for what else the join holds. */
  const batchSize = 256;

  for (const [path, predicate] of Object.entries(PREDICATES)) {
    it(`holds, and changes neither rows nor their order, for every kind: ${path}`, async () => {
      for (const [at, how] of ALL_KINDS.entries()) {
        const kernel = KERNELS[at % 2];
        const options: WhereOptions = { how, select: rowNumbers(how) };
        const expected = readTable(joinWhere(left, right, predicate, options)).rows.map(rowText);
        const store = memoryStore({ answers: at % 3 ? "now" : "later" });
        const given = {
          ...options,
          kernel,
          memoryLimit: limit,
          spill: store,
          batchSize,
          select: [...rowNumbers(how), ...(both(how) ? ["right.text"] : [])],
        };
        const stream = await joinWhereStream(source(left), source(right), predicate, given);
        const rows = readTable(await stream.toTable()).rows.map((row) => rowText(row.slice(0, rowNumbers(how).length)));
        expect(rows, `${how}, ${kernel}`).toEqual(expected);
        const metrics = stream.metrics() as unknown as Measured;
        // A batch of either side is in hand when it is seen not to fit.
        const inHand = bytesOf([right.batches[0], left.batches[0]]);
        expect(metrics.peakBytes, `${how}, ${kernel}`).toBeLessThanOrEqual(limit + inHand);
        if (both(how)) expect(metrics.plan ?? stream.explain()).toMatch(/passes: [2-9]/);
        isClean(store);
      }
    });
  }

  it("is enough or it is not: a little more or less makes no join fail that has a store", async () => {
    const [few, many] = [side("lrow", 100, 37), side("rrow", 40_000, 41, 80, 4000)];
    for (const [at, predicate] of Object.values(PREDICATES).entries()) {
      const counts = [joinWhere(few, many, predicate).numRows, joinWhere(few, many, predicate, { how: "full" }).numRows];
      for (let step = 0; step < 8; step++) {
        const memoryLimit = Math.round((3 + 0.23 * step) * MIB);
        const options = {
          how: step % 2 ? "full" : "inner",
          kernel: KERNELS[(step >> 1) % 2],
          spill: memoryStore(),
          select: [],
          memoryLimit,
        } as const;
        const stream = await joinWhereStream(source(few), source(many), predicate, options);
        expect((await stream.toTable()).numRows, `${at}, ${JSON.stringify(options)}`).toBe(counts[step % 2]);
      }
    }
  });

  it("takes a single batch that exceeds it in slices, on either side", async () => {
    const whole = side("rrow", 5500, 41, 2000);
    for (const build of ["left", "right"] as const) {
      const [a, b] = build === "right" ? [left, whole] : [side("lrow", 5500, 37, 2000), side("rrow", 900, 41, 20)];
      const store = memoryStore();
      const given = { how: "full", build, memoryLimit: limit, spill: store, select: rowNumbers("full") } as const;
      const stream = await joinWhereStream(source(a), source(b), PREDICATES["a loop"], given);
      const expected = readTable(
        joinWhere(a, b, PREDICATES["a loop"], { how: "full", order: build === "left" ? "right" : "left", select: rowNumbers("full") }),
      );
      expect(readTable(await stream.toTable()).rows.map(rowText)).toEqual(expected.rows.map(rowText));
      isClean(store);
    }
  });

  it("of one-shot verbs does not count the caller's tables, and takes a store that answers at once", () => {
    for (const kernel of KERNELS) {
      const store = memoryStore();
      const options = { how: "full", select: rowNumbers("full"), kernel } as const;
      const result = joinWhere(left, right, PREDICATES["a loop"], { ...options, memoryLimit: limit, spill: store });
      expect(readTable(result).rows.map(rowText)).toEqual(
        readTable(joinWhere(left, right, PREDICATES["a loop"], options)).rows.map(rowText),
      );
      isClean(store);
    }
  });

  it("that is not reached changes nothing and puts nothing aside", async () => {
    const store = memoryStore();
    for (const memoryLimit of [256 * MIB, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
      const stream = await joinWhereStream(left, right, PREDICATES["a band"], { memoryLimit, spill: store });
      expect((await stream.toTable()).numRows).toBe(joinWhere(left, right, PREDICATES["a band"]).numRows);
    }
    expect(store.calls.create).toBe(0);
  });

  it("without a store is the error of a stream that does not fit, which names the limit, the side and what to do", async () => {
    for (const [build, which] of [
      ["right", "right"],
      ["left", "left"],
    ] as const) {
      const [a, b] = build === "right" ? [source(left), source(right)] : [source(right), source(left)];
      const predicate = x.lt(l("v"), r("v"));
      const stream = await joinWhereStream(a, b, predicate, { build, memoryLimit: limit });
      const error = await expectError(() => stream.toTable(), "MEMORY_LIMIT", which, String(limit), "spill");
      await settle();
      expect((build === "right" ? a : b).returns()).toBe(1);
      await expect(stream.next()).rejects.toBe(error);
    }
  });

  it("that one row does not fit in is an error, with a store too", async () => {
    const huge = table({ v: int32([1, 2, 3]), text: utf8(["small", "x".repeat(12 * MIB), "small"]) }, { split: [1, 1, 1] });
    const store = memoryStore();
    const stream = await joinWhereStream(source(left), source(huge), x.lt(l("v"), r("v")), { memoryLimit: limit, spill: store });
    await expectError(() => stream.toTable(), "MEMORY_LIMIT", "right", String(limit));
    isClean(store);
  });

  it("that is too small for anything is an error, not a loop without end", async () => {
    for (const memoryLimit of [1, 1000, 50_000]) {
      const store = memoryStore();
      const stream = await joinWhereStream(source(left), source(right), PREDICATES["a loop"], { memoryLimit, spill: store });
      await expectError(() => inTime(stream.toTable(), "the error", 10_000), "MEMORY_LIMIT", String(memoryLimit));
      isClean(store);
    }
  });

  it("holds for joinCrossStream, whose order stays", async () => {
    const few = side("lrow", 3, 37, 20);
    const store = memoryStore();
    const options = { select: ["left.lrow", "right.rrow", "right.text"], memoryLimit: limit, spill: store, batchSize: 100 };
    const stream = await joinCrossStream(source(few), source(right), options);
    let at = 0;
    for await (const batch of stream) {
      const { rows } = { rows: [batch.getChildAt(0), batch.getChildAt(1)] };
      for (let i = 0; i < batch.numRows; i++, at++) {
        if (rows[0]?.get(i) !== Math.floor(at / 5500) || rows[1]?.get(i) !== at % 5500)
          expect([at, rows[0]?.get(i), rows[1]?.get(i)]).toEqual([at, Math.floor(at / 5500), at % 5500]);
      }
    }
    expect(at).toBe(3 * 5500);
    const { peakBytes } = stream.metrics() as unknown as Measured;
    expect(peakBytes).toBeLessThanOrEqual(limit + bytesOf([right.batches[0], few.batches[0]]));
    isClean(store);
    expect(joinCross(few, right, { select: [] }).numRows).toBe(3 * 5500);
  });
});
