/**
 * Reads tables exactly, from their buffers and not through Arrow's own accessors, and checks while reading that every column is well
 * formed: buffers long enough, offsets in order, codes inside the dictionary, null counts true, no null in a field that is not nullable.
 */

import {
  type Data,
  type DataType,
  type Date_,
  DateUnit,
  type Decimal,
  type Dictionary,
  type Duration,
  type Field,
  type FixedSizeBinary,
  type FixedSizeList,
  type Float,
  type Int,
  type Interval,
  type List,
  type Map_,
  Precision,
  type RecordBatch,
  type Schema,
  type Struct,
  type Table,
  type Time,
  type Timestamp,
  Type,
} from "apache-arrow";
import { type Cell, type FloatWidth, floatCell, hexOf, type Row } from "./cell.ts";

export interface FieldText {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly metadata: { readonly [key: string]: string };
}

export interface ReadTable {
  readonly fields: readonly FieldText[];
  readonly metadata: { readonly [key: string]: string };
  readonly rows: readonly Row[];
  /** Rows of each batch, in order. */
  readonly batches: readonly number[];
}

export function readTable(input: Table): ReadTable {
  return readBatches(input.schema, input.batches);
}

export function readBatches(schema: Schema, batches: readonly RecordBatch[]): ReadTable {
  const fields = readFields(schema);
  const rows: Row[] = [];
  batches.forEach((batch, number) => {
    const own = readFields(batch.schema);
    if (JSON.stringify(own) !== JSON.stringify(fields)) {
      throw new Error(`batch ${number} has the schema ${JSON.stringify(own)} in a result of ${JSON.stringify(fields)}`);
    }
    if (batch.data.children.length !== fields.length)
      throw new Error(`batch ${number} has ${batch.data.children.length} columns for ${fields.length} fields`);
    const columns = schema.fields.map((field, i) =>
      readColumn(batch.data.children[i], field, batch.numRows, `batch ${number}, column ${field.name}`),
    );
    for (let row = 0; row < batch.numRows; row++) rows.push(columns.map((cells) => cells[row]));
  });
  return { fields, metadata: Object.fromEntries(schema.metadata), rows, batches: batches.map((batch) => batch.numRows) };
}

export function readFields(schema: Schema): FieldText[] {
  return schema.fields.map((field) => ({
    name: field.name,
    type: typeText(field.type),
    nullable: field.nullable,
    metadata: Object.fromEntries(field.metadata),
  }));
}

function readColumn(data: Data, field: Field, length: number, where: string): Cell[] {
  if (typeText(data.type) !== typeText(field.type))
    throw new Error(`${where}: data of ${typeText(data.type)} in a field of ${typeText(field.type)}`);
  if (data.length !== length) throw new Error(`${where}: ${data.length} values in a batch of ${length} rows`);
  const cells = readData(data, where);
  if (!field.nullable && cells.includes(null))
    throw new Error(`${where}: null at row ${cells.indexOf(null)}, but the field is not nullable`);
  return cells;
}

/** The cells of a column, with every check of its layout. */
export function readData(data: Data, where = "column"): Cell[] {
  const valid = validity(data, where);
  const at = reader(data, valid, where);
  return Array.from({ length: data.length }, (_, i) => (valid[i] ? at(i) : null));
}

function validity(data: Data, where: string): boolean[] {
  if (data.type.typeId === Type.Null) return new Array<boolean>(data.length).fill(false);
  const bitmap = data.nullBitmap as Uint8Array | null | undefined;
  const present = bitmap !== null && bitmap !== undefined && bitmap.byteLength > 0;
  if (present && bitmap.byteLength * 8 < data.offset + data.length)
    throw new Error(`${where}: a bitmap of ${bitmap.byteLength} bytes for ${data.length} rows from ${data.offset} on`);
  const valid = Array.from(
    { length: data.length },
    (_, i) => !present || ((bitmap[(data.offset + i) >> 3] >> ((data.offset + i) & 7)) & 1) === 1,
  );
  const nulls = valid.filter((bit) => !bit).length;
  if (data.nullCount !== nulls) throw new Error(`${where}: nullCount ${data.nullCount}, but ${nulls} bits are clear`);
  return valid;
}

