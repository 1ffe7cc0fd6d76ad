/**
 * Turns rows of the key columns into a `KeyBlock` (layout: key-layout.ts), a chunk at a time, in bounded steps.
 *
 * One encoder serves the hashed side (`adds`: strings that are new get an id), one the other (a string that is not known gets no id,
 * hence no partner). Both share the interners.
 *
 *     prepare(batch)   the ids of its dictionaries, once per dictionary        false: call again
 *     encode(batch)    cells of the next rows                                  null: call again
 *
 * Cost: a copy of the key bytes, and for what is not already in its final form one more pass over them.
 */

import type { BytesView, CodesView, ColumnView, DictionaryView } from "../arrow/column.ts";
import type { InputBatch } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import { CHUNK_ROWS, type Kernel, type KeyBlock, type Region } from "../kernel/contract.ts";
import type { KeySpec, Side } from "../spec/join-spec.ts";
import { Interner, type InternJob } from "./interner.ts";
import type { KeyCell, KeyLayout } from "./key-layout.ts";
import { KeyLoader, rowBytes } from "./key-loader.ts";

/** Maps of dictionaries kept at once: a stream may bring a new dictionary with every batch. */
const KEPT_MAPS = 4;

/** Key cells of one chunk at most, but for a single wider one. */
const CELL_BYTES = 1 << 20;

export interface KeyChunk {
  readonly block: KeyBlock;
  readonly rows: number;
  /** Rows that have a key. */
  readonly validRows: number;
}

/** What both sides' encoders share: the layout, and per key the ids of its strings. */
export class KeySpace {
  readonly layout: KeyLayout;
  readonly interners: ReadonlyMap<number, Interner>;

  constructor(kernel: Kernel, layout: KeyLayout) {
    this.layout = layout;
    const text = layout.kind === "fixed" ? layout.cells.filter((cell) => cell.source === "text") : [];
    this.interners = new Map(text.map((cell) => [cell.key, new Interner(kernel, 0)]));
  }

  get bytes(): number {
    return [...this.interners.values()].reduce((sum, interner) => sum + interner.bytes, 0);
  }
}

interface Cursor {
  rows: number;
  cell: number;
  /** Rows of the present string column that are interned. */
  done: number;
  valid: boolean;
  validRows: number;
}

export class KeyEncoder {
  readonly #kernel: Kernel;
  readonly #space: KeySpace;
  readonly #keys: readonly KeySpec[];
  readonly #side: Side;
  readonly #adds: boolean;
  readonly #loader: KeyLoader;
  readonly #valid: Region;
  readonly #cellValid: Region;
  readonly #ids: Region;
  readonly #cells: Region;
  readonly #maxRows: number;
  /** By key: the same dictionary has other ids in another column. */
  readonly #maps = new Map<number, Map<DictionaryView, InternJob>>();
  #cursor: Cursor | null = null;

  constructor(kernel: Kernel, space: KeySpace, keys: readonly KeySpec[], side: Side, adds: boolean) {
    this.#kernel = kernel;
    this.#space = space;
    this.#keys = keys;
    this.#side = side;
    this.#adds = adds;
    this.#loader = new KeyLoader(kernel);
    this.#valid = kernel.alloc(CHUNK_ROWS >> 3, "scratch");
    this.#cellValid = kernel.alloc(CHUNK_ROWS >> 3, "scratch");
    this.#ids = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    const { stride } = space.layout;
    // Wide cells make short chunks.
    this.#maxRows = Math.max(1, Math.min(CHUNK_ROWS, Math.floor(CELL_BYTES / Math.max(1, stride))));
    this.#cells = kernel.alloc(this.#maxRows * stride, "scratch");
  }

