/** The one place where tests meet the library: the public verbs with loose types, and the same with internal switches. */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import {
  runJoinAsof as runAsofOneShot,
  runJoinAsofStream as runAsofStreamed,
  runJoinCross as runCrossOneShot,
  runJoinCrossStream as runCrossStreamed,
  runJoin as runOneShot,
  runJoinStream as runStreamed,
  runJoinWhere as runWhereOneShot,
  runJoinWhereStream as runWhereStreamed,
} from "../../src/api/run-join.ts";
import * as index from "../../src/index.ts";
import type { JoinSwitches } from "../../src/operators/join-options.ts";
import type { SpillStore } from "../../src/run/spill-store.ts";

export type How = "inner" | "left" | "right" | "full" | "leftSemi" | "leftAnti" | "rightSemi" | "rightAnti" | "leftMark" | "rightMark";

/** The kind that gives the same rows when the inputs are exchanged. */
export const mirrorKind = (how: How): How => (how.startsWith("left") ? how.replace("left", "right") : how.replace("right", "left")) as How;

/** The columns `lrow` and `rrow` of the tables of `random-tree.ts`, as far as the kind gives them, and the mark: they tell every row apart. */
export function rowNumbers(how: How): readonly string[] {
  const mark = how.endsWith("Mark") ? ["mark"] : [];
  if (/^left[A-Z]/.test(how)) return ["left.lrow", ...mark];
  return /^right[A-Z]/.test(how) ? ["right.rrow", ...mark] : ["left.lrow", "right.rrow"];
}

export type On =
  | string
  | readonly string[]
  | { readonly [left: string]: string }
  | readonly { readonly left: string; readonly right: string; readonly nullsEqual?: boolean }[];

/** What every verb may be told. */
export interface CrossOptions {
  readonly select?: readonly string[] | { readonly [name: string]: string };
  readonly suffix?: string | readonly [string, string];
  readonly order?: "left" | "right" | "any";
  readonly build?: "auto" | "left" | "right";
  readonly batchSize?: number;
  readonly flush?: "full" | "eager";
  readonly copy?: boolean;
  readonly kernel?: "auto" | "wasm" | "ts";
  readonly hashSeed?: number;
  readonly onMetrics?: (metrics: Metrics) => void;
  readonly onProgress?: (progress: {
    readonly phase: string;
    readonly leftRows: number;
    readonly rightRows: number;
    readonly outRows: number;
  }) => void;
  readonly signal?: AbortSignal;
  readonly memoryLimit?: number;
  readonly spill?: SpillStore;
}

export interface WhereOptions extends CrossOptions {
  readonly how?: How;
  readonly markName?: string;
  readonly validate?: "m:m" | "1:m" | "m:1" | "1:1";
  readonly unmatched?: "allow" | "error" | { readonly left?: "allow" | "error"; readonly right?: "allow" | "error" };
  readonly multiple?: "all" | "first" | "last" | "any";
}

export interface Options extends WhereOptions {
  readonly on: On;
  readonly nullsEqual?: boolean;
  /** A tree, an expression of the builder, or a function of the two column proxies. */
  readonly filter?: unknown;
  readonly nullAware?: boolean;
  readonly coalesceKeys?: boolean;
}

/** A join without keys, as the oracle takes it: every pair of rows has equal keys, and the filter alone decides. */
export const withoutKeys = (options: WhereOptions, predicate?: unknown): Options => ({
  ...options,
  on: [],
  ...(predicate !== undefined && { filter: predicate }),
});

/** What each right of an as-of join may have for itself. */
export interface AsofRightOptions {
  readonly on?: On;
  readonly by?: On;
  readonly direction?: "backward" | "forward" | "nearest";
  readonly allowExactMatches?: boolean;
  readonly tolerance?: Tolerance | { readonly before?: Tolerance; readonly after?: Tolerance };
  readonly ties?: "adjacent" | "first" | "last";
  readonly filter?: unknown;
  readonly nullsEqual?: boolean;
  readonly rightTime?: string;
  readonly suffix?: string | readonly [string, string];
}

export type Tolerance = number | bigint | string;
export type AsofHow = "left" | "inner" | "leftSemi" | "leftAnti";

