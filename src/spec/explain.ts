/**
 * `explain()`: a join as text, for people. First line the operator, then how it goes about it, then what it has done so far.
 */

import { typeText } from "../plain-type.ts";
import { existenceOf, type JoinSpec } from "./join-spec.ts";

export interface ExplainState {
  readonly state: string;
  readonly kernel: string;
  readonly kernelReason: string | null;
  readonly tableKind: string;
  readonly tableBytes: number;
  readonly distinctKeys: number;
  readonly groups: number;
  readonly buildRows: number;
  readonly probeRows: number;
  readonly candidatePairs: number;
  readonly pairsTested: number;
  /** How the filter is tested. */
  readonly filterPath: string;
  readonly outRows: number;
  readonly outBatches: number;
  /** Of a nested loop: passes over the streamed side so far, bytes put aside in the store. */
  readonly passes?: number;
  readonly spilledBytes?: number;
}

/** A few lines without a trailing newline. */
export function explainJoin(spec: JoinSpec, now: ExplainState): string {
  const keys = spec.keys.map((key) => {
    const equal = key.nullsEqual ? "is not distinct from" : "=";
    return `left.${key.leftName} ${equal} right.${key.rightName} (${typeText(key.leftType)})`;
  });
  const table =
    now.tableKind === "none"
      ? "not built yet"
      : `${now.tableKind} table, ${now.distinctKeys} distinct keys, ${now.groups} with several rows, ${now.tableBytes} bytes`;
  const inverted = spec.hashed === spec.probe ? `, pairs sorted back into ${spec.probe} order` : "";
  const keyed = keys.length > 0;
  const operator = existenceOf(spec.kind) ? "ExistenceJoin" : "HashJoin";
  const title = keyed ? `${operator} ${spec.kind}` : spec.where === null ? "CrossJoin" : `NestedLoopJoin ${spec.kind}`;
  const filter = spec.filter
    ? [`  filter: ${spec.filter.text} (${spec.filter.never ? "never true" : `${now.filterPath}; ${now.pairsTested} pairs tested`})`]
    : [];
  return [
    `${title}${spec.notFalse ? " (null-aware)" : ""}${keyed ? ` on ${keys.join(" and ")}` : spec.where === null ? "" : ` where ${spec.where}`}`,
    ...filter,
    ...(keyed ? [`  hashed: ${spec.hashed} (${table})${inverted}`] : []),
    `  build: ${spec.build}, ${now.buildRows} rows; probe: ${spec.probe}, ${now.probeRows} rows`,
    ...((now.passes ?? 0) > 1
      ? [`  passes: ${now.passes} over the ${spec.probe} side, a chunk of the ${spec.build} side each; ${now.spilledBytes} bytes spilled`]
      : []),
    `  output: ${spec.output.length} columns, batches of at most ${spec.batchSize} rows${spec.flush === "eager" ? ", emitted eagerly" : ""}`,
    `  kernel: ${now.kernel}${now.kernelReason ? ` (${now.kernelReason})` : ""}`,
    `  state: ${now.state}; ${now.candidatePairs} pairs, ${now.outRows} rows out in ${now.outBatches} batches`,
  ].join("\n");
}
