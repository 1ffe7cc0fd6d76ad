/**
 * What the compiler says about `join` and `joinStream`: result columns, refused options. Checked, never run. `columns` and `streamed`
 * stand for what a verb's result says about its columns.
 */

import type {
  Bool,
  DataType,
  Dictionary,
  Float64,
  Int8,
  Int16,
  Int32,
  RecordBatch,
  RecordBatchReader,
  Table,
  TypeMap,
  Utf8,
  Vector,
} from "apache-arrow";
import { expectTypeOf, test } from "vitest";
import type { JoinOptions, JoinProgress, RecordBatchShape, TableShape } from "../../src/api/options.ts";
import type { ColumnsOf, JoinColumns, JoinStream } from "../../src/api/types.ts";
import type { joinStream as joinStreamVerb, join as joinVerb } from "../../src/index.ts";
import type { JoinMetrics } from "../../src/operators/metrics.ts";

declare const join: typeof joinVerb;
declare const joinStream: typeof joinStreamVerb;

type Left = { id: Int32; name: Utf8; x: Float64 };
type Right = { id: Int32; key: Utf8; x: Bool };
declare const left: Table<Left>;
declare const right: Table<Right>;
declare const untyped: Table;

/** The columns of a result, exactly: an index signature or a further column would show. */
declare function columns<T extends TypeMap>(table: Table<T>): T;
declare function streamed<T extends TypeMap>(stream: Promise<JoinStream<T>>): T;

type OnId = { id: Int32; name: Utf8; x: Float64; key: Utf8; x_right: Bool };
type OnIdAndX = { id: Int32; name: Utf8; x: Float64; key: Utf8 };
type Uncoalesced = { id: Int32; name: Utf8; x: Float64; id_right: Int32; key: Utf8; x_right: Bool };

test("a name in `on` is one column of the result, names that clash get the suffix", () => {
  expectTypeOf(columns(join(left, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(join(left, right, { on: "id" })).toEqualTypeOf<Table<OnId>>();
});

test("`on` takes several names, a map, and pairs", () => {
  expectTypeOf(columns(join(left, right, { on: ["id"] }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, right, { on: ["id", "x"] }))).toEqualTypeOf<OnIdAndX>();
  expectTypeOf(columns(join(left, right, { on: { id: "id" } }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, right, { on: { name: "key" } }))).toEqualTypeOf<Uncoalesced>();
  expectTypeOf(columns(join(left, right, { on: { id: "id", name: "key" } }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, right, { on: [{ left: "name", right: "key" }] }))).toEqualTypeOf<Uncoalesced>();
  const pairs = columns(
    join(left, right, {
      on: [
        { left: "id", right: "id", nullsEqual: true },
        { left: "name", right: "key" },
      ],
    }),
  );
  expectTypeOf(pairs).toEqualTypeOf<OnId>();
  const names = ["id", "x"] as const;
  expectTypeOf(columns(join(left, right, { on: names }))).toEqualTypeOf<OnIdAndX>();
});

test("a wrong name in `on` does not compile, in any form", () => {
  // @ts-expect-error neither side has it
  join(left, right, { on: "nope" });
  // @ts-expect-error only the left has it
  join(left, right, { on: "name" });
  // @ts-expect-error
  join(left, right, { on: ["id", "name"] });
  // @ts-expect-error a map reads left: right
  join(left, right, { on: { key: "name" } });
  // @ts-expect-error
  join(left, right, { on: { name: "nope" } });
  // @ts-expect-error
  join(left, right, { on: [{ left: "nope", right: "id" }] });
  // @ts-expect-error
  join(left, right, { on: [{ left: "id", right: "nope" }] });
  // @ts-expect-error a pair has two names
  join(left, right, { on: [{ left: "id" }] });
  // @ts-expect-error misspelt member of a pair
  join(left, right, { on: [{ left: "id", right: "id", nulsEqual: true }] });
  // @ts-expect-error names or pairs, not both
  join(left, right, { on: ["x", { left: "id", right: "id" }] });
  // @ts-expect-error `on` is required
  join(left, right, { how: "left" });
  // @ts-expect-error the checked side's names are checked when the other is untyped
  join(left, untyped, { on: { nope: "id" } });
});

test("`how` decides the columns", () => {
  expectTypeOf(columns(join(left, right, { on: "id", how: "inner" }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "left" }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "right" }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "full" }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "leftSemi" }))).toEqualTypeOf<Left>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "leftAnti" }))).toEqualTypeOf<Left>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "rightSemi" }))).toEqualTypeOf<Right>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "rightAnti" }))).toEqualTypeOf<Right>();
  // @ts-expect-error no such kind
  join(left, right, { on: "id", how: "outer" });
});

