/**
 * The tolerance of an as-of join: how far before and after a left row its partner may lie, inclusive.
 *
 *     5, 5n               in the unit of the left time column (days of date32); whole, but for floats
 *     "5s", "1m30s"       of temporal columns: ns us ms s m h d w
 *     { before, after }   one for each direction; what is missing is none
 *     Infinity            none
 *
 * Converted with BigInt to the finer unit of both columns. Differences there are whole, so what is finer is rounded down: 1500us between
 * milliseconds are 1. A bound beyond every difference is none. O(1).
 */

import { ArrowJoinError } from "../error.ts";
import { typeText } from "../plain-type.ts";
import type { Direction, TimeBound } from "./asof-spec.ts";
import { floatBelow, integer } from "./exact-number.ts";
import type { TimePair } from "./time-form.ts";
import { NANOSECONDS, ratioOf, type Unit } from "./value-kind.ts";

export interface Tolerance {
  readonly before: TimeBound | null;
  readonly after: TimeBound | null;
  /** As people read it; null: none. */
  readonly text: string | null;
}

const SECOND = NANOSECONDS.s;
const DURATIONS: { readonly [unit: string]: bigint } = {
  ...NANOSECONDS,
  m: 60n * SECOND,
  h: 3600n * SECOND,
  d: 86_400n * SECOND,
  w: 604_800n * SECOND,
};
const TAKES = 'a number or bigint of at least 0, a duration such as "5s" or "1m30s" (ns us ms s m h d w), or { before, after } of these';

/** No difference of two 64-bit values is as large, in units of the coarser column. */
const MOST = 1n << 65n;

const refuse = (given: string, why: string): never => {
  throw new ArrowJoinError("INVALID_OPTION", `tolerance is ${given}: ${why}.`);
};

/** Throws INVALID_OPTION. The side where nobody looks has no bound. */
export function planTolerance(given: unknown, times: TimePair, direction: Direction): Tolerance {
  const pair = typeof given === "object" && given !== null ? { ...(given as Raw) } : { before: given, after: given };
  // A Date or a Map has no members of its own, and would be taken for { }.
  const what = Object.prototype.toString.call(given).slice(8, -1);
  if (typeof given === "object" && given !== null && what !== "Object") refuse(`of the class ${what}`, `it takes ${TAKES}`);
  const other = Object.keys(pair).find((name) => name !== "before" && name !== "after");
  if (other !== undefined) refuse(`an object with "${other}"`, `it takes ${TAKES}`);
  const bounds = { before: boundOf(pair.before, times), after: boundOf(pair.after, times) };
  const ends = (["before", "after"] as const).filter((end) => bounds[end]);
  return {
    before: direction === "forward" ? null : bounds.before,
    after: direction === "backward" ? null : bounds.after,
    text: ends.length === 0 ? null : pair.before === pair.after ? String(pair.before) : ends.map((end) => `${pair[end]} ${end}`).join(", "),
  };
}

type Raw = Readonly<Record<string, unknown>>;

function boundOf(given: unknown, times: TimePair): TimeBound | null {
  if (given === undefined || given === Number.POSITIVE_INFINITY) return null;
  if (typeof given === "string") return wholeBound(durationOf(given, times), [1n, 1n], times);
  if ((typeof given !== "number" && typeof given !== "bigint") || !(given >= 0)) return refuse(show(given), `it takes ${TAKES}`);
  if (!times.leftUnit) return { major: typeof given === "bigint" ? floatBelow(integer(given), "f64") : given, minor: 0 };
  if (typeof given === "number" && !Number.isInteger(given)) {
    const { name, type } = times.left;
    refuse(
      show(given),
      `left "${name}" is ${typeText(type)}, whose differences are whole${times.temporal ? '; a duration such as "1500ms" may be finer' : ""}`,
    );
  }
  return wholeBound(BigInt(given), times.leftUnit, times);
}

/** `amount` times `unit`, in the finer unit. */
function wholeBound(amount: bigint, unit: Unit, { finerUnit, left }: TimePair): TimeBound | null {
  const { factor, divisor } = ratioOf(unit, finerUnit as Unit);
  const bound = (amount * factor) / divisor;
  const base = BigInt(left.base);
  return bound >= MOST * BigInt(left.factor) ? null : { major: Number(bound / base), minor: Number(bound % base) };
}

/** Nanoseconds. */
function durationOf(text: string, { temporal, left }: TimePair): bigint {
  if (!/^(\d+(ns|us|ms|s|m|h|d|w))+$/.test(text)) refuse(show(text), `it takes ${TAKES}`);
  if (!temporal) {
    refuse(
      show(text),
      `left "${left.name}" is ${typeText(left.type)}, whose unit is not known: give a number, or cast the time columns to timestamp`,
    );
  }
  let sum = 0n;
  for (const [, digits, unit] of text.matchAll(/(\d+)([a-z]+)/g)) sum += BigInt(digits) * DURATIONS[unit];
  return sum;
}

const show = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : typeof value === "bigint" ? `${value}n` : String(value);
