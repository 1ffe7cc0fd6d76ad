/** What a stream verb takes as input, and what it says of what it cannot take. */

import { Readable } from "node:stream";
import { RecordBatchReader, type Table, tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readTable } from "../support/rows.ts";
import { type How, join, joinStream } from "../support/run.ts";
import { inTime } from "../support/source.ts";
import { table } from "../support/table.ts";

const left = table({ id: int32([1, 2, 3, 4, 2, 9]), v: utf8(["a", "b", "c", "d", "e", "f"]) }, { split: [2, 2, 2] });
const right = table({ id: int32([2, 4, 1, 7, 2]), w: int32([20, 40, 10, 70, 21]) }, { split: [2, 1, 2] });

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
