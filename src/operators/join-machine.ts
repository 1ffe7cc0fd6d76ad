/**
 * `JoinMachine`: what the hash joins share: the build side is kept and indexed, probe rows are looked up a chunk at a time, output leaves
 * through the `BatchCoalescer`. `HashJoinStream` pairs rows, `ExistenceJoinStream` only asks whether there is a partner.
 *
 *                   end(build)             index complete                        end(probe)
 *     buffering ───────────────▶ indexing ─────────┬──────▶ preparing ─▶ waiting ◀──────┬────────────▶ draining ───▶ done
 *                                                  │            ▲           │ push(probe) │ batch done    ▲  build rows
 *                              probe side hashed   ▼            │           ▼             │               │
 *                                               inverting ──────┘        probing ─────────┘               │
 *                                                                           └── everything is decided ────┘
 *
 * Every unit of work is bounded, every cursor plain data. A residual filter's conditions on one side alone rule out rows before they are
 * indexed or looked up; in a prepared join, whose index is there already, those on the build side are tested with the pairs.
 */

import type { RecordBatch, Schema } from "apache-arrow";
import type { InputBatch } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import { CHUNK_ROWS, type Kernel } from "../kernel/contract.ts";
import { type ExplainState, explainJoin } from "../spec/explain.ts";
import type { FilterSpec } from "../spec/filter-spec.ts";
import { type JoinSpec, otherSide, type Side } from "../spec/join-spec.ts";
import { BatchCoalescer, type Piece, type ProbeRows } from "./batch-coalescer.ts";
import { BuildSide } from "./build-side.ts";
import { FilteredRows, type IndexedRows, visitRows, withoutRowFilter } from "./indexed-rows.ts";
import { InvertedIndex } from "./inverted-index.ts";
import { JoinIndexMap } from "./join-index-map.ts";
import type { HashJoinOptions, JoinSwitches } from "./join-options.ts";
import { KeyEncoder, KeySpace } from "./key-encoder.ts";
import { layoutKeys } from "./key-layout.ts";
import { Budget, DONE, type InputName, type Machine, type Step, WORKING } from "./machine.ts";
import type { MarkedHandles } from "./marked-handles.ts";
import { MemoryAccount } from "./memory.ts";
import { Counters, type JoinMetrics } from "./metrics.ts";
import { neededColumns, OutputPlan } from "./output-plan.ts";
import { PairFilter } from "./pair-filter.ts";
import { type HandleChunk, HashedHandles, type ProbeHandles } from "./probe-handles.ts";
import { ProbeRestriction } from "./probe-restriction.ts";
import { RowFilter, RowParts } from "./row-filter.ts";
import { RowIndex } from "./row-index.ts";

// ── states ───────────────────────────────────────────────────────────────────────────────────────

type State =
  | { readonly at: "buffering" }
  | { readonly at: "indexing" }
  | { readonly at: "inverting"; readonly inverted: InvertedIndex | MarkedHandles }
  | { readonly at: "preparing"; readonly tasks: Task[] }
  | { readonly at: "waiting" }
  | { readonly at: "probing"; readonly batch: InputBatch; row: number; chunkRows: number }
  | { readonly at: "draining" }
  | { readonly at: "done" };

/** Rows that a stream's buffers are made for at first: its batches are rarely longer. */
export const STREAM_EXPECTED = 65536;

/** One bounded piece of work a call; true when done. */
export type Task = () => boolean;

const TRANSITIONS: Readonly<Record<State["at"], readonly State["at"][]>> = {
  buffering: ["indexing", "done"],
  indexing: ["inverting", "preparing"],
  inverting: ["preparing"],
  preparing: ["waiting"],
  waiting: ["probing", "draining"],
  probing: ["waiting", "draining"],
  draining: ["done"],
  done: [],
};

export abstract class JoinMachine implements Machine {
  // ── construct ────────────────────────────────────────────────────────────────────────────────

  protected readonly spec: JoinSpec;
  protected readonly kernel: Kernel;
  protected readonly options: HashJoinOptions;
  protected readonly switches: JoinSwitches;
  readonly counters = new Counters();
  protected readonly plan: OutputPlan;
  protected readonly build: BuildSide;
  /** The probe batches, where they are all needed before the first result: the probe side is hashed. */
  protected readonly probeSide: BuildSide | null;
  /** By key, or of a join without keys: all rows. */
  protected readonly index: JoinIndexMap | RowIndex;
  /** The residual filter; conditions on the build side alone are among those on pairs where the index was there before. */
  protected readonly filter: FilterSpec | null;
  readonly #space: KeySpace | null;
  readonly #account: MemoryAccount;
  readonly #budget = new Budget();
  #state: State = { at: "buffering" };
  #handles: ProbeHandles | null = null;
  #coalescer: BatchCoalescer | null = null;
  #restriction: ProbeRestriction | null = null;
  protected buildParts: RowParts | null = null;
  #hashed: IndexedRows | null = null;
  #pairFilter: PairFilter | null = null;
  #ended = { build: false, probe: false };
  #queue: InputBatch[] = [];
  #probeIndex = 0;
  /** Rows of the probe batches before the present one. */
  #probeStart = 0;

