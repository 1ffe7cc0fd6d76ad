/** As-of streams that go on and on: what is held does not grow with what has passed, and no row is looked at for each of many others. */

import type { RecordBatch, Table, Vector } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { AsofMetrics } from "../../src/operators/asof-metrics.ts";
import { dictionary, int32, utf8 } from "../support/column.ts";
import { runJoinAsofStream, type Stream } from "../support/run.ts";
import { table } from "../support/table.ts";

const numbers = (count: number, of: (i: number) => number): number[] => Array.from({ length: count }, (_, i) => of(i));
const ones = (count: number) => ({ split: numbers(count, () => 1) });

/** The table's batches one by one; its rows one by one, all of them in its own buffers. */
const given = (input: Table) => ({ schema: input.schema, batches: input.batches[Symbol.iterator]() });
const slices = (input: Table) => ({
  schema: input.schema,
  batches: (function* () {
    for (let row = 0; row < input.numRows; row++) yield* input.slice(row, row + 1).batches;
  })(),
});

interface Seen {
  readonly values: unknown[];
  readonly held: { readonly rows: number; readonly bytes: number };
  readonly stream: Stream;
}

const heldOf = (stream: Stream) => {
  const { asof } = stream.metrics() as unknown as { asof: AsofMetrics };
  return asof.inputs[1];
};

async function run(left: unknown, right: unknown, options: object): Promise<Seen> {
  const stream = await runJoinAsofStream(left as never, right as never, { on: "t", by: "k", ...options } as never, {});
  const values: unknown[] = [];
  let [rows, bytes] = [0, 0];
  for await (const batch of stream as AsyncIterable<RecordBatch>) {
    for (const value of batch.getChild("v") ?? []) values.push(value);
    const { heldRows, heldBytes } = heldOf(stream);
    [rows, bytes] = [Math.max(rows, heldRows), Math.max(bytes, heldBytes)];
  }
  return { values, held: { rows, bytes }, stream };
}

const ROWS = 4000;
const times = numbers(ROWS, (i) => i);
const keys = numbers(ROWS, (i) => i % 7);

describe("an as-of stream that goes on and on", () => {
  it("lets rows go whose batches are of one row each and of the same buffers", async () => {
    const side = (values: object) => table({ t: int32(times), k: int32(keys), ...values });
    const { values, held } = await run(slices(side({})), slices(side({ v: int32(times) })), {});
    expect(values).toEqual(times);
    expect(held.rows).toBeLessThan(1500);
  });

  for (const direction of ["forward", "nearest"]) {
    it(`${direction}: rows that wait in batches of one row each become one batch, and stay what they were`, async () => {
      // Every second right row is of the left's key, but all of those come after the first half.
      const rightKeys = numbers(ROWS, (i) => (i < ROWS / 2 ? 9 : i % 2));
      const left = table({ t: int32(numbers(ROWS, (i) => i)), k: int32(numbers(ROWS, () => 1)) }, ones(ROWS));
      const right = table({ t: int32(times), k: int32(rightKeys), v: utf8(times.map((t) => `v${t}`)) }, ones(ROWS));
      const { values, stream } = await run(given(left), given(right), { direction });
      const expected = times.map((t) => {
        const first = ROWS / 2 + 1;
        if (t <= first) return `v${first}`;
        // Even times lie between two odd ones: nearest takes the earlier, forward the later, and there is none after the last.
        return t % 2 === 1 ? `v${t}` : direction === "nearest" ? `v${t - 1}` : `v${t + 1}`;
      });
      expect(values).toEqual(expected);
      expect(heldOf(stream).compactedRows).toBeGreaterThan(1000);
    });
  }

  it("with conditions on both sides: lets batches go as soon as the tolerance has passed them", async () => {
    const wide = "x".repeat(4000);
    const left = table({ t: int32(times), k: int32(keys), m: int32(times) }, ones(ROWS));
    const right = table({ t: int32(times), k: int32(keys), v: utf8(times.map((t) => wide + t)), m: int32(times) }, ones(ROWS));
    const filter = (l: never, r: never) => (l as { m: { ne(x: unknown): unknown } }).m.ne((r as { m: unknown }).m);
    const { values, held } = await run(given(left), given(right), { tolerance: 20, filter });
    expect(values.map((value) => (value === null ? null : Number((value as string).slice(4000))))).toEqual(
      times.map((t) => (t < 7 ? null : t - 7)),
    );
    // Of 16 MB.
    expect(held.bytes).toBeLessThan(2 << 20);
  });

  it("the last of many rows of one time ahead is looked for once, however many left batches take it", async () => {
    const many = 200_000;
    const left = table({ t: int32(times), k: int32(numbers(ROWS, () => 1)) }, ones(ROWS));
    const right = table({ t: int32(numbers(many, () => ROWS)), k: int32(numbers(many, () => 1)), v: int32(numbers(many, (i) => i)) });
    const start = performance.now();
    const { values } = await run(given(left), right, { direction: "forward", ties: "last" });
    expect(values).toEqual(times.map(() => many - 1));
    // It took a minute when each batch walked over them.
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it("dictionaries that come anew with every batch are forgotten, and the output keeps one as long as no value is new", async () => {
    const words = Array.from({ length: 50 }, (_, i) => `word ${i}`);
    const side = (values: (t: number) => object) =>
      (function* () {
        for (const t of times) yield* table({ t: int32([t]), ...values(t) }).batches;
      })();
    const text = (t: number) => ({ v: dictionary(utf8([words[t % 50]])) });
    const stream = await runJoinAsofStream(side(() => ({})) as never, side(text) as never, { on: "t" } as never, {});
    const found = new Set<unknown>();
    const peaks: number[] = [];
    let row = 0;
    for await (const batch of stream as AsyncIterable<RecordBatch>) {
      const column = batch.getChild("v") as Vector;
      expect(column.get(0)).toBe(words[row++ % 50]);
      found.add(column.data[0].dictionary);
      peaks.push((stream.metrics() as unknown as { peakBytes: number }).peakBytes);
    }
    expect(row).toBe(ROWS);
    // Each batch has one value: the fiftieth is the last that is new, and some are there before the first output.
    expect(found.size).toBeLessThanOrEqual(50);
    expect((peaks.at(-1) as number) - peaks[ROWS / 2]).toBeLessThan(50_000);
  });
});
