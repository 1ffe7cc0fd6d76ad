/** Faults of filters that an attack found, each as its kind: extremes of arithmetic, of scales, of dictionaries, of what is held. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  Data,
  type DataType,
  Decimal,
  Dictionary,
  Field,
  Int32,
  makeVector,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import * as c from "../support/column.ts";
import { join, runJoin, runJoinStream } from "../support/run.ts";
import { table } from "../support/table.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const KERNELS = ["wasm", "ts"] as const;
const l = (column: string) => ({ side: "left", column });
const r = (column: string) => ({ side: "right", column });

describe.each(KERNELS)("with the %s kernel", (kernel) => {
  it("a product of unsigned integers that leaves 64 bits is null, wherever it lies", () => {
    const powers = [1n, 3n, 5n].flatMap((odd) => Array.from({ length: 64 }, (_, k) => (odd << BigInt(k)) & 0xffffffffffffffffn));
    const values = [...new Set(powers.flatMap((value) => [value - 1n, value, value + 1n]))].filter((v) => v >= 0n && v < 1n << 64n);
    const side = (name: string) =>
      table({ k: c.int32(values.map(() => 1)), [name]: c.uint64(values), [`${name}i`]: c.int32(values.map((_, i) => i)) });
    const filter = { op: "isNull", args: [{ op: "mul", args: [l("a"), r("b")] }] };
    const found = join(side("a"), side("b"), { on: "k", filter, kernel, select: ["left.ai", "right.bi"] });
    const expected = values.reduce((sum, a) => sum + values.filter((b) => a * b >= 1n << 64n).length, 0);
    expect(found.numRows).toBe(expected);
    const [as, bs] = [found.getChild("ai")?.toArray(), found.getChild("bi")?.toArray()];
    for (let i = 0; i < found.numRows; i += 97) expect(values[as[i]] * values[bs[i]]).toBeGreaterThanOrEqual(1n << 64n);
  });

  it("a sum of an unsigned and a signed integer is decided by the sum, not by its operands", () => {
    const left = table({ k: c.int32([1, 1, 1]), u: c.uint64([2n ** 63n, 2n ** 63n, 2n ** 64n - 1n]), i: c.int64([-1n, 0n, -(2n ** 63n)]) });
    const sum = { op: "add", args: [l("u"), l("i")] };
    const is = (value: bigint) => ({ op: "eq", args: [sum, { type: "bigint", value: String(value) }] });
    const semi = (filter: object) => join(left, table({ k: c.int32([1]) }), { on: "k", how: "leftSemi", filter, kernel }).numRows;
    expect(semi(is(2n ** 63n - 1n))).toBe(2);
    expect(semi({ op: "isNull", args: [sum] })).toBe(1);
    expect(
      semi({
        op: "eq",
        args: [
          { op: "neg", args: [l("u")] },
          { type: "bigint", value: String(-(2n ** 63n)) },
        ],
      }),
    ).toBe(2);
  });

  it("decimals of negative scale meet floats by value, beyond 256 bits too", () => {
    const type = new Decimal(-76, 5, 256);
    const words = new Int32Array(8);
    words[0] = 99999;
    const field = new Field("d", type, true);
    const k = vectorFromArray([1], new Int32()).data[0];
    const data = new Data(type, 0, 1, 0, [undefined, words] as unknown as Data["buffers"]);
    const struct = new Struct([new Field("k", new Int32(), true), field] as never);
    const batch = new RecordBatch(new Schema(struct.children as never), new Data(struct, 0, 1, 0, [] as never, [k, data]) as never);
    const left = table({ k: c.int32([1, 1, 1, 1]), f: c.float64([1e80, 1e82, -1e80, 0]), i: c.int32([0, 1, 2, 3]) });
    for (const operand of [r("d"), { op: "cast", args: [r("d")], type: "float64" }]) {
      const found = join(left, new Table([batch]), { on: "k", filter: { op: "lt", args: [l("f"), operand] }, kernel, select: ["left.i"] });
      expect([...(found.getChild("i") ?? [])]).toEqual([0, 2, 3]);
    }
  });

  it("a constant that is a date is cast like a column", () => {
    for (const unit of ["s", "ms", "us", "ns"] as const) {
      const left = table({ k: c.int32([1, 1]), t: c.timestamp(unit)([-1n, 0n]) });
      const cast = (x: object) => ({ op: "cast", args: [x], type: "date64" });
      const filter = { op: "eq", args: [cast(l("t")), cast({ type: `timestamp(${unit})`, value: "-1" })] };
      expect(join(left, left, { on: "k", how: "leftSemi", filter, kernel }).numRows).toBe(1);
    }
  });

  it("the text of a dictionary is held once, however often it comes again", () => {
    const words = (seed: number) =>
      vectorFromArray(
        Array.from({ length: 2000 }, (_, i) => `${seed}-${i}`.padEnd(60, "x")),
        new Utf8(),
      );
    const dictionaries = [words(1), words(2)];
    const type = new Dictionary(new Utf8(), new Int32(), 7);
    const schema = new Schema([new Field("k", new Int32(), true), new Field("s", type as DataType, true)]);
    const batches = Array.from({ length: 60 }, (_, b) => {
      const s = new Data(type, 0, 2, 0, [undefined, Int32Array.of(b, b + 1)] as never, [], dictionaries[b % 2]);
      const k = vectorFromArray([b, b], new Int32()).data[0];
      return new RecordBatch(schema, new Data(new Struct(schema.fields), 0, 2, 0, [] as never, [k, s]) as never);
    });
    const left = table({ k: c.int32([1, 2]), s: c.utf8(["a", "zzz"]) });
    let peakBytes = 0;
    const onMetrics = (metrics: { peakBytes: number }) => (peakBytes = metrics.peakBytes);
    const options = { on: "k", filter: { op: "gt", args: [l("s"), r("s")] }, kernel, build: "right", onMetrics };
    expect(join(left, batches, options).numRows).toBe(4);
    expect(peakBytes).toBeLessThan(4e6);
  });

  it("a condition of many parts asks for memory by its rows", () => {
    const one = table({ k: c.int32([1]), v: c.int32([5]) });
    const args = Array.from({ length: 300 }, (_, i) => ({
      op: "eq",
      args: [{ op: "add", args: [l("v"), { type: "number", value: i }] }, r("v")],
    }));
    let peakBytes = 0;
    const onMetrics = (metrics: { peakBytes: number }) => (peakBytes = metrics.peakBytes);
    expect(join(one, one, { on: "k", filter: { op: "or", args }, kernel, onMetrics }).numRows).toBe(1);
    expect(peakBytes).toBeLessThan(60e6);
  });

  it("an existence join of the streamed side lets go of the rows it has indexed", async () => {
    for (const options of [
      { filter: { op: "gt", args: [l("v"), r("v")] } },
      {
        filter: {
          op: "and",
          args: [
            { op: "gt", args: [l("v"), r("v")] },
            { op: "ne", args: [l("v"), r("v")] },
          ],
        },
      },
      { nullAware: true, how: "leftAnti" },
    ]) {
      const held: WeakRef<object>[] = [];
      const { schema } = table({ k: c.int32([1, null]), v: c.int32([1, 2]) });
      const right = (async function* () {
        for (let i = 0; i < 3; i++) {
          const [batch] = table({ k: c.int32([1, 2, null]), v: c.int32([i, 2, 3]) }).batches;
          held.push(new WeakRef(batch.data.children[1].values));
          yield batch;
        }
      })();
      const left = (async function* () {
        for (;;) yield table({ k: c.int32([1, 2]), v: c.int32([3, 3]) }).batches[0];
      })();
      const input = (batches: AsyncIterable<RecordBatch>) => ({ schema, batches });
      const stream = await runJoinStream(input(left), input(right), { on: "k", how: "leftMark", batchSize: 2, kernel, ...options }, {});
      // NOT IN finds no row here: its stream reads on until it is cancelled.
      const pulls = options.how ? [stream.next()] : [];
      if (!options.how) for (let i = 0; i < 3; i++) await stream.next();
      let alive = 3;
      for (let tries = 0; alive > 0 && tries < 200; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        collectGarbage();
        alive = held.length < 3 ? 3 : held.filter((values) => values.deref() !== undefined).length;
      }
      await stream.cancel();
      await Promise.all(pulls);
      expect(alive).toBe(0);
    }
  });

  it("undecided rows of one long group are gone through in stretches", () => {
    const count = 600_000;
    const left = new Table({
      k: makeVector(new Int32Array(count).fill(1)),
      v: makeVector(Int32Array.from({ length: count }, (_, i) => i)),
    });
    const right = table({ k: c.int32([1, 1, 1]), v: c.int32([5, 10, 599_999]), w: c.int32([0, 1, 1]) });
    const filter = {
      op: "and",
      args: [
        { op: "lt", args: [l("v"), r("v")] },
        { op: "ne", args: [l("v"), r("w")] },
      ],
    };
    const found = runJoin(left, right, { on: "k", how: "leftAnti", filter, build: "left", kernel }, {});
    expect([...(found.getChild("v")?.toArray() ?? [])]).toEqual([599_999]);
  });
});
