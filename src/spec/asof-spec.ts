/**
 * `AsofSpec`: one as-of join as plain data, made by `planAsof` before any work and followed by the operator, the drivers and `explain`.
 *
 * Inputs have numbers: 0 is the left, 1, 2, ... are the rights, which messages and `select` call right, right1, right2, ...
 */

import type { PlainType } from "../plain-type.ts";
import type { FilterSpec, NumberLane } from "./filter-spec.ts";
import type { KeySpec, OutputColumn } from "./join-spec.ts";

export const ASOF_KINDS = ["left", "inner", "leftSemi", "leftAnti"] as const;
export type AsofKind = (typeof ASOF_KINDS)[number];
export type Direction = "backward" | "forward" | "nearest";
export type Ties = "adjacent" | "first" | "last";

/** A difference of times as kernels compare it (src/kernel/asof-contract.ts): major * base + minor in the finer of both units. */
export interface TimeBound {
  readonly major: number;
  readonly minor: number;
}

/** How a column's values become times. The members as in the kernel contract. */
export interface TimeColumn {
  readonly column: number;
  readonly name: string;
  readonly type: PlainType;
  readonly from: NumberLane;
  readonly op: "number" | "split" | "coarse" | "fine";
  readonly factor: number;
  readonly base: number;
}

export interface AsofRight {
  /** As messages and `select` call it: right, right1, ... */
  readonly name: string;
  /** The left time column as this right's times need it, and the right's own. Both have one base. */
  readonly leftTime: TimeColumn;
  readonly time: TimeColumn;
  /** The `by` keys; none: all rows are of one key. */
  readonly keys: readonly KeySpec[];
  readonly direction: Direction;
  readonly strict: boolean;
  readonly before: TimeBound | null;
  readonly after: TimeBound | null;
  readonly ties: Ties;
  readonly filter: FilterSpec | null;
  /** Text of the tolerance for `explain`; null: none. */
  readonly tolerance: string | null;
}

export interface AsofColumn extends OutputColumn {
  /** Of a right column: which right, from 0. */
  readonly from: number;
}

export interface AsofSpec {
  readonly kind: AsofKind;
  readonly rights: readonly AsofRight[];
  /** Exactly one of `left` and `right` is a column position; `convert` is none. */
  readonly output: readonly AsofColumn[];
  /** As in a `JoinSpec`: left rows stream, right rows are kept, and the dictionaries of those become one. */
  readonly probe: "left";
  readonly build: "right";
  readonly unified: "right";
  readonly batchSize: number;
  readonly copy: boolean;
  readonly flush: "full" | "eager";
  readonly unsorted: "error" | "sort";
}

/** What a caller asks of one right; nothing looked up yet. */
export interface AsofRightRequest {
  readonly on: { readonly left: string; readonly right: string };
  readonly by: readonly { readonly left: string; readonly right: string; readonly nullsEqual: boolean }[];
  readonly direction: Direction;
  readonly allowExactMatches: boolean;
  /** A number, bigint or duration text, or one for each direction; undefined: none. */
  readonly tolerance: unknown;
  readonly ties: Ties;
  /** A tree as `Expression`; undefined: none. */
  readonly filter: unknown;
  readonly rightTime: string | null;
  readonly suffix: readonly [string, string];
}

export interface AsofRequest {
  readonly how: AsofKind;
  readonly rights: readonly AsofRightRequest[];
  readonly select: readonly { readonly name: string | null; readonly column: string }[] | null;
  readonly batchSize: number | null;
  readonly copy: boolean;
  readonly flush: "full" | "eager";
  readonly unsorted: "error" | "sort";
}
