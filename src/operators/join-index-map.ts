/**
 * `JoinIndexMap`: from the keys of the hashed side to match handles.
 *
 * Built over all batches of that side, in bounded steps, then probed a chunk at a time:
 *
 *     prepare ids of dictionaries -> survey range (integers) -> sample distinct keys -> insert -> group -> relabel -> ready
 *
 * Two tables: `DirectTable` where integer keys are dense enough to be addressed by value, else a `SwissTable` with one slot per
 * distinct key. Both hold the first row of a key, which is its handle One(row) already; only keys that occur again need groups and
 * a relabelling pass.
 *
 * Cost O(rows). Holds 4 bytes a row while it is built, then the table and 4 bytes per row whose key occurs more than once.
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Groups, type Kernel, type KernelSwitches, type Region } from "../kernel/contract.ts";
import type { KeySpec, Side } from "../spec/join-spec.ts";
import type { BuildSide } from "./build-side.ts";
import { DirectTable } from "./direct-table.ts";
import { estimateDistinct, SAMPLE_PLACES, SAMPLE_RUN } from "./distinct-estimate.ts";
import type { IndexedRows } from "./indexed-rows.ts";
import { type KeyChunk, KeyEncoder, type KeySpace } from "./key-encoder.ts";
import { MatchedGroups } from "./matched-groups.ts";
import type { TableKind } from "./metrics.ts";
import { SwissTable } from "./swiss-table.ts";

/** Test switches of the index; never options of a verb. */
export interface IndexSwitches extends KernelSwitches {
  readonly forceTable?: "direct" | "swiss";
}

/** A direct cell costs 4 bytes, a slot of a Swiss table 10 to 18 for each key: up to this many cells a key, addressing is smaller or equal, and always faster. */
const DIRECT_CELLS_PER_KEY = 4;
/** 64 kB: fits L2 whatever else is there. */
const DIRECT_CELLS_FREE = 16384;

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

function unionOf(a: Range, b: Range): Range {
  const low = a.min < b.min ? a : b;
  const high = a.max < b.max ? b : a;
  return { min: low.min, max: high.max };
}

interface IndexedChunk extends KeyChunk {
  /** Bits clear exactly where a key is null and takes part; null: none is. */
  readonly notNull: Region | null;
}

type State =
  | { at: "prepare"; batch: number }
  | { at: "survey"; batch: number; row: number }
  | { at: "sample"; place: number; table: SwissTable; bytes: number; done: number; sampled: number }
  | { at: "insert"; batch: number; row: number; done: number; chunk: IndexedChunk | null }
  | { at: "group" }
  | { at: "relabel"; slot: number }
  | { at: "ready" };

export class JoinIndexMap {
  readonly #kernel: Kernel;
  readonly #side: BuildSide;
  readonly #space: KeySpace;
  readonly #encoder: KeyEncoder;
  readonly #switches: IndexSwitches;
  readonly #grouped: boolean;
  readonly #observer: IndexedRows | null;
  #state: State = { at: "prepare", batch: 0 };
  #range: Range | null = null;
  #table: SwissTable | DirectTable | null = null;
  #reps: Region | null = null;
  #scratch: Region | null = null;
  #kept: { readonly valid: Region; readonly notNull: Region } | null = null;
  #validRows = 0;
  #nullRows = 0;
  #firstNull = -1;
  #groups: MatchedGroups | null = null;
  #nullHandle: number | null = null;

  /** `grouped` false: only whether a key is there will be asked, so its rows are not grouped. */
  constructor(
    kernel: Kernel,
    space: KeySpace,
    keys: readonly KeySpec[],
    sideName: Side,
    side: BuildSide,
    switches: IndexSwitches,
    grouped: boolean,
    observer: IndexedRows | null = null,
  ) {
    this.#kernel = kernel;
    this.#grouped = grouped;
    this.#observer = observer;
    this.#side = side;
    this.#space = space;
    this.#switches = switches;
    this.#encoder = new KeyEncoder(kernel, space, keys, sideName, true);
  }

  // ── what it knows ──────────────────────────────────────────────────────────────────────────────

  get groups(): Groups | null {
    return this.#groups ? this.#groups.groups : null;
  }

  get groupCount(): number {
    return this.#groups?.groupCount ?? 0;
  }

