/**
 * What the compiler says about `joinAsof` and `joinAsofStream`: result columns, rights, refused options. Checked, never run. `columns` and
 * `streamed` stand for what a verb's result says about its columns.
 */

import type { Bool, Dictionary, Float64, Int8, Int32, RecordBatch, RecordBatchReader, Table, TypeMap, Utf8, Vector } from "apache-arrow";
import { expectTypeOf, test } from "vitest";
import type { AsofColumns } from "../../src/api/asof-types.ts";
import type { AsofRight, JoinAsofOptions, JoinAsofStreamOptions, JoinProgress, TableShape, Watermark } from "../../src/api/options.ts";
import type { JoinStream } from "../../src/api/types.ts";
import type { joinAsofStream as joinAsofStreamVerb, joinAsof as joinAsofVerb, joinStream as joinStreamVerb } from "../../src/index.ts";
import type { JoinMetrics } from "../../src/operators/metrics.ts";

declare const joinAsof: typeof joinAsofVerb;
declare const joinAsofStream: typeof joinAsofStreamVerb;
declare const joinStream: typeof joinStreamVerb;

type Trades = { t: Int32; sym: Utf8; px: Float64 };
type Quotes = { t: Int32; sym: Utf8; bid: Float64; px: Bool };
type Rates = { time: Int32; sym: Utf8; rate: Float64 };
declare const trades: Table<Trades>;
declare const quotes: Table<Quotes>;
declare const rates: Table<Rates>;
declare const untyped: Table;

/** The columns of a result, exactly: an index signature or a further column would show. */
declare function columns<T extends TypeMap>(table: Table<T>): T;
declare function streamed<T extends TypeMap>(stream: Promise<JoinStream<T>>): T;

type OnT = { t: Int32; sym: Utf8; px: Float64; sym_right: Utf8; bid: Float64; px_right: Bool };
type BySym = { t: Int32; sym: Utf8; px: Float64; bid: Float64; px_right: Bool };

test("time and `by` columns with the left's names are not doubled, other clashes get the suffix", () => {
  expectTypeOf(columns(joinAsof(trades, quotes, { on: "t" }))).toEqualTypeOf<OnT>();
  expectTypeOf(joinAsof(trades, quotes, { on: "t" })).toEqualTypeOf<Table<OnT>>();
  expectTypeOf(columns(joinAsof(trades, quotes, { on: "t", by: "sym" }))).toEqualTypeOf<BySym>();
  expectTypeOf(columns(joinAsof(trades, quotes, { on: ["t"], by: ["sym"] }))).toEqualTypeOf<BySym>();
  expectTypeOf(columns(joinAsof(trades, quotes, { on: [{ left: "t", right: "t" }], by: { sym: "sym" } }))).toEqualTypeOf<BySym>();
  expectTypeOf(
    columns(joinAsof(trades, quotes, { on: { t: "t" }, by: [{ left: "sym", right: "sym", nullsEqual: true }] })),
  ).toEqualTypeOf<BySym>();
  expectTypeOf(columns(joinAsof(trades, rates, { on: { t: "time" }, by: "sym" }))).toEqualTypeOf<{
    t: Int32;
    sym: Utf8;
    px: Float64;
    time: Int32;
    rate: Float64;
  }>();
  expectTypeOf<AsofColumns<Trades, Table<Quotes>, { on: "t"; by: "sym" }>>().toEqualTypeOf<BySym>();
});

test("`rightTime` names the matched time", () => {
  type Named = { t: Int32; sym: Utf8; px: Float64; at: Int32; bid: Float64; px_right: Bool };
  expectTypeOf(columns(joinAsof(trades, quotes, { on: "t", by: "sym", rightTime: "at" }))).toEqualTypeOf<Named>();
  expectTypeOf(columns(joinAsof(trades, rates, { on: { t: "time" }, by: "sym", rightTime: "at" }))).toEqualTypeOf<{
    t: Int32;
    sym: Utf8;
    px: Float64;
    at: Int32;
    rate: Float64;
  }>();
  expectTypeOf(joinAsof(trades, quotes, { on: "t", rightTime: "at" as string })).toEqualTypeOf<Table>();
});

test("`how` and `suffix` decide the columns", () => {
  expectTypeOf(columns(joinAsof(trades, quotes, { on: "t", by: "sym", how: "inner" }))).toEqualTypeOf<BySym>();
  expectTypeOf(columns(joinAsof(trades, quotes, { on: "t", how: "leftSemi" }))).toEqualTypeOf<Trades>();
  expectTypeOf(columns(joinAsof(trades, quotes, { on: "t", how: "leftAnti" }))).toEqualTypeOf<Trades>();
  expectTypeOf(columns(joinAsof(trades, quotes, { on: "t", by: "sym", suffix: ["_l", "_r"] }))).toEqualTypeOf<{
    t: Int32;
    sym: Utf8;
    px_l: Float64;
    bid: Float64;
    px_r: Bool;
  }>();
  expectTypeOf(joinAsof(trades, quotes, { on: "t", how: "left" as "left" | "leftSemi" })).toEqualTypeOf<Table>();
  // @ts-expect-error no such kind
  joinAsof(trades, quotes, { on: "t", how: "right" });
});

