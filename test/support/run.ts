/** The one place where tests meet the library: the public verbs with loose types, and the same with internal switches. */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import type { KernelSwitches } from "../../src/kernel/contract.ts";

export type How = "inner" | "left" | "right" | "full" | "leftSemi" | "leftAnti" | "rightSemi" | "rightAnti";

export type On = string | readonly string[] | { readonly [left: string]: string } | readonly { readonly left: string; readonly right: string; readonly nullsEqual?: boolean }[];

export interface Options {
  readonly on: On;
  readonly how?: How;
  readonly nullsEqual?: boolean;
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
  readonly onProgress?: (progress: { readonly phase: string; readonly leftRows: number; readonly rightRows: number; readonly outRows: number }) => void;
  readonly signal?: AbortSignal;
}

/** Metrics that must not depend on batching. */
export const COMPARED_METRICS = ["leftRows", "rightRows", "outRows", "distinctKeys", "candidatePairs", "leftUnmatched", "rightUnmatched"] as const;

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

interface Api {
  readonly join: (left: unknown, right: unknown, options: unknown) => Table;
  readonly joinStream: (left: unknown, right: unknown, options: unknown) => Promise<Stream>;
}

interface Run {
  readonly runJoin: (left: unknown, right: unknown, options: unknown, switches: KernelSwitches) => Table;
  readonly runJoinStream: (left: unknown, right: unknown, options: unknown, switches: KernelSwitches) => Promise<Stream>;
}

const api = (await import(String("../../src/index.ts"))) as unknown as Api;
const run = (await import(String("../../src/run/join.ts"))) as unknown as Run;

export const { join, joinStream } = api;
export const { runJoin, runJoinStream } = run;
