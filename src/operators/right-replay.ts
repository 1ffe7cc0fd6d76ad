/**
 * `RightReplay`: the end of a nested loop that took several passes. The streamed side is read once more, with what the passes found: runs of
 * pairs, or marks of its rows. Then come the buffered side's rows that had to wait.
 *
 *     replayRight ─── a batch ──▶ mergeRight ─── its rows are done ──▶ replayRight ─── no more ──▶ emitDeferred ─▶ done
 *
 * Every step is bounded, every cursor plain data; blocks are asked of the store one at a time.
 */

import type { InputBatch } from "../arrow/input.ts";
import { viewMarks } from "../arrow/mark.ts";
import { ColumnSource } from "../arrow/source.ts";
import { CHUNK_ROWS, type Region } from "../kernel/contract.ts";
import { existenceOf, type JoinSpec, keepsUnmatched } from "../spec/join-spec.ts";
import { BatchCoalescer } from "./batch-coalescer.ts";
import { BuildSide } from "./build-side.ts";
import { STREAM_EXPECTED } from "./join-machine.ts";
import type { HashJoinOptions } from "./join-options.ts";
import type { Step } from "./machine.ts";
import type { MemoryAccount } from "./memory.ts";
import { OutputPlan } from "./output-plan.ts";
import type { ProbeMarks } from "./probe-marks.ts";
import { isRequest, type RowFile } from "./row-file.ts";
import { RunMerge } from "./run-merge.ts";

/** Bytes of an output batch under way: a small part of the limit. */
export const outputBytes = (limit: number): number => limit / 16;

/** Rows of a batch of so many bytes. */
export function boundedRows(batchSize: number, bytes: number, rowBytes: number): number {
  return Math.max(1, Math.min(batchSize, Math.floor(bytes / Math.max(1, rowBytes))));
}

export class RightReplay {
  state: "replayRight" | "mergeRight" | "emitDeferred" | "done" = "replayRight";
  readonly #options: HashJoinOptions;
  readonly #spec: JoinSpec;
  readonly #account: MemoryAccount;
  readonly #right: RowFile;
  readonly #replays: boolean;
  readonly #files: readonly RowFile[];
  readonly #deferred: readonly RowFile[];
  readonly #marks: ProbeMarks | null;
  readonly #plan: OutputPlan;
  readonly #coalescer: BatchCoalescer;
  readonly #merge: RunMerge | null;
  readonly #ids: Region;
  #side: BuildSide;
  /** Files whose dictionaries were seen. */
  #seen = 0;
  /** Next block of right, or of the deferred file; the present batch, its first row, and where output stands in it. */
  #block = 0;
  #file = 0;
  #batch: InputBatch | null = null;
  #start = 0;
  #row = 0;
  #markColumn: ColumnSource | null = null;
  #then: ((block: Uint8Array) => void) | null = null;

  /** `replays` false: only the deferred rows are left to give. `sorted`: runs are merged, else right rows are given by their marks. */
  constructor(
    options: HashJoinOptions,
    spec: JoinSpec,
    account: MemoryAccount,
    right: RowFile,
    replays: boolean,
    sorted: boolean,
    runs: readonly RowFile[],
    deferred: readonly RowFile[],
    marks: ProbeMarks | null,
  ) {
    const { kernel, output, memoryLimit, switches = {} } = options;
    this.#options = options;
    this.#spec = spec;
    this.#account = account;
    this.#right = right;
    this.#replays = replays;
    this.#files = [...runs, ...deferred].filter(({ rows }) => rows > 0);
    this.#deferred = deferred;
    this.#marks = marks;
    this.#plan = new OutputPlan(kernel, spec, output, switches);
    this.#side = new BuildSide(spec.build, [], null);
    const batchSize = boundedRows(spec.batchSize, outputBytes(memoryLimit ?? Number.POSITIVE_INFINITY), this.#plan.rowBytes);
    this.#coalescer = new BatchCoalescer(kernel, this.#plan, this.#side, batchSize, spec.copy);
    this.#coalescer.expect(Math.min(batchSize, STREAM_EXPECTED));
    const outer = keepsUnmatched(spec.kind, spec.probe);
    this.#merge = sorted && replays ? new RunMerge(kernel, spec, runs, outer, marks, (build) => this.#setBuild(build)) : null;
    this.#ids = kernel.alloc(4 * CHUNK_ROWS, "scratch");
  }

  /** Right rows with and without a partner so far, where pairs are merged. */
  get counts(): RunMerge["counts"] | null {
    return this.#merge?.counts ?? null;
  }

  stored(block: Uint8Array | null): void {
    const then = this.#then;
    this.#then = null;
    if (block) then?.(block);
  }

  /** One unit of work; null: there is more. */
  step(): Step | null {
    if (!this.#coalescer.idle) {
      this.#account.setPending(this.#plan.heldBytes);
      const batch = this.#coalescer.step();
      return batch && { kind: "batch", batch };
    }
    switch (this.state) {
      case "replayRight":
        return this.#fetch();
      case "mergeRight":
        return this.#merge ? this.#mergeStep(this.#merge) : this.#emitMarked(this.#marks as ProbeMarks);
      case "emitDeferred":
        return this.#emitDeferred();
      case "done":
        return null;
    }
  }

  /** Block `i` of a file, now or when it was read. */
  #read(file: RowFile, i: number, then: (batch: InputBatch) => void): Step | null {
    const read = file.read(i);
    if (!isRequest(read)) {
      then(read);
      return null;
    }
    this.#then = (block) => then(file.decode(i, block));
    return { kind: "store", request: read };
  }

