/**
 * That streaming as-of joins live, whatever their inputs do: they end, stay silent, fail, run ahead or behind; and that they read no further
 * than they must.
 */

import { Readable } from "node:stream";
import type { RecordBatch, Table } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { int32, timestamp, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { type AsofOptions, joinAsof, joinAsofStream, joinStream, type Stream } from "../support/run.ts";
import { quiet } from "../support/scheduled.ts";
import { endless, gate, inTime, itemsOf, type Source, settle, silentAfter, source } from "../support/source.ts";
import { resplit, table } from "../support/table.ts";

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

/** Batches that may wait before an input is paused. */
const MARK = 8;
const never = new Promise<never>(() => {});

/** Rows of these times, a batch each. */
const at = (...times: readonly number[]): Table => resplit(table({ t: int32(times), v: int32(times.map((time) => time * 10)) }), 1, false);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const silent = (): Source => source(at(0), () => never);

async function collect(stream: Stream): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  for await (const batch of stream) batches.push(batch);
  return batches;
}
const rowsOf = (stream: Stream, batches: readonly RecordBatch[]) => readBatches(stream.schema, batches).rows;
const counts = (...sources: readonly Source[]) => sources.map((one) => one.pulls());
/** Until nothing happens any more. */
const still = (...sources: readonly Source[]) => quiet(() => counts(...sources).join());
const several = (...rights: readonly Source[]) => rights.map((one, i) => ({ table: one, suffix: `_${i}` }));

describe("an input that runs ahead", () => {
  for (const direction of ["backward", "forward", "nearest"] as const) {
    it(`is paused at its mark while another is silent, looking ${direction}`, async () => {
      const right = endless(at(3).batches[0]);
      const behind = await joinAsofStream(silent(), right, { on: "t", direction });
      const next = behind.next();
      await still(right);
      expect(right.pulls()).toBe(MARK);
      await inTime(behind.cancel(), "cancel");
      await next;

      const left = endless(at(3).batches[0]);
      const ahead = await joinAsofStream(left, silent(), { on: "t", direction });
      const first = ahead.next();
      await still(left);
      // One is under way.
      expect(left.pulls()).toBe(MARK + 1);
      await inTime(ahead.cancel(), "cancel");
      await first;
      expect([left.returns(), right.returns()]).toEqual([1, 1]);
    });
  }

  it("is read on when it is what the oldest left row needs, however far", async () => {
    for (const direction of ["backward", "forward"] as const) {
      const late = gate();
      // The second right is far behind, the first far ahead: each is needed beyond its mark.
      const right = source(at(...upTo(50), 100));
      const right1 = source(at(...upTo(60), 100), (pull) => (pull === 2 ? late.opened : undefined));
      const left = source(at(55, 58));
      const stream = await joinAsofStream(left, several(right, right1), { on: "t", direction });
      const all = collect(stream);
      await still(right, right1);
      expect(right1.pulls()).toBe(3);
      late.open();
      const batches = await inTime(all, direction);
      const [a, b] = direction === "backward" ? [490, 550] : [1000, 550];
      expect(rowsOf(stream, batches)).toEqual([
        [55, 550, a, b],
        [58, 580, a, b + 30],
      ]);
    }
  });

  it("is read on though every batch passes its share of memoryLimit", async () => {
    const rows = 1 << 18;
    const big = (t: number) => table({ t: int32(Array(rows).fill(t)), v: int32(Array(rows).fill(t)) }).batches[0];
    const schema = big(0).schema;
    const right = itemsOf(schema, upTo(12).map(big));
    const stream = await joinAsofStream(source(at(9)), right, { on: "t", memoryLimit: 16 << 20 });
    expect(rowsOf(stream, await inTime(collect(stream), "the join"))).toEqual([[9, 90, 9]]);
    expect(right.pulls()).toBeLessThan(13);
  });

  it("does not stop another, which is read up to its mark", async () => {
    const [left, right, right1] = [source(at(...upTo(30))), silentAfter(at(0, 1), 1), source(at(...upTo(30)))];
    const stream = await joinAsofStream(left, several(right, right1), { on: "t" });
    const next = stream.next();
    await still(left, right, right1);
    expect(counts(left, right)).toEqual([MARK + 1, 2]);
    expect(right1.pulls()).toBeGreaterThanOrEqual(MARK);
    expect(right1.pulls()).toBeLessThanOrEqual(MARK + 2);
    await inTime(stream.cancel(), "cancel");
    await next;
  });
});

