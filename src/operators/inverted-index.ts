/**
 * `InvertedIndex`: the handles of a join whose *probe* side was hashed. One-shot joins hash the side they are told to, and still give
 * probe order: every row of the build side looks up its partners, and a counting sort by probe row turns that around.
 *
 *     build row -> probe rows (by the hash index)      0: 2 5   1: 2   2: -
 *     probe row -> build rows (counting sort)          2: 0 1   5: 0           partners of one row in build order
 *
 * Two passes over the pairs, each resumable: O(build rows + pairs). Holds 4 bytes a build row, 8 a probe row and 4 a pair.
 */

import type { InputBatch } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import { CHUNK_ROWS, type ExpandCursor, type Groups, type Kernel, MAX_ROWS, type Region } from "../kernel/contract.ts";
import type { BuildSide } from "./build-side.ts";
import type { IndexedRows } from "./indexed-rows.ts";
import type { JoinIndexMap } from "./join-index-map.ts";
import type { KeyEncoder } from "./key-encoder.ts";
import type { HandleChunk, ProbeHandles } from "./probe-handles.ts";

type State =
  | { at: "lookup"; batch: number; row: number }
  | { at: "count"; cursor: ExpandCursor }
  | { at: "number"; row: number }
  | { at: "scatter"; cursor: ExpandCursor }
  | { at: "ready" };

export class InvertedIndex implements ProbeHandles {
  readonly #kernel: Kernel;
  readonly #index: JoinIndexMap;
  readonly #encoder: KeyEncoder;
  readonly #probe: BuildSide;
  readonly #build: BuildSide;
  readonly #observer: IndexedRows;
  readonly #lookups: Region;
  readonly #chunk: Region;
  readonly #ids: Region;
  readonly #partners: Region;
  /** Counts of pairs at first, in the end one handle per probe row, by global id. */
  readonly #counts: Region;
  readonly #offsets: Region;
  #rows: Region | null = null;
  #pairs = 0;
  #next = { start: 0 };
  #state: State = { at: "lookup", batch: 0, row: 0 };

  /** `index` over the rows of `probe`, complete; `encoder` for the rows of `build`. */
  constructor(kernel: Kernel, index: JoinIndexMap, encoder: KeyEncoder, probe: BuildSide, build: BuildSide, observer: IndexedRows) {
    this.#kernel = kernel;
    this.#index = index;
    this.#encoder = encoder;
    this.#probe = probe;
    this.#build = build;
    this.#observer = observer;
    this.#lookups = kernel.alloc(4 * build.rows, "the inverted index");
    this.#chunk = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#ids = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#partners = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#counts = kernel.alloc(4 * probe.rows, "the inverted index", true);
    this.#offsets = kernel.alloc(4 * (probe.rows + 1), "the inverted index");
  }

  next(batch: InputBatch, index: number, start: number): HandleChunk {
    return {
      handles: this.#counts,
      from: this.#probe.starts[index] + start,
      start,
      rows: Math.min(CHUNK_ROWS, batch.length - start),
      keyed: null,
    };
  }

  get groups(): Groups {
    return { offsets: this.#offsets, rows: this.#rows as Region };
  }

  get groupCount(): number {
    return this.#probe.rows;
  }

  /** One bounded piece; true when ready. */
  step(): boolean {
    const state = this.#state;
    switch (state.at) {
      case "lookup":
        this.#lookup(state);
        return false;
      case "count":
        this.#count(state.cursor);
        return false;
      case "number":
        this.#number(state);
        return false;
      case "scatter":
        this.#scatter(state.cursor);
        return false;
      case "ready":
        return true;
    }
  }

  #lookup(state: { batch: number; row: number }): void {
    const batch = this.#build.batches[state.batch];
    if (!batch) {
      this.#state = { at: "count", cursor: { row: 0, pos: 0, at: 0 } };
      return;
    }
    if (!this.#encoder.prepare(batch)) return;
    const chunk = this.#encoder.encode(batch, state.row);
    if (!chunk) return;
    this.#index.probe(chunk, this.#chunk);
    const keep = this.#observer.keep(batch, state.row, chunk.rows);
    if (keep) this.#kernel.clearHandles(this.#chunk, 0, chunk.rows, keep);
    this.#observer.take(batch, state.row, chunk.rows, this.#build.starts[state.batch] + state.row, this.#chunk);
    this.#pairs += this.#kernel.summarize(this.#chunk, 0, chunk.rows, this.#index.groups).pairs;
    if (this.#pairs > MAX_ROWS) {
      throw new ArrowJoinError(
        "INVALID_OPTION",
        `The join has more than ${MAX_ROWS} pairs, too many to sort back into order. Leave build out, or use joinStream.`,
      );
    }
    this.#kernel.copy(this.#lookups, 4 * (this.#build.starts[state.batch] + state.row), this.#chunk, 0, 4 * chunk.rows);
    state.row += chunk.rows;
    if (state.row < batch.length) return;
    state.batch++;
    state.row = 0;
  }

  /** The next pairs: build row in #partners, probe row in #ids. Returns how many. */
  #expand(cursor: ExpandCursor): number {
    cursor.at = 0;
    const to = Math.min(this.#build.rows, cursor.row + CHUNK_ROWS);
    this.#kernel.expand(this.#lookups, cursor, to, this.#index.groups, false, 0, this.#partners, this.#ids, CHUNK_ROWS);
    return cursor.at;
  }

  #count(cursor: ExpandCursor): void {
    if (cursor.row < this.#build.rows) {
      const pairs = this.#expand(cursor);
      this.#kernel.countIds(this.#ids, 0, pairs, this.#counts);
      return;
    }
    this.#rows = this.#kernel.alloc(4 * this.#pairs, "the inverted index");
    this.#kernel.i32(this.#offsets)[0] = 0;
    this.#state = { at: "number", row: 0 };
  }

  #number(state: { row: number }): void {
    const to = Math.min(state.row + CHUNK_ROWS, this.#probe.rows);
    this.#kernel.numberRuns(this.#counts, state.row, to, this.#next, this.#offsets);
    state.row = to;
    if (to === this.#probe.rows) this.#state = { at: "scatter", cursor: { row: 0, pos: 0, at: 0 } };
  }

  #scatter(cursor: ExpandCursor): void {
    if (cursor.row < this.#build.rows) {
      const pairs = this.#expand(cursor);
      this.#kernel.scatterIds(this.#ids, this.#partners, 0, pairs, this.#offsets, this.#rows as Region);
      return;
    }
    for (const region of [this.#lookups, this.#chunk, this.#ids, this.#partners]) this.#kernel.free(region);
    this.#state = { at: "ready" };
  }
}
