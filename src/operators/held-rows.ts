/**
 * `HeldRows`: the right rows of an as-of join that may still be output: batches as they came, until too few of their rows are of use; then
 * those rows are copied out and the batches let go.
 *
 *     ids      0 .. 6   7 .. 8    9 .. 4104   4105 ..
 *     parts    copied   batch     batch       batch under way
 *              └─────── compact(live rows, below 4105) ───────┘      one part of the live rows; what follows is numbered anew
 *
 * Only output columns are kept. Invariants
 * - Ids ascend in the order of the rows. They are i32 and begin anew with each compaction, so an endless input never runs out of them.
 * - A compaction copies each row a bounded number of times on average: it waits until what is held has doubled since the last, or until
 *   there are many parts: a batch of one row takes a hundred times what the row does, and shares its buffers with others perhaps.
 */

import type { InputBatch } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import { CHUNK_ROWS, type Kernel, MAX_ROWS, type Region } from "../kernel/contract.ts";
import type { KeptRows } from "./batch-coalescer.ts";
import type { BufferLedger, Receipt } from "./buffer-ledger.ts";
import type { MemoryAccount } from "./memory.ts";
import type { OutputPlan } from "./output-plan.ts";

/** Bytes that are never worth a compaction. */
const COMPACT_BYTES = 1 << 18;
/** Parts that are: as many at least, and one for so many rows that were copied. */
const COMPACT_PARTS = 1024;
const PART_ROWS = 64;

interface Part {
  readonly batch: InputBatch | null;
  readonly receipt: Receipt | null;
  /** Of copied rows. */
  readonly bytes: number;
}

export class HeldRows implements KeptRows {
  readonly batches: Part[] = [];
  readonly #kernel: Kernel;
  readonly #plan: OutputPlan;
  readonly #from: number;
  readonly #name: string;
  readonly #ledger: BufferLedger;
  readonly #account: MemoryAccount | null;
  readonly #compactBytes: number;
  #starts: number[] = [0];
  #startsRegion: Region | null = null;
  /** How many of `starts` are in the region. */
  #startsWritten = 0;
  /** Bytes and parts below which nothing is compacted. */
  #patience: number;
  #maxParts: number;
  compactedRows = 0;
  purgedRows = 0;

  /** `from`: which right, of the plan's columns. `account` null: the batches are the caller's, and nothing is compacted. */
  constructor(
    kernel: Kernel,
    plan: OutputPlan,
    from: number,
    name: string,
    ledger: BufferLedger,
    account: MemoryAccount | null,
    compactBytes = COMPACT_BYTES,
  ) {
    this.#kernel = kernel;
    this.#plan = plan;
    this.#from = from;
    this.#name = name;
    this.#ledger = ledger;
    this.#account = account;
    this.#compactBytes = compactBytes;
    this.#patience = compactBytes;
    this.#maxParts = this.#fewParts;
  }

