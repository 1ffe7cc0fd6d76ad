/** How a stream ends before its time: errors of inputs, cancelling, signals. Nothing hangs and nothing is rejected unheard. */

import type { RecordBatch } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { join, joinStream, type Stream } from "../support/run.ts";
import { endless, gate, inTime, settle, silentAfter, source } from "../support/source.ts";
import { table } from "../support/table.ts";

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
    expect(readBatches(stream.schema, await collect(stream)).rows).toEqual(readTable(join(left, right, { on: "id" })).rows);
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
