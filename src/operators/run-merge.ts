/**
 * `RunMerge`: the last reading of the streamed side of a nested loop that took several passes. What each pass found, a run sorted by the
 * position of the streamed row, is merged with that side's batches into the result.
 *
 *     streamed rows   10     11     12
 *     run 0           10 a          12 c            result   (10,a) (10,d) (11,∅) (12,c)
 *     run 1           10 d
 *
 * Runs are in the order of their chunks, so partners of a row come in the order of the buffered side. Of each run one block is in memory.
 * O(rows + pairs); resumable anywhere, as the cursor is plain data.
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { JoinSpec } from "../spec/join-spec.ts";
import type { Piece } from "./batch-coalescer.ts";
import { BuildSide } from "./build-side.ts";
import { Cardinality } from "./cardinality.ts";
import type { StoreRequest } from "./machine.ts";
import type { ProbeMarks } from "./probe-marks.ts";
import { isRequest, type RowFile } from "./row-file.ts";

interface Run {
  readonly file: RowFile;
  /** Its next block, and the present one with the positions of its rows. */
  next: number;
  batch: InputBatch | null;
  streamed: Float64Array;
  buffered: Float64Array;
  at: number;
  /** Id of the block's first row among the blocks in memory. */
  base: number;
}

const NO_POSITIONS = new Float64Array(0);

/** The pseudo columns come first in a run. */
function positionsOf(batch: InputBatch, column: number): Float64Array {
  const view = batch.column(column);
  if (view.layout !== "words") return NO_POSITIONS;
  const { buffer, byteOffset } = view.words;
  return new Float64Array(buffer as ArrayBuffer, byteOffset, view.length);
}

export class RunMerge {
  readonly #kernel: Kernel;
  readonly #spec: JoinSpec;
  readonly #runs: readonly Run[];
  readonly #outer: boolean;
  readonly #cardinality: Cardinality;
  readonly #probe: Region;
  readonly #build: Region;
  /** Rows that have a partner though none is among the pairs: it took another. */
  readonly #marks: ProbeMarks | null;
  readonly #setBuild: (build: BuildSide) => void;
  /** Rows of all batches that have, and have not, a partner. */
  readonly counts = { matched: 0, unmatched: 0 };
  #rows = 0;
  #start = 0;
  #row = 0;
  #run = 0;
  #rowMatched = false;
  /** Partner of the present row so far, for what is forbidden. */
  #first = NONE;

  /** `setBuild` is told which blocks the ids of build rows are of from now on. */
  constructor(
    kernel: Kernel,
    spec: JoinSpec,
    files: readonly RowFile[],
    outer: boolean,
    marks: ProbeMarks | null,
    setBuild: (build: BuildSide) => void,
  ) {
    this.#marks = marks;
    this.#kernel = kernel;
    this.#spec = spec;
    this.#outer = outer;
    this.#setBuild = setBuild;
    const runs = files.map((file): Run => ({ file, next: 0, batch: null, streamed: NO_POSITIONS, buffered: NO_POSITIONS, at: 0, base: 0 }));
    // Where the last partner is wanted the runs are looked at from the last on: each has one.
    this.#runs = this.#last ? runs.reverse() : runs;
    this.#cardinality = new Cardinality(
      kernel,
      { ...spec, single: { left: false, right: false } },
      new BuildSide(spec.build, [], null),
      null,
    );
    this.#probe = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#build = kernel.alloc(4 * CHUNK_ROWS, "scratch");
  }

  get #last(): boolean {
    return this.#spec.multiple === "last" && this.#spec.limited === this.#spec.probe;
  }

  /** Takes a batch of the streamed side, whose first row is row `start` of all. */
  begin(batch: InputBatch, start: number): void {
    this.#rows = batch.length;
    this.#start = start;
    this.#row = 0;
    this.#run = 0;
    this.#cardinality.setBatch(batch, start);
  }

  get done(): boolean {
    return this.#row === this.#rows;
  }

  /** A block that must be read before `next`; null: none. What was read goes to `refill`. */
  get wants(): StoreRequest | null {
    for (const run of this.#runs) {
      if (run.at < run.streamed.length || run.next === run.file.blocks.length) continue;
      const read = run.file.read(run.next);
      if (isRequest(read)) return read;
      this.#set(run, read);
    }
    return null;
  }

  refill(bytes: Uint8Array): void {
    const run = this.#runs.find(({ at, streamed, next, file }) => at === streamed.length && next < file.blocks.length) as Run;
    this.#set(run, run.file.decode(run.next, bytes));
  }

  #set(run: Run, batch: InputBatch): void {
    run.next++;
    run.batch = batch;
    run.at = 0;
    run.streamed = positionsOf(batch, 0);
    run.buffered = positionsOf(batch, 1);
    const build = new BuildSide(this.#spec.build, [], null);
    for (const one of this.#runs) {
      one.base = build.rows;
      if (one.batch) build.push(one.batch);
    }
    this.#setBuild(build);
  }

  /** The next piece of at most `room` rows; it ends early where a block must be read. Valid until the next call. */
  next(room: number): Piece {
    const [probe, build] = [this.#kernel.i32(this.#probe), this.#kernel.i32(this.#build)];
    const limit = Math.min(room, CHUNK_ROWS);
    const one = this.#spec.multiple !== "all" && this.#spec.limited === this.#spec.probe;
    let count = 0;
    rows: for (; this.#row < this.#rows; this.#row++) {
      const position = this.#start + this.#row;
      for (; this.#run < this.#runs.length; this.#run++) {
        const run = this.#runs[this.#run];
        for (; run.at < run.streamed.length && run.streamed[run.at] === position; run.at++) {
          if (!one || !this.#rowMatched) {
            if (count === limit) break rows;
            probe[count] = this.#row;
            build[count++] = run.base + run.at;
          }
          this.#note(run.buffered[run.at]);
        }
        if (run.at === run.streamed.length && run.next < run.file.blocks.length) break rows;
      }
      this.#rowMatched ||= this.#marks?.has(position) === true;
      if (!this.#rowMatched && this.#outer && count === limit) break;
      this.#settle();
      if (!this.#rowMatched && this.#outer) {
        probe[count] = this.#row;
        build[count++] = NONE;
      }
      this.#run = 0;
      this.#rowMatched = false;
    }
    return { count, probe: { kind: "rows", rows: this.#probe, from: 0 }, build: { rows: this.#build, from: 0, hasNone: this.#outer } };
  }

  #note(buffered: number): void {
    const { single, probe } = this.#spec;
    if (this.#rowMatched && single[probe]) throw this.#cardinality.twoOfProbe(this.#row, this.#first, buffered);
    this.#rowMatched = true;
    this.#first = buffered;
  }

  #settle(): void {
    if (this.#rowMatched) this.counts.matched++;
    else {
      this.counts.unmatched++;
      if (this.#spec.matched[this.#spec.probe]) throw this.#cardinality.unmatchedProbe(this.#row);
    }
  }
}