export interface AsofOptions extends AsofRightOptions, Omit<CrossOptions, "order" | "build" | "suffix"> {
  readonly how?: AsofHow;
  readonly unsorted?: "error" | "sort";
}

/** Metrics that must not depend on batching. */
export const COMPARED_METRICS = [
  "leftRows",
  "rightRows",
  "outRows",
  "distinctKeys",
  "candidatePairs",
  "leftUnmatched",
  "rightUnmatched",
] as const;

export type Metrics = { readonly [name in (typeof COMPARED_METRICS)[number]]: number } & {
  /** Of an as-of join: the left, then the rights. */
  readonly asof?: {
    readonly inputs: readonly { readonly rows: number; readonly heldRows: number; readonly heldBytes: number; readonly keys: number }[];
  };
};

export interface Stream extends AsyncIterableIterator<RecordBatch> {
  readonly schema: Schema;
  metrics(): Metrics;
  explain(): string;
  toTable(): Promise<Table>;
  toReadableStream(): ReadableStream<RecordBatch>;
  toIPC(): ReadableStream<Uint8Array>;
  cancel(reason?: unknown): Promise<void>;
  next(): Promise<IteratorResult<RecordBatch>>;
  return(): Promise<IteratorResult<RecordBatch>>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Internal switches, which are no options: forced collisions, tiny tables, the kind of table, where a column is too large. */
export type Switches = JoinSwitches;

type Verb<Result> = (left: unknown, right: unknown, options?: unknown) => Result;
type Switched<Result> = (left: unknown, right: unknown, options: unknown, switches: Switches) => Result;

/** The public verbs, for options and inputs that no type would admit too. */
export const join = index.join as unknown as Verb<Table>;
export const joinStream = index.joinStream as unknown as Verb<Promise<Stream>>;

type Decided<Result> = (left: unknown, right: unknown, predicate: unknown, options?: unknown) => Result;
export const joinWhere = index.joinWhere as unknown as Decided<Table>;
export const joinWhereStream = index.joinWhereStream as unknown as Decided<Promise<Stream>>;
export const joinCross = index.joinCross as unknown as Verb<Table>;
export const joinAsof = index.joinAsof as unknown as Verb<Table>;
export const joinAsofStream = index.joinAsofStream as unknown as Verb<Promise<Stream>>;
export const joinCrossStream = index.joinCrossStream as unknown as Verb<Promise<Stream>>;

/** The same with forced collisions and tiny tables. */
export const runJoin = runOneShot as unknown as Switched<Table>;
export const runJoinStream = runStreamed as unknown as Switched<Promise<Stream>>;

type DecidedSwitched<Result> = (left: unknown, right: unknown, predicate: unknown, options: unknown, switches: Switches) => Result;
export const runJoinWhere = runWhereOneShot as unknown as DecidedSwitched<Table>;
export const runJoinWhereStream = runWhereStreamed as unknown as DecidedSwitched<Promise<Stream>>;
export const runJoinCross = runCrossOneShot as unknown as Switched<Table>;
export const runJoinCrossStream = runCrossStreamed as unknown as Switched<Promise<Stream>>;

export const runJoinAsof = runAsofOneShot as unknown as Switched<Table>;
export const runJoinAsofStream = runAsofStreamed as unknown as Switched<Promise<Stream>>;

/** A verb and its stream, with the options of `join`: those of joins without keys have an empty list of them. */
export interface Verbs {
  readonly now: (left: unknown, right: unknown, options: Options, switches: Switches) => Table;
  readonly later: (left: unknown, right: unknown, options: Options, switches: Switches) => Promise<Stream>;
}

export const JOIN: Verbs = { now: runJoin, later: runJoinStream };

export const WHERE: Verbs = {
  now: (left, right, { on, filter, ...options }, switches) => runJoinWhere(left, right, filter, options, switches),
  later: (left, right, { on, filter, ...options }, switches) => runJoinWhereStream(left, right, filter, options, switches),
};

export const CROSS: Verbs = {
  now: (left, right, { on, ...options }, switches) => runJoinCross(left, right, options, switches),
  later: (left, right, { on, ...options }, switches) => runJoinCrossStream(left, right, options, switches),
};