  view(batch: InputBatch, key: number): ColumnView {
    return batch.column(this.#side === "left" ? this.#keys[key].left : this.#keys[key].right);
  }

  prepare(batch: InputBatch): boolean {
    for (const cell of this.#space.layout.cells) {
      const view = this.view(batch, cell.key);
      if (view.layout === "codes" && !this.#prepareMap(cell, view.dictionary)) return false;
    }
    return true;
  }

  /** Encodes up to `max` rows from `start` on. The block is valid until the next call. */
  encode(batch: InputBatch, start: number, max = CHUNK_ROWS): KeyChunk | null {
    const { layout } = this.#space;
    const rows = Math.min(max, this.#maxRows, batch.length - start);
    if (layout.kind === "bytes") return this.#encodeBytes(batch, start, rows);
    const cursor = (this.#cursor ??= this.#begin(batch, start, rows));
    while (cursor.cell < layout.cells.length) {
      const cell = layout.cells[cursor.cell];
      if (!this.#encodeCell(batch, start, cell, cursor)) return null;
      cursor.cell++;
      cursor.done = 0;
    }
    this.#cursor = null;
    const block: KeyBlock = {
      kind: "fixed",
      width: layout.stride,
      keys: this.#cells,
      valid: cursor.validRows < cursor.rows ? this.#valid : null,
    };
    return { block, rows: cursor.rows, validRows: cursor.validRows };
  }

  free(): void {
    this.#loader.free();
    for (const region of [this.#valid, this.#cellValid, this.#ids, this.#cells]) this.#kernel.free(region);
    for (const maps of this.#maps.values()) for (const job of maps.values()) this.#kernel.free(job.map);
    this.#maps.clear();
  }

  #encodeBytes(batch: InputBatch, start: number, max: number): KeyChunk {
    const view = this.view(batch, 0) as BytesView;
    const rows = this.#loader.rowsThatFit(view, start, max);
    const validRows = view.validity ? this.#loader.validity(view, start, rows, this.#valid) : rows;
    const valid = validRows < rows ? this.#valid : null;
    return { block: this.#loader.bytes(view, start, rows, valid), rows, validRows };
  }

  /** Rows of the chunk: what every string column can load at once; and which of them have a key at all. */
  #begin(batch: InputBatch, start: number, max: number): Cursor {
    const { layout } = this.#space;
    let rows = max;
    for (const cell of layout.cells) {
      const view = this.view(batch, cell.key);
      if (view.layout === "bytes") rows = this.#loader.rowsThatFit(view, start, rows);
    }
    const cursor: Cursor = { rows, cell: 0, done: 0, valid: false, validRows: rows };
    for (const cell of layout.cells) {
      const view = this.view(batch, cell.key);
      const { validity } = view;
      const own = view.layout === "codes" && cell.nullBit === null;
      if (cell.nullBit !== null || (!validity && !own)) continue;
      if (cursor.valid && validity) cursor.validRows = this.#loader.andValidity(validity, start, rows, this.#valid);
      else if (!cursor.valid) cursor.validRows = this.#loader.validity(view, start, rows, this.#valid);
      cursor.valid = true;
    }
    // Padding and null bits must be equal for equal keys.
    const used = layout.cells.reduce((sum, cell) => sum + cell.cell, 0);
    if (used < layout.stride) this.#kernel.fill(this.#cells, 0, 0, rows * layout.stride);
    return cursor;
  }

  #encodeCell(batch: InputBatch, start: number, cell: KeyCell, cursor: Cursor): boolean {
    const kernel = this.#kernel;
    const { stride } = this.#space.layout;
    const view = this.view(batch, cell.key);
    const { rows } = cursor;
    const nullable = cell.nullBit !== null && (view.validity !== null || view.layout === "codes");
    if (nullable && cursor.done === 0) this.#loader.validity(view, start, rows, this.#cellValid);
    switch (view.layout) {
      case "words": {
        const plain = cell.form !== "float" && view.width === stride;
        if (plain) kernel.write(this.#cells, 0, rowBytes(view, start, rows));
        else kernel.packFixed(this.#cells, stride, cell.at, cell.cell, this.#loader.words(view, start, rows), view.width, cell.form, rows);
        break;
      }
      case "bits": {
        const { region, bit } = this.#loader.bits(view, start, rows);
        kernel.packBits(this.#cells, stride, cell.at, cell.cell, region, bit, rows);
        break;
      }
      case "bytes": {
        const interner = this.#interner(cell);
        const valid = view.validity ? (cell.nullBit ? this.#cellValid : this.#valid) : null;
        const block = this.#loader.bytes(view, start, rows, valid);
        if (!this.#adds) interner.lookup(block, 0, rows, this.#ids, 0);
        else if (cursor.done < rows) {
          cursor.done = interner.insert(block, cursor.done, rows, this.#ids, cursor.done);
          if (cursor.done < rows) return false;
        }
        kernel.packFixed(this.#cells, stride, cell.at, cell.cell, this.#ids, 4, "raw", rows);
        break;
      }
      case "codes":
        this.#encodeCodes(view, start, rows, cell, cell.nullBit ? this.#cellValid : this.#valid);
        // A valid code may stand for a null value.
        if (!cell.nullBit) cursor.validRows = kernel.countBits(kernel.u8(this.#valid), 0, rows);
        break;
    }
    if (nullable && cell.nullBit) {
      kernel.nullCells(this.#cells, stride, cell.at, cell.cell, cell.nullBit.at, cell.nullBit.mask, this.#cellValid, rows);
    }
    return true;
  }

  #encodeCodes(view: CodesView, start: number, rows: number, cell: KeyCell, valid: Region): void {
    const job = this.#maps.get(cell.key)?.get(view.dictionary) as InternJob;
    const codes = this.#loader.codes(view, start, rows);
    const bad = this.#kernel.packCodes(
      this.#cells,
      this.#space.layout.stride,
      cell.at,
      codes,
      view.width,
      view.signed,
      job.map,
      job.length,
      valid,
      rows,
    );
    if (bad < 0) return;
    const name = this.#side === "left" ? this.#keys[cell.key].leftName : this.#keys[cell.key].rightName;
    throw new ArrowJoinError(
      "INVALID_INPUT",
      `Row ${start + bad} of a batch of the ${this.#side} column "${name}" has a dictionary code outside its dictionary of ${job.length} values.`,
    );
  }

  #interner(cell: KeyCell): Interner {
    return this.#space.interners.get(cell.key) as Interner;
  }

  #prepareMap(cell: KeyCell, dictionary: DictionaryView): boolean {
    const interner = this.#interner(cell);
    let maps = this.#maps.get(cell.key);
    if (!maps) this.#maps.set(cell.key, (maps = new Map()));
    let job = maps.get(dictionary);
    if (!job) {
      for (const [old, { map }] of maps) {
        if (maps.size < KEPT_MAPS) break;
        this.#kernel.free(map);
        maps.delete(old);
      }
      job = interner.startJob(dictionary.length);
      maps.set(dictionary, job);
    }
    return interner.work(job, dictionary.chunks, this.#adds, this.#loader);
  }
}
