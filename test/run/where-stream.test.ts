/**
 * `joinWhereStream` and `joinCrossStream` while they run, on every path: what is pulled and when, answers that are known early, errors of inputs,
 * cancelling, signals, and the event loop. Nothing hangs, nothing is drained, nothing is rejected unheard.
 */

import type { RecordBatch, Table } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readBatches, readTable } from "../support/rows.ts";
import {
  type How,
  joinCrossStream,
  joinWhere,
  joinWhereStream,
  runJoinWhereStream,
  type Stream,
  type Switches,
  type WhereOptions,
} from "../support/run.ts";
import { endless, gate, inTime, settle, silentAfter, source } from "../support/source.ts";
import { resplit, table } from "../support/table.ts";
import { l, lit, mirrored, r, type Tree, x } from "../support/tree.ts";

const left = table({ id: int32([1, 2, 3, 4, 2, 9]), v: utf8(["a", "b", "c", "d", "e", "f"]) }, { split: [2, 2, 2] });
const right = table({ id: int32([2, 4, 1, 7, 2]), w: int32([20, 40, 10, 70, 21]) }, { split: [2, 1, 2] });
const none = table({ id: int32([]), w: int32([]) });

/** What each path answers: keys, a range, pairs tested one by one. */
const PREDICATES: { readonly [path: string]: readonly [Tree, Switches] } = {
  keys: [x.eq(l("id"), r("id")), {}],
  "a range": [x.and(x.lt(l("id"), r("id")), x.gt(x.add(l("id"), 100), r("id"))), { rangeSearch: "always" }],
  "a loop": [x.ne(x.mod(x.add(l("id"), r("id")), 3), 0), { wherePath: "loop" }],
};

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

async function collect(stream: Stream): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  for await (const batch of stream) batches.push(batch);
  return batches;
}

