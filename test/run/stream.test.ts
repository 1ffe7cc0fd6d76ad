/** How streams behave: results, order of answers, back-pressure, flush, metrics and progress, early stop. */

import { type RecordBatch, type Table, tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { int32, utf8 } from "../support/column.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { type How, join, joinStream, type Stream } from "../support/run.ts";
import { endless, gate, inTime, settle, source } from "../support/source.ts";
import { resplit, table } from "../support/table.ts";

const left = table({ id: int32([1, 2, 3, 4, 2, 9]), v: utf8(["a", "b", "c", "d", "e", "f"]) }, { split: [2, 2, 2] });
const right = table({ id: int32([2, 4, 1, 7, 2]), w: int32([20, 40, 10, 70, 21]) }, { split: [2, 1, 2] });

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

const rowsOf = (input: Table) => readTable(input).rows;
const expected = (how: How = "inner") => rowsOf(join(left, right, { on: "id", how }));

describe("results of a stream", () => {
  it("are the rows of the one-shot verb for every kind", async () => {
    for (const how of ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"] as const) {
      const stream = await joinStream(source(left), source(right), { on: "id", how });
      const batches = await collect(stream);
      expect(readBatches(stream.schema, batches).rows).toEqual(expected(how));
    }
  });

  it("come as a table, as a web stream and as IPC bytes", async () => {
    const make = () => joinStream(left, right, { on: "id", how: "full", batchSize: 2 });
    expect(rowsOf(await (await make()).toTable())).toEqual(expected("full"));
    const batches: RecordBatch[] = [];
    const stream = await make();
    for await (const batch of stream.toReadableStream() as unknown as AsyncIterable<RecordBatch>) batches.push(batch);
    expect(readBatches(stream.schema, batches).rows).toEqual(expected("full"));
    const bytes = new Uint8Array(await new Response((await make()).toIPC() as ReadableStream).arrayBuffer());
    expect(rowsOf(tableFromIPC(bytes))).toEqual(expected("full"));
  });

  it("of a join without rows are a table, a web stream and IPC bytes with the schema", async () => {
    const make = () => joinStream(left, table({ id: int32([77]), w: int32([1]) }), { on: "id" });
    expect((await (await make()).toTable()).schema.fields.map((field) => field.name)).toEqual(["id", "v", "w"]);
    const bytes = new Uint8Array(await new Response((await make()).toIPC() as ReadableStream).arrayBuffer());
    expect(tableFromIPC(bytes).schema.fields.map((field) => field.name)).toEqual(["id", "v", "w"]);
    expect(await collect(await make())).toEqual([]);
  });

  it("have their schema before anything is pulled", async () => {
    const l = source(left);
    const r = source(right);
    const stream = await joinStream(l, r, { on: "id" });
    expect(stream.schema.fields.map((field) => field.name)).toEqual(["id", "v", "w"]);
    await settle();
    expect([l.pulls(), r.pulls()]).toEqual([0, 0]);
    await stream.cancel();
  });

  it("explain themselves in words, with the kernel that is used", async () => {
    for (const kernel of ["wasm", "ts"] as const) {
      const stream = await joinStream(left, right, { on: "id", kernel });
      await collect(stream);
      expect(stream.explain()).toMatch(kernel === "wasm" ? /wasm/i : /\bts\b|typescript/i);
      expect(stream.explain()).toMatch(/id/);
      expect(stream.explain()).toMatch(/inner/i);
    }
  });

  it("leave a cancelled web stream's inputs cancelled", async () => {
    const l = endless(left.batches[0]);
    const r = source(right);
    const reader = (await joinStream(l, r, { on: "id" })).toReadableStream().getReader();
    await reader.read();
    await inTime(reader.cancel("enough"), "cancel");
    expect(l.returns()).toBe(1);
  });
});

describe("next", () => {
  it("called many times at once is served in order", async () => {
    const stream = await joinStream(
      source(left, () => settle()),
      source(right, () => settle()),
      { on: "id", how: "full", batchSize: 1 },
    );
    const order: number[] = [];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        stream.next().then((answer) => {
          order.push(i);
          return answer;
        }),
      ),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const batches = answers.flatMap((answer) => (answer.done ? [] : [answer.value as RecordBatch]));
    expect(readBatches(stream.schema, batches).rows).toEqual(expected("full"));
    expect(answers.slice(batches.length).every((answer) => answer.done)).toBe(true);
  });

  it("starts the work: nothing is pulled before it, and no more than it needs after it", async () => {
    const many = resplit(table({ id: int32(Array.from({ length: 1000 }, () => 2)) }), 1, false);
    const l = source(many);
    const r = source(right);
    const stream = await joinStream(l, r, { on: "id", batchSize: 4 });
    await settle();
    expect([l.pulls(), r.pulls()]).toEqual([0, 0]);
    await stream.next();
    await settle();
    expect(r.pulls()).toBe(right.batches.length + 1);
    expect(l.pulls()).toBeLessThanOrEqual(6);
    await stream.cancel();
  });

  it("yields to the event loop while it works", async () => {
    // Every look at the clock is 5 ms later: whatever the machine does meanwhile, the join has worked for long.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
    let ticks = 0;
    let ended = false;
    const tick = () => {
      ticks++;
      if (!ended) setImmediate(tick);
    };
    try {
      const side = (factor: number) => table({ k: int32(Array.from({ length: 400_000 }, (_, i) => i * factor)) });
      const stream = await joinStream(side(1), side(7), { on: "k" });
      setImmediate(tick);
      await stream.toTable();
      expect(stream.metrics().outRows).toBe(57_143);
    } finally {
      ended = true;
      clock.mockRestore();
    }
    expect(ticks).toBeGreaterThan(10);
  });
});