test("a mark kind has its side's columns and the mark, whose name is an option", () => {
  type Marked = { id: Int32; name: Utf8; x: Float64; mark: Bool };
  expectTypeOf(columns(join(left, right, { on: "id", how: "leftMark" }))).toEqualTypeOf<Marked>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "leftMark", nullAware: true }))).toEqualTypeOf<Marked>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "rightMark" }))).toEqualTypeOf<{ id: Int32; key: Utf8; x: Bool; mark: Bool }>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "leftMark", markName: "known" }))).toEqualTypeOf<{
    id: Int32;
    name: Utf8;
    x: Float64;
    known: Bool;
  }>();
  expectTypeOf(join(left, right, { on: "id", how: "leftMark", markName: "m" as string })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: "id", how: "leftMark", markName: "a" as "a" | "b" })).toEqualTypeOf<Table>();
  expectTypeOf(join(untyped, right, { on: "id", how: "leftMark" })).toEqualTypeOf<Table>();
  expectTypeOf(streamed(joinStream(left, right, { on: "id", how: "leftMark" }))).toEqualTypeOf<Marked>();
  // @ts-expect-error
  join(left, right, { on: "id", how: "leftMark", markName: 5 });
});

test("`select` places the mark by its name", () => {
  expectTypeOf(columns(join(left, right, { on: "id", how: "leftMark", select: ["mark", "left.id"] }))).toEqualTypeOf<{
    mark: Bool;
    id: Int32;
  }>();
  const renamed = columns(join(left, right, { on: "id", how: "rightMark", markName: "m", select: { known: "m", key: "key" } }));
  expectTypeOf(renamed).toEqualTypeOf<{ known: Bool; key: Utf8 }>();
  // @ts-expect-error it has another name
  join(left, right, { on: "id", how: "leftMark", markName: "m", select: ["mark"] });
  // @ts-expect-error an inner join has none
  join(left, right, { on: "id", select: ["mark"] });
  // @ts-expect-error a mark kind has one side
  join(left, right, { on: "id", how: "leftMark", select: ["right.x"] });
});

test("cardinality options have their values, and change no column", () => {
  const strict = columns(join(left, right, { on: "id", validate: "m:1", unmatched: { left: "error" }, multiple: "first" }));
  expectTypeOf(strict).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, right, { on: "id", unmatched: "error" }))).toEqualTypeOf<OnId>();
  // @ts-expect-error
  join(left, right, { on: "id", validate: "1:n" });
  // @ts-expect-error
  join(left, right, { on: "id", unmatched: "drop" });
  // @ts-expect-error
  join(left, right, { on: "id", unmatched: { left: true } });
  // @ts-expect-error no such side
  join(left, right, { on: "id", unmatched: { left: "error", both: "error" } });
  // @ts-expect-error
  join(left, right, { on: "id", multiple: "one" });
  // @ts-expect-error
  join(left, right, { on: "id", nullAware: "yes" });
});

test("a coalesced key has the type of the side it comes from", () => {
  type L = { id: Dictionary<Utf8, Int32> };
  type R = { id: Utf8 };
  expectTypeOf<JoinColumns<L, R, { on: "id" }>>().toEqualTypeOf<{ id: Dictionary<Utf8, Int32> }>();
  expectTypeOf<JoinColumns<L, R, { on: "id"; how: "right" }>>().toEqualTypeOf<{ id: Utf8 }>();
  expectTypeOf<JoinColumns<L, R, { on: "id"; how: "full" }>>().toEqualTypeOf<{ id: Utf8 }>();
  expectTypeOf<JoinColumns<{ id: Int16 }, { id: Int32 }, { on: "id"; how: "full" }>>().toEqualTypeOf<{ id: DataType }>();
});

