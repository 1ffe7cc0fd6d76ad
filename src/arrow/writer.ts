/**
 * Column writers: output columns gathered from sources, written in place and handed out when full.
 *
 *     append, append, appendNulls ... ─▶ finish(): Data         (rows written, explicit nullCount, no bitmap without nulls)
 *                                          the writer is empty again and never touches handed-out buffers
 *
 *     Int, Float, Decimal, temporal, FixedSizeBinary   values           Null             a count
 *     Utf8, Binary                                      offsets, values  List, Map        offsets, child
 *     Bool                                              values (bits)    FixedSizeList    child
 *     Dictionary                                        values (codes)   Struct           children
 *
 * Invariants
 * - `append` is all or nothing: false (a 32-bit offset column at any depth would pass `maxBytes`) leaves the rows, of children too, as
 *   they were. After an error a writer is not used again.
 * - A bitmap exists only once a null could occur; then the rows before it are filled in.
 * - Capacity is what `reserve` said; beyond it buffers double.
 *
 * O(rows) per append, and O(values under them); the loops are the kernel's.
 */

import type { Data, DataType, Dictionary, Field } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { Kernel, Region, Segment, Words } from "../kernel/contract.ts";
import { CHUNK_ROWS } from "../kernel/contract.ts";
import { clearFrom, nullsIn } from "./bits.ts";
import type { CodesView, ColumnView, DictionaryView } from "./column.ts";
import { asWords, emptyVector, layoutOf, makeDataOf, typedSlice, wordsOf } from "./slice.ts";
import type { ColumnSource, Unifier } from "./source.ts";

export interface WriterOptions {
  /** Largest value in a 32-bit offset column; by default 2^31 - 1. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 2 ** 31 - 1;

/** Bytes that a column is made for beyond the rows it must take: memory that is not touched costs nothing, but not without end. */
const EXPECTED_BYTES = 64 << 20;

/** `bytes` bytes, 8-aligned, with what `old` has. */
function grown(old: Uint8Array, used: number, bytes: number): Uint8Array<ArrayBuffer> {
  const size = Math.ceil(bytes / 8) * 8;
  try {
    const next = new Uint8Array(size);
    next.set(old.subarray(0, used));
    return next;
  } catch (cause) {
    throw new ArrowJoinError(
      "MEMORY_LIMIT",
      `A column of the result needs ${size} bytes, more than can be had. Use joinStream or a smaller batchSize.`,
      { cause },
    );
  }
}

/** The first `length` elements: a part of the buffer, or a copy where that would hold on to more than twice as much. */
const trimmed = <T extends Uint8Array | Int32Array>(buffer: T, length: number): T =>
  (length * 2 < buffer.length ? buffer.slice(0, length) : buffer.subarray(0, length)) as T;

/** Writes columns of `type`, which is of this program's copy and supported (`rebuildType` made it). */
export class ColumnWriter {
  readonly type: DataType;
  rows = 0;
  readonly #kernel: Kernel;
  readonly #maxBytes: number;
  readonly #layout: ColumnView["layout"];
  /** The type of the values buffer; null where there is none. */
  readonly #storage: DataType | null;
  readonly #children: readonly ColumnWriter[];
  /** Rows of each child a row, of structs and fixed-size lists. */
  readonly #size: number;
  /** Of words and codes: bytes a row, and the elements they are gathered by. */
  readonly #width: number = 0;
  readonly #wordBytes: number = 1;
  #capacity = 0;
  #nulls = 0;
  #bits: Uint8Array | null = null;
  #values = new Uint8Array(0);
  #words: Words = this.#values;
  /** Row i of strings, bytes and lists ends at offsets[i + 1]; others have none. */
  #offsets: Int32Array | null = null;
  /** What the codes of the rows so far mean: that of a unifier, in all batches, or one dictionary a batch. */
  #unifier: Unifier | null = null;
  #dictionary: DictionaryView | null = null;
  /** Whether rows of this batch have it; else it is that of the batch before, which serves for nulls. */
  #tookCodes = false;

