/** How streams behave: inputs of every kind, cancelling, errors of inputs, order of answers, progress, early stop, back-pressure. */

import { Readable } from "node:stream";
import { type RecordBatch, RecordBatchReader, type Table, tableFromIPC, tableToIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { type How, join, joinStream, type Stream } from "../support/run.ts";
import { endless, gate, inTime, settle, silentAfter, source } from "../support/source.ts";
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

describe("inputs of a stream", () => {
  const bytesOf = (input: Table) => tableToIPC(input, "stream");
  const chunks = (bytes: Uint8Array, size: number) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
  const web = <T>(items: readonly T[]) =>
    new ReadableStream<T>({
      start(controller) {
        for (const item of items) controller.enqueue(item);
        controller.close();
      },
    });
  async function* generate<T>(items: readonly T[]): AsyncGenerator<T> {
    for (const item of items) yield item;
  }

  const FORMS: { readonly [form: string]: (input: Table) => unknown } = {
    "a table": (input) => input,
    "an array of batches": (input) => input.batches,
    "an iterable of batches": (input) => new Set(input.batches),
    "an async iterable of batches": (input) => generate(input.batches),
    "{ schema, batches } with an array": (input) => ({ schema: input.schema, batches: input.batches }),
    "{ schema, batches } with an async iterable": (input) => ({ schema: input.schema, batches: generate(input.batches) }),
    "a web stream of batches": (input) => web(input.batches),
    "a Node stream of batches": (input) => Readable.from(input.batches),
    "IPC bytes": (input) => bytesOf(input),
    "IPC bytes of the file format": (input) => tableToIPC(input, "file"),
    "an ArrayBuffer of IPC bytes": (input) => bytesOf(input).slice().buffer,
    "an iterable of pieces of IPC bytes": (input) => chunks(bytesOf(input), 33),
    "an async iterable of pieces of IPC bytes": (input) => generate(chunks(bytesOf(input), 7)),
    "a web stream of IPC bytes": (input) => web(chunks(bytesOf(input), 64)),
    "a Node stream of IPC bytes": (input) => Readable.from(chunks(bytesOf(input), 100).map((chunk) => Buffer.from(chunk))),
    "a Response": (input) => new Response(new Uint8Array(bytesOf(input))),
    "a promise's Response from an array of bytes": (input) =>
      new Response(web(chunks(new Uint8Array(bytesOf(input)), 50)) as ReadableStream),
    "a reader": (input) => RecordBatchReader.from(bytesOf(input)),
    "an async reader": async (input) => RecordBatchReader.from(generate(chunks(bytesOf(input), 40))),
  };

  for (const [form, make] of Object.entries(FORMS)) {
    it(`may be ${form}, on either side`, async () => {
      const whole = async (l: unknown, r: unknown) =>
        rowsOf(await inTime((await inTime(joinStream(l, r, { on: "id", how: "full" }), "joinStream")).toTable(), "toTable"));
      expect(await whole(await make(left), right)).toEqual(expected("full"));
      expect(await whole(left, await make(right))).toEqual(expected("full"));
      expect(await whole(await make(left), await make(right))).toEqual(expected("full"));
    });
  }

  it("may be one batch", async () => {
    const stream = await joinStream(left.batches[0], right.batches[1], { on: "id" });
    expect(rowsOf(await stream.toTable())).toEqual([[1, "a", 10]]);
  });

  it("that are empty need a schema, and the error names the form that has one", async () => {
    for (const nothing of [[], generate([]), web([])]) {
      await expectError(() => joinStream(nothing, right, { on: "id" }), "INVALID_INPUT", /schema/, /batches/);
    }
    const none = { schema: left.schema, batches: generate([]) };
    expect((await (await joinStream(none, right, { on: "id" })).toTable()).numRows).toBe(0);
    expect((await (await joinStream({ schema: left.schema, batches: [] }, right, { on: "id", how: "right" })).toTable()).numRows).toBe(5);
  });

  it("whose later batch has another schema fail the join with the number of the batch", async () => {
    const odd = generate([left.batches[0], right.batches[0]]);
    await expectError(
      async () => (await joinStream({ schema: left.schema, batches: odd }, right, { on: "id" })).toTable(),
      "INVALID_INPUT",
      /left/,
      /1|second/,
    );
  });

  it("that yield something else fail the join", async () => {
    for (const wrong of [5, null, {}, "text"]) {
      await expectError(
        async () => (await joinStream({ schema: left.schema, batches: generate([left.batches[0], wrong]) }, right, { on: "id" })).toTable(),
        "INVALID_INPUT",
        /left/,
      );
    }
  });

  it("of bytes that are no Arrow, or end in the middle, fail the join and name the side", async () => {
    const bytes = bytesOf(left);
    const broken = async (input: unknown) =>
      expectError(async () => (await joinStream(right, input, { on: "id" })).toTable(), "INVALID_INPUT", /right/);
    await broken(Uint8Array.from({ length: 100 }, (_, i) => i));
    await broken(new TextEncoder().encode("id,v\n1,a\n"));
    await broken(bytes.subarray(0, bytes.length >> 1));
  });
});

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

describe("an error of an input", () => {
  const cause = new Error("the network is gone");
  const fail = (pull: number) => (pull === 1 ? Promise.reject(cause) : undefined);

  for (const side of ["left", "right"] as const) {
    it(`in the second batch of the ${side} rejects with SOURCE_FAILED, its cause and the side, and cancels the other`, async () => {
      const failing = source(side === "left" ? left : right, fail);
      const other = side === "left" ? endless(right.batches[0]) : source(left);
      const [l, r] = side === "left" ? [failing, source(right)] : [source(left), failing];
      const stream = await joinStream(l, r, { on: "id", how: "full", batchSize: 1 });
      const error = await inTime(
        expectError(
          async () => {
            for (;;) if ((await stream.next()).done) return;
          },
          "SOURCE_FAILED",
          side,
        ),
        "the error",
      );
      expect(error.cause).toBe(cause);
      const partner = side === "left" ? r : l;
      expect(
        partner.returns() === 1 || partner.pulls() > (side === "left" ? right : left).batches.length,
        "the other input was cancelled or had ended",
      ).toBe(true);
      expect(other.pulls()).toBe(0);
      await expect(stream.next()).rejects.toBe(error);
      await expect(stream.next()).rejects.toBe(error);
      await expect(stream.toTable()).rejects.toBe(error);
    });
  }

  it("cancels an input that has more to give", async () => {
    const l = endless(left.batches[0]);
    const stream = await joinStream(l, source(right, fail), { on: "id" });
    await expectError(() => stream.next(), "SOURCE_FAILED", "right");
    await settle();
    expect(l.returns()).toBe(1);
  });

  it("that is no Error is the cause as it is", async () => {
    for (const thrown of ["text", undefined, null, 5]) {
      const stream = await joinStream(
        source(left, (pull) => (pull === 1 ? Promise.reject(thrown) : undefined)),
        right,
        { on: "id" },
      );
      const error = await expectError(() => stream.toTable(), "SOURCE_FAILED", "left");
      expect(error.cause).toBe(thrown);
    }
  });

  it("of a generator that throws at once rejects before there is a stream, or at the first pull", async () => {
    const dead = async function* (): AsyncGenerator<RecordBatch> {
      if (cause) throw cause;
      yield left.batches[0];
    };
    const error = await expectError(async () => (await joinStream(dead(), right, { on: "id" })).next(), "SOURCE_FAILED", "left");
    expect(error.cause).toBe(cause);
  });

  it("of a Response that is not ok says its status", async () => {
    await expectError(
      async () => (await joinStream(new Response("no", { status: 404 }), right, { on: "id" })).next(),
      "SOURCE_FAILED",
      "404",
    );
  });

  it("in return() of an input does not replace the result", async () => {
    const bad = {
      schema: left.schema,
      batches: {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: left.batches[0] }),
          return: () => Promise.reject(new Error("cannot close")),
        }),
      },
    };
    const stream = await joinStream(bad, right, { on: "id" });
    expect((await stream.next()).done).toBe(false);
    await inTime(stream.cancel(), "cancel");
    expect((await stream.next()).done).toBe(true);
  });
});