function reader(data: Data, valid: readonly boolean[], where: string): (i: number) => Cell {
  const { type, length } = data;
  const values = data.values as ArrayBufferView & ArrayLike<number | bigint>;
  const stride = data.stride;
  const need = (count: number, what = values) => {
    if (length > 0 && (what === undefined || what.length < count))
      throw new Error(`${where}: ${what?.length ?? 0} elements where ${count} are needed`);
  };
  switch (type.typeId) {
    case Type.Null:
      return () => null;
    case Type.Bool:
      need((data.offset + length + 7) >> 3);
      return (i) => ((Number(values[(data.offset + i) >> 3]) >> ((data.offset + i) & 7)) & 1) === 1;
    case Type.Int:
    case Type.Date:
    case Type.Time:
    case Type.Timestamp:
    case Type.Duration:
      need(length);
      return (i) => values[i];
    case Type.Float: {
      need(length);
      const width = (values.byteLength / (values.length || 1)) * 8;
      const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
      const bits = (i: number) =>
        width === 64
          ? view.getBigUint64(i * 8, true)
          : width === 32
            ? BigInt(view.getUint32(i * 4, true))
            : BigInt(view.getUint16(i * 2, true));
      return (i) => floatCell(width as FloatWidth, bits(i));
    }
    case Type.Decimal:
      need(length * stride);
      return (i) => {
        let unscaled = 0n;
        for (let word = 0; word < stride; word++) unscaled |= BigInt(values[i * stride + word]) << BigInt(32 * word);
        return BigInt.asIntN(32 * stride, unscaled);
      };
    case Type.FixedSizeBinary:
      need(length * stride);
      return (i) => hexOf((values as unknown as Uint8Array).subarray(i * stride, (i + 1) * stride));
    case Type.Utf8:
    case Type.Binary: {
      const range = ranges(data, values?.length ?? 0, where);
      const bytes = values as unknown as Uint8Array;
      const part = (i: number) => bytes.subarray(...range(i));
      return type.typeId === Type.Binary
        ? (i) => hexOf(part(i))
        : (i) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part(i));
    }
    case Type.Dictionary: {
      need(length);
      if (data.dictionary === undefined) throw new Error(`${where}: no dictionary`);
      const dictionary = data.dictionary.data.flatMap((chunk) => readData(chunk, `${where}, dictionary`));
      valid.forEach((bit, i) => {
        const code = Number(values[i]);
        if (bit && (code < 0 || code >= dictionary.length))
          throw new Error(`${where}: code ${code} at row ${i} in a dictionary of ${dictionary.length}`);
      });
      return (i) => dictionary[Number(values[i])];
    }
    case Type.List: {
      const child = readData(data.children[0], `${where}, items`);
      const range = ranges(data, child.length, where);
      return (i) => child.slice(...range(i));
    }
    case Type.Map: {
      const [keys, mapped] = data.children[0].children.map((part, i) => readData(part, `${where}, ${i === 0 ? "keys" : "values"}`));
      const range = ranges(data, keys.length, where);
      return (i) => keys.slice(...range(i)).map((key, j) => [key, mapped[range(i)[0] + j]]);
    }
    case Type.FixedSizeList: {
      const child = readData(data.children[0], `${where}, items`);
      if (child.length < length * stride) throw new Error(`${where}: ${child.length} items for ${length} lists of ${stride}`);
      return (i) => child.slice(i * stride, (i + 1) * stride);
    }
    case Type.Struct: {
      const children = (type as Struct).children.map((field, i) => ({
        name: field.name,
        cells: readData(data.children[i], `${where}.${field.name}`),
      }));
      for (const { name, cells } of children)
        if (cells.length !== length) throw new Error(`${where}.${name}: ${cells.length} values in ${length} structs`);
      return (i) => Object.fromEntries(children.map(({ name, cells }) => [name, cells[i]]));
    }
    default:
      throw new Error(`${where}: no reader for ${typeText(type)}`);
  }
}

