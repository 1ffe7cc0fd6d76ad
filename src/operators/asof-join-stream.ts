/**
 * `AsofJoinStream`: each left row with the closest right row of its key, of one right or several. After the public design in
 * apache/arrow#13028 (`InputState`, `MemoStore`, `CompositeReferenceTable`), but for what depends there on when rows arrive.
 *
 *                left rows at hand         every right has decided         end of the left
 *     waiting ───────────────────▶ matching ────────────────▶ emitting ──▶ waiting ──▶ checking ──▶ done
 *        ▲                           │  ▲                        │                     (one-shot: order of the rest)
 *        │ need left, rights below   │  │ need: rights that wait │ some rows, asked for by `flush`
 *        └── their marks             └──┴────────────────────────┘
 *
 * Invariants
 * - A left row is decided in left order, as soon as every right says so and not before; what comes out depends on no arrival.
 * - An output batch is of one left batch. Left columns of consecutive rows are slices of it.
 * - An input is asked for more while less waits than its mark; the one that the oldest left row needs is asked for beyond it.
 *
 * Work is in chunks of at most CHUNK_ROWS rows of a batch, each call bounded.
 */

import type { RecordBatch, Schema } from "apache-arrow";
import type { InputBatch, InputSchema } from "../arrow/input.ts";
import type { OutputSchema } from "../arrow/output.ts";
import { ArrowJoinError } from "../error.ts";
import type { TimePoint } from "../kernel/asof-contract.ts";
import { CHUNK_ROWS, type Kernel, type Region } from "../kernel/contract.ts";
import type { AsofRight, AsofSpec, TimeColumn } from "../spec/asof-spec.ts";
import { explainAsof } from "../spec/explain-asof.ts";
import { AheadState } from "./ahead-state.ts";
import { asofMetrics, heldOf } from "./asof-report.ts";
import { BackwardState } from "./backward-state.ts";
import { BatchCoalescer, type KeptRows } from "./batch-coalescer.ts";
import { BufferLedger } from "./buffer-ledger.ts";
import { CompositeReferenceTable } from "./composite-reference-table.ts";
import { FilteredState } from "./filtered-state.ts";
import { HeldRows } from "./held-rows.ts";
import { type InputChunk, InputState } from "./input-state.ts";
import type { JoinSwitches } from "./join-options.ts";
import { Budget, DONE, type Machine, type Step, WORKING } from "./machine.ts";
import { MemoryAccount } from "./memory.ts";
import type { JoinMetrics } from "./metrics.ts";
import { OutputPlan } from "./output-plan.ts";
import { chunkTimes, type RightState } from "./right-state.ts";
import { NO_TIME, TimeLoader, timeOf, timeValue } from "./time-loader.ts";

export interface AsofJoinOptions {
  readonly spec: AsofSpec;
  readonly output: OutputSchema;
  readonly kernel: Kernel;
  /** Why the kernel is not WASM, where `auto` had to do without. */
  readonly kernelReason: string | null;
  /** Of each input: its batches belong to the join (streams, sorted copies), or to the caller, and are not counted. */
  readonly charged: readonly boolean[];
  readonly memoryLimit: number | null;
  /** The order of all rights is checked to their ends (one-shot). */
  readonly checksAll: boolean;
  /** The left, then the rights. */
  readonly inputs: readonly InputSchema[];
  readonly switches?: JoinSwitches;
}

// ── states ───────────────────────────────────────────────────────────────────────────────────────

type State =
  | { readonly at: "waiting" }
  | { readonly at: "matching" }
  | { readonly at: "emitting"; readonly to: number; readonly flush: boolean }
  | { readonly at: "checking" }
  | { readonly at: "done" };

const TRANSITIONS: Readonly<Record<State["at"], readonly State["at"][]>> = {
  waiting: ["matching", "checking", "done"],
  matching: ["emitting"],
  emitting: ["matching", "waiting"],
  checking: ["done"],
  done: [],
};

const LEFT = 0;

/** The left's times in one form; rights whose times are alike share it. */
interface LeftTimes {
  readonly form: TimeColumn;
  readonly times: Region;
  readonly loader: TimeLoader;
}

export class AsofJoinStream implements Machine<number> {
  // ── construct ────────────────────────────────────────────────────────────────────────────────

