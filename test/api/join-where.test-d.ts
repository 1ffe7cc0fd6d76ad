/**
 * What the compiler says about `joinWhere`, `joinCross` and their streams: result columns, predicates, refused options. Checked, never run.
 * `columns` and `streamed` stand for what a verb's result says about its columns.
 */

import type { Bool, Dictionary, Float64, Int8, Int32, RecordBatch, RecordBatchReader, Table, TypeMap, Utf8, Vector } from "apache-arrow";
import { expectTypeOf, test } from "vitest";
import type {
  JoinCrossOptions,
  JoinCrossStreamOptions,
  JoinProgress,
  JoinWhereOptions,
  JoinWhereStreamOptions,
  RecordBatchShape,
  SpillStore,
  TableShape,
} from "../../src/api/options.ts";
import type { ColumnsOf, JoinStream, PreparedJoin } from "../../src/api/types.ts";
import type {
  Expr,
  joinCrossStream as joinCrossStreamVerb,
  joinCross as joinCrossVerb,
  joinWhereStream as joinWhereStreamVerb,
  joinWhere as joinWhereVerb,
} from "../../src/index.ts";
import type { JoinMetrics } from "../../src/operators/metrics.ts";

declare const joinWhere: typeof joinWhereVerb;
declare const joinWhereStream: typeof joinWhereStreamVerb;
declare const joinCross: typeof joinCrossVerb;
declare const joinCrossStream: typeof joinCrossStreamVerb;

type Left = { id: Int32; name: Utf8; x: Float64 };
type Right = { id: Int32; key: Utf8; x: Bool };
declare const left: Table<Left>;
declare const right: Table<Right>;
declare const untyped: Table;
declare const store: SpillStore;
declare const condition: Expr;

/** The columns of a result, exactly: an index signature or a further column would show. */
declare function columns<T extends TypeMap>(table: Table<T>): T;
declare function streamed<T extends TypeMap>(stream: Promise<JoinStream<T>>): T;

type Both = { id: Int32; name: Utf8; x: Float64; id_right: Int32; key: Utf8; x_right: Bool };

test("all columns of both sides, whatever the predicate says is equal", () => {
  expectTypeOf(columns(joinWhere(left, right, (l, r) => l.id.eq(r.id)))).toEqualTypeOf<Both>();
  expectTypeOf(columns(joinWhere(left, right, (l, r) => l.id.lt(r.id).and(l.name.ne(r.key))))).toEqualTypeOf<Both>();
  expectTypeOf(joinWhere(left, right, condition)).toEqualTypeOf<Table<Both>>();
  expectTypeOf(columns(joinWhere(left, right, condition, {}))).toEqualTypeOf<Both>();
  expectTypeOf(streamed(joinWhereStream(left, right, (l, r) => l.x.gt(r.id)))).toEqualTypeOf<Both>();
  expectTypeOf(columns(joinCross(left, right))).toEqualTypeOf<Both>();
  expectTypeOf(columns(joinCross(left, right, {}))).toEqualTypeOf<Both>();
  expectTypeOf(streamed(joinCrossStream(left, right))).toEqualTypeOf<Both>();
});

test("the predicate is required, and knows the columns of either side", () => {
  // @ts-expect-error
  joinWhere(left, right);
  // @ts-expect-error
  joinWhere(left, right, { how: "left" });
  // @ts-expect-error
  joinWhere(left, right, "l.id < r.id");
  // @ts-expect-error
  joinWhere(left, right, undefined);
  // @ts-expect-error
  joinWhere(left, right, () => true);
  // @ts-expect-error
  joinWhere(left, right, (l) => l.id);
  // @ts-expect-error no such column on the left
  joinWhere(left, right, (l, r) => l.key.eq(r.key));
  // @ts-expect-error no such column on the right
  joinWhere(left, right, (l, r) => l.name.eq(r.name));
  // @ts-expect-error a function is not a condition
  joinWhere(left, right, (l) => l.id.lt);
  // @ts-expect-error
  joinWhereStream(left, right);
  // @ts-expect-error
  joinWhereStream(left, right, (l, r) => l.nope.eq(r.key));
  joinWhere(left, untyped, (l, r) => l.id.eq(r.whatever));
  joinWhere(left, right, {
    op: "lt",
    args: [
      { side: "left", column: "id" },
      { side: "right", column: "id" },
    ],
  });
});

