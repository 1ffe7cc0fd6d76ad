/**
 * `KeyIds`: the `by` keys of an as-of join as dense ids, equal keys equal ids, from whichever side they come. What is kept by key is an array
 * by id from then on: no row is hashed twice.
 *
 *     integers close together     DirectTable, which grows with their range              2 to 3 ns a row
 *     one string with an id       that id                                                1 ns
 *     all else                    SwissTable                                             as JoinIndexMap
 *
 * A row without a key has the id NONE, or where nulls are equal an id of their own. Ids are never given back: a key that occurred once costs
 * its place in the table. Bounded steps; a growth takes several.
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type FixedKeys, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { KeySpec, Side } from "../spec/join-spec.ts";
import { DirectTable } from "./direct-table.ts";
import type { IndexSwitches } from "./join-index-map.ts";
import { type KeyChunk, KeyEncoder, KeySpace } from "./key-encoder.ts";
import { layoutKeys } from "./key-layout.ts";
import { SwissTable } from "./swiss-table.ts";

/** 4 MB. */
const DIRECT_CELLS = 1 << 20;

/** Rows that are given ids. */
interface Job {
  readonly side: Side;
  readonly batch: InputBatch;
  readonly start: number;
  readonly rows: number;
  readonly out: Region;
  done: number;
  prepared: boolean;
  chunk: KeyChunk | null;
  /** The chunk's keys had ids already. */
  known: boolean;
  inserted: number;
}

/** A direct table's keys on their way into a SwissTable, in the order of their ids. */
interface Move {
  readonly keys: Int32Array;
  readonly min: bigint;
  readonly block: FixedKeys;
  at: number;
  /** Keys in the block, and how many of them are done. */
  filled: number;
  done: number;
}

export class KeyIds {
  readonly #kernel: Kernel;
  readonly #space: KeySpace;
  readonly #encoders: Readonly<Record<Side, KeyEncoder>>;
  readonly #switches: IndexSwitches;
  readonly #ids: Region;
  #table: DirectTable | SwissTable | null = null;
  #nullId = NONE;
  #job: Job | null = null;
  #move: Move | null = null;

  constructor(kernel: Kernel, keys: readonly KeySpec[], switches: IndexSwitches) {
    this.#kernel = kernel;
    this.#switches = switches;
    this.#space = new KeySpace(kernel, layoutKeys(keys));
    // Either side may bring a key first.
    const encoder = (side: Side) => new KeyEncoder(kernel, this.#space, keys, side, true);
    this.#encoders = { left: encoder("left"), right: encoder("right") };
    this.#ids = kernel.alloc(4 * CHUNK_ROWS, "scratch");
  }

  /** Ids so far: all are below. */
  get count(): number {
    return this.#identity ? Math.max(0, ...[...this.#space.interners.values()].map(({ count }) => count)) : (this.#table?.count ?? 0);
  }

  /** Whether strings have ids already, which serve. */
  get #identity(): boolean {
    const { integer, nullKey } = this.#space.layout;
    return integer?.dense === true && !nullKey;
  }

  /** The ids of rows [start, start + rows) are wanted at out[0 ...]; `step` until it is done. */
  begin(side: Side, batch: InputBatch, start: number, rows: number, out: Region): void {
    this.#job = { side, batch, start, rows, out, done: 0, prepared: false, chunk: null, known: false, inserted: 0 };
  }