test("`coalesceKeys: false` keeps both keys", () => {
  expectTypeOf(columns(join(left, right, { on: "id", coalesceKeys: false }))).toEqualTypeOf<Uncoalesced>();
  expectTypeOf(columns(join(left, right, { on: "id", coalesceKeys: true }))).toEqualTypeOf<OnId>();
});

test("`suffix` is a string for the right or a pair for both, and empty is one", () => {
  type One = { id: Int32; name: Utf8; x: Float64; key: Utf8; x_r: Bool };
  type Pair = { id: Int32; name: Utf8; x_l: Float64; key: Utf8; x_r: Bool };
  type LeftOnly = { id: Int32; name: Utf8; x_l: Float64; key: Utf8; x: Bool };
  expectTypeOf(columns(join(left, right, { on: "id", suffix: "_r" }))).toEqualTypeOf<One>();
  expectTypeOf(columns(join(left, right, { on: "id", suffix: ["_l", "_r"] }))).toEqualTypeOf<Pair>();
  expectTypeOf(columns(join(left, right, { on: "id", suffix: ["_l", ""] }))).toEqualTypeOf<LeftOnly>();
  // @ts-expect-error a pair, not a triple
  join(left, right, { on: "id", suffix: ["_l", "_r", "_x"] });
});

test("`select` as a list: a side's own column, or a bare name of the result", () => {
  expectTypeOf(columns(join(left, right, { on: "id", select: ["right.key", "left.x", "id"] }))).toEqualTypeOf<{
    key: Utf8;
    x: Float64;
    id: Int32;
  }>();
  expectTypeOf(columns(join(left, right, { on: "id", select: ["right.x"] }))).toEqualTypeOf<{ x: Bool }>();
  expectTypeOf(columns(join(left, right, { on: "id", select: ["x", "right.x"] }))).toEqualTypeOf<{ x: Float64; x_right: Bool }>();
  expectTypeOf(columns(join(left, right, { on: "id", select: ["x_right"] }))).toEqualTypeOf<{ x_right: Bool }>();
  const both = columns(join(left, right, { on: "id", select: ["left.x", "right.x"], suffix: ["_l", "_r"] }));
  expectTypeOf(both).toEqualTypeOf<{ x_l: Float64; x_r: Bool }>();
  expectTypeOf(columns(join(left, right, { on: "id", how: "rightSemi", select: ["right.x", "key"] }))).toEqualTypeOf<{
    x: Bool;
    key: Utf8;
  }>();
});

test("`select` as a map names the output columns", () => {
  const renamed = columns(join(left, right, { on: "id", select: { a: "left.x", b: "x_right", id: "id" } }));
  expectTypeOf(renamed).toEqualTypeOf<{ a: Float64; b: Bool; id: Int32 }>();
});

test("`select: []` is a table without columns", () => {
  const none = join(left, right, { on: "id", select: [] });
  expectTypeOf(none).not.toBeAny();
  expectTypeOf<keyof ColumnsOf<typeof none>>().toBeNever();
  // @ts-expect-error there is no column
  none.getChild("id");
});

test("a column that is not there cannot be selected", () => {
  // @ts-expect-error
  join(left, right, { on: "id", select: ["left.key"] });
  // @ts-expect-error
  join(left, right, { on: "id", select: ["nope"] });
  // @ts-expect-error the suffix is another
  join(left, right, { on: "id", select: ["x_right"], suffix: "_r" });
  // @ts-expect-error
  join(left, right, { on: "id", select: { a: "right.name" } });
  // @ts-expect-error a semi join has one side
  join(left, right, { on: "id", how: "leftSemi", select: ["right.x"] });
});