  /** Distinct keys, a null key included where null equals null. */
  get distinctKeys(): number {
    return (this.#table?.count ?? 0) + (this.#nullHandle === null ? 0 : 1);
  }

  /** Rows that have a key, null ones included where null equals null. */
  get keyedRows(): number {
    return this.#validRows + this.#nullRows;
  }

  get tableKind(): TableKind {
    return this.#table === null ? "none" : this.#table instanceof DirectTable ? "direct" : "swiss";
  }

  get bytes(): number {
    const groups = this.#groups ? this.#groups.groups.offsets.bytes + this.#groups.groups.rows.bytes : 0;
    return (this.#table?.bytes ?? 0) + this.#space.bytes + groups;
  }

  // ── build ──────────────────────────────────────────────────────────────────────────────────────

  /** One bounded piece of the build; true when the index can be probed. */
  step(): boolean {
    const state = this.#state;
    switch (state.at) {
      case "prepare":
        this.#prepare(state);
        return false;
      case "survey":
        this.#survey(state);
        return false;
      case "sample":
        this.#sample(state);
        return false;
      case "insert":
        this.#insert(state);
        return false;
      case "group":
        this.#group();
        return false;
      case "relabel":
        this.#relabel(state);
        return false;
      case "ready":
        return true;
    }
  }

  #prepare(state: { batch: number }): void {
    const { batches } = this.#side;
    const { integer } = this.#space.layout;
    if (!integer) return this.#startSample();
    if (!integer.dense) {
      this.#state = { at: "survey", batch: 0, row: 0 };
      return;
    }
    // The range of the ids is known when every dictionary has been given its own.
    if (state.batch === batches.length) return this.#choose();
    if (this.#encoder.prepare(batches[state.batch])) state.batch++;
  }

  #survey(state: { batch: number; row: number }): void {
    const { integer } = this.#space.layout;
    const batch = this.#side.batches[state.batch];
    if (!batch || !integer) return this.#startSample();
    const chunk = this.#encoder.encode(batch, state.row);
    if (chunk?.block.kind !== "fixed") return;
    const found = this.#kernel.minMax(chunk.block, integer.signed, 0, chunk.rows);
    if (found) this.#range = this.#range ? unionOf(this.#range, found) : found;
    this.#advance(state, batch, chunk.rows);
  }

  /** The next rows, of the next batch where this one is done. */
  #advance(state: { batch: number; row: number }, batch: InputBatch, rows: number): void {
    state.row += rows;
    if (state.row < batch.length) return;
    state.batch++;
    state.row = 0;
  }

