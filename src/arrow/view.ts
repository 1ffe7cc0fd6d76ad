/**
 * Column views over any copy's Data: where the invariants of `column.ts` are established.
 *
 * What a slice of apache-arrow leaves where it was, and what not:
 *
 *     values, valueOffsets      shifted: row 0 is element 0 (of the stride)
 *     nullBitmap, Bool values   whole: row i is bit offset + i
 *     children of struct,       sliced too, each with an offset of its own
 *       fixed-size list
 *     children of list, map     whole: the offsets still point into them
 *
 * O(rows) per column: null counts are recounted (32 rows a step), offsets and codes are checked. Nothing is copied unless a buffer is
 * misaligned. A struct-level bitmap of a RecordBatch is ignored, as `getChild` of apache-arrow does.
 */

import type { Data, DataType, Int } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { Bitmap, Words } from "../kernel/contract.ts";
import { clearFrom, isSet, nullsIn } from "./bits.ts";
import type { CodesView, ColumnView } from "./column.ts";
import { ViewCache, viewDictionary } from "./dictionary-view.ts";
import { memo } from "./memo.ts";
import type { RawData, RawType } from "./raw.ts";
import { asWords, typedSlice, wordsOf } from "./slice.ts";
import { rebuildType, textOf } from "./type.ts";

const invalid = (path: string, what: string) => new ArrowJoinError("INVALID_INPUT", `${path} is damaged: ${what}.`);

type Buffer = ArrayBufferView | null | undefined;

/** The bytes of a buffer that must hold `bytes` of them, aligned for elements of `align` bytes. */
function bytesOf(buffer: Buffer, bytes: number, align: number, path: string, what: string): Uint8Array {
  const has = buffer?.byteLength ?? 0;
  if (has < bytes) throw invalid(path, `its ${what} take ${bytes} bytes, but the buffer has ${has}`);
  if (bytes === 0) return new Uint8Array(0);
  const view = new Uint8Array(buffer!.buffer as ArrayBuffer, buffer!.byteOffset, bytes);
  return view.byteOffset % align === 0 ? view : view.slice();
}

const bitsOf = (buffer: Buffer, bit: number, length: number, path: string, what: string): Bitmap => ({
  bytes: bytesOf(buffer, length && (bit + length + 7) >>> 3, 1, path, what),
  bit,
});

/** Offsets of `length` rows, checked: from 0 on, never running backwards, never past `limit`. */
function offsetsOf({ length, valueOffsets }: RawData, limit: number, path: string, into: string): Int32Array {
  if (length === 0) return new Int32Array(1);
  const offsets = asWords(bytesOf(valueOffsets, (length + 1) * 4, 4, path, "offsets"), 4) as Int32Array;
  let before = 0;
  for (let i = 0; i <= length; i++) {
    const here = offsets[i];
    if (here < before || here > limit)
      throw invalid(
        path,
        `the offset ${i === 0 ? "before" : "after"} row ${Math.max(i - 1, 0)} is ${here}, outside ${before} to ${limit} ${into}`,
      );
    before = here;
  }
  return offsets;
}

/** Codes of valid rows must name a value. 64-bit codes are read by their low word, the high one must be zero. */
function checkCodes({ codes, stride, validity, length, dictionary }: CodesView, path: string): void {
  const limit = dictionary.length;
  if (stride === 1) {
    // The largest code as unsigned settles the common case in half the time (2.2 against 4.8 ns a row).
    let largest = 0;
    for (let i = 0; i < length; i++) largest = Math.max(largest, codes[i] >>> 0);
    if (largest < limit) return;
  }
  for (let i = 0; i < length; i++) {
    if ((codes[stride * i] >>> 0 < limit && (stride === 1 || codes[2 * i + 1] === 0)) || !isSet(validity, i)) continue;
    throw invalid(path, `the code at row ${i}, ${codes[stride * i]}, lies outside its dictionary of ${limit} values`);
  }
}

const ownTypes = new WeakMap<object, DataType>();

/** The type in this program's copy. Dictionaries get ids that apache-arrow counts up: outputs use `rebuildType` with their own. */
export const ownType = (type: RawType, path: string): DataType =>
  memo(ownTypes, type, () => rebuildType(type, () => undefined as unknown as number, path));

/**
 * The column as buffers that start at row 0. `path` names it in errors, for example `left column "x"`.
 * Throws INVALID_INPUT for damaged buffers, UNSUPPORTED_TYPE for types that are not read.
 */
