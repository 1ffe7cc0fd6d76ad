/** What the compiler says about `prepareJoin` and joins with a prepared right side. Checked, never run. */

import type { Bool, Dictionary, Float64, Int8, Int32, RecordBatch, Table, TypeMap, Utf8 } from "apache-arrow";
import { expectTypeOf, test } from "vitest";
import type { ColumnExprs } from "../../src/api/expr-types.ts";
import type {
  ColumnsOf,
  JoinIndices,
  JoinStream,
  joinIndices as joinIndicesVerb,
  joinStream as joinStreamVerb,
  join as joinVerb,
  PreparedJoin,
  PrepareOptions,
  prepareJoin as prepareJoinVerb,
} from "../../src/index.ts";

declare const join: typeof joinVerb;
declare const joinStream: typeof joinStreamVerb;
declare const joinIndices: typeof joinIndicesVerb;
declare const prepareJoin: typeof prepareJoinVerb;

type Left = { id: Int32; name: Utf8; x: Float64 };
type Right = { id: Int32; key: Utf8; x: Bool };
declare const left: Table<Left>;
declare const right: Table<Right>;
declare const untyped: Table;
declare const prepared: PreparedJoin<Right, "id">;

declare function columns<T extends TypeMap>(table: Table<T>): T;
declare function streamed<T extends TypeMap>(stream: Promise<JoinStream<T>>): T;

type OnId = { id: Int32; name: Utf8; x: Float64; key: Utf8; x_right: Bool };
type Uncoalesced = { id: Int32; name: Utf8; x: Float64; id_right: Int32; key: Utf8; x_right: Bool };

test("a prepared side knows its columns and its keys", () => {
  expectTypeOf(prepareJoin(right, { on: "id" })).toEqualTypeOf<PreparedJoin<Right, "id">>();
  expectTypeOf(prepareJoin(right, { on: { any: "key" }, nullsEqual: true, kernel: "ts", hashSeed: 1, memoryLimit: 1e6 })).toEqualTypeOf<
    PreparedJoin<Right, { readonly any: "key" }>
  >();
  expectTypeOf<ColumnsOf<typeof prepared>>().toEqualTypeOf<Right>();
  expectTypeOf(prepareJoin(right.batches, { on: ["id"] })).toExtend<PreparedJoin<Right>>();
  expectTypeOf(prepareJoin(untyped, { on: "whatever" })).toExtend<PreparedJoin>();
  expectTypeOf(prepared.memoryBytes).toBeNumber();
  prepared.close();
  using closing = prepareJoin(right, { on: [{ left: "any", right: "id", nullsEqual: true }] });
  const any: PreparedJoin = closing;
  expectTypeOf<Extract<keyof typeof any, string>>().toEqualTypeOf<"memoryBytes" | "close">();
});

test("what prepareJoin does not take does not compile", () => {
  // @ts-expect-error
  prepareJoin(right, { on: "name" });
  // @ts-expect-error
  prepareJoin(right, { on: { id: "nope" } });
  // @ts-expect-error
  prepareJoin(right, { on: [{ left: "id", right: "nope" }] });
  // @ts-expect-error
  prepareJoin(right, { on: [{ left: "id", right: "id", nulls: true }] });
  // @ts-expect-error
  prepareJoin(right, {});
  // @ts-expect-error
  prepareJoin(right);
  // @ts-expect-error
  prepareJoin(right, { on: "id", how: "left" });
  // @ts-expect-error
  prepareJoin(right, { on: "id", memorylimit: 1 });
  // @ts-expect-error
  prepareJoin(right, { on: "id", kernel: "simd" });
  // @ts-expect-error bytes are for streams
  prepareJoin(new Uint8Array(), { on: "id" });
  // @ts-expect-error
  prepareJoin(prepared, { on: "id" });
});

test("the result follows the keys that were prepared, repeated or not", () => {
  expectTypeOf(columns(join(left, prepared, {}))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, prepared))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, prepared, { on: "id" }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, prepared, { how: "left", build: "right" }))).toEqualTypeOf<OnId>();
  expectTypeOf(columns(join(left, prepared, { coalesceKeys: false }))).toEqualTypeOf<Uncoalesced>();
  expectTypeOf(columns(join(left, prepared, { how: "leftSemi" }))).toEqualTypeOf<Left>();
  expectTypeOf(columns(join(left, prepared, { how: "rightMark" }))).toEqualTypeOf<{ id: Int32; key: Utf8; x: Bool; mark: Bool }>();
  expectTypeOf(columns(join(left, prepared, { select: ["right.key", "x_right", "left.x"] }))).toEqualTypeOf<{
    key: Utf8;
    x_right: Bool;
    x: Float64;
  }>();
  const other = prepareJoin(right, { on: { name: "key" } });
  expectTypeOf(columns(join(left, other, {}))).toEqualTypeOf<Uncoalesced>();
  const pairs = prepareJoin(right, {
    on: [
      { left: "id", right: "id" },
      { left: "x", right: "x" },
    ],
  });
  expectTypeOf(columns(join(left, pairs))).toEqualTypeOf<{ id: Int32; name: Utf8; x: Float64; key: Utf8 }>();
});

