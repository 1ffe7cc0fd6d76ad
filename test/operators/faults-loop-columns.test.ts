/**
 * Faults that other systems' joins have had (public reports, by their number in the collection's Part 1), as nested loops and as loops of many
 * passes: output batches, predicates, and columns that are not there (B, G). The other files have them as hash joins.
 */

import type { Data } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { Cell } from "../support/cell.ts";
import { bool, int32, utf8 } from "../support/column.ts";
import { type ExpectOptions, expectJoinCross, expectJoinWhere } from "../support/expect-join.ts";
import { expectLoops, KERNELS, LOOPS } from "../support/loops.ts";
import { ALL_KINDS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { joinCross, joinWhere, joinWhereStream, runJoinWhere, runJoinWhereStream } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, r, x } from "../support/tree.ts";

const ids = (values: readonly Cell[], split?: readonly number[]) => table({ k: int32(values) }, split && { split });
const valued = (rows: readonly (readonly [Cell, Cell])[], split?: readonly number[]) =>
  table({ k: int32(rows.map(([k]) => k)), v: int32(rows.map(([, v]) => v)) }, split && { split });

/** Each case runs a part of the combinations, in turn: loops, paths, chunks of every size and every store are among them. */
let number = 0;
const turn = (parts = 12): ExpectOptions => ({ part: [number++, parts] });

/** Not an equality of columns, so that no hash answers it. */
const equal = x.eq(x.sub(l("k"), r("k")), 0);