describe("a slow consumer", () => {
  it("stops all pulling: what is pulled is bounded by what it takes", async () => {
    const [left, right] = [source(at(...upTo(500))), source(at(...upTo(500)))];
    const stream = await joinAsofStream(left, right, { on: "t", ties: "first" });
    await settle();
    expect(counts(left, right)).toEqual([0, 0]);
    for (let taken = 1; taken <= 100; taken++) {
      expect((await inTime(stream.next(), "a batch")).done).toBe(false);
      if (taken % 20 > 0) continue;
      await still(left, right);
      for (const pulls of counts(left, right)) expect(pulls).toBeLessThanOrEqual(taken + MARK + 2);
    }
    await stream.cancel();
    expect([left.returns(), right.returns()]).toEqual([1, 1]);
  });
});

describe("an input that ends", () => {
  it("on the left, with a row or none, ends the join and cancels the rights", async () => {
    for (const rows of [[], [5], [5, 6, 7]]) {
      const left = source(at(...rows));
      const [right, right1] = [endless(at(9).batches[0]), endless(at(9).batches[0])];
      const stream = await joinAsofStream(left, several(right, right1), { on: "t" });
      const batches = await inTime(collect(stream), "the join");
      expect(rowsOf(stream, batches)).toEqual(rows.map((t) => [t, t * 10, null, null]));
      expect([left.returns(), right.returns(), right1.returns()]).toEqual([0, 1, 1]);
      for (const pulls of counts(right, right1)) expect(pulls).toBeLessThanOrEqual(MARK + 1);
    }
  });

  it("on the left ends the join though a right never answers", async () => {
    const right = silent();
    const stream = await joinAsofStream(source(at()), right, { on: "t" });
    expect(await inTime(collect(stream), "the join")).toEqual([]);
    expect(right.returns()).toBe(1);
  });

  it("on the right, with or without rows, lets the left go on without it", async () => {
    for (const rows of [[], [2], [9]]) {
      const [left, right] = [source(at(...upTo(40))), source(at(...rows))];
      const stream = await joinAsofStream(left, right, { on: "t" });
      const batches = await inTime(collect(stream), "the join");
      expect(rowsOf(stream, batches)).toEqual(upTo(40).map((t) => [t, t * 10, rows.length > 0 && t >= rows[0] ? rows[0] * 10 : null]));
      expect(counts(left, right)).toEqual([41, rows.length + 1]);
      expect([left.returns(), right.returns()]).toEqual([0, 0]);
    }
  });

  it("on the right without rows ends a join of a kind that needs a match, and cancels the left", async () => {
    for (const how of ["inner", "leftSemi"] as const) {
      const left = endless(at(1).batches[0]);
      const stream = await joinAsofStream(left, source(at()), { on: "t", how });
      expect(await inTime(collect(stream), how)).toEqual([]);
      expect(left.returns()).toBe(1);
    }
  });

  it("says nothing of rights that lie all before or all after the left", async () => {
    for (const direction of ["backward", "forward", "nearest"] as const) {
      for (const [rows, found] of [
        [upTo(30), direction === "forward" ? null : 290],
        [upTo(30).map((t) => t + 100), direction === "backward" ? null : 1000],
      ] as const) {
        const stream = await joinAsofStream(source(at(50, 60)), source(at(...rows)), { on: "t", direction });
        const answer = (await inTime(collect(stream), direction)) as RecordBatch[];
        expect(rowsOf(stream, answer)).toEqual([
          [50, 500, found],
          [60, 600, found],
        ]);
      }
    }
  });
});

describe("rows that are decided", () => {
  it("go out while an input is silent, and with flush: full when their batch is", async () => {
    const left = table({ t: int32([1, 2, 9]) });
    const right = () => silentAfter(at(0, 2, 3), 3);
    const eager = await joinAsofStream(source(left), right(), { on: "t" });
    expect(rowsOf(eager, [(await inTime(eager.next(), "the rows")).value as RecordBatch])).toEqual([
      [1, 0],
      [2, 20],
    ]);
    await eager.cancel();

    const full = await joinAsofStream(source(left), right(), { on: "t", flush: "full" });
    let answered = false;
    const next = full.next().then(() => {
      answered = true;
    });
    await settle();
    expect(answered).toBe(false);
    await full.cancel();
    await next;
  });

  it("stay together while inputs are ready", async () => {
    const left = table({ t: int32(upTo(40)) });
    const stream = await joinAsofStream(source(left), source(at(...upTo(45))), { on: "t" });
    expect((await inTime(collect(stream), "the join")).map((batch) => batch.numRows)).toEqual([40]);
  });
});