for (const [path, [predicate, switches]] of Object.entries(PREDICATES)) {
  const start = (a: unknown, b: unknown, options: WhereOptions = {}) => runJoinWhereStream(a, b, predicate, options, switches);

  describe(`a stream whose predicate is answered by ${path}`, () => {
    it("has its schema before anything is pulled, then pulls the buffered side whole and of the other what it needs", async () => {
      const many = resplit(table({ id: int32(new Array<number>(300).fill(2)) }), 1, false);
      for (const build of ["left", "right"] as const) {
        const [l, r] = build === "right" ? [source(many), source(right)] : [source(right), source(many)];
        const stream = await start(l, r, { build, batchSize: 4, how: "full" });
        await settle();
        expect(stream.schema.fields.length).toBe(3);
        expect([l.pulls(), r.pulls()]).toEqual([0, 0]);
        expect((await stream.next()).done).toBe(false);
        await settle();
        const [buffered, streamed] = build === "right" ? [r, l] : [l, r];
        expect(buffered.pulls()).toBe(right.batches.length + 1);
        expect(streamed.pulls()).toBeLessThanOrEqual(10);
        await stream.cancel();
      }
    });

    it("gives tables, web streams and IPC bytes of the same rows, and serves many calls in order", async () => {
      const expected = readTable(joinWhere(left, right, predicate, { how: "full" })).rows;
      expect(readTable(await (await start(left, right, { how: "full" })).toTable()).rows).toEqual(expected);
      const web = (await start(left, right, { how: "full", batchSize: 2 })).toReadableStream();
      const batches: RecordBatch[] = [];
      for await (const batch of web as unknown as AsyncIterable<RecordBatch>) batches.push(batch);
      expect(readBatches(batches[0].schema, batches).rows).toEqual(expected);
      const bytes = (await start(left, right, { how: "full" })).toIPC();
      const again = await joinCrossStream(bytes, table({ one: int32([1]) }), { select: ["left.id", "left.v", "right.one"] });
      expect((await again.toTable()).numRows).toBe(expected.length);
      const stream = await start(left, right, { how: "full", batchSize: 1 });
      const answers = await Promise.all(Array.from({ length: expected.length + 2 }, () => stream.next()));
      const values = answers.filter(({ done }) => !done).map(({ value }) => value as RecordBatch);
      expect(readBatches(stream.schema, values).rows).toEqual(expected);
      expect(answers.slice(-2).every(({ done }) => done)).toBe(true);
    });

    for (const side of ["left", "right"] as const) {
      it(`whose ${side} fails in its second batch rejects with SOURCE_FAILED and cancels the other`, async () => {
        const cause = new Error("the network is gone");
        // A null is never decided, so that no kind ends before the error.
        const lefts = table({ id: int32([null, 1, 4]), v: utf8(["?", "a", "d"]) }, { split: [2, 1] });
        const rights = table({ id: int32([null, 2, 5]), w: int32([0, 20, 50]) }, { split: [2, 1] });
        for (const how of ["inner", "full", "leftAnti", "rightMark"] as const) {
          for (const build of ["left", "right"] as const) {
            const failing = source(side === "left" ? lefts : rights, (pull) => (pull === 1 ? Promise.reject(cause) : undefined));
            const other = endless((side === "left" ? rights : lefts).batches[0]);
            // An endless input can only be the streamed one.
            const partner = build === side ? other : source(side === "left" ? rights : lefts);
            const [a, b] = side === "left" ? [failing, partner] : [partner, failing];
            const stream = await start(a, b, { how, build, batchSize: 1 });
            const error = await inTime(
              expectError(
                async () => {
                  while (!(await stream.next()).done);
                },
                "SOURCE_FAILED",
                side,
              ),
              `${how}, build ${build}`,
            );
            expect(error.cause).toBe(cause);
            if (build === side) expect(partner.returns()).toBe(1);
            await expect(stream.next()).rejects.toBe(error);
            await expect(stream.toTable()).rejects.toBe(error);
          }
        }
      });
    }

    it("ends at once where the buffered side has nothing to match: the other is cancelled, not drained", async () => {
      for (const how of ["inner", "right", "leftSemi", "rightSemi", "rightAnti", "rightMark"] as const) {
        const a = endless(left.batches[0]);
        const stream = await start(a, source(none), { how });
        expect(await inTime(collect(stream), how)).toEqual([]);
        expect(a.returns()).toBe(1);
      }
      for (const how of ["inner", "left", "leftSemi", "rightSemi", "leftAnti", "leftMark"] as const) {
        const b = endless(right.batches[0]);
        const stream = await start(source(none), b, { how, build: "left" });
        expect(await inTime(collect(stream), how)).toEqual([]);
        expect(b.returns()).toBe(1);
      }
    });

    it("does not end where a kind still has rows to give", async () => {
      for (const how of ["left", "full", "leftAnti", "leftMark"] as const) {
        const stream = await start(source(left), source(none), { how });
        expect(readBatches(stream.schema, await collect(stream)).rows.length).toBe(6);
      }
      for (const how of ["right", "full", "rightAnti", "rightMark"] as const) {
        const stream = await start(source(left), source(table({ id: int32([null]), w: int32([1]) })), { how });
        expect(readBatches(stream.schema, await collect(stream)).rows.length).toBe(how === "full" ? 7 : 1);
      }
    });

    it("ends when every row of the side that is output is decided", async () => {
      const decided = table({ id: int32([1, 2]) });
      const others = table({ id: int32([2, 1, 3]) });
      for (const how of ["Semi", "Anti", "Mark"] as const) {
        for (const build of ["left", "right"] as const) {
          const [a, b] = build === "left" ? [source(decided), endless(others.batches[0])] : [endless(others.batches[0]), source(decided)];
          const [p, s] = build === "left" ? [predicate, switches] : [mirrored(predicate), switches];
          const stream = await runJoinWhereStream(a, b, p, { how: `${build}${how}` as How, build }, s);
          const rows = readBatches(stream.schema, await inTime(collect(stream), `${build}${how}`)).rows;
          expect(rows).toEqual(
            how === "Anti"
              ? []
              : how === "Semi"
                ? [[1], [2]]
                : [
                    [1, true],
                    [2, true],
                  ],
          );
          expect((build === "left" ? b : a).returns()).toBe(1);
        }
      }
    });

    it("that is cancelled ends, whatever its inputs do, and cancels both once", async () => {
      for (const sides of [
        () => [silentAfter(left, 0), source(right)],
        () => [source(left), silentAfter(right, 0)],
        () => [silentAfter(left, 1), silentAfter(right, 1)],
        () => [endless(left.batches[0]), source(right)],
      ]) {
        for (const pulls of [0, 1]) {
          const [a, b] = sides();
          const stream = await start(a, b, { how: "full", batchSize: 2 });
          const pending = pulls === 1 ? stream.next() : null;
          await settle();
          await inTime(stream.cancel(), "cancel");
          if (pending) await inTime(pending, "the pending next");
          expect((await inTime(stream.next(), "a later next")).done).toBe(true);
          expect(a.returns()).toBe(1);
        }
      }
      const loop = await start(endless(left.batches[0]), right, { batchSize: 1 });
      for await (const batch of loop) {
        expect(batch.numRows).toBe(1);
        break;
      }
      expect((await loop.next()).done).toBe(true);
      const table = await start(silentAfter(left, 1), right);
      const pending = expectError(() => table.toTable(), "CANCELLED");
      await settle();
      await table.cancel("enough");
      await inTime(pending, "toTable");
    });

    it("whose signal is aborted rejects with its reason, before the first pull and in the middle", async () => {
      const reason = new Error("the page was left");
      for (const pulls of [0, 2]) {
        const controller = new AbortController();
        const a = endless(left.batches[0]);
        const stream = await start(a, source(right), { signal: controller.signal, batchSize: 1 });
        for (let i = 0; i < pulls; i++) await stream.next();
        controller.abort(reason);
        await expect(inTime(stream.next(), "next")).rejects.toBe(reason);
        expect(a.returns()).toBe(1);
      }
      const gone = AbortSignal.abort(reason);
      await expect(start(left, right, { signal: gone }).then((stream) => stream.next())).rejects.toBe(reason);
    });

    it("hands out what is there with flush eager whenever an input is not ready, and waits for full batches without", async () => {
      const gates = [gate(), gate(), gate()];
      const at = (pull: number) => (pull === 0 ? undefined : gates[pull - 1]?.opened);
      const eager = await start(source(left, at), right, { how: "left", flush: "eager" });
      const first = await inTime(eager.next(), "the first batch");
      const ready = readTable(joinWhere(resplit(left, 2, false).batches[0], right, predicate, { how: "left" })).rows;
      expect(readBatches(eager.schema, [first.value as RecordBatch]).rows).toEqual(ready);
      let answered = false;
      const full = await start(source(left, at), right, { how: "left" });
      const all = collect(full).then((batches) => {
        answered = true;
        return batches;
      });
      await settle();
      expect(answered).toBe(false);
      for (const { open } of gates) open();
      const expected = readTable(joinWhere(left, right, predicate, { how: "left" })).rows;
      expect(readBatches(full.schema, await all).rows).toEqual(expected);
      expect(readBatches(eager.schema, [first.value as RecordBatch, ...(await collect(eager))]).rows).toEqual(expected);
    });

    it("tells of its progress, in numbers that never fall", async () => {
      const many = resplit(table({ id: int32(Array.from({ length: 60 }, (_, i) => i % 10)) }), 1, false);
      const wait = () => new Promise((resolve) => setTimeout(resolve, 4));
      const calls: { leftRows: number; rightRows: number; outRows: number }[] = [];
      const stream = await start(source(many, wait), source(right, wait), { batchSize: 4, onProgress: (progress) => calls.push(progress) });
      await collect(stream);
      expect(calls.length).toBeGreaterThan(1);
      calls.slice(1).forEach((call, i) => {
        for (const name of ["leftRows", "rightRows", "outRows"] as const) expect(call[name]).toBeGreaterThanOrEqual(calls[i][name]);
      });
      expect(calls.at(-1)).toMatchObject({ leftRows: 60, rightRows: 5 });
    });
  });
}