  #setBuild(build: BuildSide): void {
    this.#side.forget(this.#options.kernel);
    this.#side = build;
    this.#plan.setBuild(build.batches);
    this.#coalescer.setBuild(build);
  }

  #fetch(): Step | null {
    // The dictionaries of all passes become one before the first row comes out.
    if (this.#seen < this.#files.length) return this.#read(this.#files[this.#seen++], 0, (batch) => this.#plan.addBuild(batch));
    const i = this.#block++;
    if (i === 0) this.#plan.setBuild([]);
    if (i >= this.#right.blocks.length || !this.#replays) {
      this.#coalescer.flush();
      this.#coalescer.setProbe(null);
      this.#batch = null;
      this.#block = 0;
      this.state = "emitDeferred";
      return null;
    }
    return this.#read(this.#right, i, (batch) => {
      this.#begin(batch, this.#right.blocks[i].firstRow);
      this.#coalescer.setProbe(batch);
      this.#merge?.begin(batch, this.#start);
      this.state = "mergeRight";
    });
  }

  #begin(batch: InputBatch, start: number): void {
    this.#batch = batch;
    this.#start = start;
    this.#row = 0;
    this.#markColumn = null;
  }

  #mergeStep(merge: RunMerge): Step | null {
    if (merge.done) {
      this.state = "replayRight";
      return null;
    }
    const request = merge.wants;
    if (request) {
      this.#then = (block) => merge.refill(block);
      return { kind: "store", request };
    }
    this.#coalescer.add(merge.next(this.#coalescer.room));
    return null;
  }

  /** Right rows by their marks: those of a semi join, those without a partner, or all, with the mark. */
  #emitMarked(marks: ProbeMarks): null {
    const { length } = this.#batch as InputBatch;
    if (this.#row === length) {
      this.state = "replayRight";
      return null;
    }
    const coalescer = this.#coalescer;
    const existence = existenceOf(this.#spec.kind);
    if (existence === "mark") {
      this.#markColumn ??= new ColumnSource().add(viewMarks(marks.bits(this.#start, length), null, length));
      const count = Math.min(coalescer.room, length - this.#row);
      const column = { source: this.#markColumn, start: this.#row };
      coalescer.add({ count, probe: { kind: "run", start: this.#row }, build: null, marks: column });
      this.#row += count;
      return null;
    }
    const rows = this.#options.kernel.i32(this.#ids);
    const { room } = coalescer;
    const end = Math.min(length, this.#row + CHUNK_ROWS);
    let count = 0;
    for (; this.#row < end && count < room; this.#row++) {
      if (marks.has(this.#start + this.#row) === (existence === "semi")) rows[count++] = this.#row;
    }
    coalescer.add({ count, probe: { kind: "rows", rows: this.#ids, from: 0 }, build: null });
    return null;
  }

  /** Left rows without a partner, or those of an existence join of left, pass by pass. */
  #emitDeferred(): Step | null {
    const coalescer = this.#coalescer;
    const batch = this.#batch;
    if (batch && this.#row < batch.length) {
      const rows = this.#options.kernel.i32(this.#ids);
      const count = Math.min(coalescer.room, batch.length - this.#row);
      for (let i = 0; i < count; i++) rows[i] = this.#row++;
      coalescer.add({ count, probe: null, build: { rows: this.#ids, from: 0, hasNone: false } });
      return null;
    }
    const file = this.#deferred[this.#file];
    if (!file) {
      if (coalescer.rows > 0) coalescer.flush();
      else this.state = "done";
      return null;
    }
    if (this.#block === file.blocks.length) {
      this.#file++;
      this.#block = 0;
      return null;
    }
    return this.#read(file, this.#block++, (next) => {
      const side = new BuildSide(this.#spec.build, [], null);
      side.push(next);
      this.#setBuild(side);
      this.#begin(next, 0);
    });
  }
}
