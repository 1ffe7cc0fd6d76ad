/** Expressions that mean nothing are refused with the sub-expression, before any row is read, and never by a stack overflow. */

import { describe, expect, it } from "vitest";
import { col, lit as literal } from "../../src/index.ts";
import {
  binary,
  bool,
  date32,
  decimal128,
  dictionary,
  duration,
  float64,
  int32,
  int64,
  list,
  time32,
  timestamp,
  uint64,
  utf8,
} from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { join, joinStream } from "../support/run.ts";
import { source } from "../support/source.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const left = table({
  id: int32([1, 2]),
  i: int64([1n, 2n]),
  u: uint64([1n, 2n]),
  f: float64([1, 2]),
  n: decimal128(10, 2)([1n, 2n]),
  s: utf8(["a", "b"]),
  d: dictionary(utf8(["a", "b"])),
  b: bool([true, false]),
  t: timestamp("ms")([1n, 2n]),
  z: timestamp("ms", "UTC")([1n, 2n]),
  p: duration("ms")([1n, 2n]),
  day: date32([1, 2]),
  clock: time32("s")([1, 2]),
  bytes: binary(["00", "01"]),
  list: list(int32(), [[1], [2]]),
});
const right = table({ id: int32([2, 1]), j: int32([5, 6]), s: utf8(["b", "c"]), "unit price": float64([1, 2]) });

/** Both verbs refuse it in the same words, and no input is pulled. */
async function refused(filter: unknown, ...words: readonly (string | RegExp)[]): Promise<void> {
  for (const how of ["inner", "leftMark", "rightAnti"]) {
    await expectError(() => join(left, right, { on: "id", how, filter }), "INVALID_EXPRESSION", ...words);
    const inputs = [left, right].map((input) =>
      source(input, () => {
        throw new Error("an input was pulled");
      }),
    );
    await expectError(() => joinStream(inputs[0], inputs[1], { on: "id", how, filter }), "INVALID_EXPRESSION", ...words);
    expect(inputs.map((input) => input.pulls())).toEqual([0, 0]);
  }
}

describe("a filter over columns", () => {
  it("that are missing names them, their side and the columns there are", async () => {
    await refused(x.lt(l("nope"), r("j")), "nope", /left/);
    await refused(x.lt(l("i"), r("nope")), "nope", /right/, "j");
    await refused(x.and(true, x.or(x.isNull(r("i")), l("b"))), "i", /right/);
    for (const name of ["constructor", "__proto__", "toString", "length", ""]) await refused(x.isNull(l(name)), name);
    await refused((a: { missing: { gt(n: number): unknown } }) => a.missing.gt(1), "missing");
  });

  it("of a type that no expression reads names the column and the type", async () => {
    await refused(x.eq(l("list"), l("list")), "list");
  });
});

describe("a filter over types that do not meet", () => {
  const pairs: { readonly [name: string]: readonly [Tree, string, string] } = {
    "an integer and a text": [x.eq(l("i"), r("s")), "int64", "utf8"],
    "a text and a number": [x.lt(l("s"), 5), "utf8", "5"],
    "a dictionary of texts and a number": [x.gt(l("d"), 5), "utf8", "5"],
    "a boolean and an integer": [x.eq(l("b"), l("i")), "bool", "int64"],
    "a timestamp with a zone and one without": [x.lt(l("t"), l("z")), "timestamp", "UTC"],
    "a date and a timestamp": [x.lt(l("day"), l("t")), "date32", "timestamp"],
    "a time of day and a duration": [x.lt(l("clock"), l("p")), "time32", "duration"],
    "a text and bytes": [x.eq(l("s"), l("bytes")), "utf8", "binary"],
    "a Date and a number": [x.eq(l("f"), new Date(0)), "float64", "Date"],
    "a between of which one end differs": [x.between(l("i"), 1, r("s")), "int64", "utf8"],
    "an in of which one value differs": [x.in(l("i"), 1, 2, "3"), "int64", "3"],
    "isDistinctFrom of a text and an integer": [x.isDistinctFrom(l("s"), l("i")), "utf8", "int64"],
  };
  for (const [name, [tree, ...words]] of Object.entries(pairs)) {
    it(`(${name}) names both`, async () => {
      await refused(tree, ...words);
      await refused(x.and(x.lt(l("i"), r("j")), x.not(tree)), ...words);
    });
  }

  const operations: { readonly [name: string]: Tree } = {
    "a sum of texts": x.isNull(x.add(l("s"), "x")),
    "a sum of decimals": x.gt(x.add(l("n"), l("n")), 1),
    "the neg of a decimal": x.gt(x.neg(l("n")), 1),
    "a sum of booleans": x.gt(x.add(l("b"), l("b")), 1),
    "a sum of timestamps": x.isNull(x.add(l("t"), l("t"))),
    "a difference of timestamps with and without a zone": x.isNull(x.sub(l("t"), l("z"))),
    "a product of a timestamp": x.isNull(x.mul(l("t"), 2)),
    "a timestamp and a fraction": x.isNull(x.add(l("t"), 0.5)),
    "a timestamp and an integer column": x.isNull(x.add(l("t"), l("i"))),
    "a difference of dates": x.isNull(x.sub(l("day"), l("day"))),
    "a sum of durations": x.isNull(x.add(l("p"), l("p"))),
    "a duration less a timestamp": x.isNull(x.sub(l("p"), l("t"))),
    "startsWith of an integer": x.startsWith(l("i"), "1"),
    "contains of a number in a text": x.contains(l("s"), 1),
    "an and of an integer": x.and(l("i"), true),
    "an or of a text": x.or(l("b"), l("s")),
    "a not of a float": x.not(l("f")),
    "a cast to what is no type": x.eq(x.cast(l("i"), "number8"), 1),
    "a cast to nothing": x.eq(x.cast(l("i"), ""), 1),
    "a cast of a list": x.eq(x.cast(l("list"), "int32"), 1),
  };
  for (const [name, tree] of Object.entries(operations)) {
    it(`(${name}) is refused`, async () => {
      await refused(tree);
    });
  }
});