describe("a predicate that is never true", () => {
  it("ends without reading the streamed side, where the kind gives none of its rows", async () => {
    for (const predicate of [lit(false), lit(null), x.and(x.lt(l("id"), r("id")), false)]) {
      for (const how of ["inner", "leftSemi", "rightSemi", "rightAnti", "right", "rightMark"] as const) {
        const a = endless(left.batches[0]);
        const stream = await joinWhereStream(a, source(right), predicate, { how });
        const rows = (await inTime(collect(stream), how)).reduce((sum, batch) => sum + batch.numRows, 0);
        expect(rows).toBe(/Semi|inner/.test(how) ? 0 : 5);
        expect([a.pulls(), a.returns()]).toEqual([0, 1]);
      }
    }
  });
});

describe("a loop of many pairs", () => {
  const many = (rows: number): Table => table({ id: int32(Array.from({ length: rows }, (_, i) => i)) });
  const rare = x.eq(x.mod(x.add(x.mul(l("id"), 31), x.mul(r("id"), 17)), 65_521), 7);

  it("yields to the event loop while it works", async () => {
    const stream = await runJoinWhereStream(many(6000), many(5000), rare, { select: [] }, { wherePath: "loop" });
    let ticks = 0;
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      ticks++;
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const started = performance.now();
    await stream.toTable();
    clearInterval(timer);
    const elapsed = performance.now() - started;
    if (elapsed > 200) expect(ticks).toBeGreaterThan(elapsed / 100);
    expect(stream.metrics().outRows).toBeGreaterThan(300);
  });

  it("is cancelled in the middle", async () => {
    const stream = await runJoinWhereStream(
      endless(many(5000).batches[0]),
      many(5000),
      x.and(rare, x.lt(l("id"), 0)),
      {},
      { wherePath: "loop" },
    );
    const pending = stream.next();
    await settle();
    await inTime(stream.cancel(), "cancel");
    expect((await inTime(pending, "next")).done).toBe(true);
  });
});

