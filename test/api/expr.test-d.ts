/** What the compiler says about expressions and filters: columns, methods, arguments. Checked, never run. */

import type {
  Binary,
  Bool,
  DataType,
  DateDay,
  Decimal,
  Dictionary,
  Duration,
  Float,
  Float64,
  Int,
  Int8,
  Int32,
  Int64,
  Table,
  Timestamp,
  TimestampMillisecond,
  Utf8,
  Vector,
} from "apache-arrow";
import { expectTypeOf, test } from "vitest";
import type { JoinOptions } from "../../src/api/options.ts";
import type {
  ColumnExprs,
  ColumnsOf,
  col as colOf,
  Expr,
  Expression,
  Filter,
  joinStream as joinStreamVerb,
  join as joinVerb,
  lit as litOf,
} from "../../src/index.ts";

declare const join: typeof joinVerb;
declare const joinStream: typeof joinStreamVerb;
declare const lit: typeof litOf;
declare const col: typeof colOf;

type Left = {
  id: Int32;
  price: Float64;
  sym: Utf8;
  tag: Dictionary<Utf8, Int8>;
  open: Bool;
  at: TimestampMillisecond;
  day: DateDay;
  took: Duration;
  fee: Decimal;
  blob: Binary;
  "unit price": Int64;
  eq: Int32;
};
declare const l: ColumnExprs<Left>;
declare const left: Table<Left>;
type Right = { id: Int32; limit: Float64; sym: Utf8 };
declare const right: Table<Right>;
declare const untyped: Table;

test("a side has its columns and nothing else", () => {
  expectTypeOf(l.price).toEqualTypeOf<Expr<Float64>>();
  expectTypeOf(l["unit price"]).toEqualTypeOf<Expr<Int64>>();
  expectTypeOf(l.eq).toEqualTypeOf<Expr<Int32>>();
  // @ts-expect-error
  l.nope;
  expectTypeOf<keyof typeof l>().toEqualTypeOf<keyof Left>();
});

test("comparisons take expressions of a type that compares, and values that fit", () => {
  expectTypeOf(l.price.gt(l.id)).toEqualTypeOf<Expr<Bool>>();
  l.id.eq(5).and(l["unit price"].lt(5n), l.fee.ge(l.price), l.price.between(l.id, 1.5), l.fee.lt(1n));
  l.sym.eq("x").or(l.tag.ne(l.sym), l.sym.in(["a", "b"]), l.tag.in("a", l.sym), l.sym.in([] as string[]));
  l.open.eq(true).and(l.open, true, l.open.ne(l.price.gt(1)));
  l.at.lt(new Date()).and(l.day.ge(new Date()), l.at.gt(0), l.at.eq(0n), l.took.lt(1000n), l.day.between(1, 2));
  l.blob.eq(l.blob);
  l.id.isDistinctFrom(null).or(l.sym.isNull(), l.blob.isNotNull());
  // @ts-expect-error
  l.price.eq("1");
  // @ts-expect-error
  l.sym.eq(1);
  // @ts-expect-error
  l.sym.eq(l.price);
  // @ts-expect-error
  l.tag.eq(5);
  // @ts-expect-error
  l.open.eq(1);
  // @ts-expect-error
  l.at.eq("2024-01-01");
  // @ts-expect-error
  l.took.gt(new Date());
  // @ts-expect-error
  l.at.eq(l.took);
  // @ts-expect-error
  l.price.in(["a"]);
  // @ts-expect-error
  l.price.between(1);
  // @ts-expect-error nothing equals null: isNull() or isDistinctFrom(null)
  l.price.eq(null);
  // @ts-expect-error
  l.price.eq(undefined);
  // @ts-expect-error the column itself, not the side
  l.price.eq(l);
});

