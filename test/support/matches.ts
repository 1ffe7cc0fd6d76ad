/**
 * Which rows of a join match, by comparing every pair: keys (SEMANTICS 1), the filter (3), NOT IN and IN (3.4), and what `validate`,
 * `unmatched` and `multiple` make of the matches (4).
 */

import { parseExpression } from "../../src/api/expr.ts";
import type { ArrowJoinErrorCode } from "../../src/error.ts";
import { type Cell, keyText, type Row } from "./cell.ts";
import { isNever, predicateOf, type Truth } from "./predicate.ts";
import type { ReadTable } from "./rows.ts";
import type { How, Options } from "./run.ts";
import { conjunctsOf, sidesRead, type Tree } from "./tree.ts";

export type Side = "left" | "right";

export interface Key {
  readonly left: string;
  readonly right: string;
  readonly nullsEqual: boolean;
}

type Pairs = readonly (readonly boolean[])[];

export interface Matches {
  /** [left row][right row]: partners. */
  readonly match: Pairs;
  /** The filter is TRUE, and the comparison of the keys is neither TRUE nor FALSE. */
  readonly unknown: Pairs;
  /** Pairs of equal keys of which no conjunct that reads one side rules out a row; null where the rules leave open what conjuncts are. */
  readonly candidates: number | null;
}

/** The filter as the evaluator takes it: a tree, whatever built it. */
export const treeOfFilter = (filter: unknown): Tree | null => (filter === undefined ? null : parseExpression("filter", filter));

export function matchRows(left: ReadTable, right: ReadTable, keys: readonly Key[], options: Options): Matches {
  const tree = treeOfFilter(options.filter);
  const passes = tree === null ? () => true : predicateOf(tree, { left: left.fields, right: right.fields });
  const [leftKeys, rightKeys] = [keyRows(left, keys, "left"), keyRows(right, keys, "right")];
  const compared = leftKeys.map((l) => rightKeys.map((r) => compareKeys(l, r, keys)));
  const where = (wanted: Truth): Pairs =>
    compared.map((row, l) => row.map((truth, r) => truth === wanted && passes(left.rows[l], right.rows[r]) === true));
  return { match: where(true), unknown: where(null), candidates: candidatePairs(tree, compared, left, right) };
}

export function keyRows(side: ReadTable, keys: readonly Key[], which: Side): Row[] {
  const at = keys.map((key) => side.fields.findIndex((field) => field.name === key[which]));
  return side.rows.map((row) => at.map((i) => row[i]));
}

/** SEMANTICS 3.4: FALSE as soon as one key differs, else unknown if one is null. */
function compareKeys(l: Row, r: Row, keys: readonly Key[]): Truth {
  const truths = keys.map((key, k) => compareKey(l[k], r[k], key.nullsEqual));
  return truths.includes(false) ? false : truths.includes(null) ? null : true;
}

/** SEMANTICS 1.1, 1.2. A key that takes nulls as equal is never unknown. */
function compareKey(l: Cell, r: Cell, nullsEqual: boolean): Truth {
  if (l === null || r === null) return nullsEqual ? l === r : null;
  return keyText(l) === keyText(r);
}

function candidatePairs(tree: Tree | null, compared: readonly (readonly Truth[])[], left: ReadTable, right: ReadTable): number | null {
  const conjuncts = tree === null ? [] : conjunctsOf(tree);
  const fields = { left: left.fields, right: right.fields };
  const only = (side: Side) =>
    conjuncts
      .filter((one) => sidesRead(one)[side] && !sidesRead(one)[side === "left" ? "right" : "left"])
      .map((one) => predicateOf(one, fields));
  const constants = conjuncts.filter((one) => !sidesRead(one).left && !sidesRead(one).right);
  if (constants.some(isNever) || !conjuncts.every(isPlain)) return null;
  const [ofLeft, ofRight] = [only("left"), only("right")];
  const keeps = [
    left.rows.map((row) => ofLeft.every((one) => one(row, []) === true)),
    right.rows.map((row) => ofRight.every((one) => one([], row) === true)),
  ];
  return compared.flatMap((row, l) => row.filter((truth, r) => truth === true && keeps[0][l] && keeps[1][r])).length;
}