describe("joinWhereStream by one inequality", () => {
  it("ends when every row of the buffered side has met the extreme that it needs, rows that can meet none aside", async () => {
    const buffered = table({ id: int32([1, null, 2]) });
    const streamed = table({ x: int32([0, 5, 7]) });
    for (const how of ["Semi", "Anti", "Mark"] as const) {
      for (const build of ["left", "right"] as const) {
        const forever = endless(streamed.batches[0]);
        const inputs = build === "left" ? ([source(buffered), forever] as const) : ([forever, source(buffered)] as const);
        const condition = build === "left" ? x.lt(l("id"), r("x")) : x.lt(r("id"), l("x"));
        const stream = await joinWhereStream(...inputs, condition, { how: `${build}${how}` as How, build });
        const rows = readBatches(stream.schema, await inTime(collect(stream), `${build}${how}`)).rows;
        const marks = [
          [1, true],
          [null, false],
          [2, true],
        ];
        expect(rows).toEqual(how === "Mark" ? marks : how === "Semi" ? [[1], [2]] : [[null]]);
        expect(forever.returns()).toBe(1);
      }
    }
  });
});

describe("joinCrossStream", () => {
  it("fails with its input, ends when it is cancelled, and obeys its signal", async () => {
    const cause = new Error("gone");
    const failing = source(left, (pull) => (pull === 1 ? Promise.reject(cause) : undefined));
    const other = endless(right.batches[0]);
    const stream = await joinCrossStream(failing, other, { build: "left" });
    expect((await expectError(() => stream.toTable(), "SOURCE_FAILED", "left")).cause).toBe(cause);
    expect(other.returns()).toBe(1);
    const streamed = await joinCrossStream(
      source(left, (pull) => (pull === 1 ? Promise.reject(cause) : undefined)),
      right,
      { batchSize: 3 },
    );
    expect((await expectError(() => collect(streamed), "SOURCE_FAILED", "left")).cause).toBe(cause);

    const [a, b] = [endless(left.batches[0]), source(right)];
    const cancelled = await joinCrossStream(a, b, { batchSize: 2 });
    await cancelled.next();
    await inTime(cancelled.cancel(), "cancel");
    expect((await cancelled.next()).done).toBe(true);
    expect(a.returns()).toBe(1);

    const controller = new AbortController();
    const aborted = await joinCrossStream(endless(left.batches[0]), right, { signal: controller.signal, batchSize: 2 });
    await aborted.next();
    controller.abort(cause);
    await expect(aborted.next()).rejects.toBe(cause);
  });

  it("pulls no more of the streamed side than it needs", async () => {
    const a = endless(left.batches[0]);
    const stream = await joinCrossStream(a, right, { batchSize: 10 });
    expect(a.pulls()).toBe(0);
    for (let i = 0; i < 10; i++) expect((await stream.next()).value.numRows).toBe(10);
    expect(a.pulls()).toBeLessThanOrEqual(12);
    await stream.cancel();
  });
});
