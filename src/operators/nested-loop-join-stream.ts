/**
 * `NestedLoopJoinStream`: joins whose condition is any predicate, all ten kinds, in bounded memory. As in the public design that it follows
 * (apache/datafusion#16996), *left* is the buffered side here and *right* the streamed one, whichever sides of the call these are.
 *
 * Left is taken in chunks that fit; each is one pass over right (join-pass.ts): pairs are tested tile by tile, found by sorted search, or by
 * hash where the predicate has equalities. Mostly one chunk is all of left, and right is read once, as it comes.
 *
 *      chunk full, or left ended        indexed            a batch                right ended
 *     bufferingLeft ─▶ preparingLeft ─▶ fetchingRight ⇄ probeRight    fetchingRight ─▶ endOfProbe ─▶ emitLeftUnmatched
 *        ▲    ▲              │ does not fit: half of it                                                     │
 *        │    └──────────────┘                                                                              │
 *        └────────────────────────── there may be more left rows ───────────────────────────────────────────┤
 *     done ◀── emitDeferred ◀── replayRight ⇄ mergeRight ◀── after the last of several passes ──────────────┤
 *     done ◀──────────────────────────────────────────────── after a single one ────────────────────────────┘
 *
 * Where there are several passes right is put aside in the first and read again in the others; no input is read twice. What passes find waits
 * for the last reading of right where row order, or rows without a partner, ask for that (pass-spec.ts). Rows, order and errors are those
 * of a single pass. Rows without a partner stand in place among right's, and come last of left's.
 *
 * Memory: a chunk with what its pass needs, a bit a right row where right rows are marked, one block of each run while they are merged.
 */

import type { RecordBatch } from "apache-arrow";
import { type InputBatch, ROW_POSITIONS } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import { type ExplainState, explainJoin } from "../spec/explain.ts";
import { existenceOf, type JoinSpec, keepsUnmatched } from "../spec/join-spec.ts";
import { mergeSpec, type PassMode, passModeOf, passSpec, tellsUnmatched } from "../spec/pass-spec.ts";
import { FoundRows } from "./found-rows.ts";
import type { JoinMachine } from "./join-machine.ts";
import type { HashJoinOptions } from "./join-options.ts";
import { joinPass } from "./join-pass.ts";
import { KernelScope } from "./kernel-scope.ts";
import { LeftChunks } from "./left-chunks.ts";
import { Budget, DONE, type InputName, type Machine, type Step, type StoreRequest, WORKING } from "./machine.ts";
import { MemoryAccount } from "./memory.ts";
import { Counters, type JoinMetrics } from "./metrics.ts";
import { neededColumns, OutputPlan, outputSchema } from "./output-plan.ts";
import { ProbeMarks } from "./probe-marks.ts";
import { boundedRows, outputBytes, RightReplay } from "./right-replay.ts";
import { type Fetched, RightRows } from "./right-rows.ts";
import { RowFile } from "./row-file.ts";

// ── states ───────────────────────────────────────────────────────────────────────────────────────

type State =
  | "bufferingLeft"
  | "preparingLeft"
  | "fetchingRight"
  | "probeRight"
  | "endOfProbe"
  | "emitLeftUnmatched"
  | "replayRight"
  | "mergeRight"
  | "emitDeferred"
  | "done";

const TRANSITIONS: Readonly<Record<State, readonly State[]>> = {
  bufferingLeft: ["preparingLeft", "fetchingRight", "replayRight", "done"],
  preparingLeft: ["bufferingLeft", "fetchingRight", "done"],
  fetchingRight: ["probeRight", "endOfProbe", "bufferingLeft", "done"],
  probeRight: ["fetchingRight", "bufferingLeft", "done"],
  endOfProbe: ["emitLeftUnmatched"],
  emitLeftUnmatched: ["bufferingLeft", "done"],
  replayRight: ["mergeRight", "emitDeferred"],
  mergeRight: ["replayRight"],
  emitDeferred: ["done"],
  done: [],
};

