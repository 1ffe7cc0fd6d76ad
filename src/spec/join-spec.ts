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

export type Side = "left" | "right";

export const otherSide = (side: Side): Side => (side === "left" ? "right" : "left");

export type JoinKind = "inner" | "left" | "right" | "full" | "leftSemi" | "leftAnti" | "rightSemi" | "rightAnti";

export const JOIN_KINDS: readonly JoinKind[] = ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"];

/** The only side that a kind outputs, or null where it outputs both. */
export function outputSideOf(kind: JoinKind): Side | null {
  if (kind === "leftSemi" || kind === "leftAnti") return "left";
  if (kind === "rightSemi" || kind === "rightAnti") return "right";
  return null;
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
 * value where there is a left row, else the right's; `convert` then says how both become one type.
 */
export interface OutputColumn {
  readonly name: string;
  readonly left: number | null;
  readonly right: number | null;
  readonly nullable: boolean;
  /** The side whose field gives type and metadata. */
  readonly typeOf: Side;
  /** none: as it is; codes: dictionaries unified, Int32 codes; values: dictionary values instead of codes. */
  readonly convert: "none" | "codes" | "values";
}

export interface JoinSpec {
  readonly kind: JoinKind;
  readonly keys: readonly KeySpec[];
  readonly output: readonly OutputColumn[];
  readonly probe: Side;
  readonly build: Side;
  readonly hashed: Side;
  /** The side whose dictionaries become one, with Int32 codes; those of the other side pass through (SEMANTICS 2.5). */
  readonly unified: Side;
  /** Rows; Infinity is legal. */
  readonly batchSize: number;
  readonly copy: boolean;
  readonly flush: "full" | "eager";
}

/** What a caller asks of a hash join, options checked for shape and value, nothing looked up yet. */
export interface JoinRequest {
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
}

/** An input as far as planning needs it. */
export interface PlannedInput {
  readonly fields: readonly PlainField[];
  /** Rows, where known. */
  readonly rows: number | null;
}
