/**
 * Types of any copy of apache-arrow: described as plain data, put into words, and rebuilt as types of this program's copy.
 *
 * Invariants
 * - A type is told by its `typeId` and its fields, never by `instanceof`: versions 14 to 22 agree on those.
 * - A type without dictionaries that already is of this program's copy is used as it is, so that its class survives.
 * - Dictionaries, nested ones too, get ids from the caller: two inputs may use the same id for different things.
 */

import type { DataType } from "apache-arrow";
import * as arrow from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { RawField, RawType } from "./raw.ts";

/** The shape of `PlainType` of src/spec/type.ts, where the members are explained. */
export interface TypeInfo {
  readonly name: string;
  readonly unit?: string;
  readonly timezone?: string | null;
  readonly precision?: number;
  readonly scale?: number;
  readonly width?: number;
  readonly index?: TypeInfo;
  readonly values?: TypeInfo;
  readonly children?: readonly { readonly name: string; readonly type: TypeInfo; readonly nullable: boolean }[];
}

const TIME_UNITS = ["s", "ms", "us", "ns"];

/** The type as plain data. Never throws: a type that nobody needs may be unknown. */
export function describeType(type: DataType | RawType): TypeInfo {
  const t = type as RawType;
  const unit = TIME_UNITS[t.unit ?? 0];
  const nested = (name: string, extra?: Partial<TypeInfo>): TypeInfo => ({
    name,
    ...extra,
    children: (t.children ?? []).map((f) => ({ name: f.name, type: describeType(f.type), nullable: f.nullable })),
  });
  switch (t.typeId) {
    case -1:
      return { name: "dictionary", index: describeType(t.indices!), values: describeType(t.dictionary!) };
    case 1:
      return { name: "null" };
    case 2:
      return { name: `${t.isSigned ? "int" : "uint"}${t.bitWidth}` };
    case 3:
      return { name: `float${[16, 32, 64][t.precision!]}` };
    case 4:
      return { name: "binary" };
    case 5:
      return { name: "utf8" };
    case 6:
      return { name: "bool" };
    case 7:
      return { name: "decimal", precision: t.precision, scale: t.scale, width: t.bitWidth ?? 128 };
    case 8:
      return { name: t.unit === 0 ? "date32" : "date64" };
    case 9:
      return { name: `time${t.bitWidth}`, unit };
    case 10:
      return { name: "timestamp", unit, timezone: t.timezone || null };
    case 11:
      return { name: "interval", unit: ["month", "daytime", "monthdaynano"][t.unit!] };
    case 12:
      return nested("list");
    case 13:
      return nested("struct");
    case 14:
      return nested("union", { unit: t.mode === 0 ? "sparse" : "dense" });
    case 15:
      return { name: "fixedsizebinary", width: t.byteWidth };
    case 16:
      return nested("fixedsizelist", { width: t.listSize });
    case 17:
      return nested("map");
    case 18:
      return { name: "duration", unit };
    case 19:
      return { name: "largebinary" };
    case 20:
      return { name: "largeutf8" };
    case 21:
      return nested("largelist");
    case 23:
      return { name: "binaryview" };
    case 24:
      return { name: "utf8view" };
    default:
      return { name: `typeId ${t.typeId}` };
  }
}

const SPECIAL_NAMES: Record<string, string> = {
  fixedsizebinary: "FixedSizeBinary",
  fixedsizelist: "FixedSizeList",
  largeutf8: "LargeUtf8",
  largebinary: "LargeBinary",
  largelist: "LargeList",
  utf8view: "Utf8View",
  binaryview: "BinaryView",
};

function infoText(t: TypeInfo): string {
  const inner: (string | number)[] = [];
  if (t.unit) inner.push(t.unit === "us" ? "µs" : t.unit);
  if (t.timezone) inner.push(t.timezone);
  if (t.index) inner.push(infoText(t.index), infoText(t.values!));
  if (t.precision !== undefined) inner.push(t.precision, t.scale!);
  if (t.name === "map") inner.push(...(t.children![0]?.type.children ?? []).map((f) => infoText(f.type)));
  else if (t.name === "struct" || t.name === "union")
    inner.push(`{${t.children!.map((f) => `${f.name}: ${infoText(f.type)}`).join(", ")}}`);
  else if (t.children) inner.push(...t.children.map((f) => infoText(f.type)));
  if (t.width !== undefined && t.name !== "decimal") inner.push(t.width);
  const name = SPECIAL_NAMES[t.name] ?? t.name[0].toUpperCase() + t.name.slice(1) + (t.name === "decimal" ? t.width : "");
  return inner.length === 0 ? name : `${name}<${inner.join(", ")}>`;
}

/** The type for messages: `Int64`, `Timestamp<µs, UTC>`, `Dictionary<Int32, Utf8>`. Ids of dictionaries are left out. */
export function typeText(type: DataType | RawType): string {
  return infoText(describeType(type));
}

