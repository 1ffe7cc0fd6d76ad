/**
 * What as-of merges give, in plain numbers from the contract's words (src/kernel/asof-contract.ts), and random cases for them.
 *
 *     closest     the partner of a left row when all right rows are known: the least distance over the whole right
 *     partner     the same as soon as it is decided by the rows known so far and the horizon
 */

import type { TimePoint } from "../../src/kernel/asof-contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import type { Random } from "./random.ts";

export interface Row {
  readonly t: number;
  readonly key: number;
}

export interface Rules {
  readonly direction: "backward" | "forward" | "nearest";
  readonly strict: boolean;
  readonly backFirst: boolean;
  readonly aheadLast: boolean;
  readonly before: number | null;
  readonly after: number | null;
}

/** The right so far: no later row is below the horizon, which is not below the last row. */
export interface Known {
  readonly rows: readonly Row[];
  readonly horizon: number;
  readonly ended: boolean;
}

export const distance = (later: number, earlier: number): number => (later === earlier ? 0 : later - earlier);

/** Among all right rows those that qualify, the nearest; NONE if there is none. */
export function closest({ direction, strict, backFirst, aheadLast, before, after }: Rules, left: Row, rows: readonly Row[]): number {
  if (left.key === NONE) return NONE;
  const qualify = rows.flatMap(({ t, key }, row) => {
    if (key !== left.key || (strict && t === left.t)) return [];
    const ahead = t > left.t || (t === left.t && direction === "forward");
    if (direction !== "nearest" && ahead !== (direction === "forward")) return [];
    const far = ahead ? distance(t, left.t) : distance(left.t, t);
    return far > ((ahead ? after : before) ?? Number.POSITIVE_INFINITY) ? [] : [{ row, t, ahead, far }];
  });
  // Rows beside T: by true order where distances round to the same.
  const back = qualify.filter(({ ahead }) => !ahead).at(-1);
  const head = qualify.find(({ ahead }) => ahead);
  const best = back && head ? (head.far < back.far ? head : back) : (back ?? head);
  if (!best) return NONE;
  const ties = qualify.filter(({ t }) => t === best.t);
  return (best.ahead ? aheadLast : !backFirst) ? ties[ties.length - 1].row : ties[0].row;
}

/** The partner, or null: not decided. */
export function partner(rules: Rules, left: Row, { rows, horizon, ended }: Known): number | null {
  const { direction, strict, backFirst, aheadLast } = rules;
  const answer = closest(rules, left, rows);
  if (left.key === NONE || ended) return answer;
  const T = left.t;
  const mine = rows.filter(({ key }) => key === left.key);
  if (direction === "backward") {
    const passed = strict ? horizon >= T : horizon > T;
    const hit = backFirst && !strict && mine.some(({ t }) => t === T);
    return passed || hit ? answer : null;
  }
  const after = rules.after ?? Number.POSITIVE_INFINITY;
  if (direction === "nearest" && !strict && mine.some(({ t }) => t === T)) return backFirst || horizon > T ? answer : null;
  // The row before, as far as it counts: one ahead must be nearer.
  const back = direction === "nearest" ? closest({ ...rules, direction: "backward" }, left, rows) : NONE;
  const d = back === NONE ? Number.NaN : distance(T, rows[back].t);
  const head = mine.find(({ t }) => t > T || (t === T && direction === "forward" && !strict));
  if (head) {
    const far = distance(head.t, T);
    if (far > after || far >= d) return answer;
    return aheadLast && horizon <= head.t ? null : answer;
  }
  if (horizon < T) return null;
  const known = distance(horizon, T);
  return known > after || known >= d ? answer : null;
}

/** How a grid of numbers becomes times. */
export interface Scale {
  readonly name: string;
  readonly base: number;
  /** The k-th place of the grid, 0 to GRID. */
  at(k: number): number;
  /** What `units` places are. */
  span(units: number): number;
  point(t: number): TimePoint;
}

export const GRID = 40;

const infinite = (t: number): TimePoint => ({ major: t, minor: 0 });

function integers(name: string, base: number, origin: bigint): Scale {
  const point = (value: bigint): TimePoint => {
    const minor = ((value % BigInt(base)) + BigInt(base)) % BigInt(base);
    return { major: Number((value - minor) / BigInt(base)), minor: Number(minor) };
  };
  return {
    name,
    base,
    at: (k) => k,
    span: (units) => units,
    // Distances are the same from any origin.
    point: (t) => (Number.isFinite(t) ? point(origin + BigInt(t)) : infinite(t)),
  };
}