describe("a filter that is no condition", () => {
  it("is refused with what it is", async () => {
    await refused(l("i"), "int64");
    await refused(x.add(l("i"), 1), "int64");
    await refused(l("s"), "utf8");
    await refused(lit(1));
    await refused(lit("true"));
    await refused(new Date(0));
  });

  it("is refused where a function or a value stands in its place", async () => {
    await refused(() => undefined, "filter");
    await refused(() => null, "filter");
    await refused(() => true, "filter");
    await refused((a: { i: number }, b: { j: number }) => a.i < b.j);
    for (const filter of [[], ["eq"], {}, new Map()]) await refused(filter, "filter");
    for (const filter of [null, true, 5, "l.i < r.j"])
      await expectError(() => join(left, right, { on: "id", filter }), "INVALID_OPTION", "filter");
  });
});

describe("a constant that cannot be computed", () => {
  const constants: { readonly [name: string]: Tree } = {
    "a division by zero": x.div(1, 0),
    "a division of floats by zero": x.div(1.5, 0),
    "mod by zero": x.mod(7, 0),
    "an overflow": x.add(lit("9223372036854775807", "int64"), lit(1, "int64")),
    "a product that leaves 64 bits": x.mul(lit("9223372036854775807", "int64"), lit(2, "int64")),
    "the neg of the smallest integer": x.neg(lit("-9223372036854775808", "int64")),
    "the abs of the smallest integer": x.abs(lit("-9223372036854775808", "int64")),
    "a cast that fails": x.cast(lit(300, "int64"), "int8"),
    "a cast of NaN to an integer": x.cast(lit("NaN", "float64"), "int32"),
  };
  for (const [name, tree] of Object.entries(constants)) {
    it(`(${name}) is refused, wherever it stands`, async () => {
      await refused(x.gt(l("f"), tree));
      await refused(x.or(x.lt(l("i"), r("j")), x.isNull(tree)));
      await refused(x.and(false, x.eq(tree, tree)));
    });
  }

  it("is not what a column makes: that is null for the pair", () => {
    expect(join(left, right, { on: "id", filter: x.gt(x.div(l("i"), x.sub(r("j"), r("j"))), 0) }).numRows).toBe(0);
  });
});