/** Bytes of a block of a run: one of each of many runs fits, and few are made (a batch costs 50 µs and more). */
const runBytes = (limit: number): number => Math.max(limit / 256, Math.min(65536, limit / 32));
/** A chunk is reckoned at this part of the limit: its batches, and what is computed of a row (a range index takes 40 to 50 bytes). */
const LEFT_SHARE = 1 / 2;
const ROW_BYTES = 48;
/** While a pass is prepared, this part of the limit is kept free for its output. */
const RESERVED_SHARE = 8;

const tooLarge = (what: string) => new ArrowJoinError("MEMORY_LIMIT", what);

export class NestedLoopJoinStream implements Machine {
  // ── construct ────────────────────────────────────────────────────────────────────────────────

  readonly #options: HashJoinOptions;
  readonly #spec: JoinSpec;
  readonly #account: MemoryAccount;
  readonly counters = new Counters();
  readonly #budget = new Budget();
  readonly #mode: PassMode;
  readonly #limit: number;
  readonly #left: LeftChunks;
  readonly #right: RightRows;
  #leftEnded = false;
  state: State = "bufferingLeft";
  #pass: JoinMachine | null = null;
  #scope: KernelScope;
  /** All of left in one pass: its output is the result. */
  #whole = false;
  #passes = 0;
  #marks: ProbeMarks | null = null;
  #found: FoundRows | null = null;
  #files = 0;
  #storedBytes = 0;
  #replay: RightReplay | null = null;
  #then: ((block: Uint8Array | null) => void) | null = null;
  #lastPass: ExplainState | null = null;

  constructor(options: HashJoinOptions) {
    const { kernel, spec, memoryLimit, switches = {} } = options;
    this.#options = options;
    this.#spec = spec;
    this.#limit = memoryLimit ?? Number.POSITIVE_INFINITY;
    this.#scope = new KernelScope(kernel);
    this.#account = new MemoryAccount(kernel, this.#limit);
    const fields = options.inputs?.[spec.build].fields ?? [];
    this.#mode = passModeOf(spec, fields);
    this.#left = new LeftChunks(fields, neededColumns(spec, spec.build), spec.build, this.#account, options.charged);
    // Without a store more cannot be had than fits at once; a one-shot join tries all of its rows first.
    if (options.charged) this.#left.mostBytes = this.#limit * (options.spills ? LEFT_SHARE : 1);
    if (options.spills) this.#left.rowBytes = ROW_BYTES;
    this.#left.mostRows = switches.chunkRows ?? Number.POSITIVE_INFINITY;
    this.#right = new RightRows(options.probeBatches !== undefined, outputBytes(this.#limit));
    if (keepsUnmatched(spec.kind, spec.probe) || spec.matched[spec.probe]) this.counters.probe.unmatched = 0;
  }