test("`how` decides the columns of joinWhere", () => {
  for (const how of ["inner", "left", "right", "full"] as const)
    expectTypeOf(columns(joinWhere(left, right, condition, { how }))).toEqualTypeOf<Both>();
  expectTypeOf(columns(joinWhere(left, right, condition, { how: "leftSemi" }))).toEqualTypeOf<Left>();
  expectTypeOf(columns(joinWhere(left, right, condition, { how: "leftAnti" }))).toEqualTypeOf<Left>();
  expectTypeOf(columns(joinWhere(left, right, condition, { how: "rightSemi" }))).toEqualTypeOf<Right>();
  expectTypeOf(columns(joinWhere(left, right, condition, { how: "rightAnti" }))).toEqualTypeOf<Right>();
  expectTypeOf(columns(joinWhere(left, right, condition, { how: "leftMark" }))).toEqualTypeOf<
    Left & { mark: Bool } extends infer T ? { [K in keyof T]: T[K] } : never
  >();
  expectTypeOf(columns(joinWhere(left, right, condition, { how: "rightMark", markName: "known" }))).toEqualTypeOf<{
    id: Int32;
    key: Utf8;
    x: Bool;
    known: Bool;
  }>();
  expectTypeOf(streamed(joinWhereStream(left, right, condition, { how: "rightSemi" }))).toEqualTypeOf<Right>();
  // @ts-expect-error no such kind
  joinWhere(left, right, condition, { how: "outer" });
  expectTypeOf(joinWhere(left, right, condition, { how: "left" as "left" | "leftSemi" })).toEqualTypeOf<Table>();
});

test("`suffix` and `select` name the columns", () => {
  type Pair = { id_l: Int32; name: Utf8; x_l: Float64; id_r: Int32; key: Utf8; x_r: Bool };
  expectTypeOf(columns(joinWhere(left, right, condition, { suffix: ["_l", "_r"] }))).toEqualTypeOf<Pair>();
  expectTypeOf(columns(joinCross(left, right, { suffix: ["_l", "_r"] }))).toEqualTypeOf<Pair>();
  const listed = columns(joinWhere(left, right, condition, { select: ["right.x", "left.name", "id_right"] }));
  expectTypeOf(listed).toEqualTypeOf<{ x: Bool; name: Utf8; id_right: Int32 }>();
  const named = columns(joinCross(left, right, { select: { a: "left.x", b: "x_right", c: "id" } }));
  expectTypeOf(named).toEqualTypeOf<{ a: Float64; b: Bool; c: Int32 }>();
  expectTypeOf(streamed(joinCrossStream(left, right, { select: ["right.key"] }))).toEqualTypeOf<{ key: Utf8 }>();
  expectTypeOf<keyof ColumnsOf<ReturnType<typeof none>>>().toBeNever();
  // @ts-expect-error
  joinWhere(left, right, condition, { select: ["left.key"] });
  // @ts-expect-error the suffix is another
  joinCross(left, right, { select: ["x_right"], suffix: "_r" });
  // @ts-expect-error a semi join has one side
  joinWhere(left, right, condition, { how: "leftSemi", select: ["right.x"] });
  // @ts-expect-error
  joinCrossStream(left, right, { select: { a: "right.name" } });
  const joined = joinCross(left, right);
  expectTypeOf(joined.getChild("x_right")).toEqualTypeOf<Vector<Bool> | null>();
  // @ts-expect-error the result is closed
  joined.getChild("nope");
});

const none = () => joinCross(left, right, { select: [] });

test("joinWhere has no keys", () => {
  // @ts-expect-error
  joinWhere(left, right, condition, { on: "id" });
  // @ts-expect-error
  joinWhere(left, right, condition, { filter: condition });
  // @ts-expect-error
  joinWhere(left, right, condition, { nullsEqual: true });
  // @ts-expect-error
  joinWhere(left, right, condition, { how: "leftAnti", nullAware: true });
  // @ts-expect-error
  joinWhere(left, right, condition, { coalesceKeys: false });
  // @ts-expect-error
  joinWhereStream(left, right, condition, { on: ["id"] });
  // @ts-expect-error a prepared side has keys
  joinWhere(left, {} as PreparedJoin<Right, ["id"]>, condition);
});

test("joinCross has no kind and no rules for matches", () => {
  // @ts-expect-error
  joinCross(left, right, { how: "inner" });
  // @ts-expect-error
  joinCross(left, right, { on: "id" });
  // @ts-expect-error
  joinCross(left, right, { filter: condition });
  // @ts-expect-error
  joinCross(left, right, { validate: "1:1" });
  // @ts-expect-error
  joinCross(left, right, { unmatched: "error" });
  // @ts-expect-error
  joinCross(left, right, { multiple: "first" });
  // @ts-expect-error
  joinCross(left, right, { markName: "m" });
  // @ts-expect-error
  joinCross(left, right, condition);
  // @ts-expect-error
  joinCrossStream(left, right, { how: "left" });
});

test("an option that does not exist, or of streams alone, does not compile", () => {
  // @ts-expect-error
  joinWhere(left, right, condition, { hwo: "left" });
  const options = { hwo: "left" } as const;
  // @ts-expect-error
  joinWhere(left, right, condition, options);
  // @ts-expect-error
  joinCross(left, right, options);
  // @ts-expect-error
  joinWhere(left, right, condition, { flush: "eager" });
  // @ts-expect-error
  joinCross(left, right, { onProgress: () => {} });
  // @ts-expect-error
  joinCrossStream(left, right, { flsh: "eager" });
});