/** Whether the type is or holds a dictionary. */
export const hasDictionary = (t: DataType | RawType): boolean =>
  t.typeId === -1 || ((t.children ?? []) as readonly RawField[]).some((f) => hasDictionary(f.type));

/** Keys and values of a map and the field names of its entries are set by the Map type itself. */
function rebuildField(f: RawField, ids: () => number, path: string, unified: boolean): arrow.Field {
  return new arrow.Field(f.name, rebuildType(f.type, ids, `${path}.${f.name}`, unified), f.nullable, new Map(f.metadata ?? []));
}

/** What to do about a type that is not supported. */
const CASTS: Record<number, string> = {
  14: "split it into one column per member",
  19: "cast it to Binary",
  20: "cast it to Utf8",
  21: "cast it to List",
  23: "cast it to Binary",
  24: "cast it to Utf8",
};

/**
 * The same type of this program's apache-arrow; `dictionaryIds` gives each dictionary its id, `path` names the column in errors.
 * With `unified` every dictionary gets Int32 codes: what a column of many dictionaries made one has.
 * Throws UNSUPPORTED_TYPE for unions, large and view types, and dictionaries whose values hold dictionaries.
 */
export function rebuildType(type: DataType | RawType, dictionaryIds: () => number, path = "a column", unified = false): DataType {
  const t = type as RawType;
  const unsupported = (way: string) =>
    new ArrowJoinError(
      "UNSUPPORTED_TYPE",
      `${path} has type ${typeText(t)}, which arrow-join does not read yet: ${way}, or leave it out with \`select\`.`,
    );
  if (t.typeId in CASTS) throw unsupported(CASTS[t.typeId]);
  const child = (i: number) => rebuildField(t.children![i], dictionaryIds, path, unified);
  const unit = t.unit ?? 0;
  switch (t.typeId) {
    case -1: {
      if (hasDictionary(t.dictionary!)) throw unsupported("decode the inner dictionary");
      const values = rebuildType(t.dictionary!, dictionaryIds, path);
      const codes = unified ? new arrow.Int32() : (rebuildType(t.indices!, dictionaryIds) as arrow.Int32);
      return new arrow.Dictionary(values, codes, dictionaryIds(), t.isOrdered);
    }
    case 12:
      return new arrow.List(child(0));
    case 13:
      return new arrow.Struct(t.children!.map((_, i) => child(i)));
    case 16:
      return new arrow.FixedSizeList(t.listSize!, child(0));
    case 17:
      return new arrow.Map_(child(0) as arrow.Field<arrow.Struct<{ key: DataType; value: DataType }>>, t.keysSorted);
  }
  // Not instanceof, which answers yes for another copy's types too; `isPrototypeOf` asks for this very copy.
  if (Object.prototype.isPrototypeOf.call(arrow.DataType.prototype, t)) return t as DataType;
  switch (t.typeId) {
    case 1:
      return new arrow.Null();
    case 2: {
      const i = Math.log2(t.bitWidth!) - 3;
      return new (
        t.isSigned ? [arrow.Int8, arrow.Int16, arrow.Int32, arrow.Int64] : [arrow.Uint8, arrow.Uint16, arrow.Uint32, arrow.Uint64]
      )[i]();
    }
    case 3:
      return new [arrow.Float16, arrow.Float32, arrow.Float64][t.precision!]();
    case 4:
      return new arrow.Binary();
    case 5:
      return new arrow.Utf8();
    case 6:
      return new arrow.Bool();
    case 7:
      return new arrow.Decimal(t.scale!, t.precision!, t.bitWidth ?? 128);
    case 8:
      return new [arrow.DateDay, arrow.DateMillisecond][unit]();
    case 9:
      return new [arrow.TimeSecond, arrow.TimeMillisecond, arrow.TimeMicrosecond, arrow.TimeNanosecond][unit]();
    case 10:
      return new [arrow.TimestampSecond, arrow.TimestampMillisecond, arrow.TimestampMicrosecond, arrow.TimestampNanosecond][unit](
        t.timezone,
      );
    case 11:
      return new [arrow.IntervalYearMonth, arrow.IntervalDayTime, arrow.IntervalMonthDayNano][unit]();
    case 15:
      return new arrow.FixedSizeBinary(t.byteWidth!);
    case 18:
      return new [arrow.DurationSecond, arrow.DurationMillisecond, arrow.DurationMicrosecond, arrow.DurationNanosecond][unit]();
    default:
      throw unsupported("cast it");
  }
}

/** Bytes a row of a fixed-width type of this program's copy (not Bool). */
export function byteWidth(type: DataType): number {
  const t = type as unknown as RawType;
  switch (t.typeId) {
    case 7:
      return t.bitWidth! >>> 3;
    case 11:
      return 4 << t.unit!;
    case 15:
      return t.byteWidth!;
    default:
      return (type.ArrayType as unknown as Int32ArrayConstructor).BYTES_PER_ELEMENT;
  }
}
