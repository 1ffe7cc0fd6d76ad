/** How long a prepared side lasts: many joins one after another and at the same time, closing it, and what becomes of its memory. */

import type { RecordBatch } from "apache-arrow";
import { describe, expect, it } from "vitest";
import * as c from "../support/column.ts";
import { compareRows } from "../support/compare.ts";
import { expectError } from "../support/errors.ts";
import { ALL_KINDS } from "../support/random.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { join, joinStream } from "../support/run.ts";
import { endless, inTime, settle, silentAfter, source } from "../support/source.ts";
import { resplit, table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";
import { joinIndices, KERNELS, kernelOf, left, type Prepared, prepareJoin, readStream, right } from "./prepare-join.fixture.ts";

describe("a prepared side", () => {
  it("gives the same a hundred times, and holds no more after it", async () => {
    const strings = table({ k: c.dictionary(c.utf8(["a", "b", "a"])), w: c.int32([1, 2, 3]) });
    for (const kernel of KERNELS) {
      using numbers = prepareJoin(right, { on: "id", kernel });
      using texts = prepareJoin(strings, { on: "k", kernel });
      const kernels = [kernelOf(numbers), kernelOf(texts)];
      const used = kernels.map(({ usedBytes }) => usedBytes);
      let held: number[] = [];
      const first = new Map<string, string>();
      for (let run = 0; run < 100; run++) {
        const lookup = table({ k: c.dictionary(c.utf8([`${run}`, "b", "a"]), { index: "int8" }) });
        const options = { how: ALL_KINDS[run % 10], filter: run % 20 < 10 ? x.gt(r("w"), 1) : undefined };
        const rows = JSON.stringify([
          readTable(join(left, numbers, options)).rows,
          await readStream(joinStream(left, numbers, options)).then((read) => read.rows),
          readTable(join(lookup, texts, { how: "rightMark" })).rows,
        ]);
        expect(rows).toBe(first.get(JSON.stringify(options)) ?? rows);
        first.set(JSON.stringify(options), rows);
        expect(kernels.map(({ usedBytes }) => usedBytes)).toEqual(used);
        if (run === 20) held = kernels.map(({ heldBytes }) => heldBytes);
      }
      expect(first.size).toBe(20);
      expect(kernels.map(({ heldBytes }) => heldBytes)).toEqual(held);
    }
  });

  const textKey = (cells: readonly (string | null)[]) => c.dictionary(c.utf8(cells), { index: "int16", perBatch: true });
  const AT_ONCE = KERNELS.flatMap((kernel) => [
    [kernel, "numbers", left, right] as const,
    [
      kernel,
      "dictionaries a batch",
      table(
        { id: textKey(["a", null, "b", "b", "e", "a", "i"]), v: c.int32([3, 1, 4, 1, 5, 9, null]) },
        { split: [1, 1, 1, 1, 1, 1, 1], nullable: true },
      ),
      table({ id: textKey(["b", "g", null, "a", "b", "a"]), w: c.int32([2, 7, 1, null, 2, 8]) }, { split: [3, 3], nullable: true }),
    ] as const,
  ]);
  it.each(AT_ONCE)(
    "serves streams and joins that go on at the same time, with kernel %s and keys that are %s",
    async (kernel, _, left, right) => {
      const split = resplit(left, 1, false);
      using prepared = prepareJoin(right, { on: "id", kernel });
      const open = ALL_KINDS.map((how, i) => {
        const options = { how, batchSize: (i % 3) + 1, filter: i % 2 ? x.le(r("w"), l("v")) : undefined };
        return { options, rows: [] as string[], ended: false };
      });
      const streams = await Promise.all(open.map(({ options }) => joinStream(source(split), prepared, options)));
      const expected = await Promise.all(
        open.map(({ options }) => joinStream(split, right, { on: "id", ...options }).then((stream) => stream.toTable())),
      );
      const batches: RecordBatch[][] = open.map(() => []);
      for (let round = 0; open.some(({ ended }) => !ended); round++) {
        // One of them, all of them, or joins between.
        await Promise.all(
          open.map(async (one, i) => {
            if (one.ended || (round % 2 === 0 && i % 4 !== round % 4)) return;
            const { done, value } = await streams[i].next();
            if (done) one.ended = true;
            else batches[i].push(value);
          }),
        );
        const { options } = open[round % open.length];
        const whole = join(left, prepared, { ...options, order: "left" });
        compareRows(readTable(whole).rows, readTable(expected[round % open.length]).rows, JSON.stringify(options));
      }
      open.forEach(({ options }, i) =>
        compareRows(readBatches(streams[i].schema, batches[i]).rows, readTable(expected[i]).rows, JSON.stringify(options)),
      );
      expect(kernelOf(prepared).usedBytes).toBe(prepared.memoryBytes);
    },
  );
});

describe("closing", () => {
  it.each(KERNELS)("rejects the streams that are alive, and cancels their left inputs, with kernel %s", async (kernel) => {
    const prepared = prepareJoin(right, { on: "id", kernel });
    const [unread, begun, whole, stuck, sided] = [
      endless(left.batches[1]),
      endless(left.batches[1]),
      endless(left.batches[1]),
      silentAfter(left, 1),
      endless(left.batches[1]),
    ];
    const streams = await Promise.all([
      ...[unread, begun, whole, stuck].map((input) => joinStream(input, prepared, { how: "left", batchSize: 4 })),
      joinStream(sided, prepared, { how: "leftMark", batchSize: 5 }),
    ]);
    const finished = await joinStream(left, prepared, {});
    const expected = readTable(join(left, right, { on: "id" })).rows;
    expect(readTable(await finished.toTable()).rows).toEqual(expected);
    expect((await streams[1].next()).value?.numRows).toBe(4);
    const pending = [streams[2].toTable(), streams[3].toTable()].map((result) => expectError(() => result, "CANCELLED", "closed"));
    await settle();

    prepared.close();
    await inTime(Promise.all(pending), "the tables under way");
    for (const stream of streams) await expectError(() => inTime(stream.next(), "next()"), "CANCELLED", "prepared", "closed");
    await expectError(() => streams[1].toTable(), "CANCELLED");
    expect([unread, begun, whole, stuck, sided].map((input) => input.returns())).toEqual([1, 1, 1, 1, 1]);
    for (const stream of streams) {
      expect(stream.metrics().outRows).toBeGreaterThanOrEqual(0);
      await stream.cancel();
    }
    expect((await finished.next()).done).toBe(true);
  });

  it("makes a prepared side one that cannot be used", async () => {
    for (const kernel of KERNELS) {
      const prepared = prepareJoin(right, { on: "id", kernel });
      expect(prepared.memoryBytes).toBeGreaterThan(0);
      prepared.close();
      prepared.close();
      prepared[Symbol.dispose]();
      expect(prepared.memoryBytes).toBe(0);
      await expectError(() => join(left, prepared, {}), "INVALID_INPUT", "prepared right side was closed");
      await expectError(() => joinIndices(left, prepared, {}), "INVALID_INPUT", "closed");
      const input = source(left);
      await expectError(() => joinStream(input, prepared, {}), "INVALID_INPUT", "closed");
      expect(input.pulls()).toBe(0);
    }
  });

  it("happens at the end of a block that uses it", async () => {
    let kept: Prepared;
    {
      using prepared = prepareJoin(right, { on: "id" });
      kept = prepared;
      expect(join(left, prepared, {}).numRows).toBeGreaterThan(0);
    }
    await expectError(() => join(left, kept, {}), "INVALID_INPUT", "closed");
  });

  it("from within a callback ends that join too", async () => {
    for (const kernel of KERNELS) {
      const prepared = prepareJoin(right, { on: "id", kernel });
      const stream = await joinStream(left, prepared, { onProgress: () => prepared.close() });
      await expectError(() => stream.toTable(), "CANCELLED", "closed");
      const again = prepareJoin(right, { on: "id", kernel });
      const expected = readTable(join(left, right, { on: "id" })).rows;
      // The result is there when the metrics are told.
      expect(readTable(join(left, again, { onMetrics: () => again.close() })).rows).toEqual(expected);
      const third = prepareJoin(right, { on: "id", kernel });
      const last = await joinStream(left, third, { onMetrics: () => third.close() });
      expect(readTable(await last.toTable()).rows).toEqual(expected);
      const fourth = prepareJoin(right, { on: "id", kernel });
      const filter = () => {
        fourth.close();
        return x.lt(l("v"), r("w"));
      };
      await expectError(() => join(left, fourth, { filter }), "INVALID_INPUT", "closed");
    }
  });

  it("does not touch results that were given", () => {
    for (const kernel of KERNELS) {
      const prepared = prepareJoin(right, { on: "id", kernel });
      const results = [join(left, prepared, { how: "full" }), join(left, prepared, { how: "rightMark" })];
      const before = results.map((result) => readTable(result).rows);
      prepared.close();
      for (let i = 0; i < 5; i++) join(right, left, { on: "id", kernel });
      expect(results.map((result) => readTable(result).rows)).toEqual(before);
    }
  });
});

describe("memory", () => {
  it.each(KERNELS)("comes back from streams that are cancelled, and from joins that fail, with kernel %s", async (kernel) => {
    using prepared = prepareJoin(right, { on: "id", kernel });
    const { usedBytes } = kernelOf(prepared);
    const now = () => kernelOf(prepared).usedBytes;
    for (const how of ALL_KINDS) {
      const options = { how, batchSize: 2, filter: x.le(r("w"), l("v")) };
      const cancelled = await joinStream(endless(left.batches[1]), prepared, options);
      const left1 = await joinStream(source(left), prepared, options);
      await cancelled.cancel();
      for await (const _ of left1) break;
      expect(now(), how).toBe(usedBytes);

      const boom = new Error("boom");
      const failing = source(left, (pull) => (pull === 1 ? Promise.reject(boom) : undefined));
      const failed = await joinStream(failing, prepared, options);
      const error = await expectError(() => failed.toTable(), "SOURCE_FAILED");
      expect(error.cause).toBe(boom);
      expect(now(), how).toBe(usedBytes);

      const controller = new AbortController();
      const aborted = await joinStream(endless(left.batches[1]), prepared, { ...options, signal: controller.signal });
      controller.abort(boom);
      await expect(aborted.next()).rejects.toBe(boom);
      const telling = () => {
        throw boom;
      };
      expect(() => join(left, prepared, { ...options, onMetrics: telling })).toThrow(boom);
      expect(now(), how).toBe(usedBytes);
    }
    const many = Array.from({ length: 10 }, () => joinStream(endless(left.batches[1]), prepared, { batchSize: 1 }));
    for (const stream of await Promise.all(many)) await stream.next();
    expect(now()).toBeGreaterThan(usedBytes);
    for (const stream of await Promise.all(many)) await stream.cancel();
    await expectError(() => join(left, prepared, { unmatched: "error" }), "UNMATCHED");
    await expectError(() => join(left, prepared, { filter: x.lt(l("nope"), r("w")) }), "INVALID_EXPRESSION");
    expect(now()).toBe(usedBytes);
  });

  /** Instances of the kernel's module that were made meanwhile: those that are not given back have to be made anew. */
  async function instancesMade(work: () => unknown): Promise<number> {
    const { Instance } = WebAssembly;
    let made = 0;
    WebAssembly.Instance = class extends Instance {
      constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
        super(module, imports);
        made++;
      }
    };
    try {
      await work();
    } finally {
      WebAssembly.Instance = Instance;
    }
    return made;
  }

  const n = 20_000;
  const large = table({
    id: c.int32(Array.from({ length: n }, (_, i) => i * 1000)),
    s: c.utf8(Array.from({ length: n }, (_, i) => `${i}`)),
  });

  it("has a limit, and what passes it leaves nothing behind", async () => {
    for (const kernel of KERNELS)
      for (const on of ["id", "s", ["id", "s"]])
        for (const memoryLimit of [1, 10_000, 150_000]) {
          const options = { on, kernel, memoryLimit };
          await expectError(() => prepareJoin(large, options), "MEMORY_LIMIT", /^\S.* needs \d+ bytes/, `memoryLimit is ${memoryLimit}`);
        }
    const made = await instancesMade(async () => {
      for (let i = 0; i < 200; i++) {
        const memoryLimit = 1 + i * 500;
        await expectError(() => prepareJoin(large, { on: "s", kernel: "wasm", memoryLimit }), "MEMORY_LIMIT", `${memoryLimit}`);
      }
    });
    expect(made).toBeLessThanOrEqual(1);
  });

  it("within the limit is what the index says", () => {
    for (const kernel of KERNELS) {
      const free = prepareJoin(large, { on: "id", kernel, hashSeed: 1 });
      const { memoryBytes } = free;
      expect(memoryBytes).toBeGreaterThan(n * 4);
      expect(memoryBytes).toBeLessThan(n * 100);
      free.close();
      // The limit is for the index alone: joins take their scratch beside it.
      using tight = prepareJoin(large, { on: "id", kernel, hashSeed: 1, memoryLimit: 8 * memoryBytes });
      expect(tight.memoryBytes).toBe(memoryBytes);
      expect(kernelOf(tight).limitBytes).toBe(Number.POSITIVE_INFINITY);
      expect(join(large, tight, { how: "leftMark" }).numRows).toBe(n);
    }
  });

  it("goes back to the pool when a side is closed, or could not be prepared", async () => {
    const made = await instancesMade(async () => {
      for (let i = 0; i < 200; i++) {
        const prepared = prepareJoin(right, { on: "id", kernel: "wasm" });
        join(left, prepared, {});
        const stream = await joinStream(endless(left.batches[1]), prepared, {});
        if (i % 2) await stream.next();
        prepared.close();
        const bad = { schema: right.schema, batches: [right.batches[0], { ...right.batches[1], schema: left.schema }] };
        await expectError(() => prepareJoin(bad, { on: "id", kernel: "wasm" }), "INVALID_INPUT");
      }
    });
    expect(made).toBeLessThanOrEqual(1);
  });
});