  /** One bounded piece; true when all rows have their ids. */
  step(): boolean {
    const job = this.#job;
    if (!job) return true;
    if (this.#move) this.#moveKeys(this.#move);
    else if (!job.prepared) job.prepared = this.#encoders[job.side].prepare(job.batch);
    else if (!job.chunk) this.#encode(job);
    else this.#insert(job, job.chunk);
    if (job.done < job.rows) return false;
    this.#job = null;
    return true;
  }

  #encode(job: Job): void {
    const chunk = this.#encoders[job.side].encode(job.batch, job.start + job.done, job.rows - job.done);
    if (!chunk) return;
    job.chunk = chunk;
    job.inserted = 0;
    job.known = this.#allKnown(chunk);
    if (!this.#identity && !job.known) this.#makeRoom(chunk);
  }

  /** Looks up keys that may all be known, which most are; their ids are there then. Of integers only, whose table has no place for others. */
  #allKnown({ block, rows, validRows }: KeyChunk): boolean {
    const table = this.#table;
    if (!(table instanceof DirectTable)) return false;
    table.probe(block, 0, rows, this.#ids, 0);
    return this.#kernel.summarize(this.#ids, 0, rows, null).one === validRows;
  }

  #insert(job: Job, { block, rows }: KeyChunk): void {
    const kernel = this.#kernel;
    const ids = this.#ids;
    if (this.#identity) {
      if (block.kind === "fixed") kernel.copy(ids, 0, block.keys, 0, 4 * rows);
      if (block.valid) kernel.fillNulls(ids, block.valid, 0, rows, NONE);
    } else {
      const table = this.#table as DirectTable | SwissTable;
      if (!job.known) job.inserted = table.insert(block, job.inserted, rows, -1, ids, job.inserted);
      if (job.inserted < rows && !job.known) return;
      if (this.#space.layout.nullKey && block.valid) {
        if (this.#nullId === NONE) this.#nullId = table.skipId();
        kernel.fillNulls(ids, block.valid, 0, rows, this.#nullId);
      }
    }
    kernel.copy(job.out, 4 * job.done, ids, 0, 4 * rows);
    job.done += rows;
    job.chunk = null;
  }

  /** A table that the chunk's keys go into. */
  #makeRoom({ block, rows }: KeyChunk): void {
    const table = this.#table;
    if (table instanceof SwissTable) return;
    const { integer, stride } = this.#space.layout;
    const { forceTable } = this.#switches;
    if (!integer || block.kind !== "fixed" || forceTable === "swiss") {
      this.#table = new SwissTable(this.#kernel, stride, 0, 1024);
      return;
    }
    const found = this.#kernel.minMax(block, integer.signed, 0, rows);
    const { min, max } = found ?? { min: 0n, max: 0n };
    if (!table) {
      if (max - min < BigInt(DIRECT_CELLS)) this.#table = this.#direct(min, Number(max - min) + 1);
      else this.#table = new SwissTable(this.#kernel, stride, 0, 1024);
      return;
    }
    const end = table.min + BigInt(table.range);
    if (!found || (min >= table.min && max < end)) return;
    const low = min < table.min ? min : table.min;
    const high = max >= end ? max + 1n : end;
    const cells = high - low;
    if (cells > BigInt(DIRECT_CELLS)) return this.#startMove(table);
    // At least twice as many, on the side where they are wanted.
    const range = Math.min(DIRECT_CELLS, Math.max(Number(cells), 2 * table.range));
    table.extend(min < table.min ? high - BigInt(range) : low, range);
  }

  #direct(min: bigint, range: number): DirectTable {
    const { integer, stride } = this.#space.layout;
    return new DirectTable(this.#kernel, stride as 4 | 8, integer?.signed ?? false, min, range);
  }

  #startMove(table: DirectTable): void {
    const kernel = this.#kernel;
    const width = this.#space.layout.stride;
    const block: FixedKeys = { kind: "fixed", width, keys: kernel.alloc(width * CHUNK_ROWS, "scratch"), valid: null };
    this.#move = { keys: table.keysById(), min: table.min, block, at: 0, filled: 0, done: 0 };
    table.free();
    this.#table = new SwissTable(kernel, width, this.#move.keys.length, 0);
  }

  #moveKeys(move: Move): void {
    const { keys, min, block } = move;
    const table = this.#table as SwissTable;
    if (move.done < move.filled) {
      move.done = table.insert(block, move.done, move.filled, -1, this.#ids, 0);
      return;
    }
    if (move.at === keys.length) {
      this.#kernel.free(block.keys);
      this.#move = null;
      return;
    }
    if (keys[move.at] < 0) {
      table.skipId();
      move.at++;
      return;
    }
    const words = this.#kernel.i32(block.keys);
    const perKey = block.width >> 2;
    let count = 0;
    for (; move.at < keys.length && count < CHUNK_ROWS && keys[move.at] >= 0; move.at++, count++) {
      const key = min + BigInt(keys[move.at]);
      words[perKey * count] = Number(BigInt.asIntN(32, key));
      if (perKey === 2) words[2 * count + 1] = Number(BigInt.asIntN(32, key >> 32n));
    }
    move.filled = count;
    move.done = 0;
  }
}
