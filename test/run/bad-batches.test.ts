/** Batches that contradict themselves, and inputs that cannot be what they seem: refused with a sentence, before they do harm. */

import * as A from "apache-arrow";
import { describe, expect, it } from "vitest";
import { runJoin, runJoinStream } from "../../src/api/run-join.ts";
import { int32 } from "../support/column.ts";
import { table } from "../support/table.ts";

const good = table({ id: int32([1, 2, 3]) });

/** The good batch with other words about itself. */
function batchWith(data: object, child: object = {}): object {
  const [batch] = good.batches;
  const inner = { ...batch.data.children[0], type: batch.data.children[0].type, ...child };
  return { schema: batch.schema, data: { type: batch.data.type, length: 3, children: [inner], ...data } };
}

describe("a batch", () => {
  it.each([[2.5], [-1], [Number.NaN], [2 ** 60]])("of %d rows is refused", (length) => {
    const input = { schema: good.schema, batches: [batchWith({ length }, { length })] };
    const refused = expect.objectContaining({ code: "INVALID_INPUT" });
    expect(() => runJoin(input, good, { on: "id" })).toThrow(refused);
    expect(() => runJoin(good, input, { on: "id" })).toThrow(refused);
  });

  it.each([[-8], [0.5]])("whose column starts at row %d is refused", (offset) => {
    const input = { schema: good.schema, batches: [batchWith({}, { offset })] };
    expect(() => runJoin(input, good, { on: "id" })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });

  it("whose column is of another type than its schema says is refused, with both types", () => {
    const schema = new A.Schema([new A.Field("id", new A.Int64(), true)]);
    const input = { schema, batches: [{ ...batchWith({}), schema }] };
    expect(() => runJoin(input, table({ id: int32([1]) }), { on: "id" })).toThrow(/KEY_TYPE|int64/);
    const longs = new A.Table(schema, [
      new A.RecordBatch(
        schema,
        A.makeData({
          type: new A.Struct(schema.fields),
          length: 1,
          nullCount: 0,
          children: [A.makeData({ type: new A.Int64(), length: 1, nullCount: 0, data: BigInt64Array.of(1n) })],
        }),
      ),
    ]);
    expect(() => runJoin(input, longs, { on: "id" })).toThrow(/declares column "id" as int64.*int32/);
  });
});

describe("one stream as both inputs", () => {
  it("is refused: its batches would go to one side or the other", async () => {
    const source = (async function* () {
      yield* good.batches;
    })();
    await expect(runJoinStream(source, source, { on: "id" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("same stream"),
    });
    // Whether as it is or with its schema beside it.
    const { schema } = good;
    const typed = { schema, batches: good.batches[Symbol.iterator]() };
    for (const other of [typed, { ...typed }, typed.batches])
      await expect(runJoinStream(typed, other, { on: "id" })).rejects.toMatchObject({ message: expect.stringContaining("same stream") });
    // A table can be read twice.
    expect((await (await runJoinStream(good, good, { on: "id" })).toTable()).numRows).toBe(3);
  });
});

describe("a streamed side that is known to be empty", () => {
  const none = table({ id: int32([]) });

  it.each(["inner", "left", "leftSemi", "leftAnti"])("ends a %s join without reading the other side", async (how) => {
    let read = 0;
    let closed = false;
    const endless = (async function* () {
      try {
        for (;;) {
          read++;
          yield good.batches[0];
        }
      } finally {
        closed = true;
      }
    })();
    const stream = await runJoinStream(none, endless, { on: "id", how });
    expect((await stream.toTable()).numRows).toBe(0);
    // One batch was read to know the columns.
    expect(read).toBe(1);
    await Promise.resolve();
    expect(closed).toBe(true);
  });

  it.each(["right", "full"])("does not end a %s join, which has the other side's rows to give", async (how) => {
    const stream = await runJoinStream(none, good, { on: "id", how });
    expect((await stream.toTable()).numRows).toBe(3);
  });
});