describe("an input that fails", () => {
  const cause = new Error("the disk is gone");

  it("at any pull, on any side, while others are silent or run ahead, ends the join with its cause", async () => {
    for (const failing of [0, 1, 2]) {
      for (const pull of [0, 1, 5]) {
        for (const other of [() => silentAfter(at(...upTo(20)), 2), () => source(at(...upTo(20)))]) {
          const sources = [0, 1, 2].map((number) =>
            number === failing ? source(at(...upTo(20)), (p) => (p === pull ? Promise.reject(cause) : undefined)) : other(),
          );
          const [left, ...rights] = sources;
          const stream = await joinAsofStream(left, several(...rights), { on: "t" });
          const side = ["left", "right", "right1"][failing];
          const run = async () => {
            for (;;) if ((await stream.next()).done) return "the end";
          };
          const error = await inTime(expectError(run, "SOURCE_FAILED", `The ${side} input`), `${side} at ${pull}`);
          expect(error.cause).toBe(cause);
          await expect(stream.next()).rejects.toBe(error);
          // Those that have given all have ended, the others are told.
          for (const [number, one] of sources.entries())
            if (number !== failing) expect(one.returns() === 1 || one.pulls() === 21, `${number}`).toBe(true);
        }
      }
    }
  });
});

describe("cancelling at any moment", () => {
  const left = () => source(at(...upTo(30)), (pull) => (pull % 3 === 0 ? settle() : undefined));
  const right = () => source(at(...upTo(30)), (pull) => (pull % 4 === 1 ? settle() : undefined));
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const options: AsofOptions = { on: "t", direction: "nearest", tolerance: 5 };

  for (const way of ["cancel", "return", "abort"] as const) {
    it(`by ${way} ends the iteration, tells every input once, and leaves nothing behind`, async () => {
      const expected = readTable(joinAsof(at(...upTo(30)), at(...upTo(30)), { on: "t", direction: "nearest", tolerance: 5 })).rows;
      for (let turns = 0; turns < 40; turns += turns < 10 ? 1 : 6) {
        const sources = [left(), right(), right()];
        const [l, ...rs] = sources;
        const controller = new AbortController();
        const stream = await joinAsofStream(l, several(...rs), { ...options, signal: controller.signal });
        const given: RecordBatch[] = [];
        const reader = (async () => {
          for await (const batch of stream) given.push(batch);
          return "done";
        })();
        for (let i = 0; i < turns; i++) await turn();
        if (way === "abort") {
          controller.abort("enough");
          await expect(inTime(reader, "the reader")).rejects.toBe("enough");
        } else {
          await inTime<unknown>(way === "cancel" ? stream.cancel() : stream.return(), way);
          expect(await inTime(reader, "the reader")).toBe("done");
        }
        expect(sources.map((one) => one.returns())).toEqual([1, 1, 1]);
        const pulls = counts(...sources);
        await settle();
        expect(counts(...sources)).toEqual(pulls);
        expect(rowsOf(stream, given).map(([t, v, w]) => [t, v, w])).toEqual(expected.slice(0, given.length));
        // Its kernel may be this one's.
        expect(readTable(joinAsof(at(1, 2), at(0, 2), { on: "t" })).rows).toEqual([
          [1, 10, 0],
          [2, 20, 20],
        ]);
      }
    });
  }
});