test("`select` takes columns of either side and of the result", () => {
  const listed = columns(joinAsof(trades, quotes, { on: "t", by: "sym", select: ["right.t", "left.sym", "px_right"] }));
  expectTypeOf(listed).toEqualTypeOf<{ t: Int32; sym: Utf8; px_right: Bool }>();
  const named = columns(joinAsof(trades, quotes, { on: "t", by: "sym", rightTime: "at", select: { a: "at", b: "right.px", c: "px" } }));
  expectTypeOf(named).toEqualTypeOf<{ a: Int32; b: Bool; c: Float64 }>();
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", select: ["left.bid"] });
  // @ts-expect-error it is one column with the left's
  joinAsof(trades, quotes, { on: "t", by: "sym", select: ["sym_right"] });
  // @ts-expect-error a semi join has one side
  joinAsof(trades, quotes, { on: "t", how: "leftSemi", select: ["right.bid"] });
  // @ts-expect-error
  joinAsofStream(trades, quotes, { on: "t", select: { a: "right.nope" } });
});

test("a wrong name does not compile", () => {
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "time" });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: { t: "time" } });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", by: "bid" });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", by: { sym: "nope" } });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", by: [{ left: "nope", right: "sym" }] });
  // @ts-expect-error `on` is required
  joinAsof(trades, quotes, { by: "sym" });
  // @ts-expect-error one pair of time columns
  joinAsof(trades, quotes, { on: ["t", "sym"] });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", filter: (l, r) => r.nope.gt(l.px) });
  joinAsof(trades, quotes, { on: "t", filter: (l, r) => r.bid.gt(l.px) });
  joinAsof(trades, untyped, { on: { t: "whatever" } });
});

test("an option that does not exist does not compile", () => {
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", tolerence: 5 });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", validate: "1:1" });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", order: "left" });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", coalesceKeys: true });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", nullAware: true });
  // @ts-expect-error of streams alone
  joinAsof(trades, quotes, { on: "t", flush: "full" });
  // @ts-expect-error a stream cannot be sorted
  joinAsofStream(trades, quotes, { on: "t", unsorted: "sort" });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", tolerance: { before: 1, behind: 2 } });
  const options = { on: "t", nope: 1 } as const;
  // @ts-expect-error
  joinAsof(trades, quotes, options);
});

test("an option's value is checked, and callbacks know what they get", () => {
  joinAsof(trades, quotes, { on: "t", direction: "nearest", ties: "first", allowExactMatches: false, nullsEqual: true });
  joinAsof(trades, quotes, { on: "t", tolerance: 5 });
  joinAsof(trades, quotes, { on: "t", tolerance: 5n });
  joinAsof(trades, quotes, { on: "t", tolerance: "1m30s" });
  joinAsof(trades, quotes, { on: "t", tolerance: { before: "5s", after: 3 } });
  joinAsof(trades, quotes, { on: "t", unsorted: "sort", batchSize: 5, kernel: "ts", copy: true, hashSeed: 1, memoryLimit: 1e6 });
  joinAsof(trades, quotes, { on: "t", onMetrics: (metrics) => expectTypeOf(metrics).toEqualTypeOf<JoinMetrics>() });
  joinAsofStream(trades, quotes, { on: "t", flush: "full", unsorted: "error", signal: new AbortController().signal });
  joinAsofStream(trades, quotes, { on: "t", onProgress: (progress) => expectTypeOf(progress).toEqualTypeOf<JoinProgress>() });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", direction: "next" });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", tolerance: true });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", tolerance: { before: true } });
  // @ts-expect-error
  joinAsof(trades, quotes, { on: "t", ties: "any" });
});

test("one right with options of its own, and several", () => {
  expectTypeOf(columns(joinAsof(trades, { table: quotes, on: "t" }, { by: "sym" }))).toEqualTypeOf<BySym>();
  expectTypeOf(columns(joinAsof(trades, [{ table: quotes }], { on: "t", by: "sym" }))).toEqualTypeOf<BySym>();
  const two = joinAsof(
    trades,
    [
      { table: quotes, tolerance: "5s" },
      { table: rates, on: { t: "time" }, rightTime: "at" },
    ],
    {
      on: "t",
      by: "sym",
    },
  );
  expectTypeOf(columns(two)).toEqualTypeOf<{
    t: Int32;
    sym: Utf8;
    px: Float64;
    bid: Float64;
    px_right: Bool;
    at: Int32;
    rate: Float64;
  }>();
  const clash = joinAsof(trades, [{ table: quotes }, { table: quotes, suffix: "_2" }], { on: "t", by: "sym" });
  expectTypeOf(columns(clash)).toEqualTypeOf<{
    t: Int32;
    sym: Utf8;
    px: Float64;
    bid: Float64;
    px_right: Bool;
    bid_2: Float64;
    px_2: Bool;
  }>();
  expectTypeOf(
    columns(joinAsof(trades, [{ table: quotes }, { table: rates, on: { t: "time" } }], { on: "t", how: "leftSemi" })),
  ).toEqualTypeOf<Trades>();
  expectTypeOf(
    joinAsof(trades, [{ table: quotes }, { table: quotes }], { on: "t", select: ["left.t", "right1.bid"] }),
  ).toEqualTypeOf<Table>();
  expectTypeOf(joinAsof(trades, [{ table: quotes }, { table: untyped }], { on: "t" })).toEqualTypeOf<Table>();
  expectTypeOf(joinAsof(trades, [] as AsofRight[], { on: "t" })).toEqualTypeOf<Table>();
  expectTypeOf(streamed(joinAsofStream(trades, [{ table: quotes.batches }, { table: new Uint8Array() }], { on: "t" }))).toBeAny();
});

