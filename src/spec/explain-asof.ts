/** `explain()` of an as-of join: what is joined with what, then what it has done and holds. */

import { typeText } from "../plain-type.ts";
import type { AsofRight, AsofSpec } from "./asof-spec.ts";
import type { KeySpec } from "./join-spec.ts";

export interface AsofExplainState {
  readonly state: string;
  readonly kernel: string;
  readonly kernelReason: string | null;
  readonly leftRows: number;
  readonly outRows: number;
  readonly outBatches: number;
  /** In the order of the spec. */
  readonly rights: readonly {
    /** Read so far. */
    readonly rows: number;
    /** Distinct `by` keys. */
    readonly keys: number;
    readonly heldRows: number;
    readonly heldBytes: number;
  }[];
}

/** A few lines without a trailing newline. */
export function explainAsof(spec: AsofSpec, now: AsofExplainState): string {
  const { kind, rights, unsorted, output, batchSize, flush } = spec;
  return [
    ...rights.map((right, i) => `${i === 0 ? `AsofJoin ${kind}` : "  and"} ${rightText(right)}`),
    `  left: ${now.leftRows} rows${unsorted === "sort" ? "; inputs out of order are sorted" : ""}`,
    ...now.rights.map(
      ({ rows, keys, heldRows, heldBytes }, i) =>
        `  ${rights[i].name}: ${rows} rows${rights[i].keys.length > 0 ? `, ${keys} keys` : ""}; holds ${heldRows} rows, ${heldBytes} bytes`,
    ),
    `  output: ${output.length} columns, batches of at most ${batchSize} rows${flush === "eager" ? ", emitted eagerly" : ""}`,
    `  kernel: ${now.kernel}${now.kernelReason ? ` (${now.kernelReason})` : ""}`,
    `  state: ${now.state}; ${now.outRows} rows out in ${now.outBatches} batches`,
  ].join("\n");
}

const COMPARISONS = { backward: ">=", forward: "<=", nearest: "~" } as const;

function rightText({ name, direction, strict, leftTime, time, keys, tolerance, ties, filter }: AsofRight): string {
  const sign = COMPARISONS[direction];
  const by = keys.map(
    ({ leftName, rightName, leftType, nullsEqual }: KeySpec) =>
      `left.${leftName} ${nullsEqual ? "is not distinct from" : "="} ${name}.${rightName} (${typeText(leftType)})`,
  );
  return [
    `${direction} on left.${leftTime.name} ${strict && direction !== "nearest" ? sign[0] : sign} ${name}.${time.name}`,
    ...(by.length > 0 ? [` by ${by.join(" and ")}`] : []),
    ...(strict && direction === "nearest" ? [", not at the same time"] : []),
    ...(tolerance === null ? [] : [`, tolerance ${tolerance}`]),
    ...(ties === "adjacent" ? [] : [`, ties ${ties}`]),
    ...(filter ? [`, where ${filter.text}`] : []),
  ].join("");
}