test("a column name with a dot is selected by its own name", () => {
  type Dotted = { id: Int32; "left.x": Utf8; "a.b": Float64 };
  expectTypeOf<JoinColumns<Dotted, Right, { on: "id"; select: ["a.b"] }>>().toEqualTypeOf<{ "a.b": Float64 }>();
  expectTypeOf<JoinColumns<Dotted, Right, { on: "id"; select: ["left.a.b"] }>>().toEqualTypeOf<{ "a.b": Float64 }>();
  expectTypeOf<JoinColumns<Dotted, Right, { on: "id"; select: ["left.x"] }>>().toEqualTypeOf<{ "left.x": Utf8 }>();
});

test("the result is closed: a wrong name does not compile", () => {
  const joined = join(left, right, { on: "id" });
  expectTypeOf(joined.getChild("x_right")).toEqualTypeOf<Vector<Bool> | null>();
  // @ts-expect-error
  joined.getChild("nope");
  // @ts-expect-error
  joined.getChild("id_right");
  expectTypeOf<string extends keyof ColumnsOf<typeof joined> ? true : false>().toEqualTypeOf<false>();
  const semi = join(left, right, { on: "id", how: "leftSemi" });
  // @ts-expect-error
  semi.getChild("key");
});

test("an option that does not exist does not compile, whatever its value and wherever the options come from", () => {
  // @ts-expect-error
  join(left, right, { on: "id", hwo: "left" });
  // @ts-expect-error
  join(left, right, { on: "id", hwo: () => 1 });
  // @ts-expect-error
  join(left, right, { on: "id", hwo: untyped.getChild("x")?.get(0) });
  const options = { on: "id", hwo: "left" } as const;
  // @ts-expect-error
  join(left, right, options);
  // @ts-expect-error an option of streams
  join(left, right, { on: "id", flush: "eager" });
  // @ts-expect-error
  joinStream(left, right, { on: "id", flsh: "eager" });
});

test("an option's value is checked", () => {
  // @ts-expect-error
  join(left, right, { on: "id", batchSize: "8192" });
  // @ts-expect-error
  join(left, right, { on: "id", kernel: "simd" });
  // @ts-expect-error
  join(left, right, { on: "id", order: "both" });
  join(left, right, {
    on: "id",
    nullsEqual: true,
    order: "any",
    build: "left",
    batchSize: Infinity,
    copy: true,
    kernel: "ts",
    hashSeed: 1,
  });
});

test("callbacks know what they get", () => {
  join(left, right, { on: "id", onMetrics: (metrics) => expectTypeOf(metrics).toEqualTypeOf<JoinMetrics>() });
  joinStream(left, right, { on: "id", onProgress: (progress) => expectTypeOf(progress).toEqualTypeOf<JoinProgress>() });
  expectTypeOf(columns(join(left, right, { on: "id", onMetrics: () => {} }))).toEqualTypeOf<OnId>();
});

test("Table<any> goes in, a usable table comes out", () => {
  expectTypeOf(join(untyped, untyped, { on: "id" })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, untyped, { on: "id" })).toEqualTypeOf<Table>();
  expectTypeOf(join(untyped, right, { on: { whatever: "id" } })).toEqualTypeOf<Table>();
  join(untyped, untyped, { on: ["a", "b"], select: ["left.c", "d"] }).getChild("c");
  const typedAgain: Table<{ id: Int32 }> = join(untyped, untyped, { on: "id" });
  expectTypeOf(typedAgain).toEqualTypeOf<Table<{ id: Int32 }>>();
  expectTypeOf(columns(join(left, untyped, { on: "id", how: "leftSemi" }))).toEqualTypeOf<Left>();
  expectTypeOf(join(left.select(["id"]), right, { on: "id" })).toEqualTypeOf<Table>();
});

test("what is decided at run time gives any column, not a guess", () => {
  const suffix = "_r" as string;
  const coalesceKeys = true as boolean;
  const how = "left" as "left" | "leftSemi";
  const on = "id" as "id" | "x";
  const select = ["left.id"] as "left.id"[];
  expectTypeOf(join(left, right, { on: "id", suffix })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: "id", suffix: ["", suffix] })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: "id", suffix: suffix as "_a" | "_b" })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: "id", coalesceKeys })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: "id", how })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: [on] })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: [{ left: "id", right: on }] })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: "id", select })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, right, { on: "id", select: select as readonly string[] })).toEqualTypeOf<Table>();
  // Both have the same columns, and the key the same type.
  expectTypeOf(columns(join(left, right, { on: "id", how: "left" as "inner" | "left" }))).toEqualTypeOf<OnId>();
});

