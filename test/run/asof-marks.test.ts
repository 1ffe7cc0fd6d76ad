/**
 * How far an as-of join reads: each input up to a mark, beyond it only the one that the oldest waiting left row needs, until the answer or
 * `memoryLimit`; nothing while nobody takes; and what becomes of the others when one input fails, is silent, or is not needed any more.
 */

import { describe, expect, it } from "vitest";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { runJoinAsofStream } from "../support/run.ts";
import { quiet } from "../support/scheduled.ts";
import { endless, gate, inTime, silentAfter, source } from "../support/source.ts";
import { table } from "../support/table.ts";

const KERNELS = ["wasm", "ts"] as const;
const ROWS = 1000;
const BATCHES = 300;

const constant = (t: number, k: number, rows = ROWS) =>
  table({ t: c.int32(Array(rows).fill(t)), k: c.int32(Array(rows).fill(k)), v: c.int32(Array(rows).fill(t)) });
/** Each batch has its own time, from 0 on. */
const steps = table(
  {
    t: c.int32(Array.from({ length: BATCHES * ROWS }, (_, i) => Math.floor(i / ROWS))),
    k: c.int32(Array(BATCHES * ROWS).fill(1)),
    v: c.int32(Array.from({ length: BATCHES * ROWS }, (_, i) => i)),
  },
  { split: Array(BATCHES).fill(ROWS) },
);
const one = (...times: number[]) => table({ t: c.int32(times), k: c.int32(times.map(() => 1)) }, { split: times.map(() => 1) });
const LAST = BATCHES * ROWS - 1;

describe("an as-of join reads beyond any mark what its oldest left row needs", () => {
  for (const kernel of KERNELS) {
    for (const [direction, tolerance] of [
      ["backward", undefined],
      ["nearest", 10],
      ["forward", 0],
    ] as const) {
      it(`of a right that lags far behind (${direction}, ${kernel}), and not the left meanwhile`, async () => {
        const left = endless(constant(BATCHES - 1, 1).batches[0]);
        const opened = gate();
        const right = source(steps, (pull) => (pull === BATCHES ? opened.opened : undefined));
        const options = {
          on: "t",
          by: "k",
          direction,
          ...(tolerance !== undefined && { tolerance }),
          ties: "last",
          kernel,
          select: ["right.v"],
        };
        const stream = await runJoinAsofStream(left, right, options, {});
        const first = stream.next();
        await quiet(() => `${left.pulls()} ${right.pulls()}`);
        expect(right.pulls()).toBe(BATCHES + 1);
        expect(left.pulls()).toBeLessThan(64);
        opened.open();
        const { done, value } = await inTime(first, "the first batch");
        if (done) throw new Error("no batch");
        expect(new Set(readBatches(stream.schema, [value]).rows.flat())).toEqual(new Set([LAST]));
        await stream.return();
        expect(left.returns()).toBe(1);
      });
    }

    it(`of one right, while the other, which is ahead, is paused (${kernel})`, async () => {
      const opened = gate();
      const slow = source(steps, (pull) => (pull > 0 ? opened.opened : undefined));
      const ahead = endless(constant(1000, 1).batches[0]);
      const stream = await runJoinAsofStream(
        source(one(5, 900)),
        [{ table: slow }, { table: ahead, suffix: "_ahead", direction: "forward" }],
        { on: "t", by: "k", kernel, select: { a: "right.v", b: "right1.v" } },
        {},
      );
      const all = stream.toTable();
      await quiet(() => `${slow.pulls()} ${ahead.pulls()}`);
      const paused = ahead.pulls();
      expect(paused).toBeLessThan(64);
      opened.open();
      expect(readTable(await inTime(all, "the join")).rows).toEqual([
        [6 * ROWS - 1, 1000],
        [LAST, 1000],
      ]);
      expect(ahead.pulls()).toBeLessThan(2 * paused + 8);
      expect(ahead.returns()).toBe(1);
    });

    it(`until memoryLimit, where no row of the key comes (${kernel})`, async () => {
      for (const direction of ["forward", "nearest"] as const) {
        const right = endless(constant(7, 2, 10_000).batches[0]);
        const options = { on: "t", by: "k", direction, memoryLimit: 8_000_000, copy: true, kernel };
        const left = source(one(5));
        const stream = await runJoinAsofStream(left, right, options, {});
        await expectError(() => inTime(stream.toTable(), "the error", 20_000), "MEMORY_LIMIT", "right rows", "memoryLimit");
        expect(right.returns()).toBe(1);
      }
    });

    it(`and holds little where time passes and nothing matches (${kernel})`, async () => {
      for (const [direction, tolerance] of [
        ["backward", undefined],
        ["forward", 3],
        ["nearest", 3],
      ] as const) {
        const options = {
          on: "t",
          by: "k",
          direction,
          ...(tolerance !== undefined && { tolerance }),
          memoryLimit: 4_000_000,
          kernel,
          select: ["v"],
        };
        const left = table({ t: c.int32([1, BATCHES - 5]), k: c.int32([2, 1]) }, { split: [1, 1] });
        const stream = await runJoinAsofStream(source(left), source(steps), options, {});
        const [[none], [some]] = readTable(await inTime(stream.toTable(), "the join", 20_000)).rows;
        expect(none).toBe(null);
        expect(some).not.toBe(null);
      }
    });
  }
});

