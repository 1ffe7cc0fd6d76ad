/**
 * `HashJoinStream`: inner, left, right and full joins on equal keys, and semi and anti joins of both sides, as a machine without I/O.
 *
 *                   end(build)             index complete                       end(probe)
 *     buffering ───────────────▶ indexing ────────────────▶ waiting ◀────────┬──────────────▶ draining ───▶ done
 *                                   │                          │ push(probe)  │ batch done        ▲  spread marks, scan unmatched rows
 *                                   │ probe side hashed        ▼              │                   │
 *                                   └──▶ inverting ──────▶  probing ──────────┘                   │
 *                                                              └── everything is decided ─────────┘
 *
 * Build rows are kept as they came; probe rows are looked up a chunk at a time; matches go to the `BatchCoalescer` in pieces. Row order is
 * probe order, partners in build order, unmatched build rows last (SEMANTICS 5). Every unit of work is bounded, every cursor plain data.
 *
 * Cost O(build + probe + output); memory: the build batches, the index, one chunk of scratch and one output batch.
 */

import type { RecordBatch, Schema } from "apache-arrow";
import type { InputBatch } from "../arrow/input.ts";
import type { OutputSchema } from "../arrow/output.ts";
import { ArrowJoinError } from "../error.ts";
import { CHUNK_ROWS, type Kernel, type Region } from "../kernel/contract.ts";
import { explainJoin } from "../spec/explain.ts";
import { type JoinSpec, keepsUnmatched, outputSideOf } from "../spec/join-spec.ts";
import { BatchCoalescer } from "./batch-coalescer.ts";
import { BatchedJoinProcessor } from "./batched-join-processor.ts";
import { BuildSide } from "./build-side.ts";
import { InvertedIndex } from "./inverted-index.ts";
import { type IndexSwitches, JoinIndexMap } from "./join-index-map.ts";
import { KeyEncoder, KeySpace } from "./key-encoder.ts";
import { layoutKeys } from "./key-layout.ts";
import { Budget, DONE, type InputName, type Machine, type Step, WORKING } from "./machine.ts";
import { MarkedHandles } from "./marked-handles.ts";
import { MatchMarks } from "./match-marks.ts";
import { MemoryAccount } from "./memory.ts";
import { Counters, type JoinMetrics } from "./metrics.ts";
import { neededColumns, OutputPlan, type OutputSwitches } from "./output-plan.ts";
import { type HandleChunk, HashedHandles, type ProbeHandles } from "./probe-handles.ts";

/** Test switches; never options of a verb. */
export interface JoinSwitches extends IndexSwitches, OutputSwitches {}

export interface HashJoinOptions {
  readonly spec: JoinSpec;
  readonly output: OutputSchema;
  readonly kernel: Kernel;
  /** Why the kernel is not WASM, where `auto` had to do without. */
  readonly kernelReason: string | null;
  /** Buffered batches belong to the join (streams), or to the caller (one-shot) and are not charged. */
  readonly charged: boolean;
  /** Rows of the probe side, where known. */
  readonly probeRows: number | null;
  /** The probe batches, where all are at hand: dictionaries of theirs that become one are known before the first result. */
  readonly probeBatches?: readonly InputBatch[];
  readonly switches?: JoinSwitches;
}

// ── states ───────────────────────────────────────────────────────────────────────────────────────

/** Rows that a stream's buffers are made for at first: its batches are rarely longer. */
const STREAM_EXPECTED = 65536;

type State =
  | { readonly at: "buffering" }
  | { readonly at: "indexing" }
  | { readonly at: "inverting"; readonly inverted: InvertedIndex | MarkedHandles }
  | { readonly at: "waiting" }
  | { readonly at: "probing"; readonly batch: InputBatch; row: number; chunkRows: number }
  | { readonly at: "draining"; readonly cursor: { row: number; at: number } | null; readonly ids: Region | null }
  | { readonly at: "done" };

const TRANSITIONS: Readonly<Record<State["at"], readonly State["at"][]>> = {
  buffering: ["indexing", "done"],
  indexing: ["inverting", "waiting"],
  inverting: ["waiting"],
  waiting: ["probing", "draining"],
  probing: ["waiting", "draining"],
  draining: ["done"],
  done: [],
};

