/**
 * What an expression is, by reading SEMANTICS 3 aloud: the tree is walked for one pair of rows, three-valued, every comparison exact. It
 * knows nothing of programs, lanes or the order of evaluation. O(nodes) bigint operations a pair.
 */

import type { LiteralNode } from "../../src/spec/expression.ts";
import type { Row } from "./cell.ts";
import { cellValue, compareValues, isNumeric, meets, ofDecimalText, parseType, type Type, type Value } from "./exact.ts";
import type { FieldText } from "./rows.ts";
import type { Tree } from "./tree.ts";

export type Truth = boolean | null;

interface Typed {
  readonly type: Type;
  readonly at: (left: Row, right: Row) => Value;
}

interface Fields {
  readonly left: readonly FieldText[];
  readonly right: readonly FieldText[];
}

/** The condition of a pair of rows. Throws where the tree has no meaning: the library's INVALID_EXPRESSION. */
export function predicateOf(tree: Tree, fields: Fields): (left: Row, right: Row) => Truth {
  const { type, at } = compile(tree, fields);
  if (type.kind !== "bool" && type.kind !== "null") throw new Error(`a predicate of kind ${type.kind}`);
  return at as (left: Row, right: Row) => Truth;
}

/** The value of any expression for a pair of rows. */
export const valueAt = (tree: Tree, fields: Fields, left: Row = [], right: Row = []): Value => compile(tree, fields).at(left, right);

const BOOL: Type = { kind: "bool" };
const INT64: Type = { kind: "int", bits: 64, signed: true };
const UINT64: Type = { kind: "int", bits: 64, signed: false };
const FLOAT64: Type = { kind: "float", bits: 64 };

function compile(tree: Tree, fields: Fields): Typed {
  if ("side" in tree) {
    const index = fields[tree.side].findIndex((field) => field.name === tree.column);
    if (index < 0) throw new Error(`no column ${tree.column}`);
    const type = parseType(fields[tree.side][index].type);
    return { type, at: (left, right) => cellValue((tree.side === "left" ? left : right)[index], type) };
  }
  if (!("op" in tree)) return literal(tree);
  const args = tree.args.map((arg) => compile(arg, fields));
  if (tree.op === "cast") return cast(args[0], parseType(tree.type));
  const bool = (at: (left: Row, right: Row) => Truth): Typed => ({ type: BOOL, at });
  const truths = () => {
    for (const { type } of args) if (type.kind !== "bool" && type.kind !== "null") throw new Error(`${tree.op} of ${type.kind}`);
    return args.map(({ at }) => at as (left: Row, right: Row) => Truth);
  };
  switch (tree.op) {
    case "and":
    case "or": {
      const parts = truths();
      return bool((left, right) =>
        tree.op === "and" ? allOf(parts.map((part) => part(left, right))) : anyOf(parts.map((part) => part(left, right))),
      );
    }
    case "not": {
      const [part] = truths();
      return bool((left, right) => negation(part(left, right)));
    }
    case "isNull":
      return bool((left, right) => args[0].at(left, right) === null);
    case "isNotNull":
      return bool((left, right) => args[0].at(left, right) !== null);
    case "isDistinctFrom": {
      const equal = comparison(args[0], args[1], (c) => c === 0);
      return bool((left, right) => equal(left, right) !== true && !args.every(({ at }) => at(left, right) === null));
    }
    case "eq":
    case "ne":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return bool(comparison(args[0], args[1], HOLDS[tree.op]));
    case "between": {
      const above = comparison(args[0], args[1], HOLDS.ge);
      const below = comparison(args[0], args[2], HOLDS.le);
      return bool((left, right) => allOf([above(left, right), below(left, right)]));
    }
    case "in": {
      const parts = args.slice(1).map((arg) => comparison(args[0], arg, HOLDS.eq));
      return bool((left, right) => anyOf(parts.map((part) => part(left, right))));
    }
    case "startsWith":
    case "endsWith":
    case "contains": {
      for (const { type } of args) if (type.kind !== "text" && type.kind !== "null") throw new Error(`${tree.op} of ${type.kind}`);
      const has = { startsWith: "startsWith", endsWith: "endsWith", contains: "includes" } as const;
      return bool((left, right) => {
        const [text, part] = args.map(({ at }) => at(left, right) as string | null);
        return text === null || part === null ? null : text[has[tree.op as keyof typeof has]](part);
      });
    }
    default:
      return arithmetic(tree.op, args);
  }
}