describe("flush", () => {
  const gated = (batches: number) => {
    const gates = Array.from({ length: batches }, gate);
    return { gates, at: (pull: number) => (pull === 0 ? undefined : gates[pull - 1]?.opened) };
  };

  it("eager hands out what is there whenever an input is not ready", async () => {
    const { gates, at } = gated(3);
    const stream = await joinStream(source(left, at), right, { on: "id", how: "left", flush: "eager" });
    const first = await inTime(stream.next(), "the first batch");
    expect(first.done).toBe(false);
    expect((first.value as RecordBatch).numRows).toBe(3);
    for (const { open } of gates) open();
    const rest = await collect(stream);
    expect(readBatches(stream.schema, [first.value as RecordBatch, ...rest]).rows).toEqual(expected("left"));
  });

  it("full waits for more rows", async () => {
    const { gates, at } = gated(3);
    const l = table({ id: int32([9, 2, 2, 9, 4, 1]) }, { split: [2, 2, 2] });
    const stream = await joinStream(source(l, at), right, { on: "id", how: "left", batchSize: 5 });
    let answered = false;
    const first = stream.next().then((answer) => {
      answered = true;
      return answer.value as RecordBatch;
    });
    await settle();
    expect(answered).toBe(false);
    gates[0].open();
    expect((await inTime(first, "the first batch")).numRows).toBe(5);
    for (const { open } of gates) open();
    await collect(stream);
  });
});