describe("JSON that is no expression", () => {
  const wrong: { readonly [name: string]: unknown } = {
    "an unknown operation": { op: "xor", args: [l("b"), l("b")] },
    "an operation by a name that only objects have": { op: "constructor", args: [l("b")] },
    "an operation without arguments": { op: "eq" },
    "arguments that are no list": { op: "not", args: { 0: l("b") } },
    "too few arguments": { op: "eq", args: [l("i")] },
    "too many arguments": { op: "not", args: [l("b"), l("b")] },
    "a between of two": { op: "between", args: [l("i"), 1] },
    "an empty and": { op: "and", args: [] },
    "an argument that is no node": { op: "not", args: [true] },
    "an argument that is null": { op: "not", args: [null] },
    "an argument that is undefined": { op: "or", args: [l("b"), undefined, l("b")] },
    "a column of no side": { side: "middle", column: "i" },
    "a column without a name": { side: "left" },
    "a name that is no text": { side: "left", column: 5 },
    "a literal without a value": x.eq(l("i"), { type: "int64" } as never),
    "a literal of an unknown type": x.eq(l("i"), lit(1, "integer")),
    "a literal whose value is of another type": x.eq(l("s"), lit(1, "utf8")),
    "an integer with a fraction": x.eq(l("i"), lit("1.5", "int64")),
    "an integer that its type does not hold": x.eq(l("i"), lit(300, "int8")),
    "digits that are none": x.eq(l("i"), lit("12x", "bigint")),
    "a number that is none": x.eq(l("f"), lit("one", "number")),
    "a boolean that is a text": x.eq(l("b"), lit("true", "boolean")),
    "a decimal that its type does not hold": x.eq(l("n"), lit("1.234", "decimal128(10, 2)")),
    "a value that is an object": x.eq(l("i"), { type: "int64", value: {} } as never),
    "a cast without a type": { op: "cast", args: [l("i")] },
  };
  for (const [name, tree] of Object.entries(wrong)) {
    it(`(${name}) is refused`, async () => {
      await refused(tree);
      await refused({ op: "or", args: [l("b"), tree] });
    });
  }

  it("and refers to itself is refused", async () => {
    const circle: { op: string; args: unknown[] } = { op: "not", args: [] };
    circle.args.push(circle);
    await refused(circle);
  });
});

describe("a tree nested 10 000 deep", () => {
  const DEEP = 10_000;
  const nested = (wrap: (inner: unknown) => unknown, innermost: unknown) => {
    let tree = innermost;
    for (let i = 0; i < DEEP; i++) tree = wrap(tree);
    return tree;
  };

  it("through and, add, not or cast, as JSON, is refused and overflows no stack", async () => {
    await refused(nested((inner) => ({ op: "and", args: [inner, l("b")] }), l("b")));
    await refused(nested((inner) => ({ op: "and", args: [l("b"), inner] }), l("b")));
    await refused(nested((inner) => ({ op: "not", args: [inner] }), l("b")));
    await refused({ op: "gt", args: [nested((inner) => ({ op: "add", args: [inner, lit(1)] }), l("i")), lit(0)] });
    await refused({ op: "eq", args: [nested((inner) => ({ op: "cast", args: [inner], type: "int64" }), l("i")), lit(0)] });
    await refused(nested((inner) => ({ op: "in", args: [lit(true), inner, l("b")] }), l("b")));
  });

  it("by the builder is refused, and overflows no stack", async () => {
    type Built = { not(): Built; add(n: number): Built; gt(n: number): Built; or(e: unknown): Built; and(e: unknown): Built };
    const b = col("left", "b") as unknown as Built;
    const i = col("left", "i") as unknown as Built;
    await refused(nested((inner) => (inner as Built).not(), b));
    await refused((nested((inner) => (inner as Built).add(1), i) as Built).gt(0));
    await refused(nested((inner) => (inner as Built).not().and(b), b));
  });

  it("has nothing to do with one that is wide: chains of and and or, and long lists", () => {
    const bools = Array.from({ length: 3000 }, () => l("b"));
    expect(join(left, right, { on: "id", filter: { op: "and", args: bools } }).numRows).toBe(1);
    expect(join(left, right, { on: "id", filter: { op: "or", args: bools } }).numRows).toBe(1);
    const numbers = Array.from({ length: 3000 }, (_, n) => literal(n + 2));
    expect(join(left, right, { on: "id", filter: (a: { i: { in(...of: unknown[]): unknown } }) => a.i.in(...numbers) }).numRows).toBe(1);
    const chained = bools.reduce<{ and(e: unknown): never }>((all, one) => all.and(one), col("left", "b") as never);
    expect(join(left, right, { on: "id", filter: chained }).numRows).toBe(1);
  });
});

describe("expressions of the builder", () => {
  it("name a column by any text", () => {
    type Columns = { [name: string]: { lt(e: unknown): unknown; isNull(): { not(): unknown } } };
    expect(join(left, right, { on: "id", filter: (a: Columns, b: Columns) => a.f.lt(b["unit price"]) }).numRows).toBe(1);
    expect(join(left, right, { on: "id", filter: () => literal(true) }).numRows).toBe(2);
  });

  it("go through JSON and back", () => {
    const filter = col("left", "i").lt(col("right", "j") as never);
    const back = JSON.parse(JSON.stringify(filter));
    expect(back).toEqual(x.lt(l("i"), r("j")));
    expect(join(left, right, { on: "id", filter: back }).numRows).toBe(join(left, right, { on: "id", filter }).numRows);
  });
});