test("streams and row numbers too", async () => {
  expectTypeOf(streamed(joinStream(left, prepared, {}))).toEqualTypeOf<OnId>();
  expectTypeOf(streamed(joinStream(left, prepared))).toEqualTypeOf<OnId>();
  expectTypeOf(
    streamed(joinStream({} as AsyncIterable<RecordBatch<Left>>, prepared, { flush: "eager", how: "leftAnti" })),
  ).toEqualTypeOf<Left>();
  for await (const batch of await joinStream(left, prepared)) expectTypeOf(batch).toEqualTypeOf<RecordBatch<OnId>>();
  expectTypeOf(joinIndices(left, prepared, { how: "full" })).toEqualTypeOf<JoinIndices>();
  expectTypeOf(joinIndices(left, prepared)).toEqualTypeOf<JoinIndices>();
});

test("a prepared side's dictionaries are unified as the built side's are", () => {
  type L = { id: Int32; a: Dictionary<Utf8, Int8> };
  type R = { id: Int32; b: Dictionary<Utf8, Int8> };
  const side = {} as PreparedJoin<R, "id">;
  expectTypeOf(streamed(joinStream({} as Table<L>, side))).toEqualTypeOf<{
    id: Int32;
    a: Dictionary<Utf8, Int8>;
    b: Dictionary<Utf8, Int32>;
  }>();
});

test("a filter knows the columns of the prepared side", () => {
  join(left, prepared, {
    filter: (l, r) => {
      expectTypeOf(l).toEqualTypeOf<ColumnExprs<Left>>();
      expectTypeOf(r).toEqualTypeOf<ColumnExprs<Right>>();
      return l.x.gt(1).and(r.x);
    },
  });
  joinStream(left, prepared, { filter: (l, r) => l.name.eq(r.key) });
  joinIndices(left, prepared, { filter: (l, r) => l.name.eq(r.key), on: "id" });
  // @ts-expect-error
  join(left, prepared, { filter: (l, r) => l.x.gt(r.nope) });
  // @ts-expect-error
  joinStream(left, prepared, { filter: (l, r) => l.nope.gt(r.x) });
  // @ts-expect-error
  joinIndices(left, prepared, { filter: (l, r) => l.nope.gt(r.x) });
});

test("what a join with a prepared side does not take does not compile", () => {
  // @ts-expect-error
  join(left, prepared, { on: "nope" });
  // @ts-expect-error
  join(left, prepared, { on: { id: "name" } });
  // @ts-expect-error the prepared side is the built one
  join(left, prepared, { build: "left" });
  // @ts-expect-error
  join(left, prepared, { hwo: "left" });
  // @ts-expect-error
  join(left, prepared, { memoryLimit: 5 });
  // @ts-expect-error
  join(left, prepared, { select: ["left.key"] });
  // @ts-expect-error an option of streams
  join(left, prepared, { flush: "eager" });
  // @ts-expect-error
  joinStream(left, prepared, { build: "left" });
  // @ts-expect-error
  joinIndices(left, prepared, { how: "leftMark" });
  // @ts-expect-error it is the right one
  join(prepared, right, { on: "id" });
  // @ts-expect-error
  joinStream(prepared, right, { on: "id" });
  // @ts-expect-error
  joinIndices(prepared, right, { on: "id" });
});

test("an ordinary right side needs keys", () => {
  // @ts-expect-error
  join(left, right, {});
  // @ts-expect-error
  join(left, right, { how: "left" });
  // @ts-expect-error
  join(left, right);
  // @ts-expect-error
  joinStream(left, right, { how: "left" });
  // @ts-expect-error
  joinStream(left, right);
  // @ts-expect-error
  joinIndices(left, right, { how: "left" });
  // @ts-expect-error
  joinIndices(left, right);
});

test("what is decided at run time gives any column", () => {
  const options: PrepareOptions<Right> = { on: "id" };
  expectTypeOf(join(left, prepareJoin(right, options), {})).toEqualTypeOf<Table>();
  expectTypeOf(join(left, {} as PreparedJoin, { on: "id" })).toEqualTypeOf<Table>();
  expectTypeOf(join(left, prepareJoin(untyped, { on: "id" }))).toEqualTypeOf<Table>();
  expectTypeOf(join(untyped, prepared, { filter: (l, r) => l.anything.gt(1).and(r.x) })).toEqualTypeOf<Table>();
  expectTypeOf(columns(join(untyped, prepared, { how: "rightSemi" }))).toEqualTypeOf<Right>();
  // Either: the keys are needed, for the one that has none.
  const either = {} as Table<Right> | PreparedJoin<Right, "id">;
  expectTypeOf(columns(join(left, either, { on: "id" }))).toEqualTypeOf<OnId>();
  // @ts-expect-error
  join(left, either, {});
});