test("text, arithmetic and logic are for the types that have them", () => {
  l.sym.startsWith("a").and(l.tag.endsWith(l.sym), l.sym.contains(l.tag));
  expectTypeOf(l.id.add(l.price)).toEqualTypeOf<Expr<Int | Float>>();
  expectTypeOf(l.id.sub(1).mul(2n).div(l.price).mod(3).abs().neg().gt(l.price)).toEqualTypeOf<Expr<Bool>>();
  expectTypeOf(l.at.sub(l.at)).toEqualTypeOf<Expr<Duration>>();
  expectTypeOf(l.at.sub(new Date())).toEqualTypeOf<Expr<Duration>>();
  expectTypeOf(l.at.add(l.took)).toEqualTypeOf<Expr<Timestamp>>();
  expectTypeOf(l.took.add(l.at)).toEqualTypeOf<Expr<Timestamp>>();
  expectTypeOf(l.at.sub(5n)).toEqualTypeOf<Expr<Timestamp>>();
  l.at.sub(l.took).lt(l.at.add(5).add(lit(5)));
  l.open.not().or(l.price.gt(1).not());
  expectTypeOf(lit(new Date()).sub(l.at)).toEqualTypeOf<Expr<Duration>>();
  expectTypeOf(lit(new Date()).sub(5)).toEqualTypeOf<Expr<Timestamp>>();
  expectTypeOf(lit(new Date()).add(l.took)).toEqualTypeOf<Expr<Timestamp>>();
  expectTypeOf(l.took.add(new Date())).toEqualTypeOf<Expr<Timestamp>>();
  // @ts-expect-error
  lit(new Date()).add(new Date());
  // @ts-expect-error
  l.id.startsWith("a");
  // @ts-expect-error
  l.sym.contains(1);
  // @ts-expect-error
  l.sym.add("a");
  // @ts-expect-error
  l.id.add("a");
  // @ts-expect-error decimals compare only
  l.fee.add(1);
  // @ts-expect-error
  l.id.mul(l.sym);
  // @ts-expect-error
  l.at.add(l.at);
  // @ts-expect-error
  l.took.add(l.took);
  // @ts-expect-error
  l.day.add(1);
  // @ts-expect-error
  l.at.mul(2);
  // @ts-expect-error
  l.sym.neg();
  // @ts-expect-error
  l.id.and(l.open);
  // @ts-expect-error
  l.open.and(l.id);
  // @ts-expect-error
  l.id.not();
  // @ts-expect-error no such method
  l.id.greater(1);
});

test("literals and casts", () => {
  lit(5).lt(l.id).and(lit(5).eq(l.at), lit(new Date()).gt(l.day), lit("a").eq(l.tag), lit(true), lit(1).add(l.id).eq(2));
  l.id.lt(lit(5)).and(l.at.lt(lit(5)), l.day.eq(lit(new Date())), l.open.eq(lit(false)), l.id.add(lit(1)).gt(0));
  expectTypeOf(lit(5, "int64")).toEqualTypeOf<Expr<Int>>();
  expectTypeOf(lit("1.5", "decimal128(20, 2)")).toEqualTypeOf<Expr<Decimal>>();
  l.at.add(lit(5n, "duration(s)"));
  expectTypeOf(l.id.cast("utf8")).toEqualTypeOf<Expr<Utf8>>();
  l.id.cast("timestamp(us, UTC)").sub(l.at);
  l.id.cast("int8" as string).startsWith("a");
  // @ts-expect-error
  lit("a").lt(l.id);
  // @ts-expect-error
  l.sym.eq(lit(5));
  // @ts-expect-error
  lit({});
  // @ts-expect-error
  l.id.cast("utf8").add(1);
});

test("a column built by its name has any type", () => {
  expectTypeOf(col("left", "x")).toEqualTypeOf<Expr>();
  expectTypeOf(col("left", "x").gt(l.id).and(col("right", "y"))).toEqualTypeOf<Expr<Bool>>();
  l.id.eq(col("right", "y")).and(l.sym.startsWith(col("left", "x")));
  expectTypeOf(col("left", "x").add(1)).toEqualTypeOf<Expr>();
  const names: string[] = ["x", "y"];
  join(left, right, { on: "id", filter: lit(false).or(...names.map((name) => col("left", name).ne(col("right", name)))) });
  // @ts-expect-error
  col("middle", "x");
});

test("a column whose name is one of several has the methods that fit each", () => {
  const name = "price" as "price" | "id";
  expectTypeOf(l[name].gt(3)).toEqualTypeOf<Expr<Bool>>();
  l[name]
    .add(l.id)
    .lt(l[name])
    .and(l[name].in([1, 2]), l[name].div(2).isNull(), l[name].between(1, l.price));
  // @ts-expect-error
  l[name].gt("x");
  // @ts-expect-error
  l[name].startsWith("x");
  // @ts-expect-error
  l["sym" as "sym" | "id"].mul(1);
});

test("an expression's type says what it may stand for", () => {
  expectTypeOf<Expr<Int32>>().toExtend<Expr<Int>>();
  expectTypeOf<Expr<Int32>>().toExtend<Expr<DataType>>();
  expectTypeOf<Expr<Int32>>().toExtend<Expr>();
  expectTypeOf<Expr>().toExtend<Expr<Bool>>();
  expectTypeOf<Expr<Int32>>().not.toExtend<Expr<Utf8>>();
  expectTypeOf(JSON.stringify(l.id)).toEqualTypeOf<string>();
  expectTypeOf(l.id.toJSON()).toEqualTypeOf<Expression>();
});