  /** `grouped`: partners are listed, so the rows of a key are grouped. */
  constructor(options: HashJoinOptions, grouped: boolean) {
    const { spec, kernel, built, switches = {} } = options;
    this.spec = spec;
    this.kernel = kernel;
    this.options = options;
    this.switches = switches;
    const invert = spec.hashed === spec.probe;
    this.filter = built && !invert && spec.filter ? withoutRowFilter(spec.filter, spec.build) : spec.filter;
    this.#account = options.pass?.account ?? new MemoryAccount(kernel);
    const account = options.charged ? this.#account : null;
    this.plan = new OutputPlan(kernel, spec, options.output, switches);
    const newSide = (side: Side) => new BuildSide(side, neededColumns(spec, side), account);
    this.build = (!invert && built?.side) || newSide(spec.build);
    this.probeSide = invert ? (built?.side ?? newSide(spec.probe)) : null;
    this.#space = built?.space ?? (spec.keys.length > 0 ? new KeySpace(kernel, layoutKeys(spec.keys)) : null);
    // The filter's rows are known when the first is indexed: then the build side is complete.
    const rows: IndexedRows = {
      keep: (batch, start, count) => this.#hashedRows.keep(batch, start, count),
      take: (batch, start, count, base, ids) => this.#hashedRows.take(batch, start, count, base, ids),
    };
    const hashed = this.probeSide ?? this.build;
    this.index =
      built?.index ??
      (this.#space
        ? new JoinIndexMap(kernel, this.#space, spec.keys, spec.hashed, hashed, switches, grouped, rows)
        : new RowIndex(kernel, hashed, grouped, rows));
    if (!built || invert) return;
    for (const batch of this.build.batches) this.plan.addBuild(batch);
    this.counters.build.rows = this.build.rows;
    this.counters.build.batches = this.build.batches.length;
    this.#ended.build = true;
  }

  get schema(): Schema {
    return this.plan.schema;
  }

  push(input: InputName, batch: InputBatch): void {
    if (this.#ended[input]) throw new ArrowJoinError("INTERNAL", `The ${input} input has ended.`);
    const counts = this.counters[input];
    counts.rows += batch.length;
    counts.batches++;
    if (batch.length === 0) return;
    if (input === "build") {
      this.#timed("buildMs", () => {
        this.build.push(batch);
        this.plan.addBuild(batch);
      });
      return;
    }
    if (!this.options.built) this.probeSide?.push(batch);
    this.#queue.push(batch);
  }

  end(input: InputName): void {
    this.#ended[input] = true;
  }

  step(): Step {
    this.#budget.start();
    for (;;) {
      const step = this.#advance();
      // Between any two units of work: what one takes and a later one gives back is seen.
      this.#account.observe();
      if (step) return step;
      if (this.#budget.spent()) return WORKING;
    }
  }

  /** One unit of work; null: there is more. */
  #advance(): Step | null {
    const coalescer = this.#coalescer;
    if (coalescer && !coalescer.idle) {
      this.#account.setPending(this.plan.heldBytes);
      const batch = this.#timed("emitMs", () => coalescer.step());
      return batch ? this.#handOut(batch) : null;
    }
    const state = this.#state;
    switch (state.at) {
      case "buffering":
        return this.#buffer();
      case "indexing":
        return this.#timed("buildMs", () => this.#indexStep());
      case "inverting":
        return this.#timed("buildMs", () => (state.inverted.step() ? this.#prepare(state.inverted) : null));
      case "preparing":
        return this.#timed("buildMs", () => this.#prepareStep(state.tasks));
      case "waiting":
        return this.#wait();
      case "probing":
        return this.#timed("probeMs", () => this.#probe(state));
      case "draining":
        return this.#timed("probeMs", () => (this.drainStep() ? this.#go({ at: "done" }) : null));
      case "done":
        return DONE;
    }
  }

  #go(next: State): null {
    if (!TRANSITIONS[this.#state.at].includes(next.at)) {
      throw new ArrowJoinError("INTERNAL", `A hash join cannot go from ${this.#state.at} to ${next.at}.`);
    }
    this.#state = next;
    return null;
  }

  // ── build ────────────────────────────────────────────────────────────────────────────────────

