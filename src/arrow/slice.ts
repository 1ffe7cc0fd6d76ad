/**
 * A run of a column's rows as Data, without copying: how rows that stay together are passed through.
 *
 * Values and offsets are subarrays; bitmaps are whole bytes with `offset` raised by the remaining bits; the children of structs and
 * fixed-size lists are slices themselves, those of lists are whole:
 *
 *     rows          start ─────────────── start + count
 *     values        subarray(start * width, ...)
 *     offsets       subarray(start, start + count + 1)        still pointing into the whole bytes or the whole child
 *     bitmap        bytes from (bit + start) >> 3 on, Data.offset = (bit + start) & 7
 *
 * O(1) a column, plus count / 32 where it has nulls: `nullCount` is always explicit, and without nulls there is no bitmap.
 */

import type { DataType, Dictionary, Field } from "apache-arrow";
import { Data, makeData, Vector } from "apache-arrow";
import type { Bitmap } from "../kernel/contract.ts";
import { nullsIn } from "./bits.ts";
import type { ColumnView } from "./column.ts";

interface ArrayConstructor {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): ArrayBufferView;
  readonly BYTES_PER_ELEMENT: number;
}

/** `count` rows of `width` bytes each from byte `at` of `source`, as the array that the type calls for. */
export function typedSlice(type: DataType, source: ArrayBufferView, at: number, bytes: number): ArrayBufferView {
  const Typed = type.ArrayType as unknown as ArrayConstructor;
  return new Typed(source.buffer, source.byteOffset + at, bytes / Typed.BYTES_PER_ELEMENT);
}

/** A Data of this program's apache-arrow with everything said explicitly. */
export function makeDataOf(
  type: DataType,
  count: number,
  nullCount: number,
  parts: {
    offset?: number;
    offsets?: Int32Array;
    values?: ArrayBufferView;
    bitmap?: Uint8Array;
    children?: Data[];
    dictionary?: Vector;
  },
): Data {
  const { offset = 0, offsets, values, bitmap, children = [], dictionary } = parts;
  return new Data(type, offset, count, nullCount, [offsets, values, bitmap] as unknown as Data["buffers"], children, dictionary);
}

/** No rows. A type with children needs theirs, which apache-arrow leaves out. */
export function emptyData(type: DataType): Data {
  const children = ((type.children ?? []) as Field[]).map((field) => emptyData(field.type));
  return children.length === 0
    ? (makeData({ type, length: 0, nullCount: 0 } as never) as Data)
    : makeDataOf(type, 0, 0, { children, offsets: new Int32Array(1) });
}

/** A Vector without values: the dictionary of a column that never had one. */
export const emptyVector = (type: DataType): Vector => new Vector([emptyData(type)]);

/** The bits [start, start + count), from a whole byte on. */
const bitsFrom = ({ bytes, bit }: Bitmap, start: number, count: number): Bitmap => ({
  bytes: bytes.subarray((bit + start) >>> 3, (bit + start + count + 7) >>> 3),
  bit: (bit + start) & 7,
});

/** Rows [start, start + count) of the view as Data of `type`: the view's own type but for the ids of dictionaries. */
export function sliceData(view: ColumnView, start: number, count: number, type: DataType): Data {
  const { layout, validity, length } = view;
  const nullCount = count === length ? view.nullCount : nullsIn(validity, start, count);
  let offset = 0;
  let bitmap: Uint8Array | undefined;
  if (nullCount > 0 && layout !== "null") ({ bytes: bitmap, bit: offset } = bitsFrom(validity!, start, count));
  let values: ArrayBufferView | undefined;
  let children: Data[] | undefined;
  const child = (of: ColumnView, from: number, rows: number, i: number) => sliceData(of, from, rows, (type.children as Field[])[i].type);
  switch (layout) {
    case "words":
      values = typedSlice(type, view.words, start * view.width, count * view.width);
      break;
    case "codes":
      values = typedSlice((type as Dictionary).indices, view.codes, start * view.width, count * view.width);
      break;
    case "bits":
      ({ bytes: values, bit: offset } = bitsFrom(view.bits, start, count));
      break;
    case "bytes":
      values = view.bytes;
      break;
    case "list":
      children = view.children.map((c) => child(c, 0, c.length, 0));
      break;
    case "struct":
      children = view.children.map((c, i) => child(c, start * view.size, count * view.size, i));
  }
  const offsets = "offsets" in view ? view.offsets.subarray(start, start + count + 1) : undefined;
  const dictionary = layout === "codes" ? view.dictionary.vector : undefined;
  return makeDataOf(type, count, nullCount, { offset, bitmap, offsets, values, children, dictionary });
}

/** By `typeId`; all others are words. */
const LAYOUTS: Readonly<Record<number, ColumnView["layout"]>> = {
  [-1]: "codes",
  1: "null",
  4: "bytes",
  5: "bytes",
  6: "bits",
  12: "list",
  13: "struct",
  16: "struct",
  17: "list",
};

/** How a column of this type is laid out in its view. */
export const layoutOf = (type: DataType): ColumnView["layout"] => LAYOUTS[type.typeId] ?? "words";

/** Bytes a row in a words column of this type, and the array whose elements it is gathered by. */
export function wordsOf(type: DataType): { width: number; wordBytes: 1 | 2 | 4 } {
  const width = emptyData(type).stride * (type.ArrayType as unknown as ArrayConstructor).BYTES_PER_ELEMENT;
  return { width, wordBytes: width % 4 === 0 ? 4 : width % 2 === 0 ? 2 : 1 };
}

/** A view over bytes as words of 1, 2 or 4 bytes (8: two words); the bytes must be aligned to them. */
export function asWords(bytes: ArrayBufferView, wordBytes: number): Uint8Array | Uint16Array | Int32Array {
  const Words = wordBytes >= 4 ? Int32Array : wordBytes === 2 ? Uint16Array : Uint8Array;
  return new Words(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / Words.BYTES_PER_ELEMENT);
}
