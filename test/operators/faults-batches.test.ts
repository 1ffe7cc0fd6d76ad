/**
 * Faults that other systems' joins have had (public reports, by their number in the collection's Part 1), each reduced to a small input with the right
 * answer and run over every axis: match bookkeeping, output batches, overflow (A, B, C).
 */

import type { Data, Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { fixedSizeBinary, int32, int64, list, utf8 } from "../support/column.ts";
import { expectJoin } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { type How, join, joinStream, mirrorKind, type Options } from "../support/run.ts";
import { resplit, table } from "../support/table.ts";

const KINDS: readonly How[] = ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"];
const KERNELS = ["wasm", "ts"] as const;

const ids = (values: readonly (number | null)[], split?: readonly number[]) => table({ k: int32(values) }, split && { split });

describe("A. match bookkeeping across batches", () => {
  it("1: unmatched rows are judged over all batches of the other side, and exist when it is empty", async () => {
    const options: Options = { on: "k", how: "left", coalesceKeys: false };
    await expectJoin(ids([1, 2]), ids([1, 2], [1, 1]), options, {
      rows: [
        [1, 1],
        [2, 2],
      ],
    });
    for (const split of [[0], [], [0, 0]])
      await expectJoin(ids([1, 2]), ids([], split), options, {
        rows: [
          [1, null],
          [2, null],
        ],
      });
  });

  it("3: padded rows come once, whatever the batches of either side", async () => {
    const left = ids([1, 2, 3, 4, 5]);
    const right = ids([10, 20, 30], [1, 1, 1]);
    for (const batchSize of [1, 2, 3]) {
      await expectJoin(
        left,
        right,
        { on: "k", how: "left", coalesceKeys: false, batchSize },
        { rows: [1, 2, 3, 4, 5].map((k) => [k, null]) },
      );
    }
    await expectJoin(left, right, { on: "k", how: "full", coalesceKeys: false });
  });

  it("6: a stream that can be read once is read once, with the result of the one-shot verb", async () => {
    const left = table({ k: int32(Array.from({ length: 500 }, (_, i) => i % 50)), v: int32(Array.from({ length: 500 }, (_, i) => i)) });
    const right = table({ k: int32(Array.from({ length: 40 }, (_, i) => i)), w: int32(Array.from({ length: 40 }, (_, i) => i)) });
    for (const how of KINDS) {
      let reads = 0;
      const once = (input: Table) => ({
        schema: input.schema,
        batches: {
          async *[Symbol.asyncIterator]() {
            reads++;
            yield* resplit(input, 7, false).batches;
          },
        },
      });
      const stream = await joinStream(once(left), once(right), { on: "k", how, batchSize: 16 });
      expect(readTable(await stream.toTable()).rows).toEqual(readTable(join(left, right, { on: "k", how })).rows);
      expect(reads).toBeLessThanOrEqual(2);
    }
  });

  it("7: rows of one key in a batch that arrives later match as those before it", async () => {
    for (const how of ["leftSemi", "leftAnti", "rightSemi", "rightAnti", "inner"] as const) {
      await expectJoin(ids([5, 5], [1, 1]), ids([5]), { on: "k", how });
      await expectJoin(ids([5]), ids([5, 5], [1, 1]), { on: "k", how });
    }
    await expectJoin(ids([5, 5], [1, 1]), ids([5]), { on: "k", how: "leftSemi" }, { rows: [[5], [5]] });
    await expectJoin(ids([5, 5], [1, 1]), ids([5]), { on: "k", how: "leftAnti" }, { rows: [] });
  });

  it("12: semi and anti kinds agree with the rows that inner and left joins match", () => {
    const cells = (count: number, salt: number) =>
      int32(Array.from({ length: count }, (_, i) => ((i * salt) % 11 === 5 ? null : (i * salt) % 23)));
    const left = table({ k: cells(60, 7), row: int32(Array.from({ length: 60 }, (_, i) => i)) });
    const right = table({ k: cells(45, 13), other: int32(Array.from({ length: 45 }, (_, i) => i)) });
    for (const kernel of KERNELS) {
      const rowsOf = (how: How, name: string) => readTable(join(left, right, { on: "k", how, select: [name], kernel })).rows.flat();
      const matched = new Set(rowsOf("inner", "left.row"));
      expect(rowsOf("leftSemi", "left.row")).toEqual([...matched].sort((a, b) => Number(a) - Number(b)));
      expect(rowsOf("leftAnti", "left.row")).toEqual(Array.from({ length: 60 }, (_, i) => i).filter((i) => !matched.has(i)));
      const others = new Set(rowsOf("inner", "right.other"));
      expect(rowsOf("rightSemi", "right.other")).toEqual([...others].sort((a, b) => Number(a) - Number(b)));
      expect(rowsOf("rightAnti", "right.other")).toEqual(Array.from({ length: 45 }, (_, i) => i).filter((i) => !others.has(i)));
    }
  });

  it("13: a full join gives unmatched buffered rows once, not once a batch", async () => {
    await expectJoin(
      ids([1, 2]),
      ids([1, 2], [1, 1]),
      { on: "k", how: "full", coalesceKeys: false },
      {
        rows: [
          [1, 1],
          [2, 2],
        ],
      },
    );
    await expectJoin(ids([1, 2, 3]), ids([1, 9, 8], [1, 1, 1]), { on: "k", how: "full" }, { rows: [[1], [2], [3], [9], [8]] });
  });

  it("15: a right anti join against nothing keeps every row, the null key too", async () => {
    const right = ids([null, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    for (const split of [[0], []]) await expectJoin(ids([], split), right, { on: "k", how: "rightAnti" }, { rows: readTable(right).rows });
    await expectJoin(ids([null, 20]), right, { on: "k", how: "rightAnti", batchSize: 3 }, { rows: readTable(right).rows });
  });

  it("16: matches that do not fill the last chunk are there", () => {
    for (const rows of [1023, 1024, 1025, 2049, 16383, 16384, 16385, 40_000]) {
      const keys = Array.from({ length: rows }, (_, i) => (i * 7) % rows);
      const side = table({ k: int32(keys) });
      const texts = table({ k: utf8(keys.map(String)) });
      for (const kernel of KERNELS) {
        const total = (input: Table, options: Partial<Options>) => join(input, input, { on: "k", select: [], kernel, ...options }).numRows;
        expect(total(side, {})).toBe(rows);
        expect(total(side, { how: "full", batchSize: 1000 })).toBe(rows);
        expect(total(texts, { how: "leftSemi" })).toBe(rows);
      }
    }
  }, 60_000);

  it("18: the same join written two ways gives the same rows", () => {
    const left = table({ k: int32([1, 2, null, 2, 5]), v: int32([1, 2, 3, 4, 5]) });
    const right = table({ k: int32([2, 2, 6, null, 1]), w: int32([1, 2, 3, 4, 5]) });
    for (const how of KINDS) {
      const one = how.endsWith("Semi") || how.endsWith("Anti");
      const select = one ? (how.startsWith("left") ? ["left.v"] : ["right.w"]) : ["left.v", "right.w"];
      const swapped = select.map((name) => (name === "left.v" ? "right.v" : "left.w"));
      for (const nullsEqual of [false, true]) {
        const there = readTable(join(left, right, { on: "k", how, select, nullsEqual })).rows;
        const back = readTable(join(right, left, { on: "k", how: mirrorKind(how), select: swapped, nullsEqual, order: "right" })).rows;
        expect(back).toEqual(there);
      }
    }
  });
});

describe("B. output batches and memory", () => {
  it("19: a left anti join against nothing keeps to the batch size", async () => {
    const left = ids([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await expectJoin(left, ids([]), { on: "k", how: "leftAnti", batchSize: 4 }, { rows: readTable(left).rows });
    await expectJoin(ids([]), left, { on: "k", how: "rightAnti", batchSize: 4 }, { rows: readTable(left).rows });
    await expectJoin(ids([]), left, { on: "k", how: "full", batchSize: 4 }, { rows: readTable(left).rows });
  });

  it("21: 25 million pairs of one key are streamed in bounded memory", async () => {
    const side = table({ k: int32(new Array<number>(5000).fill(1)), v: int32(Array.from({ length: 5000 }, (_, i) => i)) });
    for (const kernel of KERNELS) {
      const before = process.memoryUsage().arrayBuffers;
      let rows = 0;
      let most = 0;
      for await (const batch of await joinStream(side, side, { on: "k", kernel })) {
        expect(batch.numRows).toBeLessThanOrEqual(8192);
        rows += batch.numRows;
        if (rows % (8192 * 128) === 0) most = Math.max(most, process.memoryUsage().arrayBuffers);
      }
      expect(rows).toBe(25_000_000);
      expect(most - before).toBeLessThan(200e6);
    }
  }, 60_000);

  it("24: 65 536 built rows of three keys make three table entries and keep every duplicate", () => {
    const build = table({
      k: int32(Array.from({ length: 65_536 }, (_, i) => i % 3)),
      row: int32(Array.from({ length: 65_536 }, (_, i) => i)),
    });
    const probe = table({ k: int32([2, 0, 1]) });
    for (const kernel of KERNELS) {
      let keys = 0;
      const result = join(probe, build, {
        on: "k",
        build: "right",
        kernel,
        select: ["right.row"],
        onMetrics: (metrics: { distinctKeys: number }) => (keys = metrics.distinctKeys),
      });
      const rows = readTable(result).rows.flat().map(Number);
      expect(rows.length).toBe(65_536);
      expect(keys).toBe(3);
      expect(rows.slice(0, 3)).toEqual([2, 5, 8]);
      expect(new Set(rows).size).toBe(65_536);
    }
  });

  it("25: an output batch holds its own strings, not the buffers of the side that was built", () => {
    const words = Array.from({ length: 300 }, (_, i) => `word ${i} ${"x".repeat(50)}`);
    const build = table({ k: int32(words.map((_, i) => i)), s: utf8(words) }, { split: [100, 100, 100] });
    const probe = table({ k: int32(words.map((_, i) => (i * 101) % 300)) });
    for (const kernel of KERNELS) {
      const result = join(probe, build, { on: "k", build: "right", batchSize: 10, kernel });
      for (const batch of result.batches) {
        const data = batch.getChild("s")?.data[0] as Data;
        const own = (data.valueOffsets as Int32Array)[batch.numRows] - (data.valueOffsets as Int32Array)[0];
        expect((data.values as Uint8Array).buffer.byteLength).toBeLessThanOrEqual(2 * own + 64);
      }
    }
  });
});

describe("C. index and integer overflow", () => {
  it("27: the smallest and the largest 64-bit integer are two keys, not a dense range", async () => {
    const ends = table({ k: int64([-(2n ** 63n), 2n ** 63n - 1n]) });
    await expectJoin(ends, ends, { on: "k" }, { rows: [[-(2n ** 63n)], [2n ** 63n - 1n]] });
    const near = table({ k: int64([2n ** 63n - 1n, 2n ** 63n - 2n, 2n ** 63n - 3n]) });
    await expectJoin(near, ends, { on: "k", how: "full" });
    const narrow = table({ k: int32([-2147483648, 2147483647]) });
    await expectJoin(narrow, narrow, { on: "k" }, { rows: [[-2147483648], [2147483647]] });
  });

  it("28: a probe key is compared with the dense range before it is narrowed", async () => {
    const build = table({ k: int64([0n, 1n, 2n, 3n]) });
    const probe = table({ k: int64([4294967296n, -4294967295n]) });
    await expectJoin(probe, build, { on: "k" }, { rows: [] });
    await expectJoin(probe, build, { on: "k", how: "full" });
    await expectJoin(table({ k: int64([2n ** 32n + 2n, 2n, -(2n ** 63n) + 2n]) }), build, { on: "k", how: "left" });
  });

  it("30: a hundred thousand lists are gathered with all their elements", () => {
    const lists = Array.from({ length: 1000 }, (_, i) => (i % 10 === 9 ? null : Array.from({ length: i % 7 }, (_, j) => i * 10 + j)));
    const build = table({ k: int32(lists.map((_, i) => i)), items: list(int32(), lists) }, { split: [400, 600] });
    const probe = table({ k: int32(Array.from({ length: 100_000 }, (_, i) => (i * 37) % 1000)) });
    for (const kernel of KERNELS) {
      const rows = readTable(join(probe, build, { on: "k", build: "right", kernel, batchSize: 30_000 })).rows;
      expect(rows.length).toBe(100_000);
      for (const row of [0, 1, 29_999, 30_000, 77_777, 99_999]) expect(rows[row]).toEqual([(row * 37) % 1000, lists[(row * 37) % 1000]]);
    }
  }, 30_000);

  it("33: 128-bit keys are compared in all their bytes", async () => {
    const zero = "00".repeat(16);
    const high = `${"00".repeat(8)}01${"00".repeat(7)}`;
    await expectJoin(
      table({ k: fixedSizeBinary(16)([high, zero]) }),
      table({ k: fixedSizeBinary(16)([zero]) }),
      { on: "k" },
      { rows: [[zero]] },
    );
  });
});
