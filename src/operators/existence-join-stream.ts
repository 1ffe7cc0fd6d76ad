/**
 * `ExistenceJoinStream`: semi, anti and mark joins of either side: whether a row has a partner, never which (the states are those of
 * join-machine.ts). No pair is listed.
 *
 *     output side is     without a filter     one inequality     other ranges, many rows     any filter
 *     probed             its handle tells     KeyExtremes        RangeExistence              RowMatcher: ends at the first hit
 *     built              MatchMarks, by key   KeyExtremes        RangeExistence              RowMatcher: decided rows are not tested again
 *
 * The rows of the probed side come as they are looked up, those of the built side at the end; both in their own order. With `nullAware`
 * rows without a partner are compared once more (null-aware.ts).
 * Cost O(build + probe) without a filter, whatever the number of pairs. Then nothing is kept of build rows but their keys.
 */

import type { InputBatch } from "../arrow/input.ts";
import { viewMarks } from "../arrow/mark.ts";
import { ColumnSource } from "../arrow/source.ts";
import { CHUNK_ROWS, NONE, type Region } from "../kernel/contract.ts";
import { isInequality } from "../spec/filter-spec.ts";
import { existenceOf, outputSideOf } from "../spec/join-spec.ts";
import { BatchedJoinProcessor } from "./batched-join-processor.ts";
import { CandidatePairs } from "./candidate-pairs.ts";
import { ExistenceRounds } from "./existence-rounds.ts";
import type { IndexedRows } from "./indexed-rows.ts";
import type { InvertedIndex } from "./inverted-index.ts";
import { JoinMachine, STREAM_EXPECTED, type Task } from "./join-machine.ts";
import type { HashJoinOptions } from "./join-options.ts";
import { KeyExtremes } from "./key-extremes.ts";
import { LoopPairs } from "./loop-pairs.ts";
import { chooseLoop } from "./loop-tiles.ts";
import { MarkedHandles } from "./marked-handles.ts";
import { MatchMarks } from "./match-marks.ts";
import { NotFalsePairs } from "./null-aware.ts";
import type { PairFilter } from "./pair-filter.ts";
import { whenNeeded } from "./prepared.ts";
import type { HandleChunk, ProbeHandles } from "./probe-handles.ts";
import { type ChosenRange, chooseRange } from "./range-choice.ts";
import { RangeExistence } from "./range-existence.ts";
import type { RowParts } from "./row-filter.ts";
import { matchRows, type RowMatcher } from "./row-matcher.ts";
import { UndecidedRows } from "./undecided-rows.ts";

// ── states ───────────────────────────────────────────────────────────────────────────────────────

/** Where a chunk of probe rows stands: its partners are sought, then (`nullAware`) what is not FALSE, then its rows are output. */
interface ChunkWork {
  readonly chunk: HandleChunk;
  readonly batch: InputBatch;
  state: "match" | "notFalse" | "output";
  /** What its rows are compared with for NOT IN. */
  second: HandleChunk | null;
  /** The mark column, and rows of it that are output. */
  marks: ColumnSource | null;
  at: number;
}

interface DrainWork {
  readonly cursor: { row: number; at: number };
  readonly ids: Region;
  /** Rows that have asked for the extreme of their key. */
  asked: number;
  marks: ColumnSource | null;
}

type Path = "keys" | "extremes" | "pairs";

/** Whether one inequality is all that both sides must fulfil, and can be answered by the extreme of a key. */
function pathOf({ spec, built, switches }: HashJoinOptions): Path {
  const conjuncts = spec.filter?.conjuncts ?? [];
  const builtFilter = built ? (spec.filter?.[spec.build].conjuncts.length ?? 0) : 0;
  if (conjuncts.length + builtFilter === 0) return "keys";
  const single = conjuncts.length === 1 && isInequality(conjuncts[0]) && !built && spec.hashed === spec.build;
  return single && switches?.rangeSearch !== "off" && switches?.wherePath !== "loop" ? "extremes" : "pairs";
}

/** Whether the rows of a key must be known. */
function needsGroups(options: HashJoinOptions): boolean {
  const { kind, probe, hashed } = options.spec;
  const path = pathOf(options);
  return path === "pairs" || hashed === probe || (path === "keys" && outputSideOf(kind) !== probe);
}