test("a filter knows the columns of both inputs, and the result's are inferred as ever", () => {
  const joined = join(left, right, {
    on: "id",
    filter: (a, b) => a.price.gt(b.limit).and(a.sym.ne(b.sym)),
    select: ["left.price", "right.sym"],
  });
  expectTypeOf(joined).toEqualTypeOf<Table<{ price: Float64; sym: Utf8 }>>();
  join(left, right, {
    on: "id",
    how: "left",
    filter: (a, b) => {
      expectTypeOf(a).toEqualTypeOf<ColumnExprs<Left>>();
      expectTypeOf(b).toEqualTypeOf<ColumnExprs<Right>>();
      return a.open;
    },
  });
  joinStream(left, right, { on: "id", filter: (a, b) => a.price.add(1).lt(b.limit) });
  // A column of its own type, or what is built elsewhere.
  join(left, right, { on: "id", filter: col("left", "price").gt(col("right", "limit")) });
  join(left, right, { on: "id", filter: { op: "isNull", args: [{ side: "left", column: "price" }] } });
  join(left, right, { on: "id", filter: JSON.parse("{}") as Expression });
  const filter = (a: ColumnExprs<Left>, b: ColumnExprs<Right>) => a.price.gt(b.limit);
  expectTypeOf(join(left, right, { on: "id", filter, how: "leftSemi" })).toEqualTypeOf<Table<Left>>();
});

test("a filter may be written apart from its join", () => {
  const typed: Filter<ColumnsOf<typeof left>, ColumnsOf<typeof right>> = (a, b) => a.price.gt(b.limit);
  join(left, right, { on: "id", filter: typed });
  const untypedFilter: Filter = (a, b) => a.price.gt(b.anything);
  join(left, right, { on: "id", filter: untypedFilter });
  // @ts-expect-error
  const wrong: Filter<Left, Right> = (a, b) => a.nope.gt(b.limit);
  expectTypeOf(wrong).not.toBeAny();
});

test("a wrong filter does not compile", () => {
  // @ts-expect-error
  join(left, right, { on: "id", filter: (a) => a.nope.isNull() });
  // @ts-expect-error a column of the other side
  join(left, right, { on: "id", filter: (a, b) => b.price.gt(a.limit) });
  // @ts-expect-error
  join(left, right, { on: "id", filter: (a, b) => a.price.gt(b.sym) });
  // @ts-expect-error
  join(left, right, { on: "id", filter: (a, b) => a.price.startsWith(b.sym) });
  // @ts-expect-error JavaScript's own operator
  join(left, right, { on: "id", filter: (a, b) => a.price === b.limit });
  // @ts-expect-error
  join(left, right, { on: "id", filter: (a, b) => a.price < b.limit });
  // @ts-expect-error a number is no condition
  join(left, right, { on: "id", filter: (a) => a.price.add(1) });
  // @ts-expect-error
  join(left, right, { on: "id", filter: (a) => a.id });
  // @ts-expect-error
  join(left, right, { on: "id", filter: true });
  // @ts-expect-error
  join(left, right, { on: "id", filter: { op: "like", args: [] } });
  // @ts-expect-error
  joinStream(left, right, { on: "id", filter: (a) => a.nope.isNull() });
  // @ts-expect-error the other options are checked beside a filter
  join(left, right, { on: "id", filter: (a, b) => a.price.gt(b.limit), hwo: "left" });
  // @ts-expect-error
  join(left, right, { on: "nope", filter: (a, b) => a.price.gt(b.limit) });
});

test("a filter over untyped inputs takes any column", () => {
  expectTypeOf(
    join(untyped, untyped, { on: "id", filter: (a, b) => a.price.add(b.x).gt(1).and(b.flag, a["unit price"].isNull()) }),
  ).toEqualTypeOf<Table>();
  join(left, untyped, { on: "id", filter: (a, b) => a.price.gt(b.whatever).and(a.sym.startsWith(b.text)) });
  join(untyped, right, { on: "id", filter: (a, b) => a.anything.startsWith(b.sym) });
  joinStream(new Uint8Array(), right, { on: "id", filter: (a, b) => a.anything.gt(b.limit) });
  // @ts-expect-error the typed side's columns are known
  join(left, untyped, { on: "id", filter: (a, b) => a.nope.gt(b.x) });
  // @ts-expect-error no such method
  join(untyped, untyped, { on: "id", filter: (a) => a.price.greater(1) });
  const options: JoinOptions = { on: "id", filter: (a, b) => a.x.gt(b.y) };
  expectTypeOf(join(untyped, untyped, options)).toEqualTypeOf<Table>();
  const typed: JoinOptions<Left, Right> = { on: "id", filter: (a, b) => a.price.gt(b.limit) };
  expectTypeOf(join(left, right, typed)).toEqualTypeOf<Table>();
});

test("a filter of wide tables is not slow to check", () => {
  type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  const a = {} as Table<Record<`a${Digit}${Digit}${Digit}`, Int32>>;
  const b = {} as Table<Record<`b${Digit}${Digit}${Digit}`, Int32>>;
  const joined = join(a, b, { on: { a000: "b000" }, filter: (l, r) => l.a999.lt(r.b999) });
  expectTypeOf(joined.getChild("b999")).toEqualTypeOf<Vector<Int32> | null>();
});