test("an option's value is checked, and callbacks know what they get", () => {
  joinWhere(left, right, condition, {
    how: "full",
    validate: "m:1",
    unmatched: { left: "error" },
    multiple: "first",
    memoryLimit: 1e6,
    spill: store,
  });
  joinWhere(left, right, condition, { order: "any", build: "left", batchSize: Infinity, copy: true, kernel: "ts", hashSeed: 1 });
  joinWhereStream(left, right, condition, {
    flush: "eager",
    signal: new AbortController().signal,
    memoryLimit: 32 * 2 ** 20,
    spill: store,
  });
  joinCrossStream(left, right, { flush: "full", order: "right", memoryLimit: 1, spill: store });
  joinWhere(left, right, condition, { onMetrics: (metrics) => expectTypeOf(metrics).toEqualTypeOf<JoinMetrics>() });
  joinCrossStream(left, right, { onProgress: (progress) => expectTypeOf(progress).toEqualTypeOf<JoinProgress>() });
  // @ts-expect-error
  joinWhere(left, right, condition, { memoryLimit: "32MB" });
  // @ts-expect-error
  joinWhere(left, right, condition, { memoryLimit: 32n });
  // @ts-expect-error
  joinWhere(left, right, condition, { spill: "/tmp" });
  // @ts-expect-error
  joinCross(left, right, { spill: { create: 1 } });
  // @ts-expect-error
  joinCross(left, right, { batchSize: "1" });
  // @ts-expect-error
  joinWhere(left, right, condition, { validate: "1:n" });
  // @ts-expect-error
  joinWhere(left, right, condition, { unmatched: { left: "error", both: "error" } });
});

test("a store may answer at once or with promises", () => {
  joinCross(left, right, {
    spill: { create: () => ({ append: () => {}, read: (_offset, length) => new Uint8Array(length), remove: () => {} }) },
  });
  joinWhereStream(left, right, condition, {
    spill: {
      create: async () => ({ append: async () => {}, read: async (_offset, length) => new Uint8Array(length), remove: async () => {} }),
    },
  });
});

test("options by their types are accepted", () => {
  expectTypeOf(joinWhere(left, right, condition, {} as JoinWhereOptions<Left, Right>)).toEqualTypeOf<Table>();
  expectTypeOf(joinCross(left, right, {} as JoinCrossOptions<Left, Right>)).toEqualTypeOf<Table>();
  expectTypeOf(joinWhereStream(left, right, condition, {} as JoinWhereStreamOptions<Left, Right>)).toEqualTypeOf<Promise<JoinStream>>();
  expectTypeOf(joinCrossStream(left, right, {} as JoinCrossStreamOptions<Left, Right>)).toEqualTypeOf<Promise<JoinStream>>();
});

test("inputs of every sort carry their columns, or give any", () => {
  expectTypeOf(columns(joinWhere(left.batches[0], [right.batches[0]], (l, r) => l.id.lt(r.id)))).toEqualTypeOf<Both>();
  expectTypeOf(columns(joinCross(left.batches, right.batches[0]))).toEqualTypeOf<Both>();
  expectTypeOf(joinCross(untyped, right)).toEqualTypeOf<Table>();
  expectTypeOf(joinWhere(left, {} as TableShape, condition)).toEqualTypeOf<Table>();
  expectTypeOf(joinCross(left, [{} as RecordBatchShape])).toEqualTypeOf<Table>();
  const batches = {} as AsyncIterable<RecordBatch<Left>>;
  expectTypeOf(streamed(joinWhereStream(batches, right, (l, r) => l.id.lt(r.id)))).toEqualTypeOf<Both>();
  expectTypeOf(streamed(joinCrossStream({} as RecordBatchReader<Left>, right))).toEqualTypeOf<Both>();
  expectTypeOf(streamed(joinCrossStream({} as JoinStream<Left>, right))).toEqualTypeOf<Both>();
  expectTypeOf(joinWhereStream(new Uint8Array(), right, condition)).toEqualTypeOf<Promise<JoinStream>>();
  // @ts-expect-error
  joinWhere(null, right, condition);
  // @ts-expect-error bytes are for streams
  joinCross(left, new Uint8Array());
  // @ts-expect-error
  joinCrossStream(left, [1, 2]);
});

test("dictionaries that are unified have Int32 codes", () => {
  type L = { a: Dictionary<Utf8, Int8> };
  type R = { b: Dictionary<Utf8, Int8> };
  const [l, r] = [{} as Table<L>, {} as Table<R>];
  type RightUnified = { a: Dictionary<Utf8, Int8>; b: Dictionary<Utf8, Int32> };
  type LeftUnified = { a: Dictionary<Utf8, Int32>; b: Dictionary<Utf8, Int8> };
  expectTypeOf(columns(joinCross(l, r))).toEqualTypeOf<RightUnified>();
  expectTypeOf(columns(joinCross(l, r, { order: "right" }))).toEqualTypeOf<LeftUnified>();
  expectTypeOf(columns(joinWhere(l, r, condition, { build: "left" }))).toEqualTypeOf<RightUnified>();
  expectTypeOf(streamed(joinWhereStream(l, r, condition, { build: "left" }))).toEqualTypeOf<LeftUnified>();
});

test("a result is an input of the next join", () => {
  const twice = columns(joinWhere(joinCross(left, right), right, (l, r) => l.x_right.eq(r.x), { suffix: "_2", how: "leftSemi" }));
  expectTypeOf(twice).toEqualTypeOf<Both>();
});
