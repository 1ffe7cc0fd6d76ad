import { PassThrough, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type RecordBatch, RecordBatchReader, type Table, tableToIPC } from "apache-arrow";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type InputBatch, ROW_POSITIONS } from "../../src/arrow/input.ts";
import { openStream, type StreamInput } from "../../src/arrow/stream.ts";
import { ArrowJoinError } from "../../src/error.ts";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { table } from "../support/table.ts";
import { foreignTable } from "./layouts.ts";

const make = (): Table =>
  table({ id: int32([1, null, 3, 4, 5]), name: utf8(["a", "b", null, "d", "e"]) }, { split: [2, 0, 3], metadata: { made: "here" } });
const other = (): Table => table({ id: utf8(["x"]), name: utf8(["y"]) });

async function* later<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) {
    await sleep(0);
    yield item;
  }
}

const webStream = <T>(items: Iterable<T>): ReadableStream<T> => {
  const iterator = items[Symbol.iterator]();
  return new ReadableStream<T>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
};

/** The bytes in pieces of odd sizes, at odd offsets. */
function pieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const padded = new Uint8Array(bytes.length + 1);
  padded.set(bytes, 1);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    padded.subarray(1 + i * size, Math.min(1 + (i + 1) * size, padded.length)),
  );
}

const streamBytes = () => tableToIPC(make(), "stream");
const fileBytes = () => tableToIPC(make(), "file");
const odd = (bytes: Uint8Array) => pieces(bytes, bytes.length)[0];

async function read(stream: StreamInput): Promise<InputBatch[]> {
  const batches: InputBatch[] = [];
  for (let batch = await stream.next(); batch !== null; batch = await stream.next()) batches.push(batch as InputBatch);
  return batches;
}

const ids = (batches: readonly InputBatch[]): number[] =>
  batches.flatMap((b) => {
    const view = b.column(0);
    return view.layout === "words" ? Array.from(view.words.subarray(0, view.length)) : [];
  });

it("a stream numbers its rows through all its batches", async () => {
  const { schema, batches } = make();
  const numbers = (await read(await openStream({ schema, batches: later(batches) }, "left"))).map((batch) => batch.column(ROW_POSITIONS));
  expect(numbers.flatMap((view) => (view.layout === "words" ? [...new Float64Array(view.words.buffer)] : []))).toEqual([0, 1, 2, 3, 4]);
});

let unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await sleep(5);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

const kinds: Record<string, () => unknown> = {
  "a table": make,
  "a table of another copy": () => foreignTable(make()),
  "an array of batches": () => make().batches,
  "an iterable of batches": () => new Set(make().batches),
  "a generator": () =>
    (function* () {
      yield* make().batches;
    })(),
  "an iterable of promises": () => make().batches.map((b) => Promise.resolve(b)),
  "an async iterable of batches": () => later(make().batches),
  "an async iterable of another copy's batches": () => later(foreignTable(make()).batches),
  "a synchronous reader": () => RecordBatchReader.from(streamBytes()),
  "an opened reader": () => RecordBatchReader.from(streamBytes()).open(),
  "a file reader": () => RecordBatchReader.from(fileBytes()),
  "a web stream of batches": () => webStream(make().batches),
  "a Node stream of batches": () => Readable.from(make().batches),
  "bytes of a stream": streamBytes,
  "bytes of a file": fileBytes,
  "bytes at an odd offset": () => odd(streamBytes()),
  "a Buffer": () => Buffer.from(streamBytes()),
  "an ArrayBuffer": () => streamBytes().slice().buffer,
  "an array of byte chunks": () => pieces(streamBytes(), 37),
  "an async iterable of byte chunks": () => later(pieces(streamBytes(), 61)),
  "an async iterable of chunks of a file": () => later(pieces(fileBytes(), 61)),
  "a web stream of bytes": () => webStream(pieces(streamBytes(), 100)),
  "a Node stream of bytes": () => Readable.from(pieces(streamBytes(), 100), { objectMode: false }),
  "a Response": () => new Response(streamBytes().slice().buffer),
  "a schema with an array": () => ({ schema: make().schema, batches: make().batches }),
  "a schema with an iterable": () => ({ schema: make().schema, batches: new Set(make().batches) }),
  "a schema with an async iterable": () => ({ schema: make().schema, batches: later(make().batches) }),
  "a schema with a web stream": () => ({ schema: make().schema, batches: webStream(make().batches) }),
};