// Truth: Kleene's tables

export const allOf = (parts: readonly Truth[]): Truth => (parts.includes(false) ? false : parts.includes(null) ? null : true);
export const anyOf = (parts: readonly Truth[]): Truth => (parts.includes(true) ? true : parts.includes(null) ? null : false);
const negation = (part: Truth): Truth => (part === null ? null : !part);

// Comparison

const HOLDS = {
  eq: (c: number) => c === 0,
  ne: (c: number) => c !== 0,
  lt: (c: number) => c < 0,
  le: (c: number) => c <= 0,
  gt: (c: number) => c > 0,
  ge: (c: number) => c >= 0,
};

function comparison(a: Typed, b: Typed, holds: (c: number) => boolean): (left: Row, right: Row) => Truth {
  if (!meets(a.type, b.type)) throw new Error(`${a.type.kind} against ${b.type.kind}`);
  return (left, right) => {
    const [p, q] = [a.at(left, right), b.at(left, right)];
    return p === null || q === null ? null : holds(compareValues(p, a.type, q, b.type));
  };
}

// Literals

function literal(node: LiteralNode): Typed {
  const type = parseType(node.type);
  const value = literalValue(node, type);
  return { type, at: () => value };
}

function literalValue({ value }: LiteralNode, type: Type): Value {
  if (value === null || type.kind === "null") return null;
  switch (type.kind) {
    case "bool":
    case "text":
    case "binary":
      return value;
    case "float":
      return Number(value);
    case "decimal": {
      const { n, d } = ofDecimalText(String(value));
      return (n * 10n ** BigInt(type.scale ?? 0)) / d;
    }
    default:
      return BigInt(value);
  }
}

// Arithmetic: null where it cannot be computed

const inRange = (n: bigint, { bits = 64, signed }: Type): bigint | null =>
  (signed ? BigInt.asIntN(bits, n) : BigInt.asUintN(bits, n)) === n ? n : null;

type Arithmetic = "add" | "sub" | "mul" | "div" | "mod" | "abs" | "neg";

function arithmetic(op: Arithmetic, args: readonly Typed[]): Typed {
  const type = resultType(
    op,
    args.map((arg) => integerWhereWhole(arg)),
  );
  return {
    type,
    at: (left, right) => {
      const values = args.map((arg) => arg.at(left, right));
      if (values.includes(null)) return null;
      if (type.kind === "float") {
        const [a, b] = values.map(Number);
        return (op === "div" || op === "mod") && b === 0 ? null : OF_FLOATS[op](a, b);
      }
      const [a, b = 0n] = values.map((value, i) => BigInt(value as bigint | number) * ratio(args[i].type, type));
      return (op === "div" || op === "mod") && b === 0n ? null : inRange(OF_INTEGERS[op](a, b), type);
    },
  };
}

/** Units of the result in one of the operand. */
const ratio = (operand: Type, result: Type): bigint => (operand.unit ?? 1n) / (result.unit ?? 1n);

/** A number of JavaScript that is whole is an integer where it meets integers, unsigned where it meets unsigned ones and is not negative. */
function integerWhereWhole({ type, at }: Typed): Type & { readonly value?: bigint } {
  if (!type.untyped) return type;
  const value = at([], []);
  if (typeof value === "bigint") return { ...type, value };
  return typeof value === "number" && Number.isInteger(value) ? { kind: "int", untyped: true, value: BigInt(value) } : type;
}

