/**
 * Types and values of expressions for the evaluator of the tests, compared exactly: every number and every time is a ratio of two bigints,
 * so nothing rounds, overflows or depends on a width. SEMANTICS 1.2 and 3.2.
 */

import type { Cell } from "./cell.ts";

/** bool: boolean; int, decimal (unscaled), temporal: bigint; float: number; text: string; binary: hex text. */
export type Value = null | boolean | bigint | number | string;

/** `instant` is a JavaScript Date, which meets dates and timestamps. */
export type Kind =
  | "null"
  | "bool"
  | "int"
  | "float"
  | "decimal"
  | "text"
  | "binary"
  | "date"
  | "timestamp"
  | "time"
  | "duration"
  | "instant";

export interface Type {
  readonly kind: Kind;
  /** int, float */
  readonly bits?: number;
  readonly signed?: boolean;
  /** decimal */
  readonly precision?: number;
  readonly scale?: number;
  /** temporal: nanoseconds of one unit */
  readonly unit?: bigint;
  readonly zoned?: boolean;
  /** A literal of JavaScript, which takes the type of what it meets. */
  readonly untyped?: boolean;
}

export const UNIT_NS: { readonly [unit: string]: bigint } = { s: 10n ** 9n, ms: 10n ** 6n, us: 10n ** 3n, ns: 1n };
const DAY_NS = 86_400n * 10n ** 9n;

const UNTYPED: { readonly [name: string]: Type } = {
  number: { kind: "float", bits: 64, untyped: true },
  bigint: { kind: "int", untyped: true },
  string: { kind: "text", untyped: true },
  boolean: { kind: "bool", untyped: true },
  null: { kind: "null" },
  Date: { kind: "instant", unit: UNIT_NS.ms },
};

/** Reads a type as the rows reader (`timestamp[us, UTC]`) and as expressions write it (`timestamp(us, UTC)`). */
export function parseType(text: string): Type {
  if (Object.hasOwn(UNTYPED, text)) return UNTYPED[text];
  const dictionary = /^dictionary[<(]u?int\d+, (.*?)(, ordered)?[>)]$/.exec(text);
  if (dictionary) return parseType(dictionary[1]);
  const [, name = "", inner = ""] = /^([a-z]+\d*)(?:[[(](.*)[\])])?$/.exec(text) ?? [];
  const [first = "", second = ""] = inner.split(", ");
  const int = /^(u?)int(\d+)$/.exec(name);
  if (int) return { kind: "int", signed: int[1] === "", bits: Number(int[2]) };
  const float = /^float(\d+)$/.exec(name);
  if (float) return { kind: "float", bits: Number(float[1]) };
  if (/^decimal\d+$/.test(name)) return { kind: "decimal", precision: Number(first), scale: Number(second) };
  if (/^time\d+$/.test(name)) return { kind: "time", unit: UNIT_NS[first] };
  switch (name) {
    case "timestamp":
      return { kind: "timestamp", unit: UNIT_NS[first], zoned: second !== "" };
    case "duration":
      return { kind: "duration", unit: UNIT_NS[first] };
    case "date32":
      return { kind: "date", unit: DAY_NS };
    case "date64":
      return { kind: "date", unit: UNIT_NS.ms };
    case "bool":
      return { kind: "bool" };
    case "utf8":
      return { kind: "text" };
    case "binary":
    case "fixedsizebinary":
      return { kind: "binary" };
  }
  throw new Error(`the evaluator of the tests has no type ${text}`);
}

/** A cell of the rows reader as a value of its type. */
export function cellValue(cell: Cell, type: Type): Value {
  if (cell === null || type.kind === "null") return null;
  if (type.kind === "float") return cell === "-0" ? -0 : typeof cell === "string" ? Number.NaN : (cell as number);
  if (type.kind === "bool" || type.kind === "text" || type.kind === "binary") return cell as boolean | string;
  return BigInt(cell as number | bigint);
}

export const isNumeric = (type: Type): boolean => type.kind === "int" || type.kind === "float" || type.kind === "decimal";

/** May values of the two types be compared? */
export function meets(a: Type, b: Type): boolean {
  if (a.kind === "null" || b.kind === "null") return true;
  if (isNumeric(a) && isNumeric(b)) return true;
  if (a.kind === "instant") return ["instant", "date", "timestamp"].includes(b.kind);
  if (b.kind === "instant") return meets(b, a);
  return a.kind === b.kind && a.zoned === b.zoned;
}

/** A number as numerator and denominator; the infinities and NaN as what is above and below all of them. */
type Exact = { readonly n: bigint; readonly d: bigint } | "-inf" | "inf" | "nan";

const RANK = { "-inf": -1, inf: 1, nan: 2 } as const;

/** A double is a whole number times a power of two. */
function ofDouble(value: number): Exact {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  let scaled = value;
  let d = 1n;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    d *= 2n;
  }
  return { n: BigInt(scaled), d };
}

/** `-12.5e-3` as a ratio. */
export function ofDecimalText(text: string): { n: bigint; d: bigint } {
  const [, sign, whole, fraction = "", exponent = "0"] = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === undefined) throw new Error(`${text} is no decimal number`);
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  return power >= 0 ? { n: digits * 10n ** BigInt(power), d: 1n } : { n: digits, d: 10n ** BigInt(-power) };
}

/** SEMANTICS 3.2: a number of JavaScript meets a decimal as what it prints. */
function exact(value: Value, type: Type, other: Type): Exact {
  if (type.kind === "float") {
    const number = value as number;
    return type.untyped && other.kind === "decimal" && Number.isFinite(number) ? ofDecimalText(String(number)) : ofDouble(number);
  }
  const n = BigInt(value as bigint);
  if (type.kind === "decimal") return { n, d: 10n ** BigInt(type.scale ?? 0) };
  return { n: n * (type.unit ?? 1n), d: 1n };
}

const sign = (n: bigint): number => (n < 0n ? -1 : n > 0n ? 1 : 0);

const encoder = new TextEncoder();

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return Math.sign(a.length - b.length);
}

/** SEMANTICS 1.2: every NaN above everything and equal to every other, -0 equal to 0. */
function compareDoubles(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Below 0, 0 or above 0; neither value is null. */
export function compareValues(a: Value, typeA: Type, b: Value, typeB: Type): number {
  if (typeA.kind === "bool") return Number(a) - Number(b);
  if (typeA.kind === "text") return compareBytes(encoder.encode(a as string), encoder.encode(b as string));
  if (typeA.kind === "binary") return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
  if (typeA.kind === "float" && typeB.kind === "float") return compareDoubles(a as number, b as number);
  const [p, q] = [exact(a, typeA, typeB), exact(b, typeB, typeA)];
  if (typeof p === "string" || typeof q === "string") {
    const rank = (e: Exact) => (typeof e === "string" ? RANK[e] : 0);
    return rank(p) - rank(q);
  }
  return sign(p.n * q.d - q.n * p.d);
}