  push(input: InputName, batch: InputBatch): void {
    if (input === "build" ? this.#leftEnded : this.#right.ended) throw new ArrowJoinError("INTERNAL", `The ${input} input has ended.`);
    const counts = this.counters[input];
    counts.rows += batch.length;
    counts.batches++;
    if (batch.length === 0) return;
    if (input === "build") this.#left.push(batch);
    else this.#right.push(batch);
  }

  end(input: InputName): void {
    if (input === "build") this.#leftEnded = true;
    else this.#right.end();
  }

  step(): Step {
    this.#budget.start();
    for (;;) {
      const step = this.#advance();
      this.#account.observe();
      if (step) return step;
      if (this.#budget.spent()) return WORKING;
    }
  }

  stored(block: Uint8Array | null): void {
    if (this.#replay) return this.#replay.stored(block);
    const then = this.#then;
    this.#then = null;
    then?.(block);
  }

  /** One unit of work; null: there is more. */
  #advance(): Step | null {
    switch (this.state) {
      case "bufferingLeft":
        return this.#buffer();
      case "preparingLeft":
        return this.#prepare();
      case "fetchingRight":
        return this.#fetch();
      case "probeRight":
        return this.#stepPass();
      case "endOfProbe":
        this.#inPass((pass) => pass.end("probe"));
        return this.#go("emitLeftUnmatched");
      case "emitLeftUnmatched":
        return this.#stepPass();
      case "replayRight":
      case "mergeRight":
      case "emitDeferred":
        return this.#replayStep();
      case "done":
        return DONE;
    }
  }

  #go(next: State): null {
    if (!TRANSITIONS[this.state].includes(next)) {
      throw new ArrowJoinError("INTERNAL", `A nested loop cannot go from ${this.state} to ${next}.`);
    }
    this.state = next;
    return null;
  }

  #ask(request: StoreRequest, then: ((block: Uint8Array | null) => void) | null = null): Step {
    this.#then = then;
    if (request.op === "append") this.#storedBytes += request.block.length;
    return { kind: "store", request };
  }

  // ── left ─────────────────────────────────────────────────────────────────────────────────────

