/**
 * What an as-of join is, by brute force: SEMANTICS 7 read aloud. Every right row is asked whether it is a candidate of a left row; of the
 * candidates the closest in time is taken, of those at one time the one that `ties` names. O(left * right) for each right.
 *
 * `RightOfAsof` also says when a left row is decided (7.9), from the rows of the right that have been read. It knows nothing of memos,
 * queues or batches. Times are bigints (integers, and temporal values in nanoseconds) or float64; differences are taken, never sums.
 */

import { type OracleRight, type OutColumns, outputOf } from "./asof-columns.ts";
import type { Cell, Row } from "./cell.ts";
import { cellValue, compareValues, parseType, type Type, UNIT_NS } from "./exact.ts";
import { type Key, treeOfFilter } from "./matches.ts";
import { keysOf } from "./oracle.ts";
import { predicateOf } from "./predicate.ts";
import type { ReadTable } from "./rows.ts";
import type { AsofOptions, AsofRightOptions, Tolerance } from "./run.ts";
import { conjunctsOf, sidesRead } from "./tree.ts";

export type Time = bigint | number;

/** What is known of a right: its first rows, a watermark (a cell of its time column), and whether it has ended. */
export interface Known {
  readonly rows: number;
  readonly watermark?: Cell;
  readonly ended: boolean;
}

export interface AsofExpected extends OutColumns {
  readonly rows: readonly Row[];
  /** The left row of each output row. */
  readonly origins: readonly number[];
  /** [left row][right]: the row of the partner, -1 for none. */
  readonly partners: readonly (readonly number[])[];
  readonly rights: readonly RightOfAsof[];
}

export function oracleAsof(left: ReadTable, rights: readonly OracleRight[], options: AsofOptions): AsofExpected {
  const made = rights.map((right) => new RightOfAsof(left, right.table, { ...options, ...right }));
  const partners = left.rows.map((_, l) => made.map((right) => right.partner(l)));
  const output = outputOf(left, rights, options);
  const origins = left.rows.flatMap((_, l) => (isKept(partners[l], options.how) ? [l] : []));
  return {
    ...output,
    rows: origins.map((l) => output.columns.map((column) => column.cell(l, partners[l]))),
    origins,
    partners,
    rights: made,
  };
}

/** SEMANTICS 7.1: inner and leftSemi want a match in every right, and leftAnti keeps what leftSemi drops. */
function isKept(partners: readonly number[], how: AsofOptions["how"] = "left"): boolean {
  const everywhere = partners.every((row) => row >= 0);
  return how === "left" || everywhere === (how !== "leftAnti");
}

/**
 * SEMANTICS 7.9: how many of the first `leftRows` left rows are decided. Rows that can have no partner, whatever comes, may be decided at
 * once or with the rows around them: `least` waits with them where it may, `most` does not. The first `from` rows are known to be decided.
 */
export function decidedRows(expected: AsofExpected, leftRows: number, known: readonly Known[], from = 0): { least: number; most: number } {
  const { rights } = expected;
  const isDecided = (l: number) => rights.every((right, i) => right.isDecided(l, known[i]));
  const isHopeless = (l: number) => rights.every((right, i) => right.isHopeless(l) || right.isDecided(l, known[i]));
  let least = from;
  let most = from;
  for (let l = from; l < leftRows && (isDecided(l) || isHopeless(l)); l++) {
    most = l + 1;
    if (isDecided(l)) least = l + 1;
  }
  return { least, most };
}

/** SEMANTICS 7.5: the first row below the time before it; rows without a time are skipped. */
export function disorderOf(times: readonly (Time | null)[]): { row: number; before: number } | null {
  let before = -1;
  for (let row = 0; row < times.length; row++) {
    const time = times[row];
    if (time === null) continue;
    if (before >= 0 && time < (times[before] as Time)) return { row, before };
    before = row;
  }
  return null;
}

export class RightOfAsof {
  readonly leftTimes: readonly (Time | null)[];
  readonly times: readonly (Time | null)[];
  readonly #options: AsofRightOptions;
  readonly #leftType: Type;
  readonly #type: Type;
  readonly #before: Time | null;
  readonly #after: Time | null;
  /** [left][right]: equal keys, and the filter is TRUE. */
  readonly #pairs: readonly (readonly boolean[])[];
  /** Left rows whose key or filter leaves no partner. */
  readonly #without: readonly boolean[];

