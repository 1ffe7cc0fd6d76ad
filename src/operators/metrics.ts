/**
 * `JoinMetrics`: what a join did. The members of the first block are equal for every batching of the same inputs; the others are of
 * this run.
 */

import type { KernelName } from "../kernel/contract.ts";
import type { JoinSpec } from "../spec/join-spec.ts";

export type TableKind = "direct" | "swiss" | "none";

export interface JoinMetrics {
  /** Rows read of each input. Less than it has where the join ended early (SEMANTICS 6.3). */
  readonly leftRows: number;
  readonly rightRows: number;
  readonly outRows: number;
  /** Distinct keys of the hashed side, null keys not counted unless null equals null. */
  readonly distinctKeys: number;
  /** Pairs of rows with equal keys. */
  readonly candidatePairs: number;
  /** Rows without a partner; null where the kind does not need to know. */
  readonly leftUnmatched: number | null;
  readonly rightUnmatched: number | null;
  /** Share of probe rows with a partner, 0 to 1. */
  readonly hitRate: number;
  /** Pairs for each probe row that has a partner. */
  readonly fanOut: number;
  /** Pairs as a share of all pairs that the rows could make. */
  readonly selectivity: number;

  readonly leftBatches: number;
  readonly rightBatches: number;
  readonly outBatches: number;
  readonly tableKind: TableKind;
  /** Bytes of the table, the groups and the representatives. */
  readonly tableBytes: number;
  readonly buildMs: number;
  readonly probeMs: number;
  readonly emitMs: number;
  readonly peakBytes: number;
  readonly spilledBytes: number;
  readonly kernel: KernelName;
  /** Why not WASM, where `auto` had to do without. */
  readonly kernelReason: string | null;
  /** The text of `explain()`. */
  readonly plan: string;
}

/** Counters of a running join, by role; turned into `JoinMetrics` by side when asked. */
export class Counters {
  buildRows = 0;
  probeRows = 0;
  buildBatches = 0;
  probeBatches = 0;
  outRows = 0;
  outBatches = 0;
  distinctKeys = 0;
  pairs = 0;
  probeMatched = 0;
  probeUnmatched: number | null = null;
  buildUnmatched: number | null = null;
  tableKind: TableKind = "none";
  tableBytes = 0;
  buildMs = 0;
  probeMs = 0;
  emitMs = 0;

  snapshot(spec: JoinSpec, rest: Pick<JoinMetrics, "peakBytes" | "kernel" | "kernelReason" | "plan">): JoinMetrics {
    const left = spec.probe === "left";
    return {
      leftRows: left ? this.probeRows : this.buildRows,
      rightRows: left ? this.buildRows : this.probeRows,
      outRows: this.outRows,
      distinctKeys: this.distinctKeys,
      candidatePairs: this.pairs,
      leftUnmatched: left ? this.probeUnmatched : this.buildUnmatched,
      rightUnmatched: left ? this.buildUnmatched : this.probeUnmatched,
      hitRate: this.probeRows === 0 ? 0 : this.probeMatched / this.probeRows,
      fanOut: this.probeMatched === 0 ? 0 : this.pairs / this.probeMatched,
      selectivity: this.buildRows * this.probeRows === 0 ? 0 : this.pairs / (this.buildRows * this.probeRows),
      leftBatches: left ? this.probeBatches : this.buildBatches,
      rightBatches: left ? this.buildBatches : this.probeBatches,
      outBatches: this.outBatches,
      tableKind: this.tableKind,
      tableBytes: this.tableBytes,
      buildMs: this.buildMs,
      probeMs: this.probeMs,
      emitMs: this.emitMs,
      spilledBytes: 0,
      ...rest,
    };
  }
}
