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

import type { DataType } from "apache-arrow";
import { Data, makeData, Vector } from "apache-arrow";
import type { Bitmap } from "../kernel/contract.ts";
import { countSet, shiftedBits } from "./bits.ts";
import type { ColumnView } from "./column.ts";
import { byteWidth } from "./type.ts";

type ArrayConstructor = new (buffer: ArrayBufferLike, byteOffset: number, length: number) => ArrayBufferView;

/** `count` rows of `width` bytes each from byte `at` of `source`, as the array that the type calls for. */
export function typedSlice(type: DataType, source: ArrayBufferView, at: number, bytes: number): ArrayBufferView {
  const Typed = type.ArrayType as unknown as ArrayConstructor & { BYTES_PER_ELEMENT: number };
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

export const emptyData = (type: DataType): Data => makeData({ type, length: 0, nullCount: 0 } as never) as Data;

/** A Vector without values: the dictionary of a column that never had one. */
export const emptyVector = (type: DataType): Vector => new Vector([emptyData(type)]);

function nullsIn(view: ColumnView, start: number, count: number): number {
  const { validity } = view;
  if (validity === null) return 0;
  return count === view.length ? view.nullCount : count - countSet(validity.bytes, validity.bit + start, count);
}

/** Rows [start, start + count) of the view as Data of `type`: the view's own type but for the ids of dictionaries. */
export function sliceData(view: ColumnView, start: number, count: number, type: DataType): Data {
  if (view.layout === "null") return makeDataOf(type, count, count, {});
  const nullCount = nullsIn(view, start, count);
  let bit = 0;
  let bitmap: Uint8Array | undefined;
  if (nullCount > 0) {
    const { bytes, bit: first } = view.validity as Bitmap;
    bit = (first + start) & 7;
    bitmap = bytes.subarray((first + start) >>> 3, (first + start + count + 7) >>> 3);
  }
  const fields = () => type.children as { type: DataType }[];
  switch (view.layout) {
    case "words":
      return makeDataOf(type, count, nullCount, {
        offset: bit,
        bitmap,
        values: typedSlice(type, view.words, start * view.width, count * view.width),
      });
    case "codes": {
      const { codes, width, dictionary } = view;
      const values = typedSlice((type as unknown as { indices: DataType }).indices, codes, start * width, count * width);
      return makeDataOf(type, count, nullCount, { offset: bit, bitmap, values, dictionary: dictionary.vector });
    }
    case "bits": {
      const first = view.bits.bit + start;
      const values = view.bits.bytes.subarray(first >>> 3, (first + count + 7) >>> 3);
      // One `offset` serves both bitmaps of a Bool; where they start at different bits, the smaller evil is to copy one.
      if (bitmap !== undefined && bit !== (first & 7)) bitmap = shiftedBits(bitmap, bit, count, first & 7);
      return makeDataOf(type, count, nullCount, { offset: first & 7, bitmap, values });
    }
    case "bytes":
      return makeDataOf(type, count, nullCount, {
        offset: bit,
        bitmap,
        offsets: view.offsets.subarray(start, start + count + 1),
        values: view.bytes,
      });
    case "list":
      return makeDataOf(type, count, nullCount, {
        offset: bit,
        bitmap,
        offsets: view.offsets.subarray(start, start + count + 1),
        children: [sliceData(view.child, 0, view.child.length, fields()[0].type)],
      });
    case "fixedList":
      return makeDataOf(type, count, nullCount, {
        offset: bit,
        bitmap,
        children: [sliceData(view.child, start * view.size, count * view.size, fields()[0].type)],
      });
    case "struct":
      return makeDataOf(type, count, nullCount, {
        offset: bit,
        bitmap,
        children: view.children.map((c, i) => sliceData(c, start, count, fields()[i].type)),
      });
  }
}

/** Bytes a row in a words column of this type, and the array whose elements it is gathered by. */
export function wordsOf(type: DataType): { width: number; wordBytes: 1 | 2 | 4 } {
  const width = byteWidth(type);
  return { width, wordBytes: width % 4 === 0 ? 4 : width % 2 === 0 ? 2 : 1 };
}

/** A view over bytes as words of 1, 2 or 4 bytes; the bytes must be aligned to them. */
export function asWords(bytes: ArrayBufferView, wordBytes: number): Uint8Array | Uint16Array | Int32Array {
  const Words = wordBytes === 4 ? Int32Array : wordBytes === 2 ? Uint16Array : Uint8Array;
  return new Words(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / wordBytes);
}