export function viewColumn(data: RawData | Data, path: string, cache = new ViewCache()): ColumnView {
  const raw = data as RawData;
  const type = ownType(raw.type, path);
  const { length, values, nullBitmap } = raw;
  const { typeId, children: fields } = raw.type;
  const offset = raw.offset || 0;
  if (!Number.isSafeInteger(offset) || offset < 0) throw invalid(path, `it starts at row ${offset}`);

  // A bitmap of no bytes is no bitmap; otherwise it counts, whatever `nullCount` says.
  let validity: Bitmap | null = null;
  if (typeId === 1) validity = { bytes: new Uint8Array((length + 7) >>> 3), bit: 0 };
  else if (nullBitmap?.byteLength) validity = bitsOf(nullBitmap, offset, length, path, "null bits");
  const nullCount = nullsIn(validity, 0, length);
  if (nullCount === 0) validity = null;
  const base = { length, type, nullCount, validity };
  const child = (i: number, needs: number, least = 0): ColumnView => {
    const { name } = fields![i];
    const at = raw.children?.[i];
    if (at === undefined || at.length < least)
      throw invalid(path, `its child "${name}" has ${at?.length ?? 0} rows where ${needs} are needed`);
    return padView(
      memo(cache.columns, at, () => viewColumn(at, `${path}.${name}`, cache)),
      needs,
    );
  };

  switch (typeId) {
    case -1: {
      const { indices, dictionary: valueType } = type as unknown as { indices: Int; dictionary: DataType };
      const width = indices.bitWidth >>> 3;
      const bytes = bytesOf(values, length * width, width, path, "codes");
      const view: CodesView = {
        layout: "codes",
        ...base,
        codes: (width === 8 ? asWords(bytes, 8) : typedSlice(indices, bytes, 0, bytes.length)) as CodesView["codes"],
        stride: width === 8 ? 2 : 1,
        width,
        signed: indices.isSigned,
        dictionary: viewDictionary(raw.dictionary, valueType, cache, (chunk) => viewColumn(chunk, `${path} (dictionary)`, cache)),
      };
      checkCodes(view, path);
      return view;
    }
    case 1:
      return { layout: "null", ...base };
    case 4:
    case 5: {
      const size = values?.byteLength ?? 0;
      return { layout: "bytes", ...base, offsets: offsetsOf(raw, size, path, "bytes"), bytes: bytesOf(values, size, 1, path, "values") };
    }
    case 6:
      return { layout: "bits", ...base, bits: bitsOf(values, offset, length, path, "values") };
    case 12:
    case 17: {
      const offsets = offsetsOf(raw, raw.children?.[0]?.length ?? 0, path, "child rows");
      return { layout: "list", ...base, offsets, children: [child(0, 0)] };
    }
    case 13:
    case 16: {
      const size = raw.type.listSize ?? 1;
      // apache-arrow's builder makes the child too short when the last lists are null (apache/arrow#45862).
      let present = length;
      while (present > 0 && !isSet(validity, present - 1)) present--;
      return { layout: "struct", ...base, size, children: fields!.map((_, i) => child(i, length * size, present * size)) };
    }
    default: {
      const { width, wordBytes } = wordsOf(type);
      const align = Math.max((type.ArrayType as unknown as Uint8ArrayConstructor).BYTES_PER_ELEMENT, wordBytes);
      const bytes = bytesOf(values, length * width, align, path, `values (${textOf(type)})`);
      return { layout: "words", ...base, words: asWords(bytes, wordBytes), perRow: width / wordBytes, width };
    }
  }
}

/** The view with null rows after its own, `rows` in all, where it has fewer: then it is copied. */
function padView(view: ColumnView, rows: number): ColumnView {
  const { length, validity } = view;
  if (length >= rows) return view;
  const longer = <T extends Words | CodesView["codes"]>(old: T, used: number, size: number, fill = 0): T => {
    const next = new (old.constructor as Int32ArrayConstructor)(size).fill(fill);
    next.set(old.subarray(0, used));
    return next as unknown as T;
  };
  const bits = ({ bytes, bit }: Bitmap): Bitmap => {
    const padded = longer(bytes, (bit + length + 7) >>> 3, (bit + rows + 7) >>> 3);
    clearFrom(padded, bit + length);
    return { bytes: padded, bit };
  };
  const bit = view.layout === "bits" ? view.bits.bit : 0;
  const base = {
    length: rows,
    nullCount: view.nullCount + rows - length,
    validity: bits(validity ?? { bytes: new Uint8Array((bit + length + 7) >>> 3).fill(255), bit }),
  };
  switch (view.layout) {
    case "null":
      return { ...view, ...base };
    case "words":
      return { ...view, ...base, words: longer(view.words, length * view.perRow, rows * view.perRow) };
    case "codes":
      return { ...view, ...base, codes: longer(view.codes, length * view.stride, rows * view.stride) };
    case "bits":
      return { ...view, ...base, bits: bits(view.bits) };
    case "bytes":
    case "list":
      return { ...view, ...base, offsets: longer(view.offsets, length + 1, rows + 1, view.offsets[length]) };
    case "struct":
      return { ...view, ...base, children: view.children.map((c) => padView(c, rows * view.size)) };
  }
}