export class HashJoinStream implements Machine {
  // ── construct ────────────────────────────────────────────────────────────────────────────────

  readonly #spec: JoinSpec;
  readonly #kernel: Kernel;
  readonly #options: HashJoinOptions;
  readonly #account: MemoryAccount;
  readonly #counters = new Counters();
  readonly #budget = new Budget();
  readonly #plan: OutputPlan;
  readonly #build: BuildSide;
  /** The probe batches, where they are all needed before the first result: the probe side is hashed. */
  readonly #probeSide: BuildSide | null;
  readonly #space: KeySpace;
  readonly #index: JoinIndexMap;
  readonly #outer: boolean;
  /** Probe rows of the output are those with (true) or without (false) a partner; null: pairs are. */
  readonly #selects: boolean | null;
  /** Build rows that follow at the end are those with or without a partner; null: none. */
  readonly #drains: boolean | null;
  #state: State = { at: "buffering" };
  #handles: ProbeHandles | null = null;
  #marks: MatchMarks | null = null;
  #coalescer: BatchCoalescer | null = null;
  /** Null: no probe row is output, only marked. */
  #processor: BatchedJoinProcessor | null = null;
  #ended = { build: false, probe: false };
  #queue: InputBatch[] = [];
  #probeIndex = 0;
  /** Probe rows looked up. */
  #probed = 0;

