/**
 * `BatchCoalescer`: turns pieces (runs of matches that an operator found) into output batches of at most `batchSize` rows.
 *
 * Rows are written straight into the buffers of the next batch; when that is full it is handed out. Probe rows that are consecutive are
 * not written at all: they wait as a *run*, and if the whole batch is one run its probe columns are slices of the input batch.
 *
 *     piece: run 0..n   | run continues | pairs ...         end of the input batch
 *     run    0..n       | 0..m          | written, run over -> slices if the run is at least half a batch, else written
 *
 * Boundaries (SEMANTICS 6.1): batches are full except where a phase ends, a run ends with its input batch, a passed-through dictionary
 * changes, an offset column would outgrow 32 bits, or the driver flushes.
 *
 * Every step is bounded: a piece is worked off a part of its rows and one column at a time; the cursor is plain data.
 * Cost per row and column: one gather, or nothing for a slice.
 */

import type { Data, RecordBatch } from "apache-arrow";
import type { DictionaryView } from "../arrow/column.ts";
import type { InputBatch } from "../arrow/input.ts";
import { copyDictionaries, type DictionaryCopies } from "../arrow/output.ts";
import { sliceData } from "../arrow/slice.ts";
import type { ColumnSource } from "../arrow/source.ts";
import { ArrowJoinError } from "../error.ts";
import { CHUNK_ROWS, type Kernel, NONE, type Region, type Segment } from "../kernel/contract.ts";
import type { OutputPlan, PlannedColumn } from "./output-plan.ts";

/** Rows of the probe batch: consecutive ones, or ids in kernel memory; null: none, the columns are null (drain). */
export type ProbeRows =
  | { readonly kind: "run"; readonly start: number }
  | { readonly kind: "rows"; readonly rows: Region; readonly from: number }
  | null;
/** Global ids of build rows; null: none, the columns are null (and there are none of them to fill). */
export type BuildRows = { readonly rows: Region; readonly from: number; readonly hasNone: boolean } | null;

/** Batches of a kept side, of which ids are located: a `BuildSide`. */
export interface KeptRows {
  readonly batches: { readonly length: number };
  startsIn(kernel: Kernel): Region;
}

export interface Piece {
  readonly count: number;
  readonly probe: ProbeRows;
  readonly build: BuildRows;
  /** Of the second kept side, the third ... */
  readonly more?: readonly BuildRows[];
  /** The marks of a mark join: of the piece's rows from `start` on, or null: by build row. */
  readonly marks?: { readonly source: ColumnSource; readonly start: number | null };
}

interface Work {
  readonly piece: Piece;
  done: number;
  /** Rows under way, and the next column for them. */
  size: number;
  column: number;
  /** Which kept side the ids were last located of. */
  located: number | null;
}

/** The run's probe columns are being written after all. */
interface Backfill {
  done: number;
  size: number;
  column: number;
}

interface Run {
  readonly start: number;
  count: number;
}

export class BatchCoalescer {
  readonly #kernel: Kernel;
  readonly #plan: OutputPlan;
  #build: readonly KeptRows[];
  readonly #batchSize: number;
  readonly #copy: boolean;
  #scratch: { sources: Region; rows: Region } | null = null;
  #next: InputBatch | null | undefined;
  #dictionaries: DictionaryView[] = [];
  #rows = 0;
  #run: Run | null = null;
  #work: Work | null = null;
  #backfill: Backfill | null = null;
  #emit = false;
  readonly #copies: DictionaryCopies = new Map();
  #expected = 0;

  /** A build side must be complete, or its batches only change while this is idle. */
  constructor(kernel: Kernel, plan: OutputPlan, build: KeptRows | readonly KeptRows[], batchSize: number, copy: boolean) {
    this.#kernel = kernel;
    this.#plan = plan;
    this.#build = "length" in build ? build : [build];
    this.#batchSize = batchSize;
    this.#copy = copy;
  }

  /** Ids of build rows are of these batches from now on. Only when idle. */
  setBuild(build: KeptRows): void {
    this.#build = [build];
  }