  /** Of a test that wants compactions at every chance, of either kind. */
  get #fewParts(): number {
    return this.#compactBytes > 0 ? COMPACT_PARTS : 3;
  }

  get rows(): number {
    return this.#starts[this.#starts.length - 1];
  }

  /** Bytes of copied rows, which are the first part; those of batches are in the ledger. */
  get copiedBytes(): number {
    return this.batches[0]?.bytes ?? 0;
  }

  /** Keeps a batch; returns the id of its first row. */
  push(batch: InputBatch, receipt: Receipt): number {
    const first = this.rows;
    if (first + batch.length > MAX_ROWS) {
      throw new ArrowJoinError(
        "INVALID_INPUT",
        `The ${this.#name} side holds more than ${MAX_ROWS} rows, the most that can be kept. Join it in parts, or as a stream in smaller batches.`,
      );
    }
    this.batches.push({ batch, receipt, bytes: 0 });
    this.#starts.push(first + batch.length);
    this.#plan.addBuild(batch, this.#from);
    return first;
  }

  startsIn(kernel: Kernel): Region {
    const bytes = 4 * this.#starts.length;
    if (!this.#startsRegion || this.#startsRegion.bytes < bytes) {
      if (this.#startsRegion) kernel.free(this.#startsRegion);
      this.#startsRegion = kernel.alloc(2 * bytes, "the right rows");
      this.#startsWritten = 0;
    }
    if (this.#startsWritten < this.#starts.length)
      kernel.i32(this.#startsRegion).set(this.#starts.slice(this.#startsWritten), this.#startsWritten);
    this.#startsWritten = this.#starts.length;
    return this.#startsRegion;
  }

  /** The first row of the last part: what is below may be compacted. */
  get settled(): number {
    return this.batches.length === 0 ? 0 : this.#starts[this.batches.length - 1];
  }

  /** Whether so much is held that a compaction may pay. */
  get isDue(): boolean {
    if (this.#account === null || this.batches.length === 0) return false;
    return this.#hasManyParts || this.#ledger.bytes + this.copiedBytes > this.#patience;
  }

  get #hasManyParts(): boolean {
    return this.batches.length > this.#maxParts;
  }

  /** What is to be compacted where rows from `low` on are all of use: what lies before them, and of many parts these too. `midBatch`: of the last there is more to come. */
  boundary(low: number, midBatch: boolean): number {
    if (this.#hasManyParts) return midBatch ? this.settled : this.rows;
    // The largest start of a part that is not above `low`.
    let [from, to] = [0, this.batches.length - 1];
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if (this.#starts[middle] <= low) from = middle;
      else to = middle - 1;
    }
    return this.#starts[from];
  }

  /**
   * Copies the rows `live` (ascending, all below `boundary`, a part's start) into one part and lets go of the parts before `boundary`. Row r from
   * there on is then live.length + r - boundary; live[i] is i.
   */
  compact(live: Int32Array, boundary: number): void {
    const kept = this.#starts.indexOf(boundary);
    const rows = live.length;
    const bytes = this.#copy(live, kept);
    for (const { receipt } of this.batches.splice(0, kept)) if (receipt) this.#ledger.give(receipt);
    if (rows > 0) this.batches.unshift({ batch: null, receipt: null, bytes });
    this.#starts = [0, ...(rows > 0 ? [rows] : []), ...this.#starts.slice(kept + 1).map((start) => start - boundary + rows)];
    this.#startsWritten = 0;
    this.compactedRows += rows;
    this.purgedRows += boundary - rows;
    this.#patience = this.#compactBytes && Math.max(this.#compactBytes, 2 * (this.copiedBytes + this.#ledger.bytes));
    this.#maxParts = Math.max(this.#fewParts, 2 * this.batches.length, this.#compactBytes && Math.floor(rows / PART_ROWS));
  }

  /** Makes the plan's columns those of the live rows, then those of the parts from `kept` on. Returns the bytes copied. */
  #copy(live: Int32Array, kept: number): number {
    const kernel = this.#kernel;
    const copies = live.length > 0 ? this.#gather(live, kernel) : null;
    const bytes = copies?.bytes ?? 0;
    // What was copied before goes with its part.
    this.#account?.charge(bytes - this.copiedBytes);
    this.#plan.keepBuild(this.#from, copies?.columns ?? null);
    for (const { batch } of this.batches.slice(kept)) if (batch) this.#plan.addBuild(batch, this.#from);
    return bytes;
  }

  #gather(live: Int32Array, kernel: Kernel) {
    const ids = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    const [sources, rows] = [kernel.alloc(4 * CHUNK_ROWS, "scratch"), kernel.alloc(4 * CHUNK_ROWS, "scratch")];
    try {
      const writers = this.#plan.copyBuild(this.#from);
      for (let at = 0; at < live.length; at += CHUNK_ROWS) {
        const count = Math.min(CHUNK_ROWS, live.length - at);
        kernel.i32(ids).set(live.subarray(at, at + count));
        kernel.locate(ids, 0, count, this.startsIn(kernel), this.batches.length, sources, rows, 0);
        for (const writer of writers) writer.append({ kind: "located", sources, rows, from: 0, count, hasNone: false });
      }
      const columns = writers.map((writer) => writer.finish());
      return { columns, bytes: writers.reduce((sum, { bytes }) => sum + bytes, 0) };
    } finally {
      for (const region of [ids, sources, rows]) kernel.free(region);
    }
  }
}
