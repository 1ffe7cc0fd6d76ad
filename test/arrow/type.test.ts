import type { DataType } from "apache-arrow";
import * as arrow from "apache-arrow";
import { describe, expect, it } from "vitest";
import { describeType, rebuildType, textOf } from "../../src/arrow/type.ts";
import { expectError } from "../support/errors.ts";
import { foreign } from "./layouts.ts";

const field = (name: string, type: DataType, nullable = true) => new arrow.Field(name, type, nullable, new Map([["k", "v"]]));
const dict = (id: number) => new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32(), id, true);

const types: [string, DataType][] = [
  ["null", new arrow.Null()],
  ["bool", new arrow.Bool()],
  ["int8", new arrow.Int8()],
  ["int16", new arrow.Int16()],
  ["int32", new arrow.Int32()],
  ["int64", new arrow.Int64()],
  ["uint8", new arrow.Uint8()],
  ["uint16", new arrow.Uint16()],
  ["uint32", new arrow.Uint32()],
  ["uint64", new arrow.Uint64()],
  ["float16", new arrow.Float16()],
  ["float32", new arrow.Float32()],
  ["float64", new arrow.Float64()],
  ["utf8", new arrow.Utf8()],
  ["binary", new arrow.Binary()],
  ["fixedsizebinary(16)", new arrow.FixedSizeBinary(16)],
  ["decimal128(10, 2)", new arrow.Decimal(2, 10, 128)],
  ["decimal256(50, 3)", new arrow.Decimal(3, 50, 256)],
  ["date32", new arrow.DateDay()],
  ["date64", new arrow.DateMillisecond()],
  ["time32(ms)", new arrow.TimeMillisecond()],
  ["time64(ns)", new arrow.TimeNanosecond()],
  ["timestamp(us, UTC)", new arrow.TimestampMicrosecond("UTC")],
  ["timestamp(s)", new arrow.TimestampSecond()],
  ["duration(ns)", new arrow.DurationNanosecond()],
  ["interval(month)", new arrow.IntervalYearMonth()],
  ["interval(daytime)", new arrow.IntervalDayTime()],
  ["interval(monthdaynano)", new arrow.IntervalMonthDayNano()],
  ["list(item: int32)", new arrow.List(field("item", new arrow.Int32()))],
  ["fixedsizelist(3, item: float32)", new arrow.FixedSizeList(3, field("item", new arrow.Float32()))],
  [
    "struct(a: int8, b: list(item: utf8))",
    new arrow.Struct([field("a", new arrow.Int8(), false), field("b", new arrow.List(field("item", new arrow.Utf8())))]),
  ],
  [
    "map(entries: struct(key: utf8, value: int64))",
    new arrow.Map_(
      new arrow.Field("entries", new arrow.Struct<any>([field("key", new arrow.Utf8(), false), field("value", new arrow.Int64())]), false),
      true,
    ),
  ],
  ["dictionary(int32, utf8)", dict(5)],
];

const unsupported: [string, DataType, string][] = [
  ["largeutf8", new arrow.LargeUtf8(), "cast it to utf8"],
  ["largebinary", new arrow.LargeBinary(), "cast it to binary"],
  ["utf8view", new arrow.Utf8View(), "cast it to utf8"],
  ["binaryview", new arrow.BinaryView(), "cast it to binary"],
  ["largelist(item: int32)", new arrow.LargeList(field("item", new arrow.Int32())), "cast it to list"],
  ["union(sparse, a: int32)", new arrow.SparseUnion([0], [field("a", new arrow.Int32())]), "split it"],
  ["dictionary(int32, dictionary(int32, utf8))", new arrow.Dictionary(dict(1), new arrow.Int32(), 2), "decode the inner dictionary"],
];

describe.each(types)("%s", (text, type) => {
  it("is named, and is the same when rebuilt from this copy and from another", () => {
    expect(textOf(type)).toBe(text);
    for (const given of [type, foreign(type)]) {
      const own = rebuildType(given, () => 5);
      expect(describeType(own)).toEqual(describeType(type));
      expect(arrow.util.compareTypes(own, type)).toBe(true);
    }
  });
});

describe("a rebuilt type", () => {
  it("keeps its class where it was of this copy already", () => {
    const type = new arrow.TimestampMicrosecond("UTC");
    expect(rebuildType(type, () => 0)).toBe(type);
    expect(rebuildType(foreign(type), () => 0)).not.toBe(type);
  });

  it("gives every dictionary, nested ones too, an id of its own and keeps its order flag", () => {
    let id = 10;
    const type = rebuildType(new arrow.Struct([field("a", dict(1)), field("b", new arrow.List(field("item", dict(1))))]), () => id++);
    const { children } = type as arrow.Struct;
    const a = children[0].type as arrow.Dictionary;
    const b = children[1].type.children[0].type as arrow.Dictionary;
    expect([a.id, b.id, a.isOrdered]).toEqual([10, 11, true]);
  });

  it("keeps names, nullability and metadata of its fields", () => {
    const { children } = rebuildType(foreign(types.find(([t]) => t.startsWith("struct"))![1]), () => 0) as arrow.Struct;
    expect(children.map((f) => [f.name, f.nullable, [...f.metadata]])).toEqual([
      ["a", false, [["k", "v"]]],
      ["b", true, [["k", "v"]]],
    ]);
  });
});

describe.each(unsupported)("%s", (text, type, way) => {
  it("is refused with the column, the type and a way out, also inside a list", async () => {
    expect(textOf(type)).toBe(text);
    await expectError(() => rebuildType(type, () => 0, 'left column "x"'), "UNSUPPORTED_TYPE", 'left column "x"', text, way);
    await expectError(
      () => rebuildType(new arrow.List(field("item", type)), () => 0, 'left column "x"'),
      "UNSUPPORTED_TYPE",
      'left column "x".item',
      text,
    );
  });
});

it("a type that nobody knows is described, and refused when it is needed", async () => {
  expect(describeType({ typeId: 99 })).toEqual({ name: "type 99" });
  await expectError(() => rebuildType({ typeId: 99 }, () => 0, "x"), "UNSUPPORTED_TYPE", "type 99");
});