export class ExistenceJoinStream extends JoinMachine {
  // ── construct ────────────────────────────────────────────────────────────────────────────────

  readonly #kind: "semi" | "anti" | "mark";
  /** The output side is the one that streams. */
  readonly #ofProbe: boolean;
  readonly #path: Path;
  readonly drains: boolean;
  readonly drainsUnmatched: boolean;
  #groups: ProbeHandles["groups"] = null;
  #extremes: KeyExtremes | null = null;
  /** Keys of the build rows, where they ask in the end. */
  #ids: Region | null = null;
  #marks: MatchMarks | null = null;
  #matcher: RowMatcher | null = null;
  #range: ChosenRange | null = null;
  /** Tests every candidate: the switch that shows what an early end saves. */
  #every: CandidatePairs | null = null;
  /** Rows of the chunk that passed then. */
  #hits: Region | null = null;
  #notFalse: NotFalsePairs | null = null;
  #notFalseRounds: ExistenceRounds | null = null;
  #notFalseRows: UndecidedRows | null = null;
  /** Build rows whose comparison is not FALSE. */
  #unknown: MatchMarks | null = null;
  #processor: BatchedJoinProcessor | null = null;
  #chunk: ChunkWork | null = null;
  #drain: DrainWork | null = null;
  /** Probe rows that were output, or not. */
  #expected = 0;

