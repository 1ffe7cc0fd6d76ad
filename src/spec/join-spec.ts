/**
 * `JoinSpec`: one join as plain JSON, made by `planJoin` before any work and followed by operators, drivers and `explain`.
 *
 * Two pairs of sides, mapped here once and never again:
 * - left and right are the caller's words (schemas, options, messages);
 * - *probe* is the side whose row order the output follows and that streams; *build* is the other side, kept whole.
 * The side that is hashed is normally the build side. A one-shot join may hash the probe side instead (`hashed`): the index is then
 * inverted by a counting sort, so the order of the output is the same.
 */

import type { PlainField, PlainType } from "../plain-type.ts";
import type { FilterSpec } from "./filter-spec.ts";
import { otherSide, type Side } from "./side.ts";

export { otherSide, type Side };

export const JOIN_KINDS = [
  "inner",
  "left",
  "right",
  "full",
  "leftSemi",
  "leftAnti",
  "rightSemi",
  "rightAnti",
  "leftMark",
  "rightMark",
] as const;

export type JoinKind = (typeof JOIN_KINDS)[number];

/** The only side that a kind outputs, or null where it outputs both. */
export function outputSideOf(kind: JoinKind): Side | null {
  const [, side = null] = /^(left|right)[A-Z]/.exec(kind) ?? [];
  return side as Side | null;
}

/** What a kind of one side tells of its rows: those with a match, those without, or a mark for each. */
export function existenceOf(kind: JoinKind): "semi" | "anti" | "mark" | null {
  return kind.endsWith("Semi") ? "semi" : kind.endsWith("Anti") ? "anti" : kind.endsWith("Mark") ? "mark" : null;
}

/** Does the kind output the rows of this side that have no partner (with nulls for the other side)? */
export function keepsUnmatched(kind: JoinKind, side: Side): boolean {
  return kind === "full" || kind === side;
}

export interface KeySpec {
  /** Column positions in each input, and their names for messages. */
  readonly left: number;
  readonly right: number;
  readonly leftName: string;
  readonly rightName: string;
  readonly leftType: PlainType;
  readonly rightType: PlainType;
  readonly nullsEqual: boolean;
}

/**
 * An output column. Exactly one of `left` and `right` is a column position, except a key of a full join that is coalesced: the left's
 * value where there is a left row, else the right's; `convert` then says how both become one type. The mark has neither.
 */
export interface OutputColumn {
  readonly name: string;
  readonly left: number | null;
  readonly right: number | null;
  readonly nullable: boolean;
  /** The side whose field gives type and metadata. */
  readonly typeOf: Side;
  /** A coalesced key: the other side's column of the key, whose metadata is kept too. */
  readonly otherKey?: number;
  /** none: as it is; codes: dictionaries unified, Int32 codes; values: dictionary values instead of codes. */
  readonly convert: "none" | "codes" | "values";
}

export interface JoinSpec {
  readonly kind: JoinKind;
  /** Of a predicate those of its conditions that are equalities of columns; none: every pair of rows is a candidate. */
  readonly keys: readonly KeySpec[];
  /** The text of the predicate that is the whole condition of the join; null: the keys are given. */
  readonly where: string | null;
  readonly output: readonly OutputColumn[];
  readonly probe: Side;
  readonly build: Side;
  readonly hashed: Side;
  /** The side whose dictionaries become one, with Int32 codes; those of the other side pass through (SEMANTICS 2.5). */
  readonly unified: Side;
  /** The caller does not mind which order rows come in. */
  readonly anyOrder: boolean;
  /** Rows; Infinity is legal. */
  readonly batchSize: number;
  readonly copy: boolean;
  readonly flush: "full" | "eager";
  /** The residual filter; null: none. */
  readonly filter: FilterSpec | null;
  /**
   * NOT IN and IN (SEMANTICS 3.4): what a row and one of the other side must fulfil for the comparison of their keys not to be FALSE, the
   * filter included. Null: the join is not null-aware.
   */
  readonly notFalse: FilterSpec | null;
  /** Sides whose rows may have one partner only (`validate`), and whose rows must have one (`unmatched`). */
  readonly single: Readonly<Record<Side, boolean>>;
  readonly matched: Readonly<Record<Side, boolean>>;
  /** Which partners of a row of `limited` are output; any: at our choice. */
  readonly multiple: "all" | "first" | "last" | "any";
  readonly limited: Side;
}

/** What a caller asks of a join, options checked for shape and value, nothing looked up yet. */
export interface JoinRequest {
  /** None where a predicate is the condition, or where there is none. */
  readonly on: readonly { readonly left: string; readonly right: string; readonly nullsEqual: boolean }[];
  readonly how: JoinKind;
  readonly select: readonly { readonly name: string | null; readonly column: string }[] | null;
  readonly suffix: readonly [string, string];
  readonly coalesceKeys: boolean;
  readonly order: "left" | "right" | "any" | null;
  readonly build: "auto" | Side | null;
  readonly batchSize: number | null;
  readonly copy: boolean;
  readonly flush: "full" | "eager";
  /** The filter or the predicate, a tree as `Expression`, not checked yet; undefined: none. */
  readonly filter: unknown;
  readonly nullAware: boolean;
  readonly markName: string;
  readonly validate: "m:m" | "1:m" | "m:1" | "1:1";
  readonly unmatched: Readonly<Record<Side, "allow" | "error">> | "allow" | "error";
  readonly multiple: "all" | "first" | "last" | "any";
}

/** An input as far as planning needs it. */
export interface PlannedInput {
  readonly fields: readonly PlainField[];
  /** Rows, where known. */
  readonly rows: number | null;
}
