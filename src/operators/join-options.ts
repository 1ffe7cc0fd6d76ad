/** What a join is made of: its plan, its kernel, what is known of its inputs; and the switches of tests. */

import type { InputBatch, InputSchema } from "../arrow/input.ts";
import type { OutputSchema } from "../arrow/output.ts";
import type { Kernel } from "../kernel/contract.ts";
import type { JoinSpec, Side } from "../spec/join-spec.ts";
import type { BuildSide } from "./build-side.ts";
import type { IndexSwitches, JoinIndexMap } from "./join-index-map.ts";
import type { KeySpace } from "./key-encoder.ts";
import type { MemoryAccount } from "./memory.ts";
import type { OutputSwitches } from "./output-plan.ts";
import type { ProbeMarks } from "./probe-marks.ts";

/** Test switches; never options of a verb. */
export interface JoinSwitches extends IndexSwitches, OutputSwitches {
  /** Candidates tested at once, to reach the border of a tile with few rows. */
  readonly tileRows?: number;
  /** Range search: never, or for the smallest groups too. */
  readonly rangeSearch?: "off" | "always";
  /** Every pair of rows is tested: no condition becomes a key or is searched. */
  readonly wherePath?: "loop";
  /** Buffered rows of one pass over the other side. */
  readonly chunkRows?: number;
  /** Existence joins test every candidate. */
  readonly noEarlyExit?: boolean;
  /** Of an as-of join: bytes of right rows that are held before those of no use are let go. */
  readonly compactBytes?: number;
}

/** An index that is there already, of a prepared join. It is only read. */
export interface BuiltIndex {
  /** The hashed side. */
  readonly side: BuildSide;
  readonly space: KeySpace;
  readonly index: JoinIndexMap;
}

/** A pass over a chunk of the build side, in a join that may take several. */
export interface Pass {
  /** Counts what all of them hold. */
  readonly account: MemoryAccount;
  /** Rows of the build side before the chunk. */
  readonly firstBuild: number;
  /** Marks probe rows that find a partner; those of `decided` need none any more. */
  readonly marks: ProbeMarks | null;
  /** Where it does not fit, one of fewer rows is tried. */
  readonly splits: boolean;
  readonly decided: ProbeMarks | null;
  /** Nothing reads the chunk's batches any more. */
  readonly released: () => void;
}

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
  readonly built?: BuiltIndex;
  /** Bytes that the join may hold; null: as many as there are. */
  readonly memoryLimit?: number | null;
  /** The driver has a store. */
  readonly spills?: boolean;
  /** What the inputs are, for joins that may take several passes. */
  readonly inputs?: Readonly<Record<Side, InputSchema>>;
  /** Of one pass of several. */
  readonly pass?: Pass;
  readonly switches?: JoinSwitches;
}
