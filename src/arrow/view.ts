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

import type { Data, DataType } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { Bitmap } from "../kernel/contract.ts";
import { clearFrom, countSet } from "./bits.ts";
import type { CodesView, ColumnView, DictionaryView } from "./column.ts";
import { viewDictionary } from "./dictionary-view.ts";
import type { RawData, RawType } from "./raw.ts";
import { asWords, emptyVector, sliceData, wordsOf } from "./slice.ts";
import { byteWidth, rebuildType, typeText } from "./type.ts";

type Omitted<V> = V extends unknown ? Omit<V, "data"> : never;

class LazyData {
  #data: Data | undefined;
  get data(): Data {
    const view = this as unknown as ColumnView;
    this.#data ??= sliceData(view, 0, view.length, view.type);
    return this.#data;
  }
}

/** A view from its parts; `data` is made when asked for. The caller vouches for the invariants. */
export function makeView<V extends ColumnView>(parts: Omitted<V>): V {
  return Object.assign(new LazyData(), parts) as unknown as V;
}

const invalid = (path: string, what: string) => new ArrowJoinError("INVALID_INPUT", `${path} is damaged: ${what}.`);

/** The bytes of a buffer that must hold `bytes` of them, aligned for elements of `align` bytes. */
function bytesOf(buffer: ArrayBufferView | null | undefined, bytes: number, align: number, path: string, what: string): Uint8Array {
  const has = buffer?.byteLength ?? 0;
  if (has < bytes) throw invalid(path, `its ${what} take ${bytes} bytes, but the buffer has ${has}`);
  if (bytes === 0) return new Uint8Array(0);
  const view = new Uint8Array(buffer!.buffer as ArrayBuffer, buffer!.byteOffset, bytes);
  return view.byteOffset % align === 0 ? view : view.slice();
}

function bitsOf(buffer: ArrayBufferView | null | undefined, bit: number, length: number, path: string, what: string): Bitmap {
  return { bytes: bytesOf(buffer, length === 0 ? 0 : (bit + length + 7) >>> 3, 1, path, what), bit: length === 0 ? 0 : bit };
}

/** Offsets of `length` rows, checked: never running backwards, never past `limit`. */
function offsetsOf(data: RawData, limit: number, path: string, into: string): Int32Array {
  const { length } = data;
  if (length === 0) return new Int32Array(1);
  const bytes = bytesOf(data.valueOffsets, (length + 1) * 4, 4, path, "offsets");
  const offsets = asWords(bytes, 4) as Int32Array;
  let before = offsets[0];
  if (before < 0) throw invalid(path, `the offset at row 0 is negative (${before})`);
  for (let i = 1; i <= length; i++) {
    const here = offsets[i];
    if (here < before) throw invalid(path, `its offsets run backwards at row ${i - 1} (${before}, then ${here})`);
    before = here;
  }
  if (before > limit) {
    const row = offsets.findIndex((o) => o > limit) - 1;
    throw invalid(path, `the offset after row ${Math.max(row, 0)} (${offsets[Math.max(row, 0) + 1]}) lies past its ${limit} ${into}`);
  }
  return offsets;
}

/** Codes of valid rows must name a value. 64-bit codes are read by their low word, the high one must be zero. */
function checkCodes(view: CodesView, path: string): void {
  const { codes, stride, validity, length, dictionary } = view;
  const limit = dictionary.length;
  // The largest code as unsigned settles the common case without a branch that could be missed.
  let largest = 0;
  let high = 0;
  if (stride === 1) for (let i = 0; i < length; i++) largest = Math.max(largest, codes[i] >>> 0);
  else
    for (let i = 0; i < length; i++) {
      largest = Math.max(largest, codes[2 * i] >>> 0);
      high |= codes[2 * i + 1];
    }
  if (length === 0 || (largest < limit && high === 0)) return;
  for (let i = 0; i < length; i++) {
    if (codes[stride * i] >>> 0 < limit && (stride === 1 || codes[2 * i + 1] === 0)) continue;
    if (validity !== null && ((validity.bytes[(validity.bit + i) >>> 3] >>> ((validity.bit + i) & 7)) & 1) === 0) continue;
    const code = stride === 1 ? codes[i] : (BigInt(codes[2 * i + 1]) << 32n) | BigInt(codes[2 * i] >>> 0);
    throw invalid(path, `the code at row ${i} is ${code}, outside its dictionary of ${limit} values`);
  }
}

