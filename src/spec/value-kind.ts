/**
 * What a column type is to an expression: its family (values of one family compare), the lane its values lie in, and, where they are
 * integers that count something, what one of them is worth. Decimals and times are such integers alike:
 *
 *     int32         number   i32    1               decimal(9, 2)   number      wide   1/100
 *     float64       number   f64    none            timestamp(us)   timestamp   i64    1000 (nanoseconds)
 *     dictionary    as its values                   list, struct    other: only whether it is null
 */

import { type PlainType, typeText } from "../plain-type.ts";
import type { Lane } from "./filter-spec.ts";

export type Family = "number" | "bool" | "text" | "binary" | "date" | "time" | "timestamp" | "zoned" | "duration" | "null" | "other";

/** A numerator and a denominator; one of them is 1. Of temporal types: nanoseconds. */
export type Unit = readonly [bigint, bigint];

/** Of a decimal or an integer: it counts units of 10^-scale. */
export const scaleOf = ([numerator, denominator]: Unit): number => String(denominator).length - String(numerator).length;

export interface Kind {
  /** Of a dictionary: its values. */
  readonly type: PlainType;
  readonly family: Family;
  readonly lane: Lane;
  /** Null: floats, and what is no quantity. */
  readonly unit: Unit | null;
}

export const NANOSECONDS: { readonly [unit: string]: bigint } = { s: 1_000_000_000n, ms: 1_000_000n, us: 1000n, ns: 1n };
export const DAY: Unit = [86_400n * NANOSECONDS.s, 1n];
/** Decimals beyond have no kernels. */
export const LARGEST_SCALE = 76;

export function kindOf(type: PlainType): Kind {
  let value = type;
  while (value.values) value = value.values;
  const { name, unit, scale = 0 } = value;
  const bits = /\d*$/.exec(name)?.[0] ?? "";
  const kind = (family: Family, lane: Lane, worth: Unit | null = null): Kind => ({ type: value, family, lane, unit: worth });
  const temporal = (family: Family, lane: Lane) => kind(family, lane, [NANOSECONDS[unit as string], 1n]);
  switch (name.slice(0, name.length - bits.length)) {
    case "int":
    case "uint":
      return kind("number", (name[0] + bits) as Lane, [1n, 1n]);
    case "float":
      return kind("number", bits === "64" ? "f64" : "f32");
    case "decimal": {
      const power = Math.abs(scale) > LARGEST_SCALE ? null : 10n ** BigInt(Math.abs(scale));
      return power ? kind("number", "wide", scale < 0 ? [power, 1n] : [1n, power]) : kind("other", "bits");
    }
    case "date":
      return bits === "32" ? kind("date", "i32", DAY) : kind("date", "i64", [NANOSECONDS.ms, 1n]);
    case "time":
      return temporal("time", bits === "32" ? "i32" : "i64");
    case "timestamp":
      return temporal(value.timezone ? "zoned" : "timestamp", "i64");
    case "duration":
      return temporal("duration", "i64");
    case "bool":
      return kind("bool", "bits");
    case "null":
      return kind("null", "bits");
    case "utf":
    case "largeutf":
    case "utf8view":
      return kind("text", "text");
    case "binary":
    case "largebinary":
    case "binaryview":
    case "fixedsizebinary":
      return kind("binary", "text");
    default:
      return kind("other", "bits");
  }
}

export const isTemporal = ({ family, unit }: Kind): boolean => unit !== null && family !== "number";
export const isDecimal = ({ lane }: Kind): boolean => lane === "wide";

/** How many units of `to` one unit of `from` is: a factor, or the other way round a divisor. One of the two is 1. */
export function ratioOf(from: Unit, to: Unit): { factor: bigint; divisor: bigint } {
  const [n, d] = [from[0] * to[1], from[1] * to[0]];
  return n >= d ? { factor: n / d, divisor: 1n } : { factor: 1n, divisor: d / n };
}

export const finerOf = (a: Unit, b: Unit): Unit => (a[0] * b[1] <= b[0] * a[1] ? a : b);

/** What a type is to casts, and what it may become. The same type is always allowed. */
const CASTS: { readonly [from: string]: RegExp } = {
  integer: /integer|float|instant|time|duration/,
  float: /integer|float/,
  decimal: /float/,
  instant: /integer|instant/,
  time: /integer|time/,
  duration: /integer|duration/,
  text: /text/,
  binary: /binary/,
  null: /./,
};
/** A decimal of so many digits, as the nearest double, has the same digits before the point. */
const EXACT_DIGITS = 15;

const castGroup = (kind: Kind): string => {
  const { family, unit } = kind;
  if (family === "number") return unit === null ? "float" : isDecimal(kind) ? "decimal" : "integer";
  return /date|timestamp|zoned/.test(family) ? "instant" : family;
};

export function canCast(from: Kind, to: Kind): boolean {
  const [p, q] = [castGroup(from), castGroup(to)];
  const isExact = p === "decimal" && q === "integer" && (from.type.precision ?? 0) <= EXACT_DIGITS;
  return isExact || typeText(from.type) === typeText(to.type) || (CASTS[p]?.test(q) ?? false);
}