describe("watermarks", () => {
  it("of a silent right decide the left rows that they pass", async () => {
    const { schema, batches } = at(1);
    const marks = [batches[0], { watermark: 5 }, { watermark: 7 }];
    const right = itemsOf(schema, marks, (pull) => (pull === marks.length ? never : undefined));
    const stream = await joinAsofStream(source(table({ t: int32([0, 4, 6, 7, 8]) })), right, { on: "t" });
    expect(rowsOf(stream, [(await inTime(stream.next(), "the rows")).value as RecordBatch])).toEqual([
      [0, null],
      [4, 10],
      [6, 10],
    ]);
    await stream.cancel();
  });

  it("of a silent left let rights be read on, and rows go that no left row will need", async () => {
    const { schema } = at(1);
    const left = itemsOf(schema, [{ watermark: 60 }], (pull) => (pull === 1 ? never : undefined));
    const right = source(at(...upTo(100)));
    const stream = await joinAsofStream(left, right, { on: "t" });
    const next = stream.next();
    await still(right);
    // Those before the watermark are the memo's by now, the others wait.
    expect(right.pulls()).toBeGreaterThanOrEqual(60 + MARK);
    expect(right.pulls()).toBeLessThanOrEqual(63 + MARK);
    await inTime(stream.cancel(), "cancel");
    await next;
  });

  it("come with every source that yields items, before the first batch too", async () => {
    const { schema, batches } = at(1, 4);
    const items = [{ watermark: 0 }, { watermark: 1 }, batches[0], { watermark: 4 }, batches[1], { watermark: 100 }];
    const web = () =>
      new ReadableStream({
        start(controller) {
          for (const item of items) controller.enqueue(item);
          controller.close();
        },
      });
    const generate = async function* () {
      yield* items;
    };
    const forms: readonly (() => unknown)[] = [
      () => items,
      () => items[Symbol.iterator](),
      generate,
      web,
      () => Readable.from(items),
      () => ({ schema, batches: items }),
      () => ({ schema, batches: generate() }),
      () => ({ schema, batches: [batches[0], { watermark: 2 }, batches[1]] }),
      () => [batches[0], { watermark: 2 }, batches[1]],
    ];
    for (const form of forms) {
      for (const [l, r, found] of [
        [form(), at(0, 3), [0, 30]],
        [at(1, 4), form(), [10, 40]],
      ]) {
        const stream = await inTime(joinAsofStream(l, r, { on: "t" }), "opening");
        const rows = rowsOf(stream, await inTime(collect(stream), "the join"));
        expect(rows.map(([, , v]) => v)).toEqual(found);
      }
    }
  });

  it("that come before the first batch hold for it", async () => {
    const { batches } = at(1);
    const right = async function* () {
      yield { watermark: 5 };
      yield batches[0];
    };
    const stream = await joinAsofStream(at(9), right(), { on: "t" });
    await expectError(() => stream.next(), "UNSORTED", "right", /\b1\b/, "watermark of 5");
  });

  it("may be a Date where times are of days or stamps", async () => {
    const stamps = table({ t: timestamp("us")([1_000_000n, 3_000_000n]), v: utf8(["a", "b"]) });
    const right = itemsOf(stamps.schema, [stamps.batches[0], { watermark: new Date(5000) }], (pull) => (pull === 2 ? never : undefined));
    const stream = await joinAsofStream(table({ t: timestamp("ms")([2000n, 4999n, 5000n]) }), right, { on: "t" });
    expect(rowsOf(stream, [(await inTime(stream.next(), "the rows")).value as RecordBatch])).toEqual([
      [2000n, "a"],
      [4999n, "b"],
    ]);
    await stream.cancel();
  });

  it("alone tell no columns: an input that ends after them is refused", async () => {
    const marks = async function* () {
      yield { watermark: 1 };
    };
    await expectError(() => joinAsofStream(at(1), marks(), { on: "t" }), "INVALID_INPUT", "right", "schema");
  });

  it("that are no times are refused by what they are, though they have no text", async () => {
    const { schema, batches } = at(1);
    for (const watermark of [Object.create(null), {}, Symbol("t"), "5", null, undefined, Number.NaN, new Date(Number.NaN), true]) {
      const marked = async function* () {
        yield { watermark };
        yield* batches;
      };
      const stream = await joinAsofStream(at(1), { schema, batches: marked() }, { on: "t" });
      await expectError(() => stream.next(), "INVALID_INPUT", "right", "watermark", '"t"');
    }
  });

  it("are refused by every other join, with the first item or later", async () => {
    const { schema, batches } = at(1);
    for (const items of [
      [{ watermark: 1 }, batches[0]],
      [batches[0], { watermark: 1 }],
    ]) {
      const generate = async function* () {
        yield* items;
      };
      for (const input of [generate(), { schema, batches: generate() }]) {
        await expectError(
          async () => (await joinStream(at(1), input, { on: "t" })).toTable(),
          "INVALID_INPUT",
          "right",
          "watermark",
          "only as-of joins",
        );
      }
    }
  });
});