describe("cancelling", () => {
  it("ends the iteration: the pending next and all later ones are done", async () => {
    const stream = await joinStream(silentAfter(left, 1), right, { on: "id", batchSize: 1 });
    for (let row = 0; row < 3; row++) expect((await stream.next()).done).toBe(false);
    const pending = stream.next();
    await settle();
    await inTime(stream.cancel(), "cancel");
    expect((await inTime(pending, "the pending next")).done).toBe(true);
    expect((await inTime(stream.next(), "a later next")).done).toBe(true);
    await inTime(stream.cancel(), "a second cancel");
  });

  it("does not hang on a source that never answers, on either side, before or after the first pull", async () => {
    for (const sides of [
      () => [silentAfter(left, 0), right],
      () => [left, silentAfter(right, 0)],
      () => [silentAfter(left, 1), silentAfter(right, 1)],
    ]) {
      const [l, r] = sides();
      const unstarted = await joinStream(l, r, { on: "id" });
      await inTime(unstarted.cancel(), "cancel before the first pull");
      const [l2, r2] = sides();
      const started = await joinStream(l2, r2, { on: "id" });
      const pending = started.next();
      await settle();
      await inTime(started.cancel(), "cancel");
      expect((await inTime(pending, "the pending next")).done).toBe(true);
      for (const side of [l, r, l2, r2]) if ("returns" in side) expect(side.returns()).toBe(1);
    }
  });

  it("drops the late value of a pull, and handles its late rejection", async () => {
    for (const outcome of ["value", "rejection"] as const) {
      const late = gate();
      const l = source(left, async (pull) => {
        if (pull === 1) await late.opened;
        if (pull === 1 && outcome === "rejection") throw new Error("too late");
      });
      const stream = await joinStream(l, right, { on: "id" });
      const pending = stream.next();
      await settle();
      await inTime(stream.cancel(), "cancel");
      expect((await pending).done).toBe(true);
      late.open();
      await settle();
      expect((await stream.next()).done).toBe(true);
      expect(l.pulls()).toBe(2);
    }
  });

  it("cancels both inputs once", async () => {
    const l = source(left);
    const r = endless(right.batches[0]);
    const stream = await joinStream(l, r, { on: "id" });
    const pending = stream.next();
    await settle();
    await inTime(stream.cancel(), "cancel");
    await stream.cancel();
    await pending;
    expect([l.returns(), r.returns()]).toEqual([1, 1]);
  });

  it("by return() ends the iteration, as leaving a loop does", async () => {
    const l = endless(left.batches[0]);
    const stream = await joinStream(l, right, { on: "id", batchSize: 1 });
    for await (const batch of stream) {
      expect(batch.numRows).toBe(1);
      break;
    }
    expect(l.returns()).toBe(1);
    expect((await stream.next()).done).toBe(true);
    const other = await joinStream(endless(left.batches[0]), right, { on: "id" });
    expect((await inTime(other.return(), "return")).done).toBe(true);
    expect((await other.next()).done).toBe(true);
  });

  it("by disposal ends the iteration", async () => {
    const l = endless(left.batches[0]);
    const stream = await joinStream(l, right, { on: "id" });
    await stream.next();
    await inTime(stream[Symbol.asyncDispose](), "disposal");
    expect(l.returns()).toBe(1);
    expect((await stream.next()).done).toBe(true);
  });

  it("rejects a toTable under way with CANCELLED", async () => {
    const stream = await joinStream(silentAfter(left, 1), right, { on: "id" });
    const table = expectError(() => stream.toTable(), "CANCELLED");
    await settle();
    await inTime(stream.cancel("no longer needed"), "cancel");
    await inTime(table, "toTable");
  });

  it("after the end changes nothing", async () => {
    const stream = await joinStream(left, right, { on: "id" });
    expect(readBatches(stream.schema, await collect(stream)).rows).toEqual(expected());
    const rows = stream.metrics().outRows;
    await stream.cancel();
    expect(stream.metrics().outRows).toBe(rows);
    expect((await stream.next()).done).toBe(true);
  });
});

