/**
 * Rows of a batch as one block of bytes, and back: what a join writes to a spill store and reads again.
 *
 *     block     header                         parts, each from a multiple of 8 bytes on
 *     header    Int32: rows, then for each column and child its nulls; of codes also the number of their dictionary
 *     parts     of each column: [bitmap, if it has nulls] [offsets] [values], then those of its children
 *
 * Invariants
 * - A block has the rows asked for and nothing else, whatever slice they lie in: offsets begin at 0, bitmaps at bit 0.
 * - `blockBytes` is exact: the same walk counts and writes.
 * - A decoded batch views the block; nothing is copied. Its dictionaries are the very objects that were encoded, which the format keeps.
 * - A block means something to the format that wrote it only: types, names and dictionaries are not in it.
 *
 * O(bytes) to write, by memcpy but for offsets and bitmaps; O(columns) to read, and what the view of a column costs when it is asked for.
 */

import type { Data, DataType, Dictionary, Field, Vector } from "apache-arrow";
import { copyBits, nullsIn } from "./bits.ts";
import type { ColumnView, DictionaryView } from "./column.ts";
import { ViewCache } from "./dictionary-view.ts";
import { addBuffers, InputBatch, type InputField, type InputSide } from "./input.ts";
import type { RawBatch, RawData, RawSchema } from "./raw.ts";
import { layoutOf, makeDataOf, typedSlice, wordsOf } from "./slice.ts";
import { ownType } from "./view.ts";

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;

const childTypes = (type: DataType): DataType[] => ((type.children ?? []) as Field[]).map((field) => field.type);

/** Words of the header that a column takes. */
const headerWords = (type: DataType): number =>
  childTypes(type).reduce((sum, child) => sum + headerWords(child), layoutOf(type) === "codes" ? 2 : 1);

/** The rows of one file of a store: which columns of which schema, and the dictionaries of those written so far. */
export class BlockFormat {
  /** Bytes of the buffers of the dictionaries that are kept. */
  dictionaryBytes = 0;
  readonly #fields: readonly InputField[];
  readonly #side: InputSide;
  readonly #columns: readonly number[];
  readonly #types: readonly DataType[];
  readonly #headerBytes: number;
  readonly #dictionaries: DictionaryView[] = [];
  readonly #numbers = new Map<DictionaryView, number>();
  readonly #seen = new Set<ArrayBufferLike>();
  readonly #cache = new ViewCache();

  /** `columns`: positions of those that are written. Throws UNSUPPORTED_TYPE where one of them is not read. */
  constructor(fields: readonly InputField[], columns: readonly number[], side: InputSide) {
    this.#fields = fields;
    this.#side = side;
    this.#columns = columns;
    this.#types = columns.map((i) => ownType(fields[i].type, `${side} column "${fields[i].name}"`));
    this.#headerBytes = padded(4 * this.#types.reduce((sum, type) => sum + headerWords(type), 1));
  }

  /** Bytes of the block that these rows make. O(columns), and O(rows / 32) of a column with nulls. */
  blockBytes(batch: InputBatch, start: number, count: number): number {
    return this.#write(new BlockWriter(this.#headerBytes, null), batch, start, count);
  }

  /** Rows [start, start + count) of the batch. */
  encode(batch: InputBatch, start: number, count: number): Uint8Array<ArrayBuffer> {
    const block = new Uint8Array(this.blockBytes(batch, start, count));
    this.#write(new BlockWriter(this.#headerBytes, block), batch, start, count);
    return block;
  }

  #write(out: BlockWriter, batch: InputBatch, start: number, count: number): number {
    out.note(count);
    for (const i of this.#columns) this.#writeColumn(out, batch.column(i), start, count);
    return out.bytes;
  }

  #writeColumn(out: BlockWriter, view: ColumnView, start: number, count: number): void {
    const nulls = count === view.length ? view.nullCount : nullsIn(view.validity, start, count);
    out.note(nulls);
    if (nulls > 0 && view.layout !== "null") out.bits(view.validity!, start, count);
    switch (view.layout) {
      case "codes":
        if (out.writes) out.note(this.#numberOf(view.dictionary));
        out.raw(view.codes, start * view.width, count * view.width);
        break;
      case "words":
        out.raw(view.words, start * view.width, count * view.width);
        break;
      case "bits":
        out.bits(view.bits, start, count);
        break;
      case "bytes":
      case "list": {
        const { offsets } = view;
        const from = offsets[start];
        const under = offsets[start + count] - from;
        out.offsets(offsets, start, count);
        if (view.layout === "bytes") out.raw(view.bytes, from, under);
        else this.#writeColumn(out, view.children[0], from, under);
        break;
      }
      case "struct":
        for (const child of view.children) this.#writeColumn(out, child, start * view.size, count * view.size);
    }
  }