describe("when an input", () => {
  it("fails, its error arrives as the cause, and the others are cancelled", async () => {
    for (const which of [0, 1, 2]) {
      const broken = (pull: number) => (pull === 1 ? Promise.reject(new Error("the disk is gone")) : undefined);
      const inputs = [one(1, 2, 3), one(0, 5), one(0, 6)].map((input, i) => source(input, i === which ? broken : undefined));
      const rights = [{ table: inputs[1] }, { table: inputs[2], suffix: "_1" }];
      const stream = await runJoinAsofStream(inputs[0], rights, { on: "t" }, {});
      const error = await expectError(
        () => inTime(stream.toTable(), "the error"),
        "SOURCE_FAILED",
        ["left", "right", "right1"][which],
        "the disk is gone",
      );
      expect((error.cause as Error).message).toBe("the disk is gone");
      for (const [i, input] of inputs.entries()) if (i !== which) expect(input.returns() + Number(input.pulls() > 2)).toBeGreaterThan(0);
    }
  });

  it("is silent, the rest can be cancelled at any moment, and what is decided comes out before", async () => {
    const left = silentAfter(one(1, 2, 8), 3);
    const right = silentAfter(table({ t: c.int32([0, 3]), v: c.int32([7, 8]) }, { split: [1, 1] }), 2);
    const stream = await runJoinAsofStream(left, right, { on: "t", select: ["t", "v"] }, {});
    const rows = [];
    for (let count = 0; count < 2; ) {
      const { done, value } = await inTime(stream.next(), "a decided row");
      if (done) throw new Error("no row");
      count += value.numRows;
      rows.push(...readBatches(stream.schema, [value]).rows);
    }
    expect(rows).toEqual([
      [1, 7],
      [2, 7],
    ]);
    const pending = stream.next();
    await quiet(() => `${left.pulls()} ${right.pulls()}`);
    await inTime(stream.cancel(), "cancel");
    expect((await inTime(pending, "the pending call")).done).toBe(true);
    expect([left.returns(), right.returns()]).toEqual([1, 1]);
  });

  it("is a left that has ended, rights are cancelled as soon as its rows are decided", async () => {
    for (const direction of ["backward", "forward", "nearest"] as const) {
      const right = endless(constant(9, 1).batches[0]);
      const other = silentAfter(constant(9, 1), 1);
      const stream = await runJoinAsofStream(
        source(one(1, 3)),
        [{ table: right }, { table: other, suffix: "_1" }],
        { on: "t", direction },
        {},
      );
      expect((await inTime(stream.toTable(), "the join")).numRows).toBe(2);
      expect([right.returns(), other.returns()]).toEqual([1, 1]);
    }
  });

  it("is a left without rows, no right is read to its end", async () => {
    const right = endless(constant(9, 1).batches[0]);
    const stream = await runJoinAsofStream(source(one()), right, { on: "t" }, {});
    expect((await inTime(stream.toTable(), "the join")).numRows).toBe(0);
    expect(right.pulls()).toBeLessThan(64);
    expect(right.returns()).toBe(1);
  });
});