  constructor(left: ReadTable, right: ReadTable, options: AsofRightOptions) {
    this.#options = options;
    const [on] = keysOf({ on: options.on ?? [] });
    [this.leftTimes, this.#leftType] = timesOf(left, on.left);
    [this.times, this.#type] = timesOf(right, on.right);
    const { tolerance } = options;
    const both = typeof tolerance === "object" ? tolerance : { before: tolerance, after: tolerance };
    this.#before = differenceOf(both.before, this.#leftType);
    this.#after = differenceOf(both.after, this.#leftType);

    const keys = options.by === undefined ? [] : keysOf({ on: options.by, nullsEqual: options.nullsEqual });
    const same = equalKeys(left, right, keys);
    const tree = treeOfFilter(options.filter);
    const fields = { left: left.fields, right: right.fields };
    const passes = tree === null ? () => true : predicateOf(tree, fields);
    this.#pairs = left.rows.map((l, i) => right.rows.map((r, j) => same(i, j) && passes(l, r) === true));
    const ofLeft = (tree === null ? [] : conjunctsOf(tree))
      .filter((part) => !sidesRead(part).right)
      .map((part) => predicateOf(part, fields));
    const nullKeys = keys.filter((key) => !key.nullsEqual).map((key) => indexOf(left, key.left));
    this.#without = left.rows.map((row) => nullKeys.some((at) => row[at] === null) || ofLeft.some((part) => part(row, []) !== true));
  }

  /** The partner of a left row among the first `upTo` right rows, or -1. */
  partner(l: number, upTo = this.times.length): number {
    const T = this.leftTimes[l];
    if (T === null) return -1;
    const back = this.#closest(l, "back", upTo);
    const ahead = this.#closest(l, "ahead", upTo);
    const time = (r: number) => this.times[r] as Time;
    switch (this.#options.direction ?? "backward") {
      case "backward":
        return back;
      case "forward":
        return ahead;
      case "nearest":
        if (back < 0 || ahead < 0) return Math.max(back, ahead);
        // At equal distance the earlier one; what is at T itself counts as looking back.
        return minus(T, time(back)) <= minus(time(ahead), T) ? back : ahead;
    }
  }

  /** Of the candidates looking back (t <= T) or ahead (t >= T) the closest, and of those at its time the one that `ties` names; or -1. */
  #closest(l: number, where: "back" | "ahead", upTo: number): number {
    const { ties = "adjacent" } = this.#options;
    const rows = this.#candidates(l, where, upTo);
    if (rows.length === 0) return -1;
    const times = rows.map((r) => this.times[r] as Time);
    const best = times.reduce((a, b) => ((where === "back" ? b > a : b < a) ? b : a));
    const tied = rows.filter((_, i) => times[i] === best);
    const takesFirst = ties === "first" || (ties === "adjacent" && where === "ahead");
    return takesFirst ? tied[0] : tied[tied.length - 1];
  }

  #candidates(l: number, where: "back" | "ahead", upTo: number): number[] {
    const T = this.leftTimes[l];
    const { allowExactMatches = true } = this.#options;
    return this.#pairs[l].flatMap((pair, r) => {
      const t = this.times[r];
      if (!pair || r >= upTo || T === null || t === null) return [];
      if (t === T && !allowExactMatches) return [];
      if (where === "back" ? t > T : t < T) return [];
      const within = where === "back" ? isWithin(minus(T, t), this.#before) : isWithin(minus(t, T), this.#after);
      return within ? [r] : [];
    });
  }

  // SEMANTICS 7.9

  /** Nothing can ever be a partner of this row. */
  isHopeless(l: number): boolean {
    return this.leftTimes[l] === null || this.#without[l];
  }

  isDecided(l: number, known: Known): boolean {
    const T = this.leftTimes[l];
    if (known.ended) return true;
    if (T === null) return false;
    const { allowExactMatches = true, ties = "adjacent", direction = "backward" } = this.#options;
    const head = this.#head(known);
    const reached = (x: Time) => head !== null && head >= x;
    const passed = (x: Time) => head !== null && head > x;
    /** The head is at least, or more than, so much above T. */
    const reachedAfter = (d: Time | null) => head !== null && d !== null && head >= T && minus(head, T) >= d;
    const passedAfter = (d: Time | null) => head !== null && d !== null && head >= T && minus(head, T) > d;
    const [back, ahead] = [this.#closest(l, "back", known.rows), this.#closest(l, "ahead", known.rows)];
    const exact = back >= 0 && this.times[back] === T;
    const closedBackward = (allowExactMatches ? passed(T) : reached(T)) || (ties === "first" && exact);
    const closedByHit = ahead >= 0 && (ties !== "last" || passed(this.times[ahead] as Time));
    switch (direction) {
      case "backward":
        return closedBackward;
      case "forward":
        return closedByHit || passedAfter(this.#after);
      case "nearest": {
        if (exact) return closedBackward;
        if (back < 0) return closedByHit || passedAfter(this.#after);
        const d = minus(T, this.times[back] as Time);
        const nearer = ahead >= 0 && minus(this.times[ahead] as Time, T) < d;
        return (nearer && closedByHit) || reachedAfter(d) || passedAfter(this.#after);
      }
    }
  }

  /** No later row of the right has a time below this. */
  #head({ rows, watermark = null }: Known): Time | null {
    const read = this.times.slice(0, rows).filter((time) => time !== null);
    const marks = watermark === null ? [] : [timeOf(watermark, this.#type) as Time];
    return [...read, ...marks].reduce<Time | null>((a, b) => (a === null || b > a ? b : a), null);
  }
}

// Times

function indexOf(side: ReadTable, name: string): number {
  const at = side.fields.findIndex((field) => field.name === name);
  if (at < 0) throw new Error(`the oracle finds no column ${name}`);
  return at;
}

export function timesOf(side: ReadTable, name: string): [(Time | null)[], Type] {
  const at = indexOf(side, name);
  const type = parseType(side.fields[at].type);
  return [side.rows.map((row) => timeOf(row[at], type)), type];
}

/** SEMANTICS 7.3, 7.4: null and NaN are no times; a temporal value is exact in nanoseconds. */
export function timeOf(cell: Cell, type: Type): Time | null {
  const value = cellValue(cell, type);
  if (value === null || Number.isNaN(value)) return null;
  return typeof value === "bigint" ? value * (type.unit ?? 1n) : (value as number);
}

/** Of floats the float64 difference, equal infinities being at distance 0. */
export function minus(a: Time, b: Time): Time {
  if (a === b) return typeof a === "bigint" ? 0n : 0;
  return typeof a === "bigint" ? a - (b as bigint) : a - (b as number);
}

const isWithin = (distance: Time, bound: Time | null): boolean => bound === null || distance <= bound;

const DURATION_NS: { readonly [unit: string]: bigint } = {
  ...UNIT_NS,
  m: 60n * UNIT_NS.s,
  h: 3600n * UNIT_NS.s,
  d: 86_400n * UNIT_NS.s,
  w: 7n * 86_400n * UNIT_NS.s,
};

/** SEMANTICS 7.4: a number is in the unit of the left time column, `1m30s` is a duration, and Infinity is no bound. */
function differenceOf(tolerance: Tolerance | undefined, left: Type): Time | null {
  if (tolerance === undefined || tolerance === Number.POSITIVE_INFINITY) return null;
  if (typeof tolerance === "string") {
    const parts = [...tolerance.matchAll(/(\d+)(ns|us|ms|s|m|h|d|w)/g)];
    if (parts.map(([part]) => part).join("") !== tolerance) throw new Error(`${tolerance} is no duration`);
    return parts.reduce((sum, [, count, unit]) => sum + BigInt(count) * DURATION_NS[unit], 0n);
  }
  return left.kind === "float" ? Number(tolerance) : BigInt(tolerance) * (left.unit ?? 1n);
}

// Keys: SEMANTICS 1

function equalKeys(left: ReadTable, right: ReadTable, keys: readonly Key[]): (l: number, r: number) => boolean {
  const parts = keys.map((key) => {
    const [at, of] = [indexOf(left, key.left), indexOf(right, key.right)];
    const [a, b] = [parseType(left.fields[at].type), parseType(right.fields[of].type)];
    const [ls, rs] = [left.rows.map((row) => cellValue(row[at], a)), right.rows.map((row) => cellValue(row[of], b))];
    return (l: number, r: number): boolean => {
      const [p, q] = [ls[l], rs[r]];
      return p === null || q === null ? key.nullsEqual && p === q : compareValues(p, a, q, b) === 0;
    };
  });
  return (l, r) => parts.every((part) => part(l, r));
}
