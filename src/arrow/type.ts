/**
 * Types of any copy of apache-arrow: described as plain data, put into words, and rebuilt as types of this program's copy.
 *
 * Invariants
 * - A type is told by its `typeId` and its fields, never by `instanceof`: versions 14 to 22 agree on those.
 * - A flat type that already is of this program's copy is used as it is; another copy's becomes what apache-arrow's IPC reader makes of
 *   it (`Int` with a width, not `Int32`).
 * - Dictionaries, nested ones too, get ids from the caller: two inputs may use the same id for different things.
 */

import type { DataType } from "apache-arrow";
import * as arrow from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import { hasDictionary, type PlainType, typeText } from "../plain-type.ts";
import type { RawField, RawType } from "./raw.ts";

const TIME_UNITS = ["s", "ms", "us", "ns"];
const INTERVAL_UNITS = ["month", "daytime", "monthdaynano"];

/** The type as plain data. Never throws: a type that nobody needs may be unknown. */
export function describeType(type: DataType | RawType): PlainType {
  const t = type as RawType;
  const { typeId, unit = 0, bitWidth } = t;
  const name = arrow.Type[typeId]?.toLowerCase() ?? `type ${typeId}`;
  const children = t.children?.map((f) => ({ name: f.name, type: describeType(f.type), nullable: f.nullable }));
  switch (typeId) {
    case -1:
      return { name, index: describeType(t.indices!), values: describeType(t.dictionary!) };
    case 2:
      return { name: `${t.isSigned ? "" : "u"}int${bitWidth}` };
    case 3:
      return { name: `float${16 << t.precision!}` };
    case 7:
      return { name, precision: t.precision, scale: t.scale, width: bitWidth ?? 128 };
    case 8:
      return { name: `date${32 << unit}` };
    case 9:
      return { name: `time${bitWidth}`, unit: TIME_UNITS[unit] };
    case 10:
      return { name, unit: TIME_UNITS[unit], timezone: t.timezone || null };
    case 11:
      return { name, unit: INTERVAL_UNITS[unit] };
    case 14:
      return { name, unit: t.mode === 0 ? "sparse" : "dense", children };
    case 18:
      return { name, unit: TIME_UNITS[unit] };
    default:
      return { name, width: t.byteWidth ?? t.listSize, children };
  }
}

export const textOf = (type: DataType | RawType): string => typeText(describeType(type));

/** A type without children; null for those that are not read. */
function flatType(t: RawType): DataType | null {
  switch (t.typeId) {
    case 1:
      return new arrow.Null();
    case 2:
      return new arrow.Int(t.isSigned as never, t.bitWidth as never);
    case 3:
      return new arrow.Float(t.precision!);
    case 4:
      return new arrow.Binary();
    case 5:
      return new arrow.Utf8();
    case 6:
      return new arrow.Bool();
    case 7:
      return new arrow.Decimal(t.scale!, t.precision!, t.bitWidth);
    case 8:
      return new arrow.Date_(t.unit!);
    case 9:
      return new arrow.Time(t.unit as never, t.bitWidth as never);
    case 10:
      return new arrow.Timestamp(t.unit!, t.timezone);
    case 11:
      return new arrow.Interval(t.unit!);
    case 15:
      return new arrow.FixedSizeBinary(t.byteWidth!);
    case 18:
      return new arrow.Duration(t.unit!);
    default:
      return null;
  }
}

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
      `${path} has type ${textOf(t)}, which arrow-join does not read yet: ${way}, or leave it out: with \`select\`, and of the filter.`,
    );
  const field = (f: RawField) =>
    new arrow.Field(f.name, rebuildType(f.type, dictionaryIds, `${path}.${f.name}`, unified), f.nullable, new Map(f.metadata ?? []));
  switch (t.typeId) {
    case -1: {
      if (hasDictionary(describeType(t.dictionary!))) throw unsupported("decode the inner dictionary");
      const values = rebuildType(t.dictionary!, dictionaryIds, path);
      const codes = unified ? new arrow.Int32() : rebuildType(t.indices!, dictionaryIds);
      return new arrow.Dictionary(values, codes as arrow.Int32, dictionaryIds(), t.isOrdered);
    }
    case 12:
      return new arrow.List(field(t.children![0]));
    case 13:
      return new arrow.Struct(t.children!.map(field));
    case 16:
      return new arrow.FixedSizeList(t.listSize!, field(t.children![0]));
    case 17:
      return new arrow.Map_(field(t.children![0]) as arrow.Field<arrow.Struct<{ key: DataType; value: DataType }>>, t.keysSorted);
  }
  const flat = flatType(t);
  if (flat === null) {
    const { name } = describeType(t);
    const plain = name.replace(/large|view/, "");
    throw unsupported(name === "union" ? "split it into one column per member" : `cast it to ${plain === name ? "another type" : plain}`);
  }
  // Not instanceof, which answers yes for another copy's types too; `isPrototypeOf` asks for this very copy.
  return Object.prototype.isPrototypeOf.call(arrow.DataType.prototype, t) ? (t as DataType) : flat;
}
