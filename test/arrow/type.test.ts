import type { DataType } from "apache-arrow";
import * as arrow from "apache-arrow";
import { describe, expect, it } from "vitest";
import { describeType, rebuildType, typeText } from "../../src/arrow/type.ts";
import { expectError } from "../support/errors.ts";
import { foreign } from "./layouts.ts";

const field = (name: string, type: DataType, nullable = true) => new arrow.Field(name, type, nullable, new Map([["k", "v"]]));
const dict = (id: number) => new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32(), id, true);

const types: [string, DataType][] = [
  ["Null", new arrow.Null()],
  ["Bool", new arrow.Bool()],
  ["Int8", new arrow.Int8()],
  ["Int16", new arrow.Int16()],
  ["Int32", new arrow.Int32()],
  ["Int64", new arrow.Int64()],
  ["Uint8", new arrow.Uint8()],
  ["Uint16", new arrow.Uint16()],
  ["Uint32", new arrow.Uint32()],
  ["Uint64", new arrow.Uint64()],
  ["Float16", new arrow.Float16()],
  ["Float32", new arrow.Float32()],
  ["Float64", new arrow.Float64()],
  ["Utf8", new arrow.Utf8()],
  ["Binary", new arrow.Binary()],
  ["FixedSizeBinary<16>", new arrow.FixedSizeBinary(16)],
  ["Decimal128<10, 2>", new arrow.Decimal(2, 10, 128)],
  ["Decimal256<50, 3>", new arrow.Decimal(3, 50, 256)],
  ["Date32", new arrow.DateDay()],
  ["Date64", new arrow.DateMillisecond()],
  ["Time32<ms>", new arrow.TimeMillisecond()],
  ["Time64<ns>", new arrow.TimeNanosecond()],
  ["Timestamp<µs, UTC>", new arrow.TimestampMicrosecond("UTC")],
  ["Timestamp<s>", new arrow.TimestampSecond()],
  ["Duration<ns>", new arrow.DurationNanosecond()],
  ["Interval<month>", new arrow.IntervalYearMonth()],
  ["Interval<daytime>", new arrow.IntervalDayTime()],
  ["Interval<monthdaynano>", new arrow.IntervalMonthDayNano()],
  ["List<Int32>", new arrow.List(field("item", new arrow.Int32()))],
  ["FixedSizeList<Float32, 3>", new arrow.FixedSizeList(3, field("item", new arrow.Float32()))],
  [
    "Struct<{a: Int8, b: List<Utf8>}>",
    new arrow.Struct([field("a", new arrow.Int8(), false), field("b", new arrow.List(field("item", new arrow.Utf8())))]),
  ],
  [
    "Map<Utf8, Int64>",
    new arrow.Map_(
      new arrow.Field("entries", new arrow.Struct<any>([field("key", new arrow.Utf8(), false), field("value", new arrow.Int64())]), false),
      true,
    ),
  ],
  ["Dictionary<Int32, Utf8>", dict(5)],
];

const unsupported: [string, DataType, string][] = [
  ["LargeUtf8", new arrow.LargeUtf8(), "cast it to Utf8"],
  ["LargeBinary", new arrow.LargeBinary(), "cast it to Binary"],
  ["Utf8View", new arrow.Utf8View(), "cast it to Utf8"],
  ["BinaryView", new arrow.BinaryView(), "cast it to Binary"],
  ["LargeList<Int32>", new arrow.LargeList(field("item", new arrow.Int32())), "cast it to List"],
  ["Union<sparse, {a: Int32}>", new arrow.SparseUnion([0], [field("a", new arrow.Int32())]), "split it"],
  ["Dictionary<Int32, Dictionary<Int32, Utf8>>", new arrow.Dictionary(dict(1), new arrow.Int32(), 2), "decode the inner dictionary"],
];

describe.each(types)("%s", (text, type) => {
  it("is named, and is the same when rebuilt from this copy and from another", () => {
    expect(typeText(type)).toBe(text);
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
    const { children } = rebuildType(foreign(types.find(([t]) => t.startsWith("Struct"))![1]), () => 0) as arrow.Struct;
    expect(children.map((f) => [f.name, f.nullable, [...f.metadata]])).toEqual([
      ["a", false, [["k", "v"]]],
      ["b", true, [["k", "v"]]],
    ]);
  });
});

describe.each(unsupported)("%s", (text, type, way) => {
  it("is refused with the column, the type and a way out, also inside a list", async () => {
    expect(typeText(type)).toBe(text);
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
  expect(describeType({ typeId: 99 })).toEqual({ name: "typeId 99" });
  await expectError(() => rebuildType({ typeId: 99 }, () => 0, "x"), "UNSUPPORTED_TYPE", "TypeId 99");
});