function floats(name: string, at: (k: number) => number, span: number): Scale {
  return { name, base: 1, at, span: (units) => units * span, point: infinite };
}

const FINE = 1000 * 2 ** 43;

export const SCALES: readonly Scale[] = [
  integers("int32 around zero", 1, -20n),
  integers("int64 with carries of the minor part, around zero", 4096, -20n),
  integers("parts of 4", 4, -20n),
  integers("the least int64", 4096, -(2n ** 63n)),
  integers("uint64 around 2^63", 4096, 2n ** 63n - 20n),
  integers("the greatest uint64", 4096, 2n ** 64n - 1n - BigInt(GRID)),
  integers("two units below the least int64", FINE, -(2n ** 63n) * 1000n - 20n),
  integers("two units around a carry", FINE, BigInt(FINE) * 7n - 20n),
  floats("float64 that round", (k) => (k - 20) * 0.1, 0.1),
  floats("float64 with infinities", (k) => (k < 4 ? Number.NEGATIVE_INFINITY : k > GRID - 4 ? Number.POSITIVE_INFINITY : k - 20.5), 1),
  floats("float64 whose differences leave the range", (k) => (k - 20) * 8.9e306, 8.9e306),
];

export interface Case {
  readonly scale: Scale;
  readonly rules: Rules;
  readonly left: readonly Row[];
  readonly right: readonly Row[];
  /** Keys are given; else all rows are of key 0. */
  readonly leftIds: boolean;
  readonly rightIds: boolean;
  readonly keys: number;
}

export function sideRows(r: Random, scale: Scale, count: number, ids: boolean, keys: number): Row[] {
  // Few places: many ties; else a walk over the whole grid.
  const places = Array.from({ length: count }, () => r.below(GRID + 1));
  const few = places.slice(0, 1 + r.below(6));
  if (r.chance(0.5)) places.forEach((_, i) => void (places[i] = few[r.below(few.length)]));
  places.sort((a, b) => a - b);
  return places.map((k) => ({ t: scale.at(k), key: !ids ? 0 : r.chance(0.12) ? NONE : r.below(keys) }));
}

export function randomCase(r: Random, scale: Scale, direction: Rules["direction"], most: number): Case {
  const bound = () => (r.chance(0.4) ? null : scale.span([0, 1, 2, 3, 5, 10][r.below(6)]));
  const [leftIds, rightIds] = [r.chance(0.7), r.chance(0.7)];
  const keys = 1 + r.below(3);
  const rules: Rules = {
    direction,
    strict: r.chance(0.4),
    backFirst: direction !== "forward" && r.chance(0.4),
    aheadLast: direction !== "backward" && r.chance(0.4),
    before: direction === "forward" ? null : bound(),
    after: direction === "backward" ? null : bound(),
  };
  const left = sideRows(r, scale, r.below(most + 1), leftIds, keys);
  const right = sideRows(r, scale, r.below(2 * most + 1), rightIds, keys);
  return { scale, rules, left, right, leftIds, rightIds, keys };
}

/** What happens on the right: rows come, the horizon rises, it ends. */
export interface Arrival {
  readonly rows: number;
  readonly horizon: number;
  readonly ended: boolean;
}

/** Arrivals after `cuts` rows each; the horizon is the last row's time, the next one's, or (marks) one in between. */
export function arrivals({ right, scale }: Case, cuts: readonly number[], pick: (low: number, high: number) => number): Arrival[] {
  const all = [...cuts, right.length];
  const list = all.map((to, i): Arrival => {
    const low = to === 0 ? Number.NEGATIVE_INFINITY : right[to - 1].t;
    const high = to === right.length ? scale.at(GRID) : right[to].t;
    return { rows: to - (i === 0 ? 0 : all[i - 1]), horizon: pick(low, Math.max(low, high)), ended: false };
  });
  // The same rows may have a rising horizon.
  let last = Number.NEGATIVE_INFINITY;
  const rising = list.map((arrival) => {
    last = Math.max(last, arrival.horizon);
    return { ...arrival, horizon: last };
  });
  return [...rising, { rows: 0, horizon: last, ended: true }];
}

export function randomArrivals(r: Random, of: Case): Arrival[] {
  const cuts = Array.from({ length: r.below(5) }, () => r.below(of.right.length + 1)).sort((a, b) => a - b);
  const list = arrivals(of, cuts, (low, high) => {
    const between = [low, high, low === high || !Number.isFinite(low) ? high : Math.min(high, low + of.scale.span(1))];
    return between[r.below(3)];
  });
  // The end is known with the last rows, or later.
  return r.chance(0.5) ? list : [...list.slice(0, -2), { ...list[list.length - 2], ended: true }];
}