function ranges(data: Data, end: number, where: string): (i: number) => [number, number] {
  const offsets = data.valueOffsets as Int32Array;
  if (data.length > 0 && (offsets?.length ?? 0) < data.length + 1)
    throw new Error(`${where}: ${offsets?.length ?? 0} offsets for ${data.length} rows`);
  for (let i = 0; i < data.length; i++) {
    if (offsets[i] < 0 || offsets[i + 1] < offsets[i] || offsets[i + 1] > end)
      throw new Error(`${where}: row ${i} is [${offsets[i]}, ${offsets[i + 1]}) of ${end}`);
  }
  return (i) => [offsets[i], offsets[i + 1]];
}

const UNIT = ["s", "ms", "us", "ns"];
const FLOAT = { [Precision.HALF]: "float16", [Precision.SINGLE]: "float32", [Precision.DOUBLE]: "float64" };

/** A type as text. A dictionary shows its index type and its values, never its id. */
export function typeText(type: DataType): string {
  const field = (f: Field) => `${f.name}: ${typeText(f.type)}${f.nullable ? "?" : ""}`;
  switch (type.typeId) {
    case Type.Null:
      return "null";
    case Type.Bool:
      return "bool";
    case Type.Int:
      return `${(type as Int).isSigned ? "int" : "uint"}${(type as Int).bitWidth}`;
    case Type.Float:
      return FLOAT[(type as Float).precision];
    case Type.Date:
      return (type as Date_).unit === DateUnit.DAY ? "date32" : "date64";
    case Type.Time:
      return `time${(type as Time).bitWidth}[${UNIT[(type as Time).unit]}]`;
    case Type.Timestamp:
      return `timestamp[${UNIT[(type as Timestamp).unit]}${(type as Timestamp).timezone ? `, ${(type as Timestamp).timezone}` : ""}]`;
    case Type.Duration:
      return `duration[${UNIT[(type as Duration).unit]}]`;
    case Type.Interval:
      return `interval[${(type as Interval).unit}]`;
    case Type.Decimal:
      return `decimal${(type as Decimal).bitWidth}(${(type as Decimal).precision}, ${(type as Decimal).scale})`;
    case Type.FixedSizeBinary:
      return `binary[${(type as FixedSizeBinary).byteWidth}]`;
    case Type.Utf8:
      return "utf8";
    case Type.Binary:
      return "binary";
    case Type.List:
      return `list<${field((type as List).children[0])}>`;
    case Type.FixedSizeList:
      return `list<${field((type as FixedSizeList).children[0])}>[${(type as FixedSizeList).listSize}]`;
    case Type.Struct:
      return `struct<${(type as Struct).children.map(field).join(", ")}>`;
    case Type.Map:
      return `map<${field((type as Map_).children[0])}${(type as Map_).keysSorted ? ", sorted" : ""}>`;
    case Type.Dictionary: {
      const { indices, dictionary, isOrdered } = type as Dictionary;
      return `dictionary<${typeText(indices)}, ${typeText(dictionary)}${isOrdered ? ", ordered" : ""}>`;
    }
    default:
      return `type ${type.typeId}`;
  }
}

/** All ArrayBuffers that the batches reach, dictionaries and children included. */
export function arrayBuffers(batches: readonly RecordBatch[]): Set<ArrayBufferLike> {
  const found = new Set<ArrayBufferLike>();
  const visit = (data: Data): void => {
    for (const view of [data.values, data.valueOffsets, data.nullBitmap, data.typeIds, ...data.variadicBuffers] as (
      | ArrayBufferView
      | null
      | undefined
    )[]) {
      if (view) found.add(view.buffer);
    }
    data.children.forEach(visit);
    data.dictionary?.data.forEach(visit);
  };
  for (const batch of batches) batch.data.children.forEach(visit);
  return found;
}
