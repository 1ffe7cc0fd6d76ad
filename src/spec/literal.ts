/**
 * Types as text, and the values of literals. What JavaScript had (`number`, `bigint`, `Date`) is *loose*: it has a type of its own for where
 * it meets only its like, and otherwise takes the type of what it meets.
 *
 * Invariants: a value that is returned fits its type. Cost: O(length of the text), at most 400 digits.
 */

import type { PlainType } from "../plain-type.ts";
import { compareRatios, integer, ofDecimal, powerOf10 } from "./exact-number.ts";
import type { LiteralNode } from "./expression.ts";
import { kindOf, LARGEST_SCALE } from "./value-kind.ts";

/** Integers, decimals (unscaled) and temporal values: bigint. Floats: number. */
export type Constant = bigint | number | string | boolean | null;

export interface Literal {
  readonly type: PlainType;
  readonly value: Constant;
  /** The number, the bigint, or that it was a Date; undefined: it has a type. */
  readonly loose?: number | bigint | "Date";
}

export const TYPES =
  "bool, int8 to int64, uint8 to uint64, float32, float64, decimal(p, s), date32, date64, time32(s), time64(us), timestamp(us), timestamp(us, UTC), duration(us), utf8";

const TYPE =
  /^(?:(bool|u?int(?:8|16|32|64)|float(?:32|64)|date(?:32|64)|(?:large)?utf8|utf8view)|(time32(?=.m?s\W)|time64(?=.[un])|timestamp|duration)[[(](s|ms|us|ns)(?:, *(.+))?[\])]|decimal(32|64|128|256)?[[(](\d{1,2}), *(-?\d{1,2})[\])])$/;

const MOST_DECIMAL_DIGITS: { readonly [width: string]: number } = { 32: 9, 64: 18, 128: 38, 256: 76 };

/** A type as `typeText` writes it, or `string`, `decimal(p, s)`, `timestamp[us]`; null for those that no literal or cast has. */
export function parseType(text: string): PlainType | null {
  if (text === "string") return { name: "utf8" };
  const [, name, temporal, unit, timezone, width = "128", digits, places] = TYPE.exec(text) ?? [];
  if (name) return { name };
  if (temporal === "timestamp") return { name: temporal, unit, timezone: timezone ?? null };
  if (temporal) return timezone ? null : { name: temporal, unit };
  const [precision, scale] = [Number(digits), Number(places)];
  const legal = precision > 0 && precision <= MOST_DECIMAL_DIGITS[width] && Math.abs(scale) <= LARGEST_SCALE;
  return legal ? { name: "decimal", width: Number(width), precision, scale } : null;
}

/** Null: the value is none of that type, or there is no such type. */
export function readLiteral({ type: text, value }: LiteralNode): Literal | null {
  switch (text) {
    case "null":
      return value === null ? { type: { name: "null" }, value } : null;
    case "number": {
      const loose = floatOf(value);
      if (loose === null) return null;
      const isInteger = Number.isInteger(loose) && fits(BigInt(loose), "i64");
      return { type: { name: isInteger ? "int64" : "float64" }, value: isInteger ? BigInt(loose) : loose, loose };
    }
    case "bigint": {
      const loose = integerOf(value);
      if (loose === null) return null;
      const name = fits(loose, "i64") ? "int64" : fits(loose, "u64") ? "uint64" : null;
      return { type: name ? { name } : { name: "decimal", width: 256, precision: 76, scale: 0 }, value: loose, loose };
    }
    case "Date": {
      const time = integerOf(value);
      const legal = time !== null && Math.abs(Number(time)) <= 8.64e15;
      return legal ? { type: { name: "timestamp", unit: "ms", timezone: "UTC" }, value: time, loose: "Date" } : null;
    }
  }
  const type = parseType(text === "boolean" ? "bool" : text);
  const read = type && (value === null && text !== "boolean" && text !== "string" ? null : typedValue(type, value));
  return type && read !== undefined ? { type, value: read } : null;
}

/** Undefined: no value of the type. */
function typedValue(type: PlainType, value: LiteralNode["value"]): Constant | undefined {
  const { family, lane } = kindOf(type);
  if (family === "bool") return typeof value === "boolean" ? value : undefined;
  if (family === "text") return typeof value === "string" ? value : undefined;
  if (lane === "f64" || lane === "f32") {
    const float = floatOf(value);
    const rounded = lane === "f32" && float !== null ? Math.fround(float) : float;
    return rounded === null || (!Number.isFinite(rounded) && Number.isFinite(float)) ? undefined : rounded;
  }
  if (lane !== "wide") {
    const read = integerOf(value);
    return read !== null && fits(read, lane) ? read : undefined;
  }
  const ratio = typeof value === "boolean" ? null : ofDecimal(String(value));
  if (!ratio) return undefined;
  const { precision = 0, scale = 0 } = type;
  const [n, d] = scale < 0 ? [ratio.n, ratio.d * powerOf10(-scale)] : [ratio.n * powerOf10(scale), ratio.d];
  const unscaled = n / d;
  const limit = powerOf10(precision);
  return compareRatios({ n, d }, integer(unscaled)) === 0 && unscaled < limit && unscaled > -limit ? unscaled : undefined;
}

/** The smallest and the largest of an integer lane. */
export function rangeOf(lane: string): readonly [low: bigint, high: bigint] {
  const bits = lane === "wide" ? 256n : BigInt(lane.slice(1));
  return lane[0] === "u" ? [0n, (1n << bits) - 1n] : [-1n << (bits - 1n), (1n << (bits - 1n)) - 1n];
}

export function fits(value: bigint, lane: string): boolean {
  const [low, high] = rangeOf(lane);
  return value >= low && value <= high;
}

/** Texts stand for what JSON has no form for. */
function floatOf(value: LiteralNode["value"]): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^(NaN|-?Infinity|-0)$/.test(value) ? Number(value) : null;
}

/** A number beyond 2^53 may have been rounded on its way: only a text is believed there. */
function integerOf(value: LiteralNode["value"]): bigint | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : null;
  return typeof value === "string" && /^-?\d{1,400}$/.test(value) ? BigInt(value) : null;
}