  constructor(kernel: Kernel, type: DataType, { maxBytes = MAX_BYTES }: WriterOptions = {}) {
    this.type = type;
    this.#kernel = kernel;
    this.#maxBytes = maxBytes;
    const layout = layoutOf(type);
    const nested = layout === "list" || layout === "struct";
    this.#layout = layout;
    this.#storage = layout === "codes" ? (type as Dictionary).indices : nested || layout === "null" ? null : type;
    this.#children = nested ? (type.children as Field[]).map((f) => new ColumnWriter(kernel, f.type, { maxBytes })) : [];
    this.#size = (type as unknown as { listSize?: number }).listSize ?? 1;
    if (layout === "list" || layout === "bytes") this.#offsets = new Int32Array(1);
    if (layout === "words" || layout === "codes") ({ width: this.#width, wordBytes: this.#wordBytes } = wordsOf(this.#storage!));
  }

  /** Bytes of the buffers this writer holds, children included. */
  get heldBytes(): number {
    const own = (this.#bits?.length ?? 0) + this.#values.length + (this.#offsets?.byteLength ?? 0);
    return this.#children.reduce((sum, c) => sum + c.heldBytes, own);
  }

  /** Bytes of values that `rows` rows take. */
  #valueBytes(rows: number): number {
    if (this.#layout === "bytes") return this.#offsets![rows];
    return this.#layout === "bits" ? (rows + 7) >>> 3 : rows * this.#width;
  }

  /** Rows that each child has under `rows` rows. */
  #childRows(rows: number): number {
    return this.#offsets === null ? rows * this.#size : this.#offsets[rows];
  }

  #setValues(bytes: Uint8Array<ArrayBuffer>): void {
    this.#values = bytes;
    this.#words = asWords(bytes, this.#wordBytes);
  }

  /** Bytes a row takes for certain. */
  get rowBytes(): number {
    const children = this.#offsets === null ? this.#children.reduce((sum, c) => sum + c.rowBytes * this.#size, 0) : 4;
    return this.#width + children;
  }

  /** Whether `count` more rows stay within what an array safely has; a single row is tried all the same. */
  #fits(count: number): boolean {
    const rows = this.rows + count;
    return rows <= 1 || this.rowBytes * rows <= MAX_BYTES;
  }

  /** Makes room for `rows` rows that are likely to come. */
  expect(rows: number): void {
    this.reserve(Math.min(rows, Math.floor(EXPECTED_BYTES / Math.max(1, this.rowBytes))));
  }