  #ids(): Region {
    return this.#kernel.alloc(4 * CHUNK_ROWS, "scratch");
  }

  /** Rows that wait for their batch to fill. */
  get rows(): number {
    return this.#rows;
  }

  /** Rows that the next piece may have. */
  get room(): number {
    return Math.min(CHUNK_ROWS, this.#batchSize - this.#rows);
  }

  get idle(): boolean {
    return this.#work === null && this.#backfill === null && this.#next === undefined && !this.#emit;
  }

  /** The next pieces are of this probe batch; null: no probe rows any more. */
  setProbe(batch: InputBatch | null): void {
    this.#next = batch;
  }

  /** Hands out what there is with the next step. */
  flush(): void {
    if (this.#rows > 0) this.#emit = true;
  }

  /** Rows that are likely still to come: buffers are made for as many, up to a batch. Untouched memory costs nothing. */
  expect(rows: number): void {
    this.#expected = rows;
  }

  /** Only when idle, with at most `room` rows. */
  add(piece: Piece): void {
    if (piece.count === 0) return;
    this.#work = { piece, done: 0, size: 0, column: 0, located: null };
    const { probe } = piece;
    if (this.#copy || probe?.kind !== "run") {
      if (this.#run) this.#startBackfill();
    } else if (this.#rows === 0) this.#run = { start: probe.start, count: 0 };
    else if (this.#run && this.#run.start + this.#run.count !== probe.start) this.#startBackfill();
  }

  /** One bounded piece of work; a batch when one is complete. */
  step(): RecordBatch | null {
    if (this.#backfill) return this.#stepBackfill(this.#backfill);
    if (this.#emit) return this.#emitBatch();
    if (this.#next !== undefined) return this.#switchProbe(this.#next);
    if (this.#work) return this.#stepWork(this.#work);
    return null;
  }

  // ── probe batches ──────────────────────────────────────────────────────────────────────────────

  #switchProbe(next: InputBatch | null): RecordBatch | null {
    if (this.#run && this.#rows > 0) {
      // At least half a batch, or the whole of a short input batch that nothing follows: worth a batch of its own.
      if (next === null || this.#run.count * 2 >= this.#batchSize) return this.#emitBatch();
      this.#startBackfill();
      return null;
    }
    const { columns } = this.#plan;
    for (const column of columns) {
      if (next) column.setProbe(next);
      else column.probeSource = null;
    }
    const dictionaries = columns.flatMap((column) => column.passedDictionaries());
    const same = dictionaries.length === this.#dictionaries.length && dictionaries.every((d, i) => d === this.#dictionaries[i]);
    this.#dictionaries = dictionaries;
    this.#next = undefined;
    if (!same && this.#rows > 0) return this.#emitBatch();
    return null;
  }

  #startBackfill(): void {
    this.#backfill = { done: 0, size: 0, column: 0 };
  }

  /** Writes the run's probe columns after all. */
  #stepBackfill(state: Backfill): RecordBatch | null {
    const run = this.#run as Run;
    if (state.done === run.count) {
      this.#backfill = null;
      this.#run = null;
      return null;
    }
    if (state.column === 0) state.size = Math.min(this.#partRows(), run.count - state.done);
    const column = this.#plan.columns[state.column];
    if (column?.passes) {
      const segment: Segment = { kind: "run", source: 0, start: run.start + state.done, count: state.size, hasNone: false };
      if (state.done === 0) this.#reserve(column);
      if (!column.writer.append(column.probeSource as ColumnSource, segment)) {
        // Too many bytes for one column: then the run leaves as slices, which have no such bound, and what follows starts a batch.
        for (const { writer, passes } of this.#plan.columns) if (passes) writer.truncate(0);
        this.#backfill = null;
        return this.#emitBatch();
      }
    }
    state.column++;
    if (state.column < this.#plan.columns.length) return null;
    state.column = 0;
    state.done += state.size;
    return null;
  }

  // ── pieces ─────────────────────────────────────────────────────────────────────────────────────

  #stepWork(work: Work): RecordBatch | null {
    const { columns } = this.#plan;
    // After a batch was handed out in the middle of a piece, what follows of a run starts a new one.
    const { probe } = work.piece;
    if (work.column === 0 && this.#rows === 0 && !this.#copy && probe?.kind === "run")
      this.#run = { start: probe.start + work.done, count: 0 };
    if (work.column === 0 && work.size === 0) work.size = Math.min(this.#partRows(), work.piece.count - work.done);
    if (columns.length > 0) {
      const column = columns[work.column];
      if (this.#rows === 0) this.#reserve(column);
      if (!this.#append(column, work)) return this.#overflow(work);
      work.column++;
      if (work.column < columns.length) return null;
    }
    this.#rows += work.size;
    if (this.#run) this.#run.count += work.size;
    work.done += work.size;
    work.size = 0;
    work.column = 0;
    work.located = null;
    if (work.done === work.piece.count) this.#work = null;
    // A step of its own, so that the full buffers are seen by who counts memory.
    if (this.#rows >= this.#batchSize) this.#emit = true;
    return null;
  }

  /** An offset column is full: the columns go back to equal length, and the batch ends before these rows. */
  #overflow(work: Work): RecordBatch | null {
    for (const column of this.#plan.columns) column.writer.truncate(this.#run && column.passes ? 0 : this.#rows);
    work.column = 0;
    work.located = null;
    if (this.#rows > 0) {
      work.size = 0;
      return this.#emitBatch();
    }
    if (work.size === 1) {
      throw new ArrowJoinError(
        "MEMORY_LIMIT",
        "One row of the result has more than 2^31 - 1 bytes in a column with 32-bit offsets. Convert that column to its large type, or leave it out with select.",
      );
    }
    work.size >>= 1;
    return null;
  }

  /** Rows of one part: so few that a column of it takes well under a step's time. */
  #partRows(): number {
    return Math.max(1, Math.floor(CHUNK_ROWS / this.#plan.rowWeight));
  }

  #reserve(column: PlannedColumn): void {
    if (!(this.#run && column.passes && !this.#backfill)) column.writer.expect(Math.min(this.#batchSize, this.#expected));
  }

  #append(column: PlannedColumn, work: Work): boolean {
    const { writer } = column;
    const { piece, done, size } = work;
    if (column.prefersBuild && column.probe !== null && piece.probe) return this.#appendEither(column, work);
    if (column.probe !== null && piece.probe) {
      if (this.#run && column.passes) return true;
      return writer.append(column.probeSource as ColumnSource, probeSegment(piece.probe, done, size));
    }
    if (column.isMark && piece.marks) return writer.append(piece.marks.source, markSegment(piece, done, size));
    if (column.build !== null && buildOf(piece, column.from))
      return writer.append(column.buildSource, this.#buildSegment(column, work, done, size));
    return writer.appendNulls(size);
  }

  #buildSegment({ buildSource, from: side }: PlannedColumn, work: Work, at: number, count: number): Segment {
    const { rows, from, hasNone } = buildOf(work.piece, side) as NonNullable<BuildRows>;
    const build = this.#build[side];
    if (buildSource.placed || build.batches.length <= 1) return { kind: "rows", source: 0, rows, from: from + at, count, hasNone };
    const { sources, rows: inSource } = (this.#scratch ??= { sources: this.#ids(), rows: this.#ids() });
    if (work.located !== side) {
      this.#kernel.locate(rows, from + work.done, work.size, build.startsIn(this.#kernel), build.batches.length, sources, inSource, 0);
      work.located = side;
    }
    return { kind: "located", sources, rows: inSource, from: at - work.done, count, hasNone };
  }

  /** A coalesced key: the build side's value where there is a build row, else the probe side's; stretch by stretch. */
  #appendEither(column: PlannedColumn, work: Work): boolean {
    const { piece, done, size } = work;
    const build = piece.build as NonNullable<BuildRows>;
    const before = column.writer.rows;
    let at = done;
    while (at < done + size) {
      const ids = this.#kernel.i32(build.rows);
      const none = ids[build.from + at] === NONE;
      let end = at + 1;
      while (end < done + size && (ids[build.from + end] === NONE) === none) end++;
      const ok = none
        ? column.writer.append(column.probeSource as ColumnSource, probeSegment(piece.probe as NonNullable<ProbeRows>, at, end - at))
        : column.writer.append(column.buildSource, this.#buildSegment(column, work, at, end - at));
      if (!ok) {
        column.writer.truncate(before);
        return false;
      }
      at = end;
    }
    return true;
  }

  // ── batches ────────────────────────────────────────────────────────────────────────────────────

  #emitBatch(): RecordBatch {
    const rows = this.#rows;
    const run = this.#run;
    const columns = this.#plan.columns.map((column): Data => {
      if (!run || !column.passes) return column.writer.finish();
      const [view] = (column.probeSource as ColumnSource).views;
      column.writer.rememberDictionaries(view);
      return sliceData(view, run.start, rows, column.type);
    });
    if (this.#copy) for (const data of columns) copyDictionaries(data, this.#copies);
    this.#rows = 0;
    this.#run = null;
    this.#emit = false;
    return this.#plan.output.makeBatch(columns, rows);
  }
}

const buildOf = (piece: Piece, side: number): BuildRows => (side === 0 ? piece.build : (piece.more?.[side - 1] ?? null));

function markSegment({ marks, build }: Piece, at: number, count: number): Segment {
  if (marks?.start != null) return { kind: "run", source: 0, start: marks.start + at, count, hasNone: false };
  const { rows, from } = build as NonNullable<BuildRows>;
  return { kind: "rows", source: 0, rows, from: from + at, count, hasNone: false };
}

function probeSegment(probe: NonNullable<ProbeRows>, at: number, count: number): Segment {
  if (probe.kind === "run") return { kind: "run", source: 0, start: probe.start + at, count, hasNone: false };
  return { kind: "rows", source: 0, rows: probe.rows, from: probe.from + at, count, hasNone: false };
}