  constructor(options: HashJoinOptions) {
    super(options, needsGroups(options));
    const { spec } = options;
    this.#kind = existenceOf(spec.kind) ?? "semi";
    this.#ofProbe = outputSideOf(spec.kind) === spec.probe;
    this.#path = pathOf(options);
    this.drains = !this.#ofProbe;
    this.drainsUnmatched = this.drains && this.#kind !== "semi";
    this.counters.totals.pairsPassed = null;
    if (this.#ofProbe) this.counters.probe.unmatched = 0;
  }

  // ── build ────────────────────────────────────────────────────────────────────────────────────

  protected override get keepsBuildParts(): boolean {
    return this.#path !== "extremes" || !this.#ofProbe;
  }

  protected override observeBuild(rows: IndexedRows, parts: RowParts | null): IndexedRows {
    const range = this.filter?.conjuncts[0]?.range;
    if (this.#path !== "extremes" || !parts || !range) return rows;
    const { kernel, spec } = this;
    const extremes = new KeyExtremes(kernel, range, this.#ofProbe ? spec.build : spec.probe, this.build.rows);
    this.#extremes = extremes;
    this.#ids = this.#ofProbe ? null : kernel.alloc(4 * this.build.rows, "the extremes");
    return {
      keep: (batch, start, count) => rows.keep(batch, start, count),
      take: (batch, start, count, base, ids) => {
        rows.take(batch, start, count, base, ids);
        if (this.#ids) kernel.copy(this.#ids, 4 * base, ids, 0, 4 * count);
        else {
          parts.load(batch, start, count, 0);
          extremes.hold(ids, 0, parts, 0, count);
        }
      },
    };
  }

  protected override invert(...[index, encoder, rows, probeSide]: Parameters<JoinMachine["invertPairs"]>): InvertedIndex | MarkedHandles {
    if (this.#path === "pairs" || !this.#ofProbe) return this.invertPairs(index, encoder, rows, probeSide);
    return new MarkedHandles(this.kernel, index, encoder, probeSide, this.build, rows);
  }

  protected startProbing(handles: ProbeHandles, pairs: PairFilter | null): Task[] {
    const { kernel, spec, build, switches } = this;
    const { groups, groupCount } = handles;
    const tasks: Task[] = [];
    this.#groups = groups;
    if (!this.#ofProbe) this.#marks = new MatchMarks(kernel, build.rows, groups, groupCount);
    if (this.#path === "pairs" && pairs) this.#startPairs(handles, pairs, tasks);
    const { notFalse } = spec;
    if (notFalse && !notFalse.never && spec.keys.some((key) => !key.nullsEqual)) {
      const second = new NotFalsePairs(kernel, spec, notFalse, build, this.newEncoder(spec.build));
      this.#notFalse = second;
      tasks.push(() => second.prepare());
      tasks.push(() => {
        if (this.#ofProbe) this.#notFalseRounds = new ExistenceRounds(kernel, second.groups, second.filter, switches.tileRows);
        else {
          this.#unknown = new MatchMarks(kernel, build.rows, null, 0);
          this.#notFalseRows = new UndecidedRows(kernel, second.groups, second.groupCount, second.filter, this.#unknown, switches.tileRows);
        }
        return true;
      });
      tasks.push(() => this.#notFalseRows?.prepare() ?? true);
    }
    if (this.#ofProbe && this.#kind !== "mark") this.#processor = new BatchedJoinProcessor(kernel, handles, false, this.#kind === "semi");
    if (this.#ofProbe) tasks.push(() => this.releaseBuild());
    return tasks;
  }

  #startPairs(handles: ProbeHandles, pairs: PairFilter, tasks: Task[]): void {
    const { kernel, options, filter, buildParts, probeParts } = this;
    const { noEarlyExit, tileRows } = this.switches;
    if (noEarlyExit) {
      const tiles = chooseLoop(options, filter, handles.groups, buildParts, probeParts);
      const loop = tiles && new LoopPairs(kernel, tiles, tileRows);
      this.#every = loop ?? new CandidatePairs(kernel, handles.groups, pairs, tileRows);
      tasks.push(() => loop?.prepare() ?? this.#order(handles, pairs));
      return;
    }
    const range = chooseRange(options, filter, handles, buildParts, probeParts, this.build.rows);
    this.#range = range;
    const order = () => this.#order(handles, pairs);
    const others = whenNeeded(() => matchRows(options, filter, handles, pairs, this.#marks, buildParts, probeParts, order, range));
    if (range) {
      this.#matcher = new RangeExistence(kernel, range, this.#marks, this.index.keyedRows, others, tileRows);
      tasks.push(() => range.index.step());
    }
    // Under a limit what a search may need is made before the first row: then the build side can still be taken in smaller chunks.
    if (range && kernel.limitBytes === Number.POSITIVE_INFINITY) return;
    tasks.push(() => {
      const matcher = others();
      this.#matcher ??= matcher;
      return matcher !== null;
    });
  }

  /** An inverted index lists every pair once: what is ordered would be read once. */
  #order({ groups, groupCount }: ProbeHandles, pairs: PairFilter): boolean {
    return this.probeSide !== null || pairs.order(groups, groups ? this.kernel.i32(groups.offsets)[groupCount] : 0);
  }

  // ── probe ────────────────────────────────────────────────────────────────────────────────────

  protected decided(): boolean {
    if (this.#ofProbe && this.#kind !== "semi") return false;
    // An inverted index has read both sides already; what is null may decide more than keys.
    if (this.probeSide || this.#notFalse) return false;
    if (this.index.distinctKeys === 0 || this.filter?.never) return true;
    if (!this.#marks) return false;
    if (this.#path === "keys") return this.#marks.matchedKeys === this.index.distinctKeys;
    const { counters, build } = this;
    if (this.#ids) return this.#extremes?.allAnswered(counters.probe.batches, this.#ids, this.buildParts, build.rows) ?? false;
    return this.#path === "pairs" && (this.#matcher?.decided || this.#marks.matchedRows === this.index.keyedRows);
  }

  protected startChunk(chunk: HandleChunk, batch: InputBatch): void {
    const { kernel, counters } = this;
    const { handles, from, rows } = chunk;
    const summary = kernel.summarize(handles, from, from + rows, this.#groups);
    counters.totals.candidatePairs += summary.pairs;
    this.#chunk = { chunk, second: null, batch, state: "match", at: 0, marks: null };
    if (this.#extremes) this.#useExtremes(this.#extremes, chunk);
    else if (this.#path === "keys") this.#marks?.mark(handles, from, from + rows);
    else (this.#every ?? this.#matcher)?.begin(chunk);
  }

  #useExtremes(extremes: KeyExtremes, { handles, from, rows }: HandleChunk): void {
    const parts = this.probeParts as RowParts;
    if (this.#ids) extremes.hold(handles, from, parts, 0, rows);
    else this.kernel.clearHandles(handles, from, rows, extremes.ask(handles, from, parts, 0, rows));
  }

  protected continueChunk(): boolean {
    const work = this.#chunk;
    if (!work) return false;
    switch (work.state) {
      case "match":
        if (this.#matchStep(work.chunk)) this.#endMatch(work);
        return true;
      case "notFalse":
        if ((this.#notFalseRounds ?? this.#notFalseRows)?.step() === false) return true;
        work.state = "output";
        return this.#startOutput(work);
      case "output":
        return this.#output(work);
    }
  }

  #matchStep(chunk: HandleChunk): boolean {
    if (this.#path !== "pairs") return true;
    const every = this.#every;
    const done = every ? this.#testEvery(every, chunk) : (this.#matcher?.step() ?? true);
    this.counters.totals.pairsTested = (every ?? this.#matcher)?.tested ?? 0;
    return done;
  }

  /** Marks what passes; rows that never did lose their handles in the end. */
  #testEvery(every: CandidatePairs, { handles, from, start, rows }: HandleChunk): boolean {
    const { kernel } = this;
    this.#hits ??= kernel.alloc(CHUNK_ROWS / 8 + 64, "scratch", true);
    const more = every.next();
    if (this.#marks) this.#marks.markRows(every.build, 0, every.count);
    else {
      const bits = kernel.u8(this.#hits);
      const ids = kernel.i32(every.probe);
      for (let i = 0; i < every.count; i++) bits[(ids[i] - start) >> 3] |= 1 << ((ids[i] - start) & 7);
      if (!more) {
        kernel.clearHandles(handles, from, rows, this.#hits);
        bits.fill(0);
      }
    }
    return !more;
  }

  #endMatch(work: ChunkWork): void {
    const { kernel, counters } = this;
    const { handles, from, rows } = work.chunk;
    const { none } = kernel.summarize(handles, from, from + rows, this.#groups);
    counters.probeMatched += rows - none;
    if (counters.probe.unmatched !== null) counters.probe.unmatched += none;
    if (this.#notFalse) {
      work.second = this.#notFalse.handlesOf(work.chunk, work.batch, this.#ofProbe ? handles : null);
      (this.#notFalseRounds ?? this.#notFalseRows)?.begin(work.second);
      work.state = "notFalse";
      return;
    }
    work.state = "output";
    this.#startOutput(work);
  }

  #startOutput(work: ChunkWork): boolean {
    const { kernel } = this;
    const { chunk, second } = work;
    if (!this.#ofProbe) return true;
    const { handles, from, rows } = chunk;
    this.#expectRows(rows);
    const processor = this.#processor;
    if (!processor) {
      work.marks = this.#marksOf(chunk, second);
      return true;
    }
    if (second) {
      // NOT IN drops what may be in.
      const [ids, others] = [kernel.i32(handles), kernel.i32(second.handles)];
      for (let i = 0; i < rows; i++) if (others[i] !== NONE) ids[from + i] = 0;
    }
    processor.begin(chunk, kernel.summarize(handles, from, from + rows, this.#groups));
    return true;
  }

  /** The mark column of a chunk. */
  #marksOf({ handles, from, rows }: HandleChunk, second: HandleChunk | null): ColumnSource {
    const ids = this.kernel.i32(handles);
    const others = second && this.kernel.i32(second.handles);
    const marks = new Uint8Array((rows + 7) >> 3);
    const known = others && new Uint8Array((rows + 7) >> 3);
    for (let i = 0; i < rows; i++) {
      const matched = ids[from + i] !== NONE;
      if (matched) marks[i >> 3] |= 1 << (i & 7);
      if (known && others && (matched || others[i] === NONE)) known[i >> 3] |= 1 << (i & 7);
    }
    return new ColumnSource().add(viewMarks(marks, known, rows));
  }

  #output(work: ChunkWork): boolean {
    const { coalescer } = this;
    const processor = this.#processor;
    if (!this.#ofProbe || processor?.done) return false;
    if (processor) {
      this.add(processor.next(coalescer.room));
      return true;
    }
    const { start, rows } = work.chunk;
    const count = Math.min(coalescer.room, rows - work.at);
    if (count === 0) return false;
    const marks = { source: work.marks as ColumnSource, start: work.at };
    coalescer.add({ count, probe: { kind: "run", start: start + work.at }, build: null, marks });
    work.at += count;
    return true;
  }

  /** Rows still to come: as many as share the fate of those so far. */
  #expectRows(rows: number): void {
    const { probeRows } = this.options;
    if (probeRows === null) return this.coalescer.expect(Math.min(this.spec.batchSize, STREAM_EXPECTED));
    this.coalescer.expect(probeRows - this.#expected);
    this.#expected += rows;
  }

  // ── drain ────────────────────────────────────────────────────────────────────────────────────

  protected startDrain(): void {
    if (!this.#marks) return;
    this.#drain = { cursor: { row: 0, at: 0 }, ids: this.kernel.alloc(4 * CHUNK_ROWS, "scratch"), asked: 0, marks: null };
  }

  protected drainStep(): boolean {
    const { build, coalescer, counters } = this;
    const drain = this.#drain;
    const marks = this.#marks;
    if (!drain || !marks) return true;
    if (!marks.spread()) return false;
    if (this.#extremes && drain.asked < build.rows) return this.#askExtremes(drain, marks);
    const { cursor, ids } = drain;
    if (cursor.row === 0 && cursor.at === 0) {
      counters.build.unmatched = build.rows - marks.countRows();
      this.#finishMarks(drain, marks);
    }
    if (cursor.row < build.rows) {
      const wants = this.#kind === "semi";
      cursor.at = 0;
      if (this.#kind === "mark") this.#nextRows(cursor, ids, coalescer.room);
      else marks.scan(cursor, wants, ids, coalescer.room);
      const unmatched = counters.build.unmatched ?? 0;
      coalescer.expect(this.#kind === "mark" ? build.rows : wants ? build.rows - unmatched : unmatched);
      const source = drain.marks;
      coalescer.add({
        count: cursor.at,
        probe: null,
        build: { rows: ids, from: 0, hasNone: false },
        ...(source && { marks: { source, start: null } }),
      });
      return false;
    }
    if (coalescer.rows > 0) {
      coalescer.flush();
      return false;
    }
    return true;
  }

  #askExtremes(drain: DrainWork, marks: MatchMarks): false {
    const rows = Math.min(CHUNK_ROWS, this.build.rows - drain.asked);
    const bits = (this.#extremes as KeyExtremes).ask(this.#ids as Region, drain.asked, this.buildParts as RowParts, drain.asked, rows);
    this.kernel.copy(marks.rowMarks, drain.asked >>> 3, bits, 0, (rows + 7) >>> 3);
    drain.asked += rows;
    return false;
  }

  /** All rows have been compared: what the marks say in the end. */
  #finishMarks(drain: DrainWork, marks: MatchMarks): void {
    const { kernel, build } = this;
    const bytes = (build.rows + 7) >>> 3;
    const matched = kernel.u8(marks.rowMarks);
    const unknown = this.#unknown && kernel.u8(this.#unknown.rowMarks);
    if (this.#kind === "mark") {
      const known = unknown && new Uint8Array(bytes);
      if (known && unknown) for (let i = 0; i < bytes; i++) known[i] = matched[i] | ~unknown[i];
      drain.marks = new ColumnSource().add(viewMarks(matched.slice(0, bytes), known, build.rows));
    } else if (unknown) for (let i = 0; i < bytes; i++) matched[i] |= unknown[i];
  }

  #nextRows(cursor: { row: number; at: number }, ids: Region, limit: number): void {
    const out = this.kernel.i32(ids);
    const count = Math.min(limit, this.build.rows - cursor.row);
    for (let i = 0; i < count; i++) out[i] = cursor.row++;
    cursor.at = count;
  }

  // ── metrics ──────────────────────────────────────────────────────────────────────────────────

  protected get filterPath(): string {
    if (this.#path === "extremes") {
      const { spec, filter } = this;
      const held = this.#ofProbe ? spec.build : spec.probe;
      return `by one look at the extreme of ${filter?.conjuncts[0].range?.texts[held]}${spec.keys.length > 0 ? " of a key" : ""}`;
    }
    if (this.#range) return this.#range.text;
    return this.#path === "keys" ? "row by row" : this.#ofProbe ? "in rounds, until the first hit" : "by rows that are undecided";
  }
}