  #buffer(): Step | null {
    // Without right rows there is no row to give, but for left rows without a partner (SEMANTICS 6.3).
    if (this.#options.probeRows === 0 && this.#passes === 0 && !tellsUnmatched(this.#spec, this.#spec.build)) return this.#go("done");
    const decided = this.#decided;
    if (!decided && !this.#left.full && !this.#leftEnded) return { kind: "need", inputs: ["build"] };
    const last = decided || (this.#passes > 0 && this.#left.rows === 0);
    // What reads right anew needs all of it.
    if (this.#passes > 0 && !this.#right.complete && (!last || this.#replays)) return this.#go("fetchingRight");
    if (last) return this.#finish();
    this.#whole = this.#passes === 0 && this.#leftEnded && this.#left.fits;
    if (!this.#whole) this.#startSeveral();
    return this.#go("preparingLeft");
  }

  /** No further pass can change the answer. */
  get #decided(): boolean {
    if (this.#passes === 0 || !this.#right.complete) return false;
    return this.#mode === "marks"
      ? this.#marks?.matched === this.counters.probe.rows
      : this.counters.probe.rows === 0 && !tellsUnmatched(this.#spec, this.#spec.build);
  }

  #startSeveral(): void {
    if (this.#right.file) return;
    const { inputs, charged, spills, probeBatches, memoryLimit } = this.#options;
    const { probe, build } = this.#spec;
    if (charged && !spills && memoryLimit != null)
      throw tooLarge(
        `The ${build} side does not fit in memoryLimit: ${memoryLimit} bytes. Give a spill store (fileSpillStore of arrow-join/node), raise the limit, or build on the other side.`,
      );
    const { fields } = (inputs as NonNullable<typeof inputs>)[probe];
    const columns = neededColumns(this.#spec, probe);
    this.#right.file = new RowFile(fields, columns, probe, this.#files++, spills === true && !probeBatches, this.#account);
    // A right row whose partner took another has one all the same.
    const passedOver = this.#spec.multiple !== "all" && this.#spec.limited === build;
    if (this.#mode !== "sorted" || passedOver) this.#marks = new ProbeMarks(this.#account);
  }

  #openPass(): void {
    const { kernel, inputs, output } = this.#options;
    const several = !this.#whole;
    const batches = this.#left.take();
    const firstBuild = this.#left.taken;
    let spec: JoinSpec = this.#limit < Number.POSITIVE_INFINITY ? { ...this.#spec, hashed: this.#spec.build } : this.#spec;
    let own = output;
    if (several) {
      spec = passSpec(this.#spec, this.#mode, ROW_POSITIONS);
      if (this.#mode !== "direct" && inputs) own = outputSchema(spec, inputs.left, inputs.right);
    }
    const marks = several ? this.#marks : null;
    this.#scope.run(() => {
      const { rowBytes } = new OutputPlan(kernel, spec, own, {});
      const batchSize = boundedRows(spec.batchSize, (several && this.#mode === "sorted" ? runBytes : outputBytes)(this.#limit), rowBytes);
      const splits = this.#options.spills === true || !this.#options.charged;
      const decided = this.#mode === "marks" && this.#passes > 0 ? marks : null;
      this.#pass = joinPass({
        ...this.#options,
        spec: { ...spec, batchSize },
        output: own,
        charged: false,
        probeRows: this.#right.file?.rows || this.#options.probeRows,
        pass: { account: this.#account, firstBuild, marks, decided, splits, released: () => this.#left.release() },
      });
      for (const batch of batches) this.#pass.push("build", batch);
      this.#pass.end("build");
    });
    this.#right.rewind();
    if (!several || this.#mode !== "sorted") return;
    const { kind, build } = this.#spec;
    this.#found ??= new FoundRows(own.schema, build, existenceOf(kind) === null, (fields, columns) => {
      return new RowFile(fields, columns, build, this.#files++, this.#options.spills === true, this.#account);
    });
    this.#found.startRun();
  }

  /** Until the pass asks for a right batch, it can be given up for one of fewer rows. */
  #prepare(): Step | null {
    this.#account.reserved = this.#limit < Number.POSITIVE_INFINITY ? this.#limit / RESERVED_SHARE : 0;
    try {
      if (!this.#pass) this.#openPass();
      return this.#stepPass();
    } catch (error) {
      if (!(error instanceof ArrowJoinError) || error.code !== "MEMORY_LIMIT" || this.#limit === Number.POSITIVE_INFINITY) throw error;
      this.#closePass();
      this.#found?.dropRun();
      if (this.#left.halve()) return this.#go("bufferingLeft");
      throw tooLarge(
        `memoryLimit: ${this.#limit} bytes is not enough for one row of the ${this.#spec.build} side and what the join needs beside it. Raise it. (${error.message})`,
      );
    } finally {
      this.#account.reserved = 0;
    }
  }

  #inPass<T>(work: (pass: JoinMachine) => T): T {
    return this.#scope.run(() => work(this.#pass as JoinMachine));
  }

  #closePass(): void {
    this.#scope.free();
    this.#pass = null;
    this.#account.setPending(0);
  }

  // ── right ────────────────────────────────────────────────────────────────────────────────────

  #fetch(): Step | null {
    const right = this.#right;
    if (this.#passes > 0 && this.#pass) {
      // What is decided need not be read again.
      const marks = this.#mode === "marks" ? this.#marks : null;
      const block = right.again((firstRow, rows) => marks?.all(firstRow, rows) === true);
      return block ? this.#probe(block) : this.#go("endOfProbe");
    }
    const batch = right.next();
    if (batch) return this.#probe(batch);
    // A pass that emits eagerly has its say.
    if (!right.ended) return this.#pass ? this.#stepPass() : { kind: "need", inputs: ["probe"] };
    return this.#pass ? this.#go("endOfProbe") : this.#go("bufferingLeft");
  }

  #probe({ request, batch }: Fetched): Step | null {
    const then = (block: Uint8Array | null) => {
      const rows = batch(block);
      this.#marks?.reserve(this.#right.file?.rows ?? 0);
      // A pass that has ended leaves right to those that come.
      if (!this.#pass) return;
      this.#inPass((pass) => pass.push("probe", rows));
      this.#go("probeRight");
    };
    if (request) return this.#ask(request, then);
    then(null);
    return null;
  }

  #stepPass(): Step | null {
    const step = this.#inPass((pass) => pass.step());
    switch (step.kind) {
      case "batch":
        return this.#take(step.batch);
      case "need":
        return this.state === "fetchingRight" ? step : this.#go("fetchingRight");
      case "done":
        return this.#endPass();
      default:
        return step;
    }
  }

  #take(batch: RecordBatch): Step | null {
    if (this.#whole || this.#mode === "direct") return this.#handOut(batch);
    const request = this.#found?.take(batch);
    return request ? this.#ask(request) : null;
  }

  #handOut(batch: RecordBatch): Step {
    this.counters.totals.outRows += batch.numRows;
    this.counters.totals.outBatches++;
    return { kind: "batch", batch };
  }

  #endPass(): null {
    this.#lastPass = (this.#pass as JoinMachine).describe();
    this.counters.add((this.#pass as JoinMachine).counters, this.#whole);
    this.#closePass();
    this.#left.release();
    this.#left.grow();
    this.#passes++;
    return this.#go(this.#whole ? "done" : "bufferingLeft");
  }

  // ── what waited for the last pass ────────────────────────────────────────────────────────────

  /** The last reading of right has something to tell. */
  get #replays(): boolean {
    const found = this.#mode === "marks" ? (this.#marks?.matched ?? 0) > 0 : this.#found?.runs.some(({ rows }) => rows > 0);
    return found || tellsUnmatched(this.#spec, this.#spec.probe);
  }

  #finish(): null {
    const { kind, probe } = this.#spec;
    const { counters } = this;
    const marks = this.#marks;
    if (marks && this.#mode !== "sorted") {
      counters.probeMatched = marks.matched;
      if (this.#mode === "marks" || keepsUnmatched(kind, probe)) counters.probe.unmatched = counters.probe.rows - marks.matched;
    }
    const replays = this.#replays;
    if (!replays && !this.#found?.deferred.some(({ rows }) => rows > 0)) return this.#go("done");
    const sorted = this.#mode === "sorted";
    const spec = sorted ? mergeSpec(this.#spec) : this.#spec;
    const { runs = [], deferred = [] } = this.#found ?? {};
    const right = this.#right.file as RowFile;
    this.#replay = new RightReplay(this.#options, spec, this.#account, right, replays, sorted, runs, deferred, marks);
    return this.#go("replayRight");
  }

  #replayStep(): Step | null {
    const replay = this.#replay as RightReplay;
    const step = replay.step();
    const { counts } = replay;
    if (counts) {
      this.counters.probeMatched = counts.matched;
      if (this.counters.probe.unmatched !== null) this.counters.probe.unmatched = counts.unmatched;
    }
    if (replay.state !== this.state) this.#go(replay.state);
    return step?.kind === "batch" ? this.#handOut(step.batch) : step;
  }

  // ── metrics ──────────────────────────────────────────────────────────────────────────────────

  #now(): Counters {
    const now = this.counters.copy();
    if (this.#pass) now.add(this.#pass.counters, this.#whole);
    return now;
  }

  metrics(): JoinMetrics {
    const { kernel, kernelReason } = this.#options;
    return this.#now().snapshot(this.#spec, {
      peakBytes: this.#account.peakBytes,
      spilledBytes: this.#storedBytes,
      kernel: kernel.name,
      kernelReason,
      plan: this.explain(),
    });
  }

  get phase(): "build" | "probe" | "drain" {
    if (this.state === "bufferingLeft" || this.state === "preparingLeft") return "build";
    return this.state === "fetchingRight" || this.state === "probeRight" ? "probe" : "drain";
  }

  explain(): string {
    const { kernel, kernelReason } = this.#options;
    const { build, probe, totals } = this.#now();
    this.#lastPass = this.#pass?.describe() ?? this.#lastPass;
    return explainJoin(this.#spec, {
      ...totals,
      state: this.state,
      kernel: kernel.name,
      kernelReason,
      groups: this.#lastPass?.groups ?? 0,
      buildRows: build.rows,
      probeRows: probe.rows,
      filterPath: this.#lastPass?.filterPath ?? "",
      passes: this.#passes + Number(this.#pass !== null),
      spilledBytes: this.#storedBytes,
    });
  }
}