describe("onMetrics and onProgress", () => {
  it("of which onMetrics is called once with the final numbers, one-shot too", async () => {
    const calls: { outRows: number; plan?: string }[] = [];
    const stream = await joinStream(left, right, { on: "id", onMetrics: (metrics: { outRows: number }) => calls.push(metrics) });
    await stream.next();
    await collect(stream);
    expect(calls.map((metrics) => metrics.outRows)).toEqual([expected().length]);
    join(left, right, { on: "id", onMetrics: (metrics: { outRows: number }) => calls.push(metrics) });
    expect(calls.map((metrics) => metrics.outRows)).toEqual([expected().length, expected().length]);
    for (const metrics of calls) expect(metrics.plan).toMatch(/inner/i);
  });

  it("of which onProgress is called at most ten times a second, with numbers that never fall", async () => {
    const many = resplit(table({ id: int32(Array.from({ length: 80 }, (_, i) => i % 10)) }), 1, false);
    const calls: { at: number; phase: string; leftRows: number; rightRows: number; outRows: number }[] = [];
    const wait = () => new Promise((resolve) => setTimeout(resolve, 5));
    const started = performance.now();
    const stream = await joinStream(source(many, wait), source(right, wait), {
      on: "id",
      batchSize: 4,
      onProgress: (progress: { phase: string; leftRows: number; rightRows: number; outRows: number }) =>
        calls.push({ at: performance.now(), ...progress }),
    });
    await collect(stream);
    const elapsed = performance.now() - started;
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.length).toBeLessThanOrEqual(Math.ceil(elapsed / 100) + 2);
    for (const call of calls) expect(Object.keys(call).sort()).toEqual(["at", "leftRows", "outRows", "phase", "rightRows"]);
    calls.slice(1).forEach((call, i) => {
      for (const name of ["leftRows", "rightRows", "outRows"] as const) expect(call[name]).toBeGreaterThanOrEqual(calls[i][name]);
    });
    expect(calls.at(-1)?.leftRows).toBeGreaterThan(0);
  });

  it("that throw fail the join or are passed on, they are not swallowed", async () => {
    const boom = new Error("in the callback");
    const thrower = () => {
      throw boom;
    };
    expect(() => join(left, right, { on: "id", onMetrics: thrower })).toThrow(boom);
    const stream = await joinStream(left, right, { on: "id", onMetrics: thrower });
    await expect(stream.toTable()).rejects.toThrow("in the callback");
  });
});

describe("an answer that is known early", () => {
  const none = table({ id: int32([]), w: int32([]) });
  const nulls = table({ id: int32([null, null]), w: int32([1, 2]) });

  it("ends the join and cancels the other input where the buffered side has nothing to match", async () => {
    for (const how of ["inner", "right", "leftSemi", "rightSemi", "rightAnti"] as const) {
      const l = endless(left.batches[0]);
      const stream = await joinStream(l, source(none), { on: "id", how });
      expect(await inTime(collect(stream), how)).toEqual([]);
      expect(l.pulls()).toBeLessThanOrEqual(1);
      expect(l.returns()).toBe(1);
    }
    for (const how of ["inner", "leftSemi"] as const) {
      const stream = await joinStream(endless(left.batches[0]), source(nulls), { on: "id", how });
      expect(await inTime(collect(stream), how)).toEqual([]);
    }
  });

  it("does so with the left buffered", async () => {
    for (const how of ["inner", "left", "rightSemi", "leftSemi", "leftAnti"] as const) {
      const r = endless(right.batches[0]);
      const stream = await joinStream(source(table({ id: int32([]) })), r, { on: "id", how, build: "left" });
      expect(await inTime(collect(stream), how)).toEqual([]);
      expect(r.returns()).toBe(1);
    }
  });

  it("ends the join when every row of the side that is output is decided", async () => {
    const one = table({ id: int32([1, 2]), v: utf8(["a", "b"]) });
    const semi = await joinStream(source(one), endless(one.batches[0]), { on: "id", how: "leftSemi", build: "left" });
    expect(readBatches(semi.schema, await inTime(collect(semi), "leftSemi")).rows).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    const anti = await joinStream(endless(one.batches[0]), source(one), { on: "id", how: "rightAnti" });
    expect(await inTime(collect(anti), "rightAnti")).toEqual([]);
    const rightSemi = await joinStream(endless(one.batches[0]), source(one), { on: "id", how: "rightSemi" });
    expect((await inTime(collect(rightSemi), "rightSemi")).length).toBe(1);
  });

  it("does not end a kind that still has rows to give", async () => {
    for (const how of ["left", "full", "leftAnti"] as const) {
      const stream = await joinStream(source(left), source(none), { on: "id", how });
      expect(readBatches(stream.schema, await collect(stream)).rows.length).toBe(6);
    }
  });
});