describe.each(Object.entries(kinds))("%s", (_, open) => {
  it("is read to its end", async () => {
    const stream = await openStream(open(), "left");
    expect(stream.fields.map((f) => [f.name, f.info.name, f.nullable])).toEqual([
      ["id", "int32", true],
      ["name", "utf8", true],
    ]);
    expect([...stream.metadata]).toEqual([["made", "here"]]);
    const batches = await read(stream);
    expect(batches.reduce((sum, b) => sum + b.length, 0)).toBe(5);
    expect(ids(batches).filter((_, i) => i !== 1)).toEqual([1, 3, 4, 5]);
    expect(await stream.next()).toBe(null);
    stream.cancel();
  });

  it("ends at once when it is cancelled", async () => {
    const stream = await openStream(open(), "left");
    stream.cancel("enough");
    expect(await stream.next()).toBe(null);
    stream.cancel();
  });
});

describe("an asynchronous reader", () => {
  it("is read to its end, and cancelled", async () => {
    const reader = await RecordBatchReader.from(later(pieces(streamBytes(), 50)));
    expect((await read(await openStream(reader, "right"))).reduce((n, b) => n + b.length, 0)).toBe(5);
    const second = await openStream(await RecordBatchReader.from(later(pieces(streamBytes(), 50))), "right");
    await second.next();
    second.cancel();
    expect(await second.next()).toBe(null);
  });
});

describe("the row count", () => {
  it("is known where the batches are at hand", async () => {
    expect((await openStream(make(), "left")).rows).toBe(5);
    expect((await openStream(later(make().batches), "left")).rows).toBe(null);
  });
});

describe("an empty input", () => {
  it("without a schema is an error that names the form which has one", async () => {
    for (const empty of [[], new Set(), later([]), webStream([]), new Uint8Array(0), Readable.from([]), new Response(new Uint8Array(0))]) {
      await expectError(() => openStream(empty, "right"), "INVALID_INPUT", "right", "{ schema, batches }");
    }
  });

  it("with a schema has no batch", async () => {
    const { schema } = make();
    for (const empty of [{ schema, batches: [] }, { schema, batches: later([]) }, tableToIPC(table({ id: int32([]) }, { split: [] }))]) {
      const stream = await openStream(empty, "right");
      expect(stream.fields[0].name).toBe("id");
      expect((await read(stream)).every((b) => b.length === 0)).toBe(true);
    }
  });
});

describe("what is no input", () => {
  it.each([
    [null, "null"],
    [undefined, "undefined"],
    [5, "a number"],
    ["id\n1", "a string"],
    [{ a: 1 }, "members a"],
    [Promise.resolve(1), "await it first"],
    [[1, 2], "a number"],
    [later([{ id: 1 }]), "members id"],
    [Readable.from(["text"]), "a string"],
  ])("is refused by name (%#)", async (input, words) => {
    await expectError(() => openStream(input, "left"), "INVALID_INPUT", "left", words);
  });

  it("includes a response that is an error", async () => {
    await expectError(() => openStream(new Response("gone", { status: 404 }), "left"), "SOURCE_FAILED", "left", "404");
  });
});

describe("a batch of another schema", () => {
  it("is an error that says which, and the source is cancelled", async () => {
    let returned = false;
    const source = (async function* () {
      try {
        yield* make().batches;
        yield* other().batches;
      } finally {
        returned = true;
      }
    })();
    const stream = await openStream(source, "left");
    for (let i = 0; i < 3; i++) await stream.next();
    const error = await expectError(() => stream.next(), "INVALID_INPUT", "left", "batch 3", '"id"', "utf8", "int32");
    await expect(stream.next()).rejects.toBe(error);
    await sleep(1);
    expect(returned).toBe(true);
  });

  it("may not bring nulls into a column that was declared free of them", async () => {
    const clean = table({ id: int32([1]) }, { nullable: false });
    const nullable = table({ id: int32([2, null]) });
    const stream = await openStream(later([...clean.batches, ...nullable.batches]), "left");
    await stream.next();
    const batch = (await stream.next()) as InputBatch;
    await expectError(() => batch.column(0), "INVALID_INPUT", "id", "nullable");
  });
});