const ownTypes = new WeakMap<object, DataType>();

/** The type in this program's copy. Dictionaries get ids that apache-arrow counts up: outputs use `rebuildType` with their own. */
export function ownType(type: RawType, path: string): DataType {
  let own = ownTypes.get(type);
  if (own === undefined) {
    own = rebuildType(type, () => undefined as unknown as number, path);
    ownTypes.set(type, own);
  }
  return own;
}

/** Views of whole children of lists, so that a thousand slices of one list column check its child once. */
export type ChildCache = WeakMap<object, ColumnView>;

/**
 * The column as buffers that start at row 0. `path` names it in errors, for example `left column "x"`.
 * Throws INVALID_INPUT for damaged buffers, UNSUPPORTED_TYPE for types that are not read.
 */
export function viewColumn(data: RawData | Data, path: string, cache: ChildCache = new WeakMap()): ColumnView {
  const raw = data as RawData;
  const type = ownType(raw.type, path);
  const { length } = raw;
  const offset = raw.offset || 0;
  if (raw.type.typeId === 1) {
    const validity = length === 0 ? null : { bytes: new Uint8Array((length + 7) >>> 3), bit: 0 };
    return makeView({ layout: "null", length, type, nullCount: length, validity });
  }

  // A bitmap of no bytes is no bitmap; otherwise it counts, whatever `nullCount` says.
  let validity: Bitmap | null = null;
  let nullCount = 0;
  if (raw.nullBitmap && raw.nullBitmap.byteLength > 0 && length > 0) {
    const bits = bitsOf(raw.nullBitmap, offset, length, path, "null bits");
    nullCount = length - countSet(bits.bytes, bits.bit, length);
    if (nullCount > 0) validity = bits;
  }
  const base = { length, type, nullCount, validity };
  const child = (i: number, name: string, needs: number, whole: boolean, least = needs): ColumnView => {
    const at = raw.children?.[i];
    if (at === undefined || at.length < least)
      throw invalid(path, `its child "${name}" has ${at?.length ?? 0} rows where ${needs} are needed`);
    // Only wholes are cached: a child that has slices of its own is another object each time.
    const cached = whole ? cache.get(at) : undefined;
    const view = cached ?? viewColumn(whole || at.length <= needs ? at : trimmed(at, needs), `${path}.${name}`, cache);
    if (whole) cache.set(at, view);
    return view.length < needs ? padView(view, needs) : view;
  };
  const fields = raw.type.children ?? [];

  switch (raw.type.typeId) {
    case 6:
      return makeView({ layout: "bits", ...base, bits: bitsOf(raw.values, offset, length, path, "values") });
    case 4:
    case 5: {
      const buffer = raw.values;
      const offsets = offsetsOf(raw, buffer?.byteLength ?? 0, path, "bytes");
      const bytes = buffer ? new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength) : new Uint8Array(0);
      return makeView({ layout: "bytes", ...base, offsets, bytes });
    }
    case -1: {
      const indices = (type as unknown as { indices: DataType }).indices;
      const { isSigned, bitWidth } = indices as unknown as { isSigned: boolean; bitWidth: number };
      const width = bitWidth >>> 3;
      const bytes = bytesOf(raw.values, length * width, width, path, "codes");
      const Codes = width === 8 ? Int32Array : (indices.ArrayType as unknown as Uint8ArrayConstructor);
      const codes = new Codes(
        bytes.buffer as ArrayBuffer,
        bytes.byteOffset,
        bytes.byteLength / Codes.BYTES_PER_ELEMENT,
      ) as CodesView["codes"];
      const view = makeView<CodesView>({
        layout: "codes",
        ...base,
        codes,
        stride: width === 8 ? 2 : 1,
        width,
        signed: isSigned,
        dictionary: dictionaryOf(raw, type, path),
      });
      checkCodes(view, path);
      return view;
    }
    case 12:
    case 17: {
      const name = raw.type.typeId === 17 ? "entries" : fields[0].name;
      const needs = raw.children?.[0];
      const offsets = offsetsOf(raw, needs?.length ?? 0, path, "child rows");
      return makeView({ layout: "list", ...base, offsets, child: child(0, name, 0, true) });
    }
    case 16: {
      const size = raw.type.listSize!;
      // apache-arrow's builder makes the child too short when the last lists are null (apache/arrow#45862).
      const least = size * (length - trailingNulls(base));
      return makeView({ layout: "fixedList", ...base, size, child: child(0, fields[0].name, length * size, false, least) });
    }
    case 13:
      return makeView({ layout: "struct", ...base, children: fields.map((f, i) => child(i, f.name, length, false)) });
    default: {
      const { width, wordBytes } = wordsOf(type);
      const element = (type.ArrayType as unknown as Uint8ArrayConstructor).BYTES_PER_ELEMENT;
      const bytes = bytesOf(raw.values, length * width, Math.max(element, wordBytes), path, `values (${typeText(type)})`);
      return makeView({ layout: "words", ...base, words: asWords(bytes, wordBytes), perRow: byteWidth(type) / wordBytes, width });
    }
  }
}

