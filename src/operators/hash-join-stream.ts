/**
 * `HashJoinStream`: inner, left, right and full joins on equal keys, with or without a residual filter, as a machine without I/O (the
 * states are those of join-machine.ts).
 *
 *     probe rows ─▶ match handles ─┬─ pairs as they are ─▶ BatchedJoinProcessor ─┐
 *                                  └─ pairs to be tested ─▶ FilteredPairs ───────┴─▶ BatchCoalescer        unmatched build rows last
 *
 * Row order is probe order, partners in build order, unmatched build rows last (SEMANTICS 5).
 * Cost O(build + probe + candidates + output); memory: the build batches, the index, one chunk of scratch and one output batch.
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import { keepsUnmatched } from "../spec/join-spec.ts";
import { BatchedJoinProcessor } from "./batched-join-processor.ts";
import { CandidatePairs, type PairSource } from "./candidate-pairs.ts";
import { Cardinality } from "./cardinality.ts";
import { type BuildClaims, FilteredPairs } from "./filtered-pairs.ts";
import { JoinMachine, STREAM_EXPECTED, type Task } from "./join-machine.ts";
import type { HashJoinOptions } from "./join-options.ts";
import { LoopPairs } from "./loop-pairs.ts";
import { chooseLoop } from "./loop-tiles.ts";
import { MatchMarks } from "./match-marks.ts";
import type { PairFilter } from "./pair-filter.ts";
import { type Prepared, whenNeeded } from "./prepared.ts";
import type { HandleChunk, ProbeHandles } from "./probe-handles.ts";
import { type ChosenRange, chooseRange } from "./range-choice.ts";
import { RangePairs } from "./range-pairs.ts";

// ── states ───────────────────────────────────────────────────────────────────────────────────────

/** The drain: rows of the build side are scanned for those without a partner. */
interface Drain {
  readonly cursor: { row: number; at: number };
  readonly ids: Region;
}

export class HashJoinStream extends JoinMachine {
  // ── construct ────────────────────────────────────────────────────────────────────────────────

  readonly #outer: boolean;
  protected readonly drains: boolean;
  protected readonly drainsUnmatched: boolean;
  #groups: ProbeHandles["groups"] = null;
  #marks: MatchMarks | null = null;
  #cardinality: Cardinality | null = null;
  #candidates: PairSource | null = null;
  /** Where pairs must be looked at, and where they need not. */
  #filtered: FilteredPairs | null = null;
  #processor: BatchedJoinProcessor | null = null;
  #drain: Drain | null = null;
  #range: ChosenRange | null = null;
  /** Probe rows looked up. */
  #probed = 0;