describe("B. output batches and memory", () => {
  it("19: an anti join against nothing, and unmatched rows at the end, keep to the batch size", async () => {
    const left = ids([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { rows } = readTable(left);
    const less = x.lt(l("k"), r("k"));
    await expectJoinWhere(left, ids([]), less, { how: "leftAnti", batchSize: 4 }, { rows, ...turn() });
    await expectJoinWhere(ids([]), left, less, { how: "rightAnti", batchSize: 4 }, { rows, ...turn() });
    await expectJoinWhere(ids([]), left, less, { how: "full", batchSize: 4 }, { rows: rows.map(([k]) => [null, k]), ...turn() });
    await expectJoinWhere(ids([99]), left, x.lt(x.add(l("k"), r("k")), 0), { how: "full", batchSize: 4 }, turn(2));
  });

  it("21: 25 million pairs are streamed in bounded memory", async () => {
    const input = table({ k: int32(new Array<number>(5000).fill(1)), v: int32(Array.from({ length: 5000 }, (_, i) => i)) });
    for (const [kernel, wherePath] of [
      ["wasm", "loop"],
      ["ts", undefined],
    ] as const) {
      const before = process.memoryUsage().arrayBuffers;
      let rows = 0;
      let most = 0;
      const stream = await runJoinWhereStream(input, input, x.ge(l("k"), r("k")), { kernel }, wherePath ? { wherePath } : {});
      for await (const batch of stream) {
        expect(batch.numRows).toBeLessThanOrEqual(8192);
        rows += batch.numRows;
        if (rows % (8192 * 128) === 0) most = Math.max(most, process.memoryUsage().arrayBuffers);
      }
      expect(rows).toBe(25_000_000);
      expect(most - before).toBeLessThan(200e6);
    }
  }, 60_000);

  it("24: 65 536 buffered rows of three keys make three table entries where an equality becomes a key", () => {
    const build = table({
      k: int32(Array.from({ length: 65_536 }, (_, i) => i % 3)),
      row: int32(Array.from({ length: 65_536 }, (_, i) => i)),
    });
    for (const kernel of KERNELS) {
      let keys = 0;
      const onMetrics = (metrics: { distinctKeys: number }) => (keys = metrics.distinctKeys);
      const options = { build: "right", kernel, select: ["right.row"], onMetrics };
      const result = joinWhere(ids([2, 0, 1]), build, x.eq(l("k"), r("k")), options);
      const rows = readTable(result).rows.flat().map(Number);
      expect([rows.length, new Set(rows).size, keys]).toEqual([65_536, 65_536, 3]);
      expect(rows.slice(0, 3)).toEqual([2, 5, 8]);
    }
  });

  it("25: an output batch holds its own strings, not the buffers of the side that was buffered", () => {
    const words = Array.from({ length: 200 }, (_, i) => `word ${i} ${"x".repeat(50)}`);
    const build = table({ k: int32(words.map((_, i) => i)), s: utf8(words) }, { split: [100, 100] });
    const probe = ids(words.map((_, i) => (i * 101) % 200));
    for (const kernel of KERNELS) {
      for (const switches of [LOOPS[0], {}]) {
        const result = runJoinWhere(probe, build, equal, { build: "right", batchSize: 10, kernel }, switches);
        expect(result.numRows).toBe(200);
        for (const batch of result.batches) {
          const data = batch.getChild("s")?.data[0] as Data;
          const own = (data.valueOffsets as Int32Array)[batch.numRows] - (data.valueOffsets as Int32Array)[0];
          expect((data.values as Uint8Array).buffer.byteLength).toBeLessThanOrEqual(2 * own + 64);
        }
      }
    }
  });
});

describe("G. predicates, projections, zero columns, mark", () => {
  it("67: an anti join takes notice of the whole predicate", async () => {
    const t = valued([
      [1, 2],
      [3, 4],
    ]);
    const predicate = x.and(equal, x.ne(r("v"), l("v")));
    expectLoops(t, t, predicate, { how: "leftAnti" }, readTable(t).rows);
    expectLoops(t, t, predicate, { how: "rightAnti" }, readTable(t).rows);
    expectLoops(t, t, predicate, { how: "leftSemi" }, []);
  });

  it("69: a constant predicate over batches without columns keeps their row counts", async () => {
    const [left, right] = [ids([1, 2], [1, 1]), ids([3])];
    expectLoops(left, right, lit(true), {}, [
      [1, 3],
      [2, 3],
    ]);
    expectLoops(left, right, lit(false), { how: "left" }, [
      [1, null],
      [2, null],
    ]);
    const bare = (rows: number, split: readonly number[]) => table({}, { rows, split });
    for (const predicate of [lit(true), lit(false), lit(null)]) {
      for (const how of ALL_KINDS) {
        await expectJoinWhere(left, right, predicate, { how, select: [] }, turn());
        await expectJoinWhere(bare(2, [1, 1]), bare(1, [1]), predicate, { how }, turn());
        await expectJoinWhere(bare(2, [2]), right, predicate, { how }, turn(12));
      }
    }
    await expectJoinCross(bare(2, [1, 1]), bare(3, [3]), {}, { rows: new Array(6).fill([]), ...turn() });
  });

  it("70: a left join on a condition on the left alone keeps the left rows that it does not pass", async () => {
    const left = table({ name: utf8(["Alice", "Bob", "Carol"]) });
    const right = table({ dept: utf8(["HR"]) });
    const rows = [
      ["Alice", "HR"],
      ["Bob", "HR"],
      ["Carol", null],
    ];
    const names = ["Alice", "Bob"];
    expectLoops(left, right, x.in(l("name"), ...names), { how: "left" }, rows);
    expectLoops(right, left, x.in(r("name"), ...names), { how: "right", select: ["name", "dept"] }, rows);
    for (const how of ALL_KINDS) await expectJoinWhere(left, right, x.in(l("name"), ...names), { how }, turn());
  });

  it("72: a result without columns has the right count, and no column is read for it but the predicate's", async () => {
    const left = table({ v: int32([1, 5, 2, 3]), unread: utf8(["a", "b", "c", "d"]) }, { split: [1, 3] });
    const right = table({ v: int32([3, 9, 9]), unread: bool([true, false, null]) });
    for (const how of ALL_KINDS) {
      await expectJoinWhere(left, right, x.lt(l("v"), r("v")), { how, select: [] }, turn());
      await expectJoinWhere(left, right, x.ne(x.mod(x.add(l("v"), r("v")), 2), 0), { how, select: [] }, turn());
    }
    const broken = table({ v: int32([1, 2]), bad: utf8(["x", "y"]) });
    (broken.batches[0].data.children[1].valueOffsets as Int32Array)[1] = 1_000_000;
    for (const kernel of KERNELS) {
      for (const switches of [...LOOPS, {}]) {
        expect(runJoinWhere(broken, right, x.lt(l("v"), r("v")), { select: [], kernel }, switches).numRows).toBe(6);
        const stream = await runJoinWhereStream(
          broken,
          right,
          x.ge(l("v"), r("v")),
          { how: "leftMark", select: ["mark"], kernel },
          switches,
        );
        expect(readTable(await stream.toTable()).rows).toEqual([[false], [false]]);
      }
      expect(joinCross(broken, right, { select: [], kernel }).numRows).toBe(6);
    }
  });

  it("73: sides of different column counts do not confuse a right anti join, nor any other kind", async () => {
    const left = ids([1, 2]);
    const right = table({ k: int32([2, 3, null]), a: utf8(["x", "y", "z"]), b: bool([true, null, false]) });
    expectLoops(left, right, equal, { how: "rightAnti" }, [
      [3, "y", null],
      [null, "z", false],
    ]);
    for (const how of ALL_KINDS) {
      await expectJoinWhere(left, right, x.and(x.ge(l("k"), r("k")), r("b")), { how }, turn());
      await expectJoinWhere(right, left, x.and(equal, x.isDistinctFrom(l("a"), "x")), { how }, turn());
    }
  });

  it("75: a mark keeps its place in a reordered output and is no column of a side", async () => {
    const left = table({ k: int32([1, 2, 3]), a: utf8(["p", "q", "r"]), b: bool([true, true, false]) });
    const right = table({ k: int32([3, 1]), c: int32([7, 8]) });
    const predicate = x.and(equal, x.ne(r("c"), 8));
    const rows = [
      ["p", false, 1],
      ["q", false, 2],
      ["r", true, 3],
    ];
    for (const build of ["left", "right"] as const) {
      expectLoops(left, right, predicate, { how: "leftMark", select: ["left.a", "mark", "left.k"], build }, rows);
      expectLoops(right, left, x.and(equal, x.ne(l("c"), 8)), { how: "rightMark", select: ["right.a", "mark", "right.k"], build }, rows);
    }
    await expectJoinWhere(left, right, predicate, { how: "leftMark", select: { mark: "left.b", found: "mark" } }, turn());
    await expectJoinWhere(left, right, predicate, { how: "rightMark", markName: "c0", select: ["c0", "right.c"] }, turn());
  });

  it("76: metadata of both sides under one key is the left's, in cross joins and joins on predicates as in others", async () => {
    const options = (who: string) => ({ metadata: { who, [who]: "yes" } });
    const left = table({ k: int32([1, 2]) }, options("left"));
    const right = table({ w: int32([1, 2]) }, options("right"));
    const expected = { who: "left", left: "yes", right: "yes" };
    for (const build of ["left", "right"] as const) {
      expect(readTable(joinCross(left, right, { build })).metadata).toEqual(expected);
      for (const switches of LOOPS)
        expect(readTable(runJoinWhere(left, right, x.lt(l("k"), r("w")), { build }, switches)).metadata).toEqual(expected);
      const stream = await joinWhereStream(left, right, x.lt(l("k"), r("w")), { build });
      expect(readTable(await stream.toTable()).metadata).toEqual(expected);
    }
    await expectJoinCross(left, right, {}, turn());
    for (const how of ALL_KINDS) await expectJoinWhere(left, right, x.le(l("k"), r("w")), { how }, turn());
  });
});
