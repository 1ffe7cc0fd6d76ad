/**
 * `joinCross`: two nested loops over the rows, whatever the batches, the order, the kernel or the number of passes; columns as in every join; no
 * batch beyond its bound, and never the product in memory.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { Row } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { expectJoinCross } from "../support/expect-join.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { type CrossOptions, joinCross, joinCrossStream, runJoinCrossStream } from "../support/run.ts";
import { endless } from "../support/source.ts";
import { table } from "../support/table.ts";

const numbered = (name: string, rows: number, split?: readonly number[]): Table =>
  table({ [name]: c.int32(Array.from({ length: rows }, (_, i) => i)) }, split && { split });

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = (parts = 5) => ({ part: [number++, parts] }) as const;

const product = (left: number, right: number): Row[] =>
  Array.from({ length: left }, (_, l) => Array.from({ length: right }, (_, r) => [l, r])).flat();

describe("a cross join", () => {
  it("has every pair, in the order of nested loops, whatever the sizes", async () => {
    for (const [left, right] of [
      [1, 1],
      [1, 7],
      [7, 1],
      [3, 5],
      [8, 3],
      [64, 2],
      [2, 65],
      [17, 16],
    ] as const)
      await expectJoinCross(numbered("a", left), numbered("b", right), {}, { rows: product(left, right), ...turn(9) });
  });

  it("has them from batches of any size, empty ones too", async () => {
    await expectJoinCross(numbered("a", 5, [0, 2, 0, 3]), numbered("b", 4, [1, 0, 3, 0]), {}, { rows: product(5, 4), ...turn() });
    await expectJoinCross(numbered("a", 5, [1, 1, 1, 1, 1]), numbered("b", 4, [1, 1, 1, 1]), {}, { rows: product(5, 4), ...turn() });
  });

  it("has no row where a side has none, and its schema all the same", async () => {
    for (const split of [[0], [], [0, 0]]) {
      await expectJoinCross(numbered("a", 0, split), numbered("b", 3), {}, { rows: [], ...turn() });
      await expectJoinCross(numbered("a", 3), numbered("b", 0, split), {}, { rows: [], ...turn() });
      await expectJoinCross(numbered("a", 0, split), numbered("b", 0, split), {}, { rows: [], ...turn() });
    }
    const stream = await joinCrossStream(numbered("a", 0), numbered("b", 3));
    expect(stream.schema.fields.map(({ name }) => name)).toEqual(["a", "b"]);
    expect((await stream.next()).done).toBe(true);
  });

  it("has the right's order where that is asked for, and all pairs in any", async () => {
    const [left, right] = [numbered("a", 5, [2, 3]), numbered("b", 4, [1, 3])];
    await expectJoinCross(left, right, { order: "right" }, turn(2));
    await expectJoinCross(left, right, { order: "any" }, turn(2));
    await expectJoinCross(left, right, { order: "left" }, turn(2));
  });

  it("has columns, suffixes, nullability and metadata as any inner join", async () => {
    const left = table(
      { id: c.int32([1, null]), s: c.dictionary(c.utf8(["x", null]), { index: "int8" }), b: c.bool([true, false]) },
      { metadata: { who: "left" }, fieldMetadata: { id: { of: "left" } }, nullable: { id: true, s: true, b: false } },
    );
    const right = table(
      { id: c.utf8(["p", "q", null]), t: c.dictionary(c.utf8(["x", "y", null]), { index: "uint16", perBatch: true }) },
      { split: [1, 2], slice: true, metadata: { who: "right", more: "yes" } },
    );
    await expectJoinCross(left, right, {}, turn(2));
    await expectJoinCross(right, left, { suffix: ["_l", "_r"] }, turn(2));
    await expectJoinCross(left, right, { suffix: "_2", order: "right" }, turn(2));
    for (const select of [["right.t", "left.b"], ["id_right", "id"], { a: "id_right", b: "left.id", c: "right.id" }] as const)
      await expectJoinCross(left, right, { select }, turn(3));
  });

  it("has the right number of rows without columns, whichever side has none", async () => {
    const [left, right] = [numbered("a", 7, [4, 3]), numbered("b", 3)];
    await expectJoinCross(left, right, { select: [] }, turn(2));
    await expectJoinCross(left, right, { select: ["left.a"] }, turn(3));
    await expectJoinCross(left, right, { select: ["right.b"] }, turn(3));
    const bare = (rows: number) => table({}, { rows, split: [rows] });
    await expectJoinCross(bare(3), right, {}, turn(3));
    await expectJoinCross(left, bare(2), {}, turn(3));
    await expectJoinCross(bare(3), bare(2), {}, turn(3));
  });

  it("joined with itself is no special case", async () => {
    const one = table({ id: c.int32([1, 2, 3]), v: c.utf8(["a", null, "c"]) });
    await expectJoinCross(one, one, {}, turn(2));
  });
});

describe("the batches of a cross join", () => {
  const [left, right] = [numbered("a", 11, [4, 4, 3]), numbered("b", 9, [5, 4])];

  it("keep to batchSize from 1 on, none is empty, and the rows are the same", async () => {
    for (const options of [{}, { order: "right" }, { select: ["right.b"] }, { copy: true }] as const) {
      for (const kernel of ["wasm", "ts"] as const) {
        for (const batchSize of [1, 2, 3, 4, 5, 8, 9, 10, 17, 98, 99, 100, 8192, Number.POSITIVE_INFINITY]) {
          const given: CrossOptions = { ...options, kernel, batchSize };
          const oneShot = joinCross(left, right, given);
          const stream = await joinCrossStream(left, right, given);
          const streamed = [];
          for await (const batch of stream) streamed.push(batch);
          for (const batches of [oneShot.batches, streamed]) {
            expect(Math.max(...batches.map(({ numRows }) => numRows))).toBeLessThanOrEqual(batchSize);
            expect(batches.every(({ numRows }) => numRows > 0)).toBe(true);
          }
          expect(readBatches(stream.schema, streamed).rows).toEqual(readTable(oneShot).rows);
          expect(oneShot.numRows).toBe(99);
        }
      }
    }
  });

  it("come one by one: a stream of 4e12 pairs gives its first rows at once, in bounded memory", async () => {
    const rows = 2_000_000;
    const side = (name: string) => table({ [name]: c.int32(Array.from({ length: 20_000 }, (_, i) => i)) }).batches[0];
    const batches = (name: string) => ({ schema: side(name).schema, batches: new Array(rows / 20_000).fill(side(name)) });
    for (const kernel of ["wasm", "ts"] as const) {
      const stream = await joinCrossStream(batches("a"), batches("b"), { kernel });
      let count = 0;
      const first: Row[] = [];
      for await (const batch of stream) {
        expect(batch.numRows).toBeLessThanOrEqual(8192);
        if (first.length === 0) first.push(...readBatches(stream.schema, [batch]).rows.slice(0, 2));
        count += batch.numRows;
        if (count > 3_000_000) break;
      }
      expect(first).toEqual([
        [0, 0],
        [0, 1],
      ]);
      const { peakBytes } = stream.metrics() as unknown as { peakBytes: number };
      expect(peakBytes).toBeLessThan(64 * 2 ** 20);
    }
  });

  it("come from a streamed side that never ends", async () => {
    const stream = await joinCrossStream(endless(numbered("a", 3).batches[0]), numbered("b", 4), { batchSize: 5 });
    let rows = 0;
    for await (const batch of stream) {
      rows += batch.numRows;
      if (rows >= 60) break;
    }
    expect(rows).toBeGreaterThanOrEqual(60);
  });

  it("are none where the buffered side is empty: the streamed side is cancelled, not drained", async () => {
    for (const build of ["left", "right"] as const) {
      const other = endless(numbered("a", 3).batches[0]);
      const none = numbered("b", 0);
      const [l, r] = build === "right" ? [other, none] : [none, other];
      const stream = await runJoinCrossStream(l, r, { build }, {});
      expect((await stream.next()).done).toBe(true);
      expect(other.pulls()).toBeLessThan(3);
      expect(other.returns()).toBe(1);
    }
  });
});

describe("the metrics of a cross join", () => {
  it("count its rows and pairs, and its plan names it", async () => {
    const [left, right] = [numbered("a", 11, [4, 4, 3]), numbered("b", 9, [5, 4])];
    let seen: Record<string, unknown> = {};
    joinCross(left, right, { onMetrics: (metrics: Record<string, unknown>) => (seen = metrics) } as unknown as CrossOptions);
    expect(seen).toMatchObject({ leftRows: 11, rightRows: 9, outRows: 99, candidatePairs: 99 });
    expect(seen.plan).toMatch(/CrossJoin/);
    const stream = await joinCrossStream(left, right);
    expect(stream.explain()).toMatch(/CrossJoin/);
    await stream.cancel();
  });
});