describe("a source that fails", () => {
  const boom = new Error("connection reset");
  async function* failing(count: number) {
    yield* make().batches.slice(0, count);
    throw boom;
  }

  it("is named, with the original error as the cause, every time", async () => {
    const stream = await openStream(failing(1), "right");
    await stream.next();
    const error = await expectError(() => stream.next(), "SOURCE_FAILED", "right", "connection reset");
    expect(error.cause).toBe(boom);
    await expect(stream.next()).rejects.toBe(error);
  });

  it("may fail before its first batch, as any kind of source", async () => {
    const failed = new ReadableStream({ start: (c) => c.error(boom) });
    const node = new Readable({
      read() {
        this.destroy(boom);
      },
    });
    for (const source of [failing(0), failed, node]) {
      const error = await expectError(() => openStream(source, "left"), "SOURCE_FAILED", "left", "connection");
      expect(error.cause).toBe(boom);
    }
  });

  it("may fail between the bytes of a batch, which is not the fault of the bytes", async () => {
    const bytes = streamBytes();
    const source = (async function* () {
      yield bytes.subarray(0, 100);
      throw boom;
    })();
    const error = await expectError(() => openStream(source, "left"), "SOURCE_FAILED", "left", "connection");
    expect(error.cause).toBe(boom);
  });

  it("passes errors of our own as they are", async () => {
    const own = new ArrowJoinError("MEMORY_LIMIT", "mine");
    const stream = await openStream(
      (async function* () {
        yield make().batches[0];
        throw own;
      })(),
      "left",
    );
    await stream.next();
    await expect(stream.next()).rejects.toBe(own);
  });

  it("fails when its bytes are cut", async () => {
    const bytes = streamBytes();
    const stream = await openStream(later(pieces(bytes.subarray(0, bytes.length - 80), 64)), "left");
    const error = await expectError(() => read(stream), "INVALID_INPUT", "left", "complete");
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("fails when its bytes are no Arrow", async () => {
    await expectError(() => openStream(new TextEncoder().encode("id,name\n1,a\n2,b\n3,c\n4,d and so on"), "left"), "INVALID_INPUT", "left");
  });
});

describe("cancelling", () => {
  it("does not wait for a pull in flight, drops its late value, and ends the pending next", async () => {
    let release: (batch: RecordBatch) => void = () => {};
    let returned = 0;
    const source = {
      [Symbol.asyncIterator]: () => ({
        count: 0,
        next() {
          return this.count++ === 0
            ? Promise.resolve({ done: false, value: make().batches[0] })
            : new Promise((resolve) => {
                release = (value) => resolve({ done: false, value });
              });
        },
        return() {
          returned++;
          return new Promise(() => {});
        },
      }),
    };
    const stream = await openStream(source, "left");
    await stream.next();
    const pending = stream.next();
    stream.cancel();
    expect(await pending).toBe(null);
    expect(returned).toBe(1);
    release(make().batches[0]);
    await sleep(1);
    expect(await stream.next()).toBe(null);
  });

  it("handles a late rejection, and a return that fails", async () => {
    let fail: (error: Error) => void = () => {};
    const source = {
      [Symbol.asyncIterator]: () => ({
        count: 0,
        next() {
          return this.count++ === 0
            ? Promise.resolve({ done: false, value: make().batches[0] })
            : new Promise((_, reject) => {
                fail = reject;
              });
        },
        return: () => Promise.reject(new Error("return failed")),
      }),
    };
    const stream = await openStream(source, "left");
    await stream.next();
    const pending = stream.next();
    stream.cancel();
    fail(new Error("late"));
    expect(await pending).toBe(null);
    await sleep(5);
    expect(unhandled).toEqual([]);
  });

  it("reaches a web stream with the reason", async () => {
    let reason: unknown;
    const stream = await openStream(
      new ReadableStream({
        start: (c) => c.enqueue(make().batches[0]),
        cancel: (r) => {
          reason = r;
        },
      }),
      "left",
    );
    await stream.next();
    const pending = stream.next();
    stream.cancel("why");
    expect(await pending).toBe(null);
    expect(reason).toBe("why");
  });

  it("destroys a Node stream, whose later errors end nothing", async () => {
    const source = new PassThrough();
    source.write(streamBytes().subarray(0, 400));
    const opening = openStream(source, "left");
    source.write(streamBytes().subarray(400));
    const stream = await opening;
    const pending = read(stream);
    stream.cancel();
    await pending;
    expect(source.destroyed).toBe(true);
    source.emit("error", new Error("late"));
  });

  it("returns a generator of bytes under a reader", async () => {
    let returned = false;
    const source = (async function* () {
      try {
        for (;;) {
          yield* pieces(streamBytes(), 40);
          await sleep(1);
        }
      } finally {
        returned = true;
      }
    })();
    const stream = await openStream(source, "left");
    await stream.next();
    stream.cancel();
    await sleep(10);
    expect(returned).toBe(true);
  });

  it("by a signal ends the wait for a first batch", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    let returned = false;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: () => {
          returned = true;
        },
      }),
    };
    const opening = openStream(source, "left", controller.signal);
    setTimeout(() => controller.abort(reason), 1);
    await expect(opening).rejects.toBe(reason);
    expect(returned).toBe(true);
    await expect(openStream(make(), "left", controller.signal)).rejects.toBe(reason);
  });
});