  #numberOf(dictionary: DictionaryView): number {
    let number = this.#numbers.get(dictionary);
    if (number === undefined) {
      number = this.#dictionaries.push(dictionary) - 1;
      this.#numbers.set(dictionary, number);
      // By its vector the view of a decoded column finds the same object again.
      this.#cache.dictionaries.set(dictionary.vector, dictionary);
      for (const chunk of dictionary.vector.data) this.dictionaryBytes += addBuffers(chunk as unknown as RawData, this.#seen);
    }
    return number;
  }

  /**
   * The rows of a block that this format wrote, its first byte at a multiple of 8: a batch over its bytes. Columns that were not written are
   * there and must not be asked for. `firstRow` is the number of rows before them, `index` that of batches, as in `InputBatch`.
   */
  decode(block: Uint8Array, firstRow: number, index: number): InputBatch {
    const from = new BlockReader(this.#headerBytes, block);
    const rows = from.note();
    const children: RawData[] = this.#fields.map(({ type }) => ({ type, length: rows, offset: 0 }));
    this.#columns.forEach((column, i) => {
      children[column] = this.#readColumn(from, this.#types[i], rows) as unknown as RawData;
    });
    const schema = { fields: this.#fields } as unknown as RawSchema;
    const batch = { schema, data: { length: rows, children } } as unknown as RawBatch;
    return new InputBatch(batch, this.#fields, this.#side, index, this.#cache, schema, firstRow);
  }

  #readColumn(from: BlockReader, type: DataType, rows: number): Data {
    const layout = layoutOf(type);
    const nulls = from.note();
    const bytesOfBits = (rows + 7) >>> 3;
    const bitmap = nulls > 0 && layout !== "null" ? from.part(bytesOfBits) : undefined;
    let offsets: Int32Array | undefined;
    let values: ArrayBufferView | undefined;
    let dictionary: Vector | undefined;
    let under = rows;
    const typed = (of: DataType) => {
      const bytes = from.part(rows * wordsOf(of).width);
      return typedSlice(of, bytes, 0, bytes.length);
    };
    switch (layout) {
      case "codes":
        dictionary = this.#dictionaries[from.note()].vector;
        values = typed((type as Dictionary).indices);
        break;
      case "words":
        values = typed(type);
        break;
      case "bits":
        values = from.part(bytesOfBits);
        break;
      case "bytes":
      case "list": {
        const { buffer, byteOffset } = from.part(4 * (rows + 1));
        offsets = new Int32Array(buffer, byteOffset, rows + 1);
        under = offsets[rows];
        if (layout === "bytes") values = from.part(under);
        break;
      }
      case "struct":
        under = rows * ((type as unknown as { listSize?: number }).listSize ?? 1);
    }
    const children = childTypes(type).map((child) => this.#readColumn(from, child, under));
    return makeDataOf(type, rows, nulls, { bitmap, offsets, values, children, dictionary });
  }
}

/** Puts the parts of a block one after the other; without a block it only counts. */
class BlockWriter {
  /** Of the block so far. */
  bytes: number;
  readonly #block: Uint8Array<ArrayBuffer> | null;
  readonly #header: Int32Array | null;
  #notes = 0;

  constructor(headerBytes: number, block: Uint8Array<ArrayBuffer> | null) {
    this.bytes = headerBytes;
    this.#block = block;
    this.#header = block && new Int32Array(block.buffer, 0, headerBytes / 4);
  }

  get writes(): boolean {
    return this.#block !== null;
  }

  note(value: number): void {
    if (this.#header) this.#header[this.#notes++] = value;
  }

  /** The bytes of the next part, to be filled. */
  #part(bytes: number): Uint8Array<ArrayBuffer> | null {
    const at = this.bytes;
    this.bytes = at + padded(bytes);
    return this.#block?.subarray(at, at + bytes) ?? null;
  }

  raw({ buffer, byteOffset }: ArrayBufferView, from: number, bytes: number): void {
    this.#part(bytes)?.set(new Uint8Array(buffer, byteOffset + from, bytes));
  }

  bits(bits: Parameters<typeof copyBits>[0], start: number, count: number): void {
    const part = this.#part((count + 7) >>> 3);
    if (part) copyBits(bits, start, count, part);
  }

  offsets(offsets: Int32Array, start: number, count: number): void {
    const part = this.#part(4 * (count + 1));
    if (!part) return;
    const words = new Int32Array(part.buffer, part.byteOffset, count + 1);
    const first = offsets[start];
    for (let i = 0; i <= count; i++) words[i] = offsets[start + i] - first;
  }
}

/** Takes the parts of a block one after the other. */
class BlockReader {
  readonly #block: Uint8Array;
  readonly #header: Int32Array;
  #notes = 0;
  #at: number;

  constructor(headerBytes: number, block: Uint8Array) {
    this.#at = headerBytes;
    this.#block = block;
    this.#header = new Int32Array(block.buffer, block.byteOffset, headerBytes / 4);
  }

  note(): number {
    return this.#header[this.#notes++];
  }

  part(bytes: number): Uint8Array {
    const at = this.#at;
    this.#at = at + padded(bytes);
    return this.#block.subarray(at, at + bytes);
  }
}
