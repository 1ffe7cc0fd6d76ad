/**
 * Writers of the layouts without children: fixed-width words, dictionary codes, bits, byte strings, and columns of nulls.
 *
 * One buffer each besides the bitmap (byte strings: offsets too); see `base-writer.ts` for what they promise. O(rows) per append, byte
 * strings O(bytes).
 */

import type { Data, DataType, Vector } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { Kernel, Segment, Words } from "../kernel/contract.ts";
import type { WriterOptions } from "./base-writer.ts";
import { BaseWriter, grown, OffsetsWriter, trimmed } from "./base-writer.ts";
import { clearFrom } from "./bits.ts";
import type { DictionaryView } from "./column.ts";
import { asWords, emptyVector, makeDataOf, typedSlice, wordsOf } from "./slice.ts";
import type { ColumnSource } from "./source.ts";

export class WordsWriter extends BaseWriter {
  protected readonly width: number;
  protected readonly wordBytes: number;
  protected buffer = new Uint8Array(0);
  protected words: Words;

  constructor(kernel: Kernel, type: DataType, options: WriterOptions, storage = type) {
    super(kernel, type, options);
    const { width, wordBytes } = wordsOf(storage);
    this.width = width;
    this.wordBytes = wordBytes;
    this.words = asWords(this.buffer, wordBytes);
  }

  protected valueBytes(): number {
    return this.buffer.length;
  }

  protected grow(rows: number): void {
    this.buffer = grown(this.buffer, this.rows * this.width, rows * this.width);
    this.words = asWords(this.buffer, this.wordBytes);
  }

  protected gather(source: ColumnSource, segment: Segment): boolean {
    if (this.width === 0) return true;
    if (segment.kind === "rows" && source.placed !== null)
      this.kernel.gatherPlaced(source.placed, this.width, segment, this.buffer, this.rows);
    else this.kernel.gatherWords(source.words, this.width / this.wordBytes, segment, this.words, this.rows);
    return true;
  }

  protected blank(count: number): void {
    this.buffer.fill(0, this.rows * this.width, (this.rows + count) * this.width);
  }

  protected build(rows: number, nulls: number, bitmap: Uint8Array | undefined): Data {
    return makeDataOf(this.type, rows, nulls, { bitmap, values: this.take(this.type, rows) });
  }

  protected take(storage: DataType, rows: number): ArrayBufferView {
    const bytes = rows * this.width;
    const values = typedSlice(storage, trimmed(this.buffer, bytes), 0, bytes);
    this.buffer = new Uint8Array(0);
    this.words = asWords(this.buffer, this.wordBytes);
    return values;
  }
}

/**
 * Dictionary codes. From a source that unifies: translated, as Int32, under the unified dictionary. From one that does not: as they
 * are, and all rows of a batch must come from one dictionary.
 */
export class CodesWriter extends WordsWriter {
  #dictionary: DictionaryView | null = null;
  #unified: (() => Vector) | null = null;

  constructor(kernel: Kernel, type: DataType, options: WriterOptions) {
    super(kernel, type, options, (type as unknown as { indices: DataType }).indices);
  }

  protected override gather(source: ColumnSource, segment: Segment): boolean {
    const { unifier } = source;
    if (unifier !== null) {
      if (this.width !== 4) throw new ArrowJoinError("INTERNAL", "A unified dictionary has Int32 codes.");
      this.#unified = () => unifier.vector();
      this.kernel.gatherCodes(source.codes, segment, this.words as Int32Array, this.rows);
      return true;
    }
    // Every batch of a located segment is looked at, not every row.
    const wanted = segment.kind === "located" ? source.views.map((_, i) => source.dictionary(i)) : [source.dictionary(segment.source)];
    if (this.rows === 0) this.#dictionary = null;
    for (const dictionary of wanted) {
      this.#dictionary ??= dictionary;
      if (dictionary !== this.#dictionary) throw new ArrowJoinError("INTERNAL", "Rows of two dictionaries in one batch.");
    }
    return super.gather(source, segment);
  }

  protected override build(rows: number, nulls: number, bitmap: Uint8Array | undefined): Data {
    const { indices, dictionary: values } = this.type as unknown as { indices: DataType; dictionary: DataType };
    const dictionary = this.#unified?.() ?? this.#dictionary?.vector ?? emptyVector(values);
    this.#dictionary = null;
    return makeDataOf(this.type, rows, nulls, { bitmap, values: this.take(indices, rows), dictionary });
  }
}

export class BitsWriter extends BaseWriter {
  #bytes = new Uint8Array(0);

  protected valueBytes(): number {
    return this.#bytes.length;
  }

  protected grow(rows: number): void {
    this.#bytes = grown(this.#bytes, (this.rows + 7) >>> 3, (rows + 7) >>> 3);
  }

  protected gather(source: ColumnSource, segment: Segment): boolean {
    this.kernel.gatherBits(source.bits, segment, this.#bytes, this.rows);
    return true;
  }

  protected blank(): void {}

  protected override cut(rows: number): void {
    clearFrom(this.#bytes, rows);
  }

  protected build(rows: number, nulls: number, bitmap: Uint8Array | undefined): Data {
    const values = trimmed(this.#bytes, (rows + 7) >>> 3);
    this.#bytes = new Uint8Array(0);
    return makeDataOf(this.type, rows, nulls, { bitmap, values });
  }
}

export class BytesWriter extends OffsetsWriter {
  #bytes = new Uint8Array(0);

  protected valueBytes(): number {
    return this.#bytes.length + this.offsets.byteLength;
  }

  protected gather(source: ColumnSource, segment: Segment): boolean {
    if (!this.gatherOffsets(source, segment)) return false;
    const { rows } = this;
    const before = this.offsets[rows];
    const needed = this.offsets[rows + segment.count];
    if (needed > this.#bytes.length) {
      // Rows still to come are expected to be as long as those so far; a tenth more avoids most second growths.
      const done = rows + segment.count;
      const expected = done === this.capacity ? needed : Math.min((needed / done) * this.capacity * 1.1, this.maxBytes);
      this.#bytes = grown(this.#bytes, before, Math.max(needed, expected));
    }
    this.kernel.gatherBytes(source.offsets, source.bytes, segment, this.offsets, this.#bytes, rows);
    return true;
  }

  protected build(rows: number, nulls: number, bitmap: Uint8Array | undefined): Data {
    const offsets = this.takeOffsets(rows);
    const values = trimmed(this.#bytes, offsets[rows]);
    this.#bytes = new Uint8Array(0);
    return makeDataOf(this.type, rows, nulls, { bitmap, offsets, values });
  }
}

/** A column of type Null: a row count. */
export class NullWriter extends BaseWriter {
  protected valueBytes(): number {
    return 0;
  }
  protected grow(): void {}
  protected gather(): boolean {
    return true;
  }
  protected override gatherValidity(): void {}
  protected override bitmap(): Uint8Array {
    return new Uint8Array(0);
  }
  protected blank(): void {}
  override finish(): Data {
    const { rows } = this;
    this.rows = 0;
    return this.build(rows);
  }
  protected build(rows: number): Data {
    return makeDataOf(this.type, rows, rows, {});
  }
}