describe("a signal", () => {
  it("that is aborted rejects the pending next, and later ones, with its reason itself", async () => {
    for (const reason of [new Error("user left"), "plain text", { code: 5 }]) {
      const controller = new AbortController();
      const l = silentAfter(left, 1);
      const r = source(right);
      const stream = await joinStream(l, r, { on: "id", signal: controller.signal });
      const pending = stream.next();
      await settle();
      controller.abort(reason);
      await expect(inTime(pending, "the pending next")).rejects.toBe(reason);
      await expect(stream.next()).rejects.toBe(reason);
      expect(l.returns()).toBe(1);
    }
  });

  it("that is aborted before rejects without a pull", async () => {
    const reason = new Error("before");
    const l = source(left);
    let caught: unknown;
    try {
      await (await joinStream(l, right, { on: "id", signal: AbortSignal.abort(reason) })).next();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe(reason);
    expect(l.pulls()).toBe(0);
  });

  it("without a reason rejects with the signal's AbortError", async () => {
    const controller = new AbortController();
    const stream = await joinStream(silentAfter(left, 0), right, { on: "id", signal: controller.signal });
    const table = stream.toTable();
    await settle();
    controller.abort();
    await expect(inTime(table, "toTable")).rejects.toBe(controller.signal.reason);
  });

  it("that is aborted after the end changes nothing, and no listener stays", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => {
        listeners++;
        return add(...args);
      },
      removeEventListener: (...args: Parameters<typeof remove>) => {
        listeners--;
        return remove(...args);
      },
    });
    const stream = await joinStream(left, right, { on: "id", signal });
    await collect(stream);
    expect(listeners).toBe(0);
    controller.abort();
    expect((await stream.next()).done).toBe(true);
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
    const side = table({ k: int32(new Array<number>(4000).fill(1)) });
    const stream = await joinStream(side, side, { on: "k", batchSize: Number.POSITIVE_INFINITY, select: [] });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await stream.toTable();
    clearInterval(timer);
    const one = await joinStream(
      table({ k: int32(Array.from({ length: 400_000 }, (_, i) => i)) }),
      table({ k: int32(Array.from({ length: 400_000 }, (_, i) => i * 7)) }),
      { on: "k" },
    );
    const second = setInterval(() => ticks++, 1);
    const started = performance.now();
    await one.toTable();
    clearInterval(second);
    if (performance.now() - started > 60) expect(ticks).toBeGreaterThan(2);
    expect(one.metrics().outRows).toBe(57_143);
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
