/**
 * Gives equal values equal dense ids, in order of first appearance: strings inside composite keys, dictionaries of keys and of payload.
 * A SwissTable whose values are ids. Null has no id.
 */

import type { ColumnView } from "../arrow/column.ts";
import { CHUNK_ROWS, type Kernel, type KeyBlock, NULL_VALUE, type Region } from "../kernel/contract.ts";
import { KeyLoader } from "./key-loader.ts";
import { SwissTable } from "./swiss-table.ts";

/** Ids of a whole dictionary, under way. */
export interface InternJob {
  readonly map: Region;
  readonly length: number;
  /** The next code, and where its value lies. */
  at: number;
  chunk: number;
  row: number;
  /** Values of the present piece that have their id. */
  done: number;
}

export class Interner {
  readonly #kernel: Kernel;
  readonly #loader: KeyLoader;
  readonly #table: SwissTable;
  readonly #width: number;
  /** Rows of one piece of work: wide values make short ones. */
  readonly #maxRows: number;
  readonly #ids: Region;
  readonly #valid: Region;
  #cells: Region | null = null;

  /** `width` 0: byte strings; else values of that many bytes, compared as bytes. */
  constructor(kernel: Kernel, width: number) {
    this.#kernel = kernel;
    this.#width = width === 0 ? 0 : width <= 4 ? 4 : (width + 7) & ~7;
    this.#maxRows = Math.max(1, Math.min(CHUNK_ROWS, Math.floor((1 << 20) / Math.max(1, this.#width))));
    this.#loader = new KeyLoader(kernel);
    this.#table = new SwissTable(kernel, this.#width, 0, 1024);
    this.#ids = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#valid = kernel.alloc(CHUNK_ROWS >> 3, "scratch");
  }

  /** Distinct values so far. */
  get count(): number {
    return this.#table.count;
  }

  get bytes(): number {
    return this.#table.bytes;
  }

  /** As `SwissTable.insert`, with ids. */
  insert(block: KeyBlock, from: number, to: number, out: Region, outAt: number): number {
    return this.#table.insert(block, from, to, -1, out, outAt);
  }

  /** Ids of values that are known; NONE for others and for null. */
  lookup(block: KeyBlock, from: number, to: number, out: Region, outAt: number): void {
    this.#table.probe(block, from, to, out, outAt);
  }

  startJob(length: number): InternJob {
    return { map: this.#kernel.alloc(4 * length, "the dictionaries"), length, at: 0, chunk: 0, row: 0, done: 0 };
  }

  /**
   * Does a bounded part of a dictionary: map[code] := id, NULL_VALUE where the dictionary's value is null, and without `add` NONE where
   * the value is not known. Returns true when the map is complete. `loader`: the caller's, where the interner is one that many read.
   */
  work(job: InternJob, chunks: readonly ColumnView[], add: boolean, loader = this.#loader): boolean {
    if (job.chunk === chunks.length) return true;
    const view = chunks[job.chunk];
    const count = this.#chunkRows(view, job.row, loader);
    const valid = view.validity ? this.#valid : null;
    if (valid) loader.validity(view, job.row, count, valid);
    const block = this.#load(view, job.row, count, valid, loader);
    if (add) {
      // A growth under way returns without progress; the chunk is then loaded again, which costs less than keeping its state.
      const from = job.done;
      job.done = this.#table.insert(block, from, count, -1, this.#ids, from);
      if (job.done < count) return false;
    } else {
      this.#table.probe(block, 0, count, this.#ids, 0);
    }
    if (valid) this.#kernel.fillNulls(this.#ids, valid, 0, count, NULL_VALUE);
    this.#kernel.copy(job.map, 4 * job.at, this.#ids, 0, 4 * count);
    job.done = 0;
    job.at += count;
    job.row += count;
    if (job.row < view.length) return false;
    job.row = 0;
    job.chunk++;
    return job.chunk === chunks.length;
  }

  /** The ids of a column's values, all at once; NULL_VALUE where null. */
  intern(view: ColumnView): Int32Array {
    const job = this.startJob(view.length);
    if (view.length > 0) while (!this.work(job, [view], true));
    const ids = this.#kernel.i32(job.map).slice(0, view.length);
    this.#kernel.free(job.map);
    return ids;
  }

  #chunkRows(view: ColumnView, row: number, loader: KeyLoader): number {
    const rows = Math.min(this.#maxRows, view.length - row);
    return view.layout === "bytes" ? loader.rowsThatFit(view, row, rows) : rows;
  }

  #load(view: ColumnView, row: number, count: number, valid: Region | null, loader: KeyLoader): KeyBlock {
    if (view.layout === "bytes") return loader.bytes(view, row, count, valid);
    this.#cells ??= this.#kernel.alloc(this.#maxRows * this.#width, "scratch");
    if (view.layout === "words") {
      const raw = loader.words(view, row, count);
      this.#kernel.packFixed(this.#cells, this.#width, 0, this.#width, raw, view.width, "raw", count);
    } else if (view.layout === "bits") {
      const { region, bit } = loader.bits(view, row, count);
      this.#kernel.packBits(this.#cells, this.#width, 0, this.#width, region, bit, count);
    }
    return { kind: "fixed", width: this.#width, keys: this.#cells, valid };
  }
}