  readonly phase = "probe";
  readonly #options: AsofJoinOptions;
  readonly #spec: AsofSpec;
  readonly #kernel: Kernel;
  readonly #account: MemoryAccount;
  readonly #plan: OutputPlan;
  readonly #coalescer: BatchCoalescer;
  readonly #left: InputState;
  readonly #leftTimes: LeftTimes[] = [];
  readonly #rights: readonly RightState[];
  readonly #timesOf: readonly LeftTimes[];
  readonly #valid: Region;
  readonly #references: CompositeReferenceTable;
  readonly #budget = new Budget();
  #state: State = { at: "waiting" };
  #chunk: InputChunk | null = null;
  /** Rows of the chunk that have been handed to the coalescer. */
  #emitted = 0;
  #flushing = false;
  readonly #counts = { outRows: 0, outBatches: 0, probeMs: 0, emitMs: 0 };

  constructor(options: AsofJoinOptions) {
    const { spec, output, kernel, charged, memoryLimit, inputs, switches = {} } = options;
    this.#options = options;
    this.#spec = spec;
    this.#kernel = kernel;
    this.#account = new MemoryAccount(kernel, memoryLimit ?? undefined);
    this.#plan = new OutputPlan(kernel, spec, output, switches);
    const accounts = charged.map((own) => (own ? this.#account : null));
    const share = (memoryLimit ?? Number.POSITIVE_INFINITY) / (2 * inputs.length);
    const input = (number: number, name: string, form: TimeColumn) =>
      new InputState(kernel, name, form, new BufferLedger(columnsOf(spec, number), accounts[number]), share);
    this.#left = input(LEFT, "left", spec.rights[0].leftTime);
    this.#rights = spec.rights.map((right, i) => {
      const own = input(i + 1, right.name, right.time);
      const output = spec.output.some((column) => column.right !== null && column.from === i);
      const held = output ? new HeldRows(kernel, this.#plan, i, right.name, own.ledger, accounts[i + 1], switches.compactBytes) : null;
      return newState(kernel, right, own, held, switches);
    });
    this.#timesOf = spec.rights.map(({ leftTime }) => this.#timesIn(leftTime));
    this.#valid = kernel.alloc(CHUNK_ROWS >> 3, "scratch");
    const refs = this.#rights.map((right) => right.refs);
    this.#references = new CompositeReferenceTable(kernel, spec.kind, refs);
    const kept: KeptRows[] = this.#rights.map(({ held }) => held ?? NOTHING);
    this.#coalescer = new BatchCoalescer(kernel, this.#plan, kept, spec.batchSize, spec.copy);
  }

  /** The left's times as a right needs them. The first is that of the left's own order. */
  #timesIn(form: TimeColumn): LeftTimes {
    const known = this.#leftTimes.find(({ form: { op, base, factor } }) => op === form.op && base === form.base && factor === form.factor);
    if (known) return known;
    const made = { form, times: chunkTimes(this.#kernel), loader: new TimeLoader(this.#kernel, form) };
    this.#leftTimes.push(made);
    return made;
  }

  get schema(): Schema {
    return this.#plan.schema;
  }

  // ── inputs ───────────────────────────────────────────────────────────────────────────────────

  #input(number: number): InputState {
    return number === LEFT ? this.#left : this.#rights[number - 1].input;
  }

  push(input: number, batch: InputBatch): void {
    this.#input(input).push(batch);
  }

  /** A watermark: no later row of the input has a time below it. Throws INVALID_INPUT. */
  mark(input: number, value: unknown): void {
    this.#input(input).mark(value);
  }

  end(input: number): void {
    this.#input(input).ended = true;
  }

  /** Decided rows go out with the next steps, though more could join them. */
  flush(): void {
    this.#flushing = true;
  }

  step(): Step<number> {
    this.#budget.start();
    for (;;) {
      const step = this.#advance();
      this.#account.observe();
      if (step) return step;
      if (this.#budget.spent()) return WORKING;
    }
  }

  /** One unit of work; null: there is more. */
  #advance(): Step<number> | null {
    this.#account.demand("What has come of the inputs and is not used up");
    const coalescer = this.#coalescer;
    if (!coalescer.idle) {
      this.#account.setPending(this.#plan.heldBytes);
      const batch = this.#timed("emitMs", () => coalescer.step());
      return batch ? this.#handOut(batch) : null;
    }
    const state = this.#state;
    switch (state.at) {
      case "waiting":
        return this.#timed("probeMs", () => this.#wait());
      case "matching":
        return this.#timed("probeMs", () => this.#match());
      case "emitting":
        return this.#timed("probeMs", () => this.#emit(state.to, state.flush));
      case "checking":
        return this.#timed("probeMs", () => this.#check());
      case "done":
        return DONE;
    }
  }

  #go(next: State): null {
    if (!TRANSITIONS[this.#state.at].includes(next.at)) {
      throw new ArrowJoinError("INTERNAL", `An as-of join cannot go from ${this.#state.at} to ${next.at}.`);
    }
    this.#state = next;
    return null;
  }

  // ── probe ────────────────────────────────────────────────────────────────────────────────────

  /** The next left rows; meanwhile rights take in what comes before them. */
  #wait(): Step<number> | null {
    const left = this.#left;
    for (const right of this.#rights) if (right.finishLoading()) return null;
    if (left.hasRows && !this.#isHopeless) return this.#begin(left.peek(CHUNK_ROWS));
    if (left.ended || this.#isHopeless) return this.#go({ at: this.#options.checksAll ? "checking" : "done" });
    for (const [i, right] of this.#rights.entries()) {
      const time = this.#leftHorizon(this.#timesOf[i].form);
      if (time !== NO_TIME && right.take(time)) return null;
    }
    return this.#need([LEFT]);
  }

  /** No left row can come out any more: a right that it needs has ended without a row. */
  get #isHopeless(): boolean {
    const { kind } = this.#spec;
    if (this.#options.checksAll || (kind !== "inner" && kind !== "leftSemi")) return false;
    return this.#rights.some(({ input }) => input.ended && !input.hasRows && input.latest === NO_TIME);
  }

  /** No later left row has a time below this. */
  #leftHorizon(form: TimeColumn): TimePoint {
    const { horizon } = this.#left;
    const [own] = this.#leftTimes;
    if (horizon === NO_TIME || form === own.form) return horizon;
    return timeOf(form, timeValue(own.form, horizon)) ?? NO_TIME;
  }

  #begin(chunk: InputChunk): null {
    const { batch, start, rows } = chunk;
    const [own, ...others] = this.#leftTimes;
    if (start === 0) {
      this.#coalescer.setProbe(batch);
      this.#coalescer.expect(batch.length);
    }
    // Their bits: the input's are its own until it reads again, and it reads no more before these rows are done.
    const valid = this.#left.read(chunk, own.times, 0);
    for (const { times, loader } of others) {
      // Their order is known; rows without a time are given one.
      const found = loader.load(batch, start, rows, times, 0, this.#valid);
      if (found === "some") this.#kernel.orderTimes(times, 0, rows, this.#valid, NO_TIME);
    }
    this.#chunk = chunk;
    this.#emitted = 0;
    for (const [i, right] of this.#rights.entries()) right.begin({ batch, start, rows, times: this.#timesOf[i].times, valid });
    return this.#go({ at: "matching" });
  }

  #match(): Step<number> | null {
    const { rows } = this.#chunk as InputChunk;
    const starved: number[] = [];
    for (const [i, right] of this.#rights.entries()) {
      if (right.decided === rows) continue;
      const progress = right.work();
      if (progress === "working") return null;
      if (progress === "starved") starved.push(i + 1);
    }
    if (starved.length === 0) return this.#go({ at: "emitting", to: rows, flush: false });
    const decided = Math.min(...this.#rights.map((right) => right.decided));
    const held = decided > this.#emitted || this.#coalescer.rows > 0;
    if (this.#flushing && held) return this.#go({ at: "emitting", to: decided, flush: true });
    this.#flushing = false;
    return this.#need(starved, held && this.#spec.flush === "eager");
  }

  /** What waits for: inputs that are needed, and the others below their marks. */
  #need(needed: readonly number[], held = false): Step<number> {
    const inputs = [LEFT, ...this.#rights.map((_, i) => i + 1)].filter(
      (number) => !this.#input(number).ended && (needed.includes(number) || this.#input(number).wantsMore),
    );
    if (inputs.length === 0) throw new ArrowJoinError("INTERNAL", "An as-of join waits for inputs that have ended.");
    return { kind: "need", inputs, held };
  }

  /** Rights are read to their ends, for their order alone. */
  #check(): Step<number> | null {
    const open: number[] = [];
    for (const [i, right] of this.#rights.entries()) {
      if (right.check()) return null;
      if (!right.input.ended) open.push(i + 1);
    }
    return open.length > 0 ? { kind: "need", inputs: open } : this.#go({ at: "done" });
  }

  // ── drain ────────────────────────────────────────────────────────────────────────────────────

  /** Hands the rows up to `to` on, as many as there is room for. */
  #emit(to: number, flush: boolean): null {
    const coalescer = this.#coalescer;
    const chunk = this.#chunk as InputChunk;
    if (this.#emitted < to) {
      const end = Math.min(to, this.#emitted + coalescer.room);
      coalescer.add(this.#references.piece(chunk.start, this.#emitted, end));
      this.#emitted = end;
      return null;
    }
    for (const right of this.#rights) right.taken = to;
    const isLast = to === chunk.rows && chunk.start + to === chunk.batch.length;
    if (flush || isLast) coalescer.flush();
    this.#flushing = false;
    if (to < chunk.rows) return this.#go({ at: "matching" });
    if (isLast) {
      coalescer.setProbe(null);
      this.#left.ledger.give(chunk.receipt);
    }
    return this.#go({ at: "waiting" });
  }

  #handOut(batch: RecordBatch): Step<number> {
    this.#counts.outRows += batch.numRows;
    this.#counts.outBatches++;
    return { kind: "batch", batch };
  }

  // ── metrics ──────────────────────────────────────────────────────────────────────────────────

  #timed<T>(name: "probeMs" | "emitMs", work: () => T): T {
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#counts[name] += performance.now() - start;
    }
  }

  metrics(): JoinMetrics {
    const { outRows, outBatches, probeMs, emitMs } = this.#counts;
    const { pairs, unmatched } = this.#references;
    const sum = (of: (right: RightState) => number) => this.#rights.reduce((total, right) => total + of(right), 0);
    const { rows, batches } = this.#left;
    const rightRows = sum(({ input }) => input.rows);
    const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
    return {
      leftRows: rows,
      rightRows,
      outRows,
      distinctKeys: sum((right) => right.keyCount),
      candidatePairs: pairs,
      pairsPassed: pairs,
      leftUnmatched: unmatched,
      rightUnmatched: null,
      hitRate: share(rows - unmatched, rows),
      fanOut: share(pairs, rows - unmatched),
      selectivity: share(pairs, rows * rightRows),
      pairsTested: sum((right) => right.pairsTested),
      leftBatches: batches,
      rightBatches: sum(({ input }) => input.batches),
      outBatches,
      tableKind: "none",
      tableBytes: 0,
      buildMs: 0,
      probeMs,
      emitMs,
      peakBytes: this.#account.peakBytes,
      spilledBytes: 0,
      kernel: this.#kernel.name,
      kernelReason: this.#options.kernelReason,
      plan: this.explain(),
      asof: asofMetrics(this.#left, (this.#chunk?.rows ?? 0) - this.#emitted, this.#rights),
    };
  }

  explain(): string {
    const { outRows, outBatches } = this.#counts;
    const rights = this.#rights.map((right) => ({ rows: right.input.rows, keys: right.keyCount, ...heldOf(right) }));
    return explainAsof(this.#spec, {
      state: this.#state.at,
      kernel: this.#kernel.name,
      kernelReason: this.#options.kernelReason,
      leftRows: this.#left.rows,
      outRows,
      outBatches,
      rights,
    });
  }
}

const NOTHING: KeptRows = {
  batches: [],
  startsIn: () => {
    throw new ArrowJoinError("INTERNAL", "A right of which nothing is output holds no rows.");
  },
};

function newState(kernel: Kernel, spec: AsofRight, input: InputState, held: HeldRows | null, switches: JoinSwitches): RightState {
  const pairs = spec.filter !== null && spec.filter.conjuncts.length > 0;
  const State = pairs ? FilteredState : spec.direction === "backward" ? BackwardState : AheadState;
  return new State(kernel, spec, input, held, switches);
}

/** Columns of an input that the join reads. */
export function columnsOf({ rights, output }: AsofSpec, input: number): number[] {
  const side = input === LEFT ? "left" : "right";
  const own = rights.filter((_, i) => side === "left" || i === input - 1);
  const columns = [
    ...own.flatMap(({ leftTime, time, keys, filter }) => [
      (side === "left" ? leftTime : time).column,
      ...keys.map((key) => key[side]),
      ...(filter?.[side].columns ?? []),
    ]),
    ...output.flatMap((column) => (side === "left" || column.from === input - 1 ? (column[side] ?? []) : [])),
  ];
  return [...new Set(columns)].filter((column) => column >= 0);
}