function trailingNulls({ length, validity }: { readonly length: number; readonly validity: Bitmap | null }): number {
  let count = 0;
  if (validity === null) return 0;
  while (count < length && ((validity.bytes[(validity.bit + length - 1 - count) >>> 3] >>> ((validity.bit + length - 1 - count) & 7)) & 1) === 0) count++;
  return count;
}

/** The view with null rows after its own, `rows` in all. Copies: only a column that came too short is padded. */
function padView(view: ColumnView, rows: number): ColumnView {
  const bits = ({ bytes, bit }: Bitmap): Bitmap => {
    const padded = new Uint8Array((bit + rows + 7) >>> 3);
    padded.set(bytes.subarray(0, (bit + view.length + 7) >>> 3));
    clearFrom(padded, bit + view.length);
    return { bytes: padded, bit };
  };
  const offsets = (old: Int32Array) => {
    const padded = new Int32Array(rows + 1).fill(old[view.length]);
    padded.set(old.subarray(0, view.length + 1));
    return padded;
  };
  const own: Bitmap = { bytes: new Uint8Array((view.length + 7) >>> 3).fill(255), bit: 0 };
  const { type } = view;
  const base = { type, length: rows, nullCount: view.nullCount + rows - view.length, validity: bits(view.validity ?? own) };
  switch (view.layout) {
    case "null":
      return makeView({ ...base, layout: "null" });
    case "words": {
      const words = new (view.words.constructor as Uint8ArrayConstructor)(rows * view.perRow) as typeof view.words;
      words.set(view.words.subarray(0, view.length * view.perRow));
      return makeView({ ...base, layout: "words", words, perRow: view.perRow, width: view.width });
    }
    case "codes": {
      const codes = new (view.codes.constructor as Uint8ArrayConstructor)(rows * view.stride) as unknown as CodesView["codes"];
      codes.set(view.codes.subarray(0, view.length * view.stride));
      const { stride, width, signed, dictionary } = view;
      return makeView<CodesView>({ ...base, layout: "codes", codes, stride, width, signed, dictionary });
    }
    case "bits":
      return makeView({ ...base, layout: "bits", bits: bits(view.bits) });
    case "bytes":
      return makeView({ ...base, layout: "bytes", offsets: offsets(view.offsets), bytes: view.bytes });
    case "list":
      return makeView({ ...base, layout: "list", offsets: offsets(view.offsets), child: view.child });
    case "fixedList":
      return makeView({ ...base, layout: "fixedList", size: view.size, child: padView(view.child, rows * view.size) });
    case "struct":
      return makeView({ ...base, layout: "struct", children: view.children.map((c) => padView(c, rows)) });
  }
}

/** The first `length` rows of a child that is longer than its parent needs. */
const trimmed = (data: RawData, length: number): RawData => ({
  type: data.type,
  length,
  offset: data.offset,
  values: data.values,
  valueOffsets: data.valueOffsets,
  nullBitmap: data.nullBitmap,
  children: data.children,
  dictionary: data.dictionary,
});

function dictionaryOf(raw: RawData, type: DataType, path: string): DictionaryView {
  const values = (type as unknown as { dictionary: DataType }).dictionary;
  return raw.dictionary
    ? viewDictionary(raw.dictionary, values, `${path} (dictionary)`, viewColumn)
    : { length: 0, chunks: [], vector: emptyVector(values) };
}