  #buffer(): Step | null {
    // Without probe rows there is no row to give, but for build rows without a partner (SEMANTICS 6.3).
    if (this.options.probeRows === 0 && !this.drainsUnmatched) return this.#go({ at: "done" });
    if (!this.#ended.build) return { kind: "need", inputs: ["build"] };
    if (this.probeSide && !this.#ended.probe) return { kind: "need", inputs: ["probe"] };
    const { filter, kernel, options } = this;
    const { probe, build } = this.spec;
    this.#restriction = new ProbeRestriction(kernel, filter, probe, options.probeRows ?? CHUNK_ROWS, options.pass?.decided ?? null);
    if (filter && this.probeParts) {
      const kept = this.keepsBuildParts;
      this.buildParts = new RowParts(kernel, filter[build].parts, kept ? this.build.rows : CHUNK_ROWS, kept);
    }
    return this.#go({ at: "indexing" });
  }

  /** What else is done with the rows of the hashed side. */
  get #hashedRows(): IndexedRows {
    this.#hashed ??= this.probeSide ? new FilteredRows(this.#restriction?.filter ?? null, null) : this.#buildRows();
    return this.#hashed;
  }

  #buildRows(): IndexedRows {
    const own = this.filter?.[this.spec.build].conjuncts ?? [];
    const filter = own.length > 0 && !this.filter?.never ? new RowFilter(this.kernel, own) : null;
    return this.observeBuild(new FilteredRows(filter, this.keepsBuildParts ? this.buildParts : null), this.buildParts);
  }

  #indexStep(): null {
    if (!this.index.step()) return null;
    const { spec, index } = this;
    const { tableKind, bytes: tableBytes } = index;
    const distinctKeys = this.#space ? index.distinctKeys : 0;
    Object.assign(this.counters.totals, { distinctKeys, tableKind, tableBytes });
    if (index instanceof RowIndex) return this.#prepare(index);
    const encoder = this.newEncoder(otherSide(spec.hashed));
    const { probeSide } = this;
    if (!probeSide) return this.#prepare(new HashedHandles(this.kernel, index, encoder));
    return this.#go({ at: "inverting", inverted: this.invert(index, encoder, this.#buildRows(), probeSide) });
  }

  /** The handles of a join whose probe side was hashed. */
  protected invert(...parameters: Parameters<JoinMachine["invertPairs"]>): InvertedIndex | MarkedHandles {
    return this.invertPairs(...parameters);
  }

  protected invertPairs(index: JoinIndexMap, encoder: KeyEncoder, rows: IndexedRows, probeSide: BuildSide): InvertedIndex {
    return new InvertedIndex(this.kernel, index, encoder, probeSide, this.build, rows);
  }

  /** Encodes keys of a side that is looked up. */
  protected newEncoder(side: Side): KeyEncoder {
    return new KeyEncoder(this.kernel, this.#space as KeySpace, this.spec.keys, side, false);
  }

  #prepare(handles: ProbeHandles): null {
    const { kernel, filter } = this;
    this.#handles = handles;
    const tasks: Task[] = [];
    const parts = this.buildParts;
    if (parts && this.options.built && !this.probeSide)
      tasks.push(visitRows(this.build, (batch, start, rows, base) => parts.load(batch, start, rows, base)));
    if (filter && parts && this.probeParts) {
      const pairs = new PairFilter(kernel, filter.conjuncts, this.spec.probe, this.probeParts, parts);
      this.#pairFilter = pairs;
    }
    for (const batch of this.options.probeBatches ?? []) this.plan.unifyProbe(batch);
    tasks.push(...this.startProbing(handles, this.#pairFilter));
    return this.#go({ at: "preparing", tasks });
  }

  #prepareStep(tasks: Task[]): null {
    if (tasks.length > 0) {
      if (tasks[0]()) tasks.shift();
      return null;
    }
    // A prepared join is for many runs over few rows: a copy would cost more than it saves.
    if (!this.options.built) this.plan.placeBuild(this.build.batches.length);
    this.#coalescer = new BatchCoalescer(this.kernel, this.plan, this.build, this.spec.batchSize, this.spec.copy);
    this.#account.setPending(this.plan.heldBytes);
    return this.#go({ at: "waiting" });
  }

  /** Whether the build side's parts stay for all its rows; else they are computed for a chunk of them, by who observes the build. */
  protected get keepsBuildParts(): boolean {
    return true;
  }

  protected get probeParts(): RowParts | null {
    return this.#restriction?.parts ?? null;
  }

  /** Rows of the build side while they are indexed or looked up. */
  protected observeBuild(rows: IndexedRows, _parts: RowParts | null): IndexedRows {
    return rows;
  }

  /** Nothing is read of the build rows any more. */
  protected releaseBuild(): true {
    if (!this.options.built) this.build.release();
    this.options.pass?.released();
    return true;
  }

  /** Makes what probing needs; returns what is to be done before. */
  protected abstract startProbing(handles: ProbeHandles, pairs: PairFilter | null): Task[];

  // ── probe ────────────────────────────────────────────────────────────────────────────────────

  protected get coalescer(): BatchCoalescer {
    return this.#coalescer as BatchCoalescer;
  }

  #wait(): Step | null {
    const batch = this.#queue.shift();
    if (this.decided()) return this.#startDrain();
    if (batch) {
      // A pass may be spared the batches whose rows are decided.
      if (this.options.pass) this.#probeStart = batch.firstRow;
      this.#coalescer?.setProbe(batch);
      return this.#go({ at: "probing", batch, row: 0, chunkRows: 0 });
    }
    if (this.#ended.probe) return this.#startDrain();
    if (this.spec.flush === "eager" && this.#coalescer && this.#coalescer.rows > 0) {
      this.#coalescer.flush();
      return null;
    }
    return { kind: "need", inputs: ["probe"] };
  }

  /** No further probe row can change the answer (SEMANTICS 6.3). */
  protected abstract decided(): boolean;

  #probe(state: Extract<State, { at: "probing" }>): null {
    if (state.chunkRows > 0) {
      if (this.continueChunk()) return null;
      state.row += state.chunkRows;
      state.chunkRows = 0;
    }
    if (state.row === state.batch.length) {
      this.#probeIndex++;
      this.#probeStart += state.batch.length;
      return this.#go({ at: "waiting" });
    }
    const chunk = (this.#handles as ProbeHandles).next(state.batch, this.#probeIndex, state.row);
    if (!chunk) return null;
    this.restrict(chunk, state.batch);
    state.chunkRows = chunk.rows;
    this.startChunk(chunk, state.batch, this.#probeStart + chunk.start);
    return null;
  }

  protected restrict(chunk: HandleChunk, batch: InputBatch): void {
    this.#restriction?.apply(chunk, batch, this.probeSide !== null && !this.options.built, this.#probeStart);
  }

  /** A piece of output of the present probe batch: its probe rows have a partner. */
  protected add(piece: Piece): void {
    this.markProbe(piece.probe, piece.count);
    this.coalescer.add(piece);
  }

  protected markProbe(probe: ProbeRows, count: number): void {
    this.options.pass?.marks?.mark(this.kernel, probe, count, this.#probeStart);
  }

  /** A chunk of probe rows with their handles; `global`: the first one's row in the whole input. */
  protected abstract startChunk(chunk: HandleChunk, batch: InputBatch, global: number): void;

  /** One unit of work on the chunk; false: it is done. */
  protected abstract continueChunk(): boolean;

  // ── drain ────────────────────────────────────────────────────────────────────────────────────

  #startDrain(): null {
    this.#coalescer?.flush();
    if (this.drains) this.#coalescer?.setProbe(null);
    this.startDrain();
    return this.#go({ at: "draining" });
  }

  /** Build rows are output at the end; those without a partner among them. */
  protected abstract readonly drains: boolean;
  protected abstract readonly drainsUnmatched: boolean;
  protected abstract startDrain(): void;
  /** One unit of work; true when done. */
  protected abstract drainStep(): boolean;

  #handOut(batch: RecordBatch): Step {
    this.counters.totals.outRows += batch.numRows;
    this.counters.totals.outBatches++;
    return { kind: "batch", batch };
  }

  // ── metrics ──────────────────────────────────────────────────────────────────────────────────

  #timed<T>(part: "buildMs" | "probeMs" | "emitMs", work: () => T): T {
    const start = performance.now();
    const result = work();
    this.counters.totals[part] += performance.now() - start;
    return result;
  }

  metrics(): JoinMetrics {
    return this.counters.snapshot(this.spec, {
      peakBytes: this.#account.peakBytes,
      spilledBytes: 0,
      kernel: this.kernel.name,
      kernelReason: this.options.kernelReason,
      plan: this.explain(),
    });
  }

  get phase(): "build" | "probe" | "drain" {
    const { at } = this.#state;
    if (at === "waiting" || at === "probing") return "probe";
    return at === "draining" || at === "done" ? "drain" : "build";
  }

  /** How the filter is tested, for people. */
  protected abstract readonly filterPath: string;

  explain(): string {
    return explainJoin(this.spec, this.describe());
  }

  describe(): ExplainState {
    const { build, probe, totals } = this.counters;
    return {
      ...totals,
      state: this.#state.at,
      kernel: this.kernel.name,
      kernelReason: this.options.kernelReason,
      groups: this.index.groupCount,
      buildRows: build.rows,
      probeRows: probe.rows,
      filterPath: this.filterPath,
    };
  }
}
