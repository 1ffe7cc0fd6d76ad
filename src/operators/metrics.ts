/**
 * `JoinMetrics`: what a join did. The members of the first block are equal for every batching of the same inputs; the others are of
 * this run.
 */

import type { KernelName } from "../kernel/contract.ts";
import type { JoinSpec } from "../spec/join-spec.ts";
import type { AsofMetrics } from "./asof-metrics.ts";

export type TableKind = "direct" | "swiss" | "none";

export interface JoinMetrics {
  /** Rows read of the left input. Less than it has where the join ended early, its answer being known. */
  readonly leftRows: number;
  /** Rows read of the right input; likewise. */
  readonly rightRows: number;
  /** Rows of the result so far. */
  readonly outRows: number;
  /** Distinct keys of the hashed side, null keys not counted unless null equals null. */
  readonly distinctKeys: number;
  /**
   * Pairs of rows with equal keys, of which no condition of the filter on one side alone rules a row out. Kinds that give rows of one side
   * list no pairs: there it is at least the number of probe rows that have a partner by their key.
   */
  readonly candidatePairs: number;
  /** Of these, how many fulfil the whole filter; null for kinds that give rows of one side, which do not count them. */
  readonly pairsPassed: number | null;
  /** Left rows without a partner; null where the kind does not need to know. */
  readonly leftUnmatched: number | null;
  /** Right rows without a partner; null where the kind does not need to know. */
  readonly rightUnmatched: number | null;
  /** Share of probe rows with a partner, 0 to 1. */
  readonly hitRate: number;
  /** Pairs for each probe row that has a partner. */
  readonly fanOut: number;
  /** Pairs as a share of all pairs that the rows could make. */
  readonly selectivity: number;

  /** Pairs for which conditions on both sides were tested one by one: less than the candidates where a search or an early end saves them. */
  readonly pairsTested: number;
  /** Batches read of the left input. */
  readonly leftBatches: number;
  /** Batches read of the right input. */
  readonly rightBatches: number;
  /** Batches of the result so far. */
  readonly outBatches: number;
  /** `direct`: keys are addressed by value; `swiss`: a hash table; `none`: not built. */
  readonly tableKind: TableKind;
  /** Bytes of the table and of the groups of rows with equal keys. */
  readonly tableBytes: number;
  /** Milliseconds spent buffering and indexing the build side. */
  readonly buildMs: number;
  /** Milliseconds spent looking up probe rows. */
  readonly probeMs: number;
  /** Milliseconds spent making output batches. */
  readonly emitMs: number;
  /** The most bytes the join held at once, without a one-shot join's inputs and without batches handed out. */
  readonly peakBytes: number;
  /** Bytes written to the spill store. */
  readonly spilledBytes: number;
  /** The kernel that ran. */
  readonly kernel: KernelName;
  /** Why not WASM, where `auto` had to do without. */
  readonly kernelReason: string | null;
  /** The text of `explain()`. */
  readonly plan: string;
  /** Of an as-of join: what it holds of each input. */
  readonly asof?: AsofMetrics;
}

/** Rows and batches read of a side; its rows without a partner, null while (or where) that is not known. */
interface SideCounts {
  rows: number;
  batches: number;
  unmatched: number | null;
}

/** Counters of a running join, by role; turned into `JoinMetrics` by side when asked. */
export class Counters {
  readonly build: SideCounts = { rows: 0, batches: 0, unmatched: null };
  readonly probe: SideCounts = { rows: 0, batches: 0, unmatched: null };
  probeMatched = 0;
  /** What is the same whichever side is which. */
  readonly totals = {
    outRows: 0,
    outBatches: 0,
    distinctKeys: 0,
    candidatePairs: 0,
    pairsPassed: 0 as number | null,
    pairsTested: 0,
    tableKind: "none" as TableKind,
    tableBytes: 0,
    buildMs: 0,
    probeMs: 0,
    emitMs: 0,
  };

  copy(): Counters {
    const copy = new Counters();
    copy.probeMatched = this.probeMatched;
    for (const part of ["build", "probe", "totals"] as const) Object.assign(copy[part], this[part]);
    return copy;
  }

  /** Adds what a pass did over a chunk of the build side; `whole`: over all of it. */
  add({ build, probe, probeMatched, totals }: Counters, whole: boolean): void {
    const own = this.totals;
    for (const name of ["distinctKeys", "candidatePairs", "pairsTested", "buildMs", "probeMs", "emitMs"] as const)
      own[name] += totals[name];
    own.pairsPassed = totals.pairsPassed === null ? null : (own.pairsPassed ?? 0) + totals.pairsPassed;
    own.tableKind = totals.tableKind;
    own.tableBytes = Math.max(own.tableBytes, totals.tableBytes);
    if (build.unmatched !== null) this.build.unmatched = (this.build.unmatched ?? 0) + build.unmatched;
    if (!whole) return;
    this.probe.unmatched = probe.unmatched;
    this.probeMatched = probeMatched;
  }

  snapshot(spec: JoinSpec, rest: Pick<JoinMetrics, "peakBytes" | "spilledBytes" | "kernel" | "kernelReason" | "plan">): JoinMetrics {
    const { build, probe, probeMatched, totals } = this;
    const [left, right] = spec.probe === "left" ? [probe, build] : [build, probe];
    const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
    return {
      leftRows: left.rows,
      rightRows: right.rows,
      leftUnmatched: left.unmatched,
      rightUnmatched: right.unmatched,
      leftBatches: left.batches,
      rightBatches: right.batches,
      hitRate: share(probeMatched, probe.rows),
      fanOut: share(totals.pairsPassed ?? totals.candidatePairs, probeMatched),
      selectivity: share(totals.candidatePairs, build.rows * probe.rows),
      ...totals,
      ...rest,
    };
  }
}