test("an entry's options and names are checked", () => {
  // @ts-expect-error
  joinAsof(trades, [{ table: quotes, tolerence: 5 }], { on: "t" });
  // @ts-expect-error an option of the whole join
  joinAsof(trades, [{ table: quotes, how: "inner" }], { on: "t" });
  // @ts-expect-error
  joinAsof(trades, [{ table: quotes, on: "time" }], {});
  // @ts-expect-error
  joinAsof(trades, [{ table: quotes }, { table: rates, on: { nope: "time" } }], { on: "t" });
  // @ts-expect-error
  joinAsof(trades, { table: quotes, by: "rate" }, { on: "t" });
  // @ts-expect-error an entry has a table
  joinAsof(trades, [{ tolerance: 5 }], { on: "t" });
  // @ts-expect-error
  joinAsof(trades, [{ table: quotes, direction: "next" }], { on: "t" });
  // @ts-expect-error the left's columns are known
  joinAsof(trades, [{ table: quotes }, { table: quotes }], { on: "nope" });
  joinAsof(trades, [{ table: quotes, on: "t", filter: (l, r) => r.bid.gt(l.px) }], {});
});

test("options by their types are accepted", () => {
  expectTypeOf(joinAsof(trades, quotes, {} as JoinAsofOptions<Trades, Quotes>)).toEqualTypeOf<Table>();
  expectTypeOf(joinAsofStream(trades, quotes, {} as JoinAsofStreamOptions<Trades, Quotes>)).toEqualTypeOf<Promise<JoinStream>>();
});

test("inputs of every sort carry their columns, or give any; those of streams may give watermarks", () => {
  expectTypeOf(columns(joinAsof(trades.batches[0], [quotes.batches[0]], { on: "t", by: "sym" }))).toEqualTypeOf<BySym>();
  expectTypeOf(columns(joinAsof(trades.batches, quotes.batches, { on: "t", by: "sym" }))).toEqualTypeOf<BySym>();
  expectTypeOf(joinAsof(untyped, quotes, { on: "t" })).toEqualTypeOf<Table>();
  expectTypeOf(joinAsof(trades, {} as TableShape, { on: "t" })).toEqualTypeOf<Table>();
  const marked = {} as AsyncIterable<RecordBatch<Quotes> | Watermark>;
  expectTypeOf(streamed(joinAsofStream({} as RecordBatchReader<Trades>, marked, { on: "t", by: "sym" }))).toEqualTypeOf<BySym>();
  expectTypeOf(streamed(joinAsofStream(trades, [{ table: marked }], { on: "t", by: "sym" }))).toEqualTypeOf<BySym>();
  expectTypeOf(joinAsofStream(new Uint8Array(), quotes, { on: "t" })).toEqualTypeOf<Promise<JoinStream>>();
  // @ts-expect-error
  joinStream(trades, marked, { on: "sym" });
  // @ts-expect-error
  joinAsof(trades, null, { on: "t" });
  // @ts-expect-error bytes are for streams
  joinAsof(trades, new Uint8Array(), { on: "t" });
});

test("dictionaries of a right have Int32 codes", () => {
  type L = { t: Int32; a: Dictionary<Utf8, Int8> };
  type R = { t: Int32; b: Dictionary<Utf8, Int8> };
  const joined = columns(joinAsof({} as Table<L>, {} as Table<R>, { on: "t" }));
  expectTypeOf(joined).toEqualTypeOf<{ t: Int32; a: Dictionary<Utf8, Int8>; b: Dictionary<Utf8, Int32> }>();
});

test("a result is closed, and an input of the next join", () => {
  const joined = joinAsof(trades, quotes, { on: "t", by: "sym" });
  expectTypeOf(joined.getChild("bid")).toEqualTypeOf<Vector<Float64> | null>();
  // @ts-expect-error the result is closed
  joined.getChild("nope");
  expectTypeOf(columns(joinAsof(joined, rates, { on: { t: "time" }, by: "sym", how: "leftSemi" }))).toEqualTypeOf<BySym>();
});