/** Rewriting may find further conjuncts in a BETWEEN, below a NOT, and in an OR with constants: nothing is promised of those. */
function isPlain(tree: Tree): boolean {
  const { left, right } = sidesRead(tree);
  if (!left || !right || !("op" in tree)) return true;
  const free = (part: Tree) => !sidesRead(part).left && !sidesRead(part).right;
  return tree.op !== "between" && tree.op !== "not" && !(tree.op === "or" && tree.args.some((part) => hasFreePart(part, free)));
}

const hasFreePart = (tree: Tree, free: (tree: Tree) => boolean): boolean =>
  free(tree) ||
  ("op" in tree && (tree.op === "and" || tree.op === "or" || tree.op === "not") && tree.args.some((part) => hasFreePart(part, free)));

// Cardinality: SEMANTICS 4

export interface Violation {
  readonly code: ArrowJoinErrorCode;
  readonly side: Side;
  readonly row: number;
  readonly key: Row;
}

/** Everything that `validate` and `unmatched` have to say; an error names one of it. */
export function violationsOf(match: Pairs, left: ReadTable, right: ReadTable, keys: readonly Key[], options: Options): Violation[] {
  const how = options.how ?? "inner";
  const partners = {
    left: match.map((row) => row.filter(Boolean).length),
    right: right.rows.map((_, r) => match.filter((row) => row[r]).length),
  };
  const keyOf = { left: keyRows(left, keys, "left"), right: keyRows(right, keys, "right") };
  const found = (side: Side, code: ArrowJoinErrorCode, breaks: (count: number) => boolean): Violation[] =>
    partners[side].flatMap((count, row) => (breaks(count) ? [{ code, side, row, key: keyOf[side][row] }] : []));
  const { validate = "m:m", unmatched = "allow" } = options;
  return [
    ...(validate === "m:1" || validate === "1:1" ? found("left", "CARDINALITY", (count) => count > 1) : []),
    ...(validate === "1:m" || validate === "1:1" ? found("right", "CARDINALITY", (count) => count > 1) : []),
    ...(mustMatch(unmatched, how, "left") ? found("left", "UNMATCHED", (count) => count === 0) : []),
    ...(mustMatch(unmatched, how, "right") ? found("right", "UNMATCHED", (count) => count === 0) : []),
  ];
}

/** The bare "error" means the sides whose unmatched rows the kind drops. */
function mustMatch(unmatched: NonNullable<Options["unmatched"]>, how: How, side: Side): boolean {
  if (typeof unmatched === "object") return unmatched[side] === "error";
  return unmatched === "error" && how !== "full" && how !== side;
}

/** The side each of whose rows has one partner at most with `multiple`. */
export const limitedSide = (how: How): Side => (how === "right" ? "right" : "left");

/** The pairs that `multiple` leaves. `chosen` says, for "any", which partner each limited row has. */
export function keptPairs(match: Pairs, rightRows: number, options: Options, chosen?: ReadonlyMap<number, number>): Pairs {
  const { multiple = "all" } = options;
  if (multiple === "all") return match;
  const side = limitedSide(options.how ?? "inner");
  const pick = (partners: readonly number[], limited: number): number =>
    chosen !== undefined && multiple === "any"
      ? (chosen.get(limited) ?? -1)
      : multiple === "last"
        ? Math.max(...partners)
        : Math.min(...partners);
  const kept = match.map((row) => row.map(() => false));
  if (side === "left") {
    match.forEach((row, l) => {
      const partners = row.flatMap((is, r) => (is ? [r] : []));
      const at = partners.length > 0 ? pick(partners, l) : -1;
      if (at >= 0) kept[l][at] = true;
    });
    return kept;
  }
  for (let r = 0; r < rightRows; r++) {
    const partners = match.flatMap((row, l) => (row[r] ? [l] : []));
    const at = partners.length > 0 ? pick(partners, r) : -1;
    if (at >= 0) kept[at][r] = true;
  }
  return kept;
}