  /** Makes room for `rows` rows in all: exactly, when more than there is. */
  reserve(rows: number): void {
    if (rows <= this.#capacity) return;
    if (this.#offsets !== null) {
      const next = new Int32Array(rows + 1);
      next.set(this.#offsets.subarray(0, this.rows + 1));
      this.#offsets = next;
    } else {
      this.#setValues(grown(this.#values, this.#valueBytes(this.rows), this.#valueBytes(rows)));
      for (const child of this.#children) child.reserve(rows * this.#size);
    }
    if (this.#bits !== null) this.#bits = grown(this.#bits, (this.rows + 7) >>> 3, (rows + 7) >>> 3);
    this.#capacity = rows;
  }

  #makeRoom(count: number): void {
    const rows = this.rows + count;
    const most = Math.floor(MAX_BYTES / Math.max(1, this.rowBytes));
    if (rows > this.#capacity) this.reserve(Math.max(rows, Math.min(this.#capacity * 2, most), Math.min(16, most)));
  }

  /**
   * Adds the rows of the segment; false, with nothing changed, when an offset column would pass `maxBytes`, or a fixed-width one the
   * 2 GiB that an array safely has.
   */
  append(source: ColumnSource, segment: Segment): boolean {
    const { count } = segment;
    if (count === 0) return true;
    if (!this.#fits(count)) return false;
    if (source.views.length === 0) return this.appendNulls(count);
    this.#makeRoom(count);
    if (!this.#gather(source, segment)) {
      for (const child of this.#children) child.truncate(this.#childRows(this.rows));
      return false;
    }
    this.#gatherValidity(source, segment);
    this.rows += count;
    return true;
  }

  /** Adds null rows; false, with nothing changed, when a fixed-width column would pass 2 GiB. */
  appendNulls(count: number): boolean {
    if (!this.#fits(count)) return false;
    this.#makeRoom(count);
    const { rows } = this;
    // Fresh memory past the rows is zero only until a `truncate`.
    this.#values.fill(0, rows * this.#width, (rows + count) * this.#width);
    if (this.#offsets !== null) this.#offsets.fill(this.#offsets[rows], rows + 1, rows + count + 1);
    else for (const child of this.#children) child.appendNulls(count * this.#size);
    this.#bitmap();
    this.#nulls += count;
    this.rows += count;
    return true;
  }

  /** Forgets the rows from `rows` on. */
  truncate(rows: number): void {
    if (rows >= this.rows) return;
    if (rows === 0) this.#tookCodes = false;
    if (this.#layout === "bits") clearFrom(this.#values, rows);
    for (const child of this.#children) child.truncate(this.#childRows(rows));
    if (this.#bits !== null) {
      clearFrom(this.#bits, rows);
      this.#nulls = nullsIn({ bytes: this.#bits, bit: 0 }, 0, rows);
    }
    this.rows = rows;
  }

  /** The rows so far; the writer is empty afterwards. */
  finish(): Data {
    const { rows, type } = this;
    const nulls = this.#nulls;
    const bytes = this.#valueBytes(rows);
    const data = makeDataOf(type, rows, nulls, {
      bitmap: nulls > 0 && this.#layout !== "null" ? trimmed(this.#bits!, (rows + 7) >>> 3) : undefined,
      offsets: this.#offsets === null ? undefined : trimmed(this.#offsets, rows + 1),
      values: this.#storage === null ? undefined : typedSlice(this.#storage, trimmed(this.#values, bytes), 0, bytes),
      children: this.#children.map((c) => c.finish()),
      dictionary:
        this.#layout === "codes"
          ? ((this.#unifier ?? this.#dictionary)?.vector ?? emptyVector((type as Dictionary).dictionary))
          : undefined,
    });
    if (this.#offsets !== null) this.#offsets = new Int32Array(1);
    this.#setValues(new Uint8Array(0));
    this.#bits = null;
    this.#tookCodes = false;
    this.#nulls = 0;
    this.rows = 0;
    this.#capacity = 0;
    return data;
  }

  // ── validity ───────────────────────────────────────────────────────────────────────────────────

  /** The bitmap, made with all rows so far set. */
  #bitmap(): Uint8Array {
    if (this.#bits === null) {
      this.#bits = new Uint8Array(Math.ceil(this.#capacity / 64) * 8);
      this.#kernel.gatherBits([null], { kind: "run", source: 0, start: 0, count: this.rows, hasNone: false }, this.#bits, 0);
    }
    return this.#bits;
  }

  #gatherValidity(source: ColumnSource, segment: Segment): void {
    const { count } = segment;
    const canBeNull = segment.hasNone || (segment.kind === "run" ? source.validity[segment.source] !== null : source.anyNulls);
    if (canBeNull || this.#bits !== null)
      this.#nulls += count - this.#kernel.gatherBits(source.validity, segment, this.#bitmap(), this.rows);
  }

  // ── values ─────────────────────────────────────────────────────────────────────────────────────

  /** Writes the values of the segment's rows after the rows so far; false when an offset would pass the limit. */
  #gather(source: ColumnSource, segment: Segment): boolean {
    const { rows } = this;
    const kernel = this.#kernel;
    if (this.#offsets !== null && !kernel.gatherOffsets(source.offsets, segment, this.#offsets, rows, this.#maxBytes)) return false;
    switch (this.#layout) {
      case "codes":
        this.#unifier = source.unifier;
        if (source.unifier !== null) {
          // Translated to the codes of the unified dictionary, for which the type has Int32 codes.
          kernel.gatherCodes(source.codes, segment, this.#words as Int32Array, rows);
          return true;
        }
        this.#takeDictionary(source.views, segment);
        break;
      case "bits":
        kernel.gatherBits(source.bits, segment, this.#values, rows);
        return true;
      case "bytes":
        this.#makeByteRoom(rows + segment.count);
        kernel.gatherBytes(source.offsets, source.bytes, segment, this.#offsets!, this.#values, rows);
        return true;
      case "list":
        return this.#gatherElements(source, segment);
      case "struct":
        if (this.#size !== 1) return this.#gatherElements(source, segment);
        return this.#children.every((child, i) => child.append(source.children[i], segment));
    }
    if (this.#width === 0) return true;
    if (source.placed !== null) kernel.gatherPlaced(source.placed, this.#width, segment, this.#values, rows);
    else kernel.gatherWords(source.words, this.#width / this.#wordBytes, segment, this.#words, rows);
    return true;
  }

  /** Room for the bytes of `rows` rows, whose offsets are there. */
  #makeByteRoom(rows: number): void {
    const needed = this.#valueBytes(rows);
    if (needed <= this.#values.length) return;
    // Rows still to come are expected to be as long as those so far; a tenth more avoids most second growths.
    const expected = rows === this.#capacity ? needed : Math.min((needed / rows) * this.#capacity * 1.1, this.#maxBytes);
    this.#setValues(grown(this.#values, this.#valueBytes(this.rows), Math.max(needed, expected)));
  }

  /** The dictionary that rows passed by this writer have: what nulls that follow are written with, so that it does not change for them. */
  rememberDictionaries(view: ColumnView): void {
    if (view.layout === "codes" && this.#unifier === null && this.rows === 0) this.#dictionary = view.dictionary;
    if ("children" in view) view.children.forEach((child, i) => this.#children[i].rememberDictionaries(child));
  }

  /** Codes that are copied as they are: all rows of a batch must come from one dictionary. */
  #takeDictionary(views: readonly ColumnView[], segment: Segment): void {
    if (!this.#tookCodes) this.#dictionary = null;
    this.#tookCodes = true;
    // Every batch of a located segment is looked at, not every row.
    for (const view of segment.kind === "located" ? views : [views[segment.source]]) {
      const { dictionary } = view as CodesView;
      this.#dictionary ??= dictionary;
      if (dictionary !== this.#dictionary) throw new ArrowJoinError("INTERNAL", "Rows of two dictionaries in one batch.");
    }
  }

  /**
   * Appends what lies under lists to the child, CHUNK_ROWS rows a call: of a run of lists a run, else the child rows that the kernel
   * writes into regions, which are freed at once.
   */
  #gatherElements(source: ColumnSource, segment: Segment): boolean {
    const total = this.#childRows(this.rows + segment.count) - this.#childRows(this.rows);
    if (total === 0) return true;
    const kernel = this.#kernel;
    const size = this.#offsets === null ? this.#size : null;
    const regions: Region[] = [];
    try {
      let start = 0;
      if (segment.kind === "run") start = size === null ? source.offsets[segment.source][segment.start] : segment.start * size;
      else {
        regions.push(kernel.alloc(total * 4, "nested columns"));
        if (segment.kind === "located") regions.push(kernel.alloc(total * 4, "nested columns"));
        const [rows, sources = null] = regions;
        if (size === null) kernel.gatherLists(source.offsets, segment, rows, sources);
        else kernel.gatherFixedLists(size, segment, rows, sources);
      }
      const [rows, sources] = regions;
      const hasNone = size !== null && segment.hasNone;
      for (let from = 0; from < total; from += CHUNK_ROWS) {
        const count = Math.min(CHUNK_ROWS, total - from);
        const part = { ...segment, start: start + from, sources, rows, from, count, hasNone };
        if (!this.#children[0].append(source.children[0], part as Segment)) return false;
      }
      return true;
    } finally {
      for (const region of regions) kernel.free(region);
    }
  }
}