  /** Distinct keys are estimated where that can be done without giving ids to strings, and is worth it. */
  #startSample(): void {
    if (this.#space.interners.size > 0 || this.#side.rows <= SAMPLE_PLACES * SAMPLE_RUN || this.#switches.tinyTables) return this.#choose();
    const width = this.#space.layout.stride;
    const table = new SwissTable(this.#kernel, width, SAMPLE_PLACES * SAMPLE_RUN, 1 << 16);
    this.#scratch ??= this.#kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#state = { at: "sample", place: 0, table, bytes: 0, done: 0, sampled: 0 };
  }

  #sample(state: Extract<State, { at: "sample" }>): void {
    if (state.place === SAMPLE_PLACES) {
      const distinct = estimateDistinct(state.sampled, state.table.count, this.#side.rows);
      const bytesPerKey = state.table.count === 0 ? 0 : state.bytes / Math.max(1, state.sampled);
      state.table.free();
      return this.#choose(distinct, bytesPerKey);
    }
    const global = Math.floor((state.place * (this.#side.rows - SAMPLE_RUN)) / (SAMPLE_PLACES - 1));
    const { batch, row } = this.#side.locate(global);
    const source = this.#side.batches[batch];
    const chunk = this.#encoder.encode(source, row, SAMPLE_RUN);
    if (!chunk) return;
    state.done = state.table.insert(chunk.block, state.done, chunk.rows, 0, this.#scratch as Region, 0);
    if (state.done < chunk.rows) return;
    if (chunk.block.kind === "bytes") {
      const offsets = this.#kernel.i32(chunk.block.offsets);
      state.bytes += offsets[chunk.rows] - offsets[0];
    }
    state.sampled += chunk.validRows;
    state.done = 0;
    state.place++;
  }

  #choose(distinct = this.#side.rows, bytesPerKey = 16): void {
    const { layout, interners } = this.#space;
    const { forceTable, tinyTables } = this.#switches;
    if (layout.integer?.dense) {
      // Plain strings get their ids as they are inserted, at most one a row.
      const ids = interners.get(layout.cells[0].key)?.count || this.#side.rows;
      this.#range = ids === 0 ? null : { min: 0n, max: BigInt(ids - 1) };
    }
    const expected = tinyTables ? 0 : interners.size > 0 ? Math.min(distinct, 65536) : distinct;
    if (layout.integer && this.#range && forceTable !== "swiss") {
      const cells = this.#range.max - this.#range.min + 1n;
      const allowed = Math.max(DIRECT_CELLS_FREE, DIRECT_CELLS_PER_KEY * expected);
      if (layout.integer.dense || cells <= BigInt(allowed) || (forceTable === "direct" && cells < 1n << 26n)) {
        this.#table = new DirectTable(this.#kernel, layout.stride as 4 | 8, layout.integer.signed, this.#range.min, Number(cells));
      }
    }
    this.#table ??= new SwissTable(this.#kernel, layout.stride, expected, tinyTables ? 0 : Math.ceil(expected * bytesPerKey * 1.1));
    this.#reps = this.#kernel.alloc(4 * this.#side.rows, "the hash index");
    this.#scratch ??= this.#kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#state = { at: "insert", batch: 0, row: 0, done: 0, chunk: null };
  }

  #insert(state: Extract<State, { at: "insert" }>): void {
    const batch = this.#side.batches[state.batch];
    if (!batch) return this.#endInsert();
    if (!state.chunk) {
      if (!this.#encoder.prepare(batch)) return;
      const chunk = this.#encoder.encode(batch, state.row);
      if (!chunk) return;
      state.chunk = this.#restrict(chunk, this.#observer?.keep(batch, state.row, chunk.rows) ?? null);
    }
    const { block, rows, validRows, notNull } = state.chunk;
    const base = this.#side.starts[state.batch] + state.row;
    const out = this.#scratch as Region;
    const table = this.#table as SwissTable | DirectTable;
    state.done = table.insert(block, state.done, rows, base, out, state.done);
    if (state.done < rows) return;
    this.#validRows += validRows;
    if (notNull) this.#takeNulls(notNull, rows, base);
    this.#observer?.take(batch, state.row, rows, base, out);
    this.#kernel.copy(this.#reps as Region, 4 * base, out, 0, 4 * rows);
    this.#advance(state, batch, rows);
    state.done = 0;
    state.chunk = null;
  }

  /** Rows that do not take part have no key. */
  #restrict(chunk: KeyChunk, keep: Region | null): IndexedChunk {
    const kernel = this.#kernel;
    const { block, rows } = chunk;
    const { nullKey } = this.#space.layout;
    if (!keep) return { ...chunk, notNull: nullKey ? block.valid : null };
    if (!this.#kept)
      this.#kept = { valid: kernel.alloc(CHUNK_ROWS / 8 + 64, "scratch"), notNull: kernel.alloc(CHUNK_ROWS / 8 + 64, "scratch") };
    const { valid, notNull } = this.#kept;
    kernel.bitwise("and", keep, block.valid ?? keep, rows, valid);
    if (block.valid && nullKey) {
      kernel.bitwise("andNot", keep, block.valid, rows, notNull);
      kernel.bitwise("not", notNull, notNull, rows, notNull);
    }
    return {
      block: { ...block, valid },
      rows,
      validRows: kernel.countBits(kernel.u8(valid), 0, rows),
      notNull: block.valid && nullKey ? notNull : null,
    };
  }

  /** Rows whose null key equals other null keys: the first of them represents all. */
  #takeNulls(valid: Region, rows: number, base: number): void {
    const bits = this.#kernel.u8(valid);
    const nulls = rows - this.#kernel.countBits(bits, 0, rows);
    if (nulls === 0) return;
    if (this.#firstNull < 0) {
      let row = 0;
      while (bits[row >> 3] & (1 << (row & 7))) row++;
      this.#firstNull = base + row;
    }
    this.#nullRows += nulls;
    this.#kernel.fillNulls(this.#scratch as Region, valid, 0, rows, this.#firstNull);
  }

  #endInsert(): void {
    const table = this.#table as SwissTable | DirectTable;
    if (this.#firstNull >= 0) this.#nullHandle = this.#firstNull;
    if (this.#scratch) this.#kernel.free(this.#scratch);
    this.#scratch = null;
    const unique = this.#validRows === table.count && this.#nullRows <= 1;
    if (unique || !this.#grouped) return this.#becomeReady();
    this.#groups = new MatchedGroups(this.#kernel, this.#reps as Region, this.#side.rows);
    this.#state = { at: "group" };
  }

  #group(): void {
    if (this.#groups?.step()) this.#state = { at: "relabel", slot: 0 };
  }

  #relabel(state: { slot: number }): void {
    const groups = this.#groups as MatchedGroups;
    state.slot = (this.#table as SwissTable | DirectTable).relabel(groups.handles, state.slot);
    if (state.slot >= 0) return;
    if (this.#firstNull >= 0) this.#nullHandle = this.#kernel.i32(groups.handles)[this.#firstNull];
    groups.freeHandles();
    this.#becomeReady();
  }

  #becomeReady(): void {
    if (this.#reps) this.#kernel.free(this.#reps);
    this.#reps = null;
    this.#encoder.free();
    this.#state = { at: "ready" };
  }

  // ── probe ──────────────────────────────────────────────────────────────────────────────────────

  /** handles[i] := the handle of row i of the chunk. Only when `step` has said true. */
  probe(chunk: KeyChunk, handles: Region): void {
    (this.#table as SwissTable | DirectTable).probe(chunk.block, 0, chunk.rows, handles, 0);
    if (this.#nullHandle !== null && chunk.block.valid) this.#kernel.fillNulls(handles, chunk.block.valid, 0, chunk.rows, this.#nullHandle);
  }
}