  constructor(options: HashJoinOptions) {
    const { spec, kernel, switches = {} } = options;
    this.#spec = spec;
    this.#kernel = kernel;
    this.#options = options;
    this.#account = new MemoryAccount(kernel);
    const account = options.charged ? this.#account : null;
    this.#plan = new OutputPlan(kernel, spec, options.output, switches);
    this.#build = new BuildSide(spec.build, neededColumns(spec, spec.build), account);
    this.#probeSide = spec.hashed === spec.probe ? new BuildSide(spec.probe, neededColumns(spec, spec.probe), account) : null;
    this.#space = new KeySpace(kernel, layoutKeys(spec.keys));
    const only = outputSideOf(spec.kind);
    const semi = spec.kind === "leftSemi" || spec.kind === "rightSemi";
    this.#outer = keepsUnmatched(spec.kind, spec.probe);
    this.#selects = only === spec.probe ? semi : null;
    this.#drains = only === spec.build ? semi : keepsUnmatched(spec.kind, spec.build) ? false : null;
    // Whether a probe row has a partner is told by its key alone: hashed rows need no group unless they are listed.
    const grouped = only !== spec.probe || this.#probeSide !== null;
    this.#index = new JoinIndexMap(kernel, this.#space, spec.keys, spec.hashed, this.#probeSide ?? this.#build, switches, grouped);
    if (this.#outer || this.#selects !== null) this.#counters.probe.unmatched = 0;
  }

  get schema(): Schema {
    return this.#plan.schema;
  }

  push(input: InputName, batch: InputBatch): void {
    if (this.#ended[input]) throw new ArrowJoinError("INTERNAL", `The ${input} input has ended.`);
    const counts = this.#counters[input];
    counts.rows += batch.length;
    counts.batches++;
    if (batch.length === 0) return;
    if (input === "build") {
      this.#timed("buildMs", () => {
        this.#build.push(batch);
        this.#plan.addBuild(batch);
      });
      return;
    }
    this.#probeSide?.push(batch);
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
      this.#account.setPending(this.#plan.heldBytes);
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
        return this.#timed("buildMs", () => this.#invertStep(state.inverted));
      case "waiting":
        return this.#wait();
      case "probing":
        return this.#timed("probeMs", () => this.#probe(state));
      case "draining":
        return this.#timed("probeMs", () => this.#drain(state));
      case "done":
        return DONE;
    }
  }

  #go(next: State): null {
    if (!TRANSITIONS[this.#state.at].includes(next.at)) {
      throw new ArrowJoinError("INTERNAL", `The hash join cannot go from ${this.#state.at} to ${next.at}.`);
    }
    this.#state = next;
    return null;
  }

  // ── build ────────────────────────────────────────────────────────────────────────────────────

  #buffer(): Step | null {
    // Without probe rows there is no row to give, but for build rows without a partner (SEMANTICS 6.3).
    if (this.#options.probeRows === 0 && this.#drains !== false) return this.#go({ at: "done" });
    if (!this.#ended.build) return { kind: "need", inputs: ["build"] };
    if (this.#probeSide && !this.#ended.probe) return { kind: "need", inputs: ["probe"] };
    return this.#go({ at: "indexing" });
  }

  #indexStep(): null {
    if (!this.#index.step()) return null;
    const { spec } = this.#options;
    const { distinctKeys, tableKind, bytes: tableBytes } = this.#index;
    Object.assign(this.#counters.totals, { distinctKeys, tableKind, tableBytes });
    const other = spec.hashed === "left" ? "right" : "left";
    const encoder = new KeyEncoder(this.#kernel, this.#space, spec.keys, other, false);
    if (this.#probeSide) {
      const Inverted = this.#selects === null ? InvertedIndex : MarkedHandles;
      return this.#go({ at: "inverting", inverted: new Inverted(this.#kernel, this.#index, encoder, this.#probeSide, this.#build) });
    }
    return this.#startProbing(new HashedHandles(this.#kernel, this.#index, encoder));
  }

  #invertStep(inverted: InvertedIndex | MarkedHandles): null {
    if (!inverted.step()) return null;
    return this.#startProbing(inverted);
  }

  #startProbing(handles: ProbeHandles): null {
    const kernel = this.#kernel;
    this.#handles = handles;
    if (this.#drains !== null) this.#marks = new MatchMarks(kernel, this.#build.rows, handles.groups, handles.groupCount);
    for (const batch of this.#options.probeBatches ?? []) this.#plan.unifyProbe(batch);
    this.#plan.placeBuild(this.#build.batches.length);
    this.#coalescer = new BatchCoalescer(kernel, this.#plan, this.#build, this.#spec.batchSize, this.#spec.copy);
    if (outputSideOf(this.#spec.kind) !== this.#spec.build)
      this.#processor = new BatchedJoinProcessor(kernel, handles, this.#outer, this.#selects);
    return this.#go({ at: "waiting" });
  }

  // ── probe ────────────────────────────────────────────────────────────────────────────────────

  #wait(): Step | null {
    const batch = this.#queue.shift();
    if (this.#decided()) return this.#startDrain();
    if (batch) {
      this.#coalescer?.setProbe(batch);
      return this.#go({ at: "probing", batch, row: 0, chunkRows: 0 });
    }
    if (this.#ended.probe) return this.#startDrain();
    if (this.#spec.flush === "eager" && this.#coalescer && this.#coalescer.rows > 0) {
      this.#coalescer.flush();
      return null;
    }
    return { kind: "need", inputs: ["probe"] };
  }

  /** No further probe row can change the answer (SEMANTICS 6.3). */
  #decided(): boolean {
    const needsEveryProbeRow = this.#outer || this.#selects === false;
    if (needsEveryProbeRow) return false;
    const keys = this.#index.distinctKeys;
    // An inverted index has read both sides already.
    if (this.#probeSide) return false;
    if (keys === 0) return true;
    return outputSideOf(this.#spec.kind) === this.#spec.build && this.#marks?.matchedKeys === keys;
  }

  #probe(state: Extract<State, { at: "probing" }>): null {
    const processor = this.#processor;
    if (processor && !processor.done) {
      const coalescer = this.#coalescer as BatchCoalescer;
      coalescer.add(processor.next(coalescer.room));
      return null;
    }
    state.row += state.chunkRows;
    state.chunkRows = 0;
    if (state.row === state.batch.length) {
      this.#probeIndex++;
      return this.#go({ at: "waiting" });
    }
    const next = (this.#handles as ProbeHandles).next(state.batch, this.#probeIndex, state.row);
    if (next) this.#startChunk(state, next);
    return null;
  }

  #startChunk(state: Extract<State, { at: "probing" }>, next: HandleChunk): void {
    const { handles, from, rows } = next;
    const counters = this.#counters;
    const summary = this.#kernel.summarize(handles, from, from + rows, (this.#handles as ProbeHandles).groups);
    counters.totals.candidatePairs += summary.pairs;
    counters.probeMatched += rows - summary.none;
    if (counters.probe.unmatched !== null) counters.probe.unmatched += summary.none;
    this.#marks?.mark(handles, from, from + rows);
    this.#expectRows(rows);
    this.#processor?.begin(next, summary);
    state.chunkRows = rows;
  }

  /** Rows still to come, judged by those looked up so far, these `rows` among them: how large the next buffers are made. */
  #expectRows(rows: number): void {
    const { probeRows } = this.#options;
    const { probe, totals } = this.#counters;
    if (probeRows === null) return this.#coalescer?.expect(Math.min(this.#spec.batchSize, STREAM_EXPECTED));
    this.#probed += rows;
    const output = this.#selects === null ? totals.candidatePairs + (this.#outer ? (probe.unmatched ?? 0) : 0) : this.#probed;
    const before = this.#probed - rows;
    this.#coalescer?.expect(Math.ceil((probeRows - before) * Math.min(1000, output / this.#probed) * 1.05) + 1);
  }

  // ── drain ────────────────────────────────────────────────────────────────────────────────────

  #startDrain(): null {
    const drains = this.#drains !== null;
    this.#coalescer?.flush();
    if (drains) this.#coalescer?.setProbe(null);
    const ids = drains ? this.#kernel.alloc(4 * CHUNK_ROWS, "scratch") : null;
    return this.#go({ at: "draining", cursor: drains ? { row: 0, at: 0 } : null, ids });
  }

  #drain(state: Extract<State, { at: "draining" }>): null {
    const { cursor, ids } = state;
    const coalescer = this.#coalescer as BatchCoalescer;
    if (!cursor || !ids || !this.#marks || this.#drains === null) return this.#go({ at: "done" });
    if (!this.#marks.spread()) return null;
    const { build } = this.#counters;
    if (cursor.row === 0 && cursor.at === 0) build.unmatched = this.#build.rows - this.#marks.countRows();
    if (cursor.row < this.#build.rows) {
      cursor.at = 0;
      this.#marks.scan(cursor, this.#drains, ids, coalescer.room);
      const unmatched = build.unmatched ?? 0;
      coalescer.expect(this.#drains ? this.#build.rows - unmatched : unmatched);
      coalescer.add({ count: cursor.at, probe: null, build: { rows: ids, from: 0, hasNone: false } });
      return null;
    }
    if (coalescer.rows > 0) {
      coalescer.flush();
      return null;
    }
    return this.#go({ at: "done" });
  }

  #handOut(batch: RecordBatch): Step {
    this.#counters.totals.outRows += batch.numRows;
    this.#counters.totals.outBatches++;
    return { kind: "batch", batch };
  }

  // ── metrics ──────────────────────────────────────────────────────────────────────────────────

  #timed<T>(part: "buildMs" | "probeMs" | "emitMs", work: () => T): T {
    const start = performance.now();
    const result = work();
    this.#counters.totals[part] += performance.now() - start;
    return result;
  }

  metrics(): JoinMetrics {
    const { kernelReason } = this.#options;
    return this.#counters.snapshot(this.#spec, {
      peakBytes: this.#account.peakBytes,
      kernel: this.#kernel.name,
      kernelReason,
      plan: this.explain(),
    });
  }

  get phase(): "build" | "probe" | "drain" {
    const { at } = this.#state;
    if (at === "buffering" || at === "indexing" || at === "inverting") return "build";
    return at === "waiting" || at === "probing" ? "probe" : "drain";
  }

  explain(): string {
    const { build, probe, totals } = this.#counters;
    return explainJoin(this.#spec, {
      ...totals,
      state: this.#state.at,
      kernel: this.#kernel.name,
      kernelReason: this.#options.kernelReason,
      groups: this.#index.groupCount,
      buildRows: build.rows,
      probeRows: probe.rows,
    });
  }
}