test("options typed as JoinOptions are accepted", () => {
  const options: JoinOptions<Left, Right> = { on: "id" };
  expectTypeOf(join(left, right, options)).toEqualTypeOf<Table>();
  const anyOptions: JoinOptions = { on: "id" };
  expectTypeOf(join(untyped, untyped, anyOptions)).toEqualTypeOf<Table>();
});

test("record batches and arrays of them carry their columns", () => {
  const batch = left.batches[0];
  expectTypeOf(columns(join(batch, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left.batches, [right.batches[0]], { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left as Table<Left> | RecordBatch<Left>, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(join([] as RecordBatch[], right, { on: "id" })).toEqualTypeOf<Table>();
});

test("tables of another copy of apache-arrow are accepted as untyped ones", () => {
  const foreign = {} as TableShape;
  expectTypeOf(join(foreign, right, { on: "id" })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, [{} as RecordBatchShape], { on: "id" })).toEqualTypeOf<Table>();
});

test("what is no input does not compile", () => {
  // @ts-expect-error
  join(null, right, { on: "id" });
  // @ts-expect-error
  join(left, [{ id: 1 }], { on: "id" });
  // @ts-expect-error bytes are for streams
  join(left, new Uint8Array(), { on: "id" });
  // @ts-expect-error
  join(left, {} as RecordBatchReader<Right>, { on: "id" });
  // @ts-expect-error
  joinStream(left, [1, 2], { on: "id" });
  // @ts-expect-error
  joinStream(left, right.schema, { on: "id" });
});

test("a result is an input of the next join", () => {
  const cities = {} as Table<{ key: Utf8; city: Utf8 }>;
  const twice = columns(join(join(left, right, { on: "id" }), cities, { on: "key", how: "left" }));
  expectTypeOf(twice).toEqualTypeOf<OnId & { city: Utf8 } extends infer T ? { [K in keyof T]: T[K] } : never>();
});

test("streams of batches carry their columns", () => {
  expectTypeOf(streamed(joinStream(left, right, { on: "id" }))).toEqualTypeOf<OnId>();
  const batches = {} as AsyncIterable<RecordBatch<Left>>;
  expectTypeOf(streamed(joinStream(batches, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(streamed(joinStream({} as Generator<RecordBatch<Left>>, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(streamed(joinStream({} as AsyncGenerator<RecordBatch<Left>>, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(streamed(joinStream({} as ReadableStream<RecordBatch<Left>>, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(streamed(joinStream({} as RecordBatchReader<Left>, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(streamed(joinStream({} as JoinStream<Left>, right, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(streamed(joinStream({ schema: left.schema, batches }, right, { on: "id" }))).toEqualTypeOf<OnId>();
  // @ts-expect-error
  joinStream(batches, right, { on: "nope" });
});

test("streams that do not say their columns give any", () => {
  expectTypeOf(joinStream({} as Response, right, { on: "id" })).toEqualTypeOf<Promise<JoinStream>>();
  expectTypeOf(joinStream(new Uint8Array(), right, { on: "id" })).toEqualTypeOf<Promise<JoinStream>>();
  expectTypeOf(joinStream(new ArrayBuffer(), right, { on: "id" })).toEqualTypeOf<Promise<JoinStream>>();
  expectTypeOf(joinStream({} as AsyncIterable<Uint8Array>, right, { on: "id" })).toEqualTypeOf<Promise<JoinStream>>();
  expectTypeOf(joinStream({} as ReadableStream<Uint8Array>, right, { on: "id" })).toEqualTypeOf<Promise<JoinStream>>();
  expectTypeOf(joinStream({} as NodeJS.ReadableStream, right, { on: "id" })).toEqualTypeOf<Promise<JoinStream>>();
  expectTypeOf(joinStream({} as import("node:fs").ReadStream, right, { on: "id" })).toEqualTypeOf<Promise<JoinStream>>();
  expectTypeOf(joinStream({} as import("node:stream/web").ReadableStream<Uint8Array>, right, { on: "id" })).toEqualTypeOf<
    Promise<JoinStream>
  >();
  expectTypeOf(joinStream({} as TableShape, right, { on: "id" })).toEqualTypeOf<Promise<JoinStream>>();
});

test("a JoinStream yields batches and a table of the result's columns", async () => {
  const stream = await joinStream(left, right, { on: "id", signal: new AbortController().signal, flush: "eager" });
  for await (const batch of stream) expectTypeOf(batch).toEqualTypeOf<RecordBatch<OnId>>();
  expectTypeOf(await stream.toTable()).toEqualTypeOf<Table<OnId>>();
  expectTypeOf(stream.toReadableStream()).toEqualTypeOf<ReadableStream<RecordBatch<OnId>>>();
  expectTypeOf(stream.metrics()).toEqualTypeOf<JoinMetrics>();
  const untypedStream: JoinStream = stream;
  await untypedStream.cancel();
  await using disposable = stream;
  disposable.explain();
});

test("dictionaries that are unified have Int32 codes", () => {
  type L = { id: Int32; a: Dictionary<Utf8, Int8> };
  type R = { id: Int32; b: Dictionary<Utf8, Int8> };
  type RightUnified = { id: Int32; a: Dictionary<Utf8, Int8>; b: Dictionary<Utf8, Int32> };
  type LeftUnified = { id: Int32; a: Dictionary<Utf8, Int32>; b: Dictionary<Utf8, Int8> };
  type Either = { id: Int32; a: Dictionary<Utf8, Int8 | Int32>; b: Dictionary<Utf8, Int8 | Int32> };
  expectTypeOf<JoinColumns<L, R, { on: "id" }>>().toEqualTypeOf<RightUnified>();
  expectTypeOf<JoinColumns<L, R, { on: "id"; build: "left" }>>().toEqualTypeOf<RightUnified>();
  expectTypeOf<JoinColumns<L, R, { on: "id"; order: "right" }>>().toEqualTypeOf<LeftUnified>();
  expectTypeOf<JoinColumns<L, R, { on: "id" }, "stream">>().toEqualTypeOf<RightUnified>();
  expectTypeOf<JoinColumns<L, R, { on: "id"; build: "left" }, "stream">>().toEqualTypeOf<LeftUnified>();
  expectTypeOf<JoinColumns<L, R, { on: "id"; build: "auto"; order: "any" }, "stream">>().toEqualTypeOf<Either>();
});

test("columns named by numbers are known by their decimal names", () => {
  const numbered = {} as Table<{ 0: Int32; 1: Utf8 }>;
  expectTypeOf(columns(join(numbered, numbered, { on: "0" }))).toEqualTypeOf<{ "0": Int32; "1": Utf8; "1_right": Utf8 }>();
});

test("tables of 200 columns stay within the compiler's limits, three joins deep", () => {
  type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  type Wide<Prefix extends string> = Record<`c0${Digit}${Digit}`, Int32> & Record<`${Prefix}1${Digit}${Digit}`, Utf8>;
  const a = {} as Table<Wide<"a">>;
  const b = {} as Table<Wide<"b">>;
  const once = join(a, b, { on: "c000" });
  const twice = join(once, b, { on: { c001: "c001", a100: "b100" }, suffix: "_2" });
  const thrice = join(twice, a, { on: ["c002"], suffix: "_3", how: "full" });
  expectTypeOf(once.getChild("c099_right")).toEqualTypeOf<Vector<Int32> | null>();
  expectTypeOf(twice.getChild("b199_2")).toEqualTypeOf<Vector<Utf8> | null>();
  expectTypeOf(thrice.getChild("a199_3")).toEqualTypeOf<Vector<Utf8> | null>();
  // @ts-expect-error
  thrice.getChild("c002_3");
});