function resultType(op: Arithmetic, types: readonly (Type & { readonly value?: bigint })[]): Type {
  const has = (kind: Type["kind"]) => types.some((type) => type.kind === kind);
  if (types.every((type) => type.kind === "null")) return { kind: "null" };
  if (types.every((type) => (isNumeric(type) && type.kind !== "decimal") || type.kind === "null")) {
    if (op === "div" || has("float")) return FLOAT64;
    if (op === "neg") return INT64;
    const unsigned = (type: Type & { readonly value?: bigint }) =>
      type.untyped ? (type.value ?? 0n) >= 0n : type.kind === "null" || type.signed === false;
    return types.every(unsigned) && types.some((type) => !type.untyped) ? UINT64 : INT64;
  }
  const [a, b] = types;
  const finer = (a.unit ?? 1n) < (b?.unit ?? 1n) ? a.unit : b?.unit;
  if (op === "sub" && a.kind === "timestamp" && b.kind === "timestamp" && a.zoned === b.zoned)
    return { kind: "duration", bits: 64, signed: true, unit: finer };
  if ((op === "sub" || op === "add") && a.kind === "timestamp" && b.kind === "duration")
    return { kind: "timestamp", bits: 64, signed: true, unit: finer, zoned: a.zoned };
  throw new Error(`${op} of ${types.map((type) => type.kind).join(" and ")}`);
}

const OF_FLOATS: { readonly [op in Arithmetic]: (a: number, b: number) => number } = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  mod: (a, b) => a % b,
  abs: Math.abs,
  neg: (a) => -a,
};

const OF_INTEGERS: { readonly [op in Arithmetic]: (a: bigint, b: bigint) => bigint } = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  mod: (a, b) => a % b,
  abs: (a) => (a < 0n ? -a : a),
  neg: (a) => -a,
};

// Casts: null where the value does not fit

function cast({ type: from, at }: Typed, to: Type): Typed {
  const convert = conversion(from, to);
  return {
    type: to,
    at: (left, right) => {
      const value = at(left, right);
      return value === null ? null : convert(value);
    },
  };
}

function conversion(from: Type, to: Type): (value: Value) => Value {
  if (from.kind === "null") return () => null;
  if (to.kind === "float" && (from.kind === "int" || from.kind === "float"))
    return (value) => (to.bits === 32 ? Math.fround(Number(value)) : Number(value));
  if (to.kind === "float" && from.kind === "decimal") return (value) => Number(`${value}e-${from.scale}`);
  if (to.kind === "int" && from.kind === "int") return (value) => inRange(value as bigint, to);
  if (to.kind === "int" && from.kind === "float")
    return (value) => (Number.isFinite(value) ? inRange(BigInt(Math.trunc(value as number)), to) : null);
  if (to.kind === "decimal" && (from.kind === "int" || (from.kind === "decimal" && (from.scale ?? 0) <= (to.scale ?? 0))))
    return (value) => {
      const unscaled = (value as bigint) * 10n ** BigInt((to.scale ?? 0) - (from.scale ?? 0));
      const limit = 10n ** BigInt(to.precision ?? 38);
      return unscaled < limit && unscaled > -limit ? unscaled : null;
    };
  if (from.unit !== undefined && to.unit !== undefined && from.kind === to.kind && from.zoned === to.zoned) {
    const [fromUnit, toUnit] = [from.unit, to.unit];
    return (value) => inRange(floorDivide((value as bigint) * fromUnit, toUnit), INT64);
  }
  if (from.kind === to.kind && (from.kind === "bool" || from.kind === "text")) return (value) => value;
  throw new Error(`the evaluator of the tests casts no ${from.kind} to ${to.kind}`);
}

const floorDivide = (a: bigint, b: bigint): bigint => a / b - (a % b < 0n ? 1n : 0n);

/** Whether a conjunct without columns keeps everything from matching. */
export const isNever = (tree: Tree): boolean => valueAt(tree, { left: [], right: [] }) !== true;