  constructor(options: HashJoinOptions) {
    super(options, true);
    const { spec } = options;
    this.#outer = keepsUnmatched(spec.kind, spec.probe);
    this.drains = keepsUnmatched(spec.kind, spec.build);
    this.drainsUnmatched = this.drains || spec.matched[spec.build];
    if (this.#outer || spec.matched[spec.probe]) this.counters.probe.unmatched = 0;
  }

  // ── build ────────────────────────────────────────────────────────────────────────────────────

  protected startProbing(handles: ProbeHandles, pairs: PairFilter | null): Task[] {
    const { kernel, spec } = this;
    this.#groups = handles.groups;
    if (this.drainsUnmatched) this.#marks = new MatchMarks(kernel, this.build.rows, handles.groups, handles.groupCount);
    this.#cardinality = new Cardinality(kernel, spec, this.build, handles.groups, this.options.pass?.firstBuild);
    const limits = spec.multiple !== "all";
    const claimed = limits && spec.limited === spec.build;
    if (!pairs && !claimed) {
      this.#processor = new BatchedJoinProcessor(kernel, handles, this.#outer, null);
      return [];
    }
    const tasks: Task[] = [];
    const range = chooseRange(this.options, this.filter, handles, this.buildParts, this.probeParts, this.build.rows);
    this.#range = range;
    const make = () => this.#testPairs(handles, pairs);
    let candidates: PairSource;
    if (range) {
      const others = whenNeeded(make);
      candidates = new RangePairs(kernel, range, others, this.switches.tileRows);
      tasks.push(() => range.index.step());
      // Under a limit what may be needed is made before the first row: then the build side can still be taken in smaller chunks.
      if (kernel.limitBytes < Number.POSITIVE_INFINITY) tasks.push(() => others() !== null);
    } else {
      const { value, prepare } = make();
      candidates = value;
      tasks.push(prepare);
    }
    const claims = claimed
      ? spec.multiple === "last"
        ? new LastClaims(kernel, this.build.rows)
        : new FirstClaims(kernel, this.build.rows)
      : null;
    const keep = claimed || !limits ? "all" : spec.multiple === "last" ? "last" : "first";
    const found = (rows: Region, count: number) => this.markProbe({ kind: "rows", rows, from: 0 }, count);
    const rules = { outer: this.#outer, matched: spec.matched[spec.probe], keep, claims, found } as const;
    this.#candidates = candidates;
    this.#filtered = new FilteredPairs(kernel, candidates, rules, this.#marks, this.#cardinality);
    if (claims instanceof LastClaims) tasks.push(this.#findLast(claims, handles, candidates));
    return tasks;
  }

  /** Tests every pair, those of a join without keys by tiles. */
  #testPairs({ groups, groupCount }: ProbeHandles, pairs: PairFilter | null): Prepared<CandidatePairs> {
    const { kernel, switches } = this;
    const { rest = null, modest = false } = this.#range ?? {};
    if (modest) return { value: new CandidatePairs(kernel, groups, pairs, switches.tileRows), prepare: () => true };
    const tiles = chooseLoop(this.options, this.filter, groups, this.buildParts, this.probeParts, rest !== null);
    if (tiles) {
      const value = new LoopPairs(kernel, tiles, switches.tileRows);
      return { value, prepare: () => value.prepare() };
    }
    const members = groups ? kernel.i32(groups.offsets)[groupCount] : 0;
    // An inverted index lists every pair once: what is ordered would be read once.
    const prepare = () =>
      !pairs || this.probeSide !== null || (pairs.order(groups, members) && pairs.orderSearch(groups, members, this.build.rows));
    return { value: new CandidatePairs(kernel, groups, pairs, switches.tileRows), prepare };
  }

  // ── probe ────────────────────────────────────────────────────────────────────────────────────

  protected decided(): boolean {
    if (this.#outer || this.spec.matched[this.spec.probe]) return false;
    // An inverted index has read both sides already.
    return !this.probeSide && (this.index.distinctKeys === 0 || this.filter?.never === true);
  }

  protected startChunk(chunk: HandleChunk, batch: InputBatch, global: number): void {
    const { kernel, counters, spec } = this;
    const { handles, from, start, rows } = chunk;
    const summary = kernel.summarize(handles, from, from + rows, this.#groups);
    const cardinality = this.#cardinality as Cardinality;
    cardinality.setBatch(batch, global - start);
    counters.totals.candidatePairs += summary.pairs;
    if (this.#filtered) {
      this.#expectRows(rows);
      this.#filtered.begin(chunk, global - start);
      return;
    }
    counters.probeMatched += rows - summary.none;
    counters.totals.pairsPassed = (counters.totals.pairsPassed ?? 0) + summary.pairs;
    if (counters.probe.unmatched !== null) counters.probe.unmatched += summary.none;
    cardinality.checkHandles(chunk);
    if (spec.matched[spec.probe] && summary.none > 0) {
      const ids = kernel.i32(handles).subarray(from, from + rows);
      throw cardinality.unmatchedProbe(start + ids.indexOf(NONE));
    }
    this.#marks?.mark(handles, from, from + rows);
    this.#expectRows(rows);
    if (spec.multiple !== "all" && summary.multi > 0) {
      this.#chooseOne(chunk);
      (this.#processor as BatchedJoinProcessor).begin(chunk, kernel.summarize(handles, from, from + rows, this.#groups));
    } else (this.#processor as BatchedJoinProcessor).begin(chunk, summary);
  }

  /** Each group gives its first or its last row only. */
  #chooseOne({ handles, from, rows }: HandleChunk): void {
    if (!this.#groups) return;
    const ids = this.kernel.i32(handles);
    const offsets = this.kernel.i32(this.#groups.offsets);
    const members = this.kernel.i32(this.#groups.rows);
    const last = this.spec.multiple === "last";
    for (let i = from; i < from + rows; i++) {
      const group = -2 - ids[i];
      if (group >= 0) ids[i] = members[last ? offsets[group + 1] - 1 : offsets[group]];
    }
  }

  protected continueChunk(): boolean {
    const source = this.#filtered ?? (this.#processor as BatchedJoinProcessor);
    if (source.done) return false;
    this.add(source.next(this.coalescer.room));
    const filtered = this.#filtered;
    if (!filtered) return true;
    const { counters } = this;
    counters.totals.pairsTested = this.#candidates?.tested ?? 0;
    counters.totals.pairsPassed = filtered.counts.pairs;
    counters.probeMatched = filtered.counts.matched;
    if (counters.probe.unmatched !== null) counters.probe.unmatched = filtered.counts.unmatched;
    return true;
  }

  /** Rows still to come, judged by those looked up so far, these `rows` among them: how large the next buffers are made. */
  #expectRows(rows: number): void {
    const { probeRows } = this.options;
    const { probe, totals } = this.counters;
    if (probeRows === null) return this.coalescer.expect(Math.min(this.spec.batchSize, STREAM_EXPECTED));
    const before = this.#probed;
    this.#probed += rows;
    if (this.#filtered && before === 0) return this.coalescer.expect(Math.min(this.spec.batchSize, STREAM_EXPECTED));
    // What a filter lets through is known of the chunks before.
    const of = this.#filtered ? before : this.#probed;
    const output = (totals.pairsPassed ?? 0) + (this.#outer ? (probe.unmatched ?? 0) : 0);
    this.coalescer.expect(Math.ceil((probeRows - before) * Math.min(1000, output / of) * 1.05) + 1);
  }

  /** Goes through all probe rows of a one-shot join before the first is output: which probe row comes last for each build row. */
  #findLast(claims: LastClaims, handles: ProbeHandles, candidates: PairSource): Task {
    // Batches without rows are not among those that were pushed.
    const batches = (this.options.probeBatches ?? []).filter((batch) => batch.length > 0);
    let index = 0;
    let row = 0;
    let start = 0;
    let busy = 0;
    return () => {
      const batch = batches[index];
      if (busy > 0) {
        if (candidates.next()) claims.note(candidates.probe, candidates.build, candidates.count, start);
        else {
          row += busy;
          busy = 0;
        }
      } else if (!batch) {
        candidates.tested = 0;
        return true;
      } else if (row === batch.length) {
        start += row;
        row = 0;
        index++;
      } else {
        const chunk = handles.next(batch, index, row);
        if (!chunk) return false;
        this.restrict(chunk, batch);
        candidates.begin(chunk);
        busy = chunk.rows;
      }
      return false;
    };
  }

  // ── drain ────────────────────────────────────────────────────────────────────────────────────

  protected startDrain(): void {
    if (this.#marks) this.#drain = { cursor: { row: 0, at: 0 }, ids: this.kernel.alloc(4 * CHUNK_ROWS, "scratch") };
  }

  protected drainStep(): boolean {
    const { spec, coalescer, counters } = this;
    const marks = this.#marks;
    if (!this.#drain || !marks) return true;
    const { cursor, ids } = this.#drain;
    if (!marks.spread()) return false;
    if (cursor.row === 0 && cursor.at === 0) counters.build.unmatched = this.build.rows - marks.countRows();
    const unmatched = counters.build.unmatched ?? 0;
    if (cursor.row < this.build.rows && unmatched > 0) {
      cursor.at = 0;
      marks.scan(cursor, false, ids, this.drains ? coalescer.room : 1);
      if (cursor.at === 0) return false;
      if (spec.matched[spec.build]) throw (this.#cardinality as Cardinality).unmatchedBuild(this.kernel.i32(ids)[0]);
      coalescer.expect(unmatched);
      coalescer.add({ count: cursor.at, probe: null, build: { rows: ids, from: 0, hasNone: false } });
      return false;
    }
    if (coalescer.rows > 0) {
      coalescer.flush();
      return false;
    }
    return true;
  }

  // ── metrics ──────────────────────────────────────────────────────────────────────────────────

  protected get filterPath(): string {
    return this.#range?.text ?? (this.#filtered ? "pair by pair" : "row by row");
  }
}

/** A build row takes the first probe row that asks. One bit a row. */
class FirstClaims implements BuildClaims {
  readonly #kernel: Kernel;
  readonly #taken: Region;

  constructor(kernel: Kernel, rows: number) {
    this.#kernel = kernel;
    this.#taken = kernel.alloc((rows + 7) >>> 3, "the chosen partners", true);
  }

  takes(build: number): boolean {
    const bits = this.#kernel.u8(this.#taken);
    const bit = 1 << (build & 7);
    if (bits[build >>> 3] & bit) return false;
    bits[build >>> 3] |= bit;
    return true;
  }
}

/** A build row takes its last partner, found beforehand. 4 bytes a row. */
class LastClaims implements BuildClaims {
  readonly #kernel: Kernel;
  readonly #last: Region;

  constructor(kernel: Kernel, rows: number) {
    this.#kernel = kernel;
    this.#last = kernel.alloc(4 * rows, "the chosen partners");
  }

  note(probe: Region, build: Region, count: number, start: number): void {
    const [probes, builds, last] = [this.#kernel.i32(probe), this.#kernel.i32(build), this.#kernel.i32(this.#last)];
    for (let i = 0; i < count; i++) last[builds[i]] = start + probes[i];
  }

  takes(build: number, probeRow: number): boolean {
    return this.#kernel.i32(this.#last)[build] === probeRow;
  }
}
