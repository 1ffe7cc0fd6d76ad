/** The one place where tests meet the library: the public verbs with loose types, and the same with internal switches. */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import { runJoin as runOneShot, runJoinStream as runStreamed } from "../../src/api/run-join.ts";
import * as index from "../../src/index.ts";
import type { JoinSwitches } from "../../src/operators/join-options.ts";

export type How = "inner" | "left" | "right" | "full" | "leftSemi" | "leftAnti" | "rightSemi" | "rightAnti" | "leftMark" | "rightMark";

/** The kind that gives the same rows when the inputs are exchanged. */
export const mirrorKind = (how: How): How => (how.startsWith("left") ? how.replace("left", "right") : how.replace("right", "left")) as How;

export type On =
  | string
  | readonly string[]
  | { readonly [left: string]: string }
  | readonly { readonly left: string; readonly right: string; readonly nullsEqual?: boolean }[];

export interface Options {
  readonly on: On;
  readonly how?: How;
  readonly nullsEqual?: boolean;
  /** A tree, an expression of the builder, or a function of the two column proxies. */
  readonly filter?: unknown;
  readonly nullAware?: boolean;
  readonly markName?: string;
  readonly validate?: "m:m" | "1:m" | "m:1" | "1:1";
  readonly unmatched?: "allow" | "error" | { readonly left?: "allow" | "error"; readonly right?: "allow" | "error" };
  readonly multiple?: "all" | "first" | "last" | "any";
  readonly select?: readonly string[] | { readonly [name: string]: string };
  readonly suffix?: string | readonly [string, string];
  readonly coalesceKeys?: boolean;
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

export type Metrics = { readonly [name in (typeof COMPARED_METRICS)[number]]: number };

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

type Verb<Result> = (left: unknown, right: unknown, options: unknown) => Result;
type Switched<Result> = (left: unknown, right: unknown, options: unknown, switches: Switches) => Result;

/** The public verbs, for options and inputs that no type would admit too. */
export const join = index.join as unknown as Verb<Table>;
export const joinStream = index.joinStream as unknown as Verb<Promise<Stream>>;

/** The same with forced collisions and tiny tables. */
export const runJoin = runOneShot as unknown as Switched<Table>;
export const runJoinStream = runStreamed as unknown as Switched<Promise<Stream>>;
