/**
 * A residual filter as operators run it: plain data that `planFilter` makes of an expression and two schemas.
 *
 *     l.a + 1 > r.b  and  l.c = 'x'  and  (l.d < r.e or r.f is null)
 *
 *     left    conjuncts [ c = 'x' ]   parts [ a + 1, d ]            once per left row
 *     right   conjuncts [ ]           parts [ b, e, f is null ]     once per right row
 *     pairs   conjuncts [ part0 > part0 ] [ part1 < part1 or part2 ]     cheapest first
 *
 * A `Program` is a list of steps, each a vector of rows computed from earlier steps; the last step is the result. Everything about types
 * is decided here: operands of one step have one lane, conversions are steps, one-sided work lies in the parts.
 */

import type { Side } from "./side.ts";

/**
 * How the values of a vector lie in kernel memory. i8 ... f64: an array. wide: signed integers of 32 bytes, little-endian, for decimals and
 * for what no 64 bits hold. text: two i32 a row, offset into a region of bytes and length. bits: a bitmap (booleans).
 */
export type NumberLane = "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f32" | "f64";
export type Lane = NumberLane | "wide" | "text" | "bits";

/**
 * Null rows hold arbitrary values. Indexes in `args` are of earlier steps of the same program.
 * A step "fails" a row where the result cannot be computed: it is null there.
 */
export type Step =
  /** A column of the program's side by position; in one-sided programs only. float16 comes as f32, decimals as wide (unscaled), bool as bits, strings, binary and dictionaries of them as text. */
  | { readonly op: "column"; readonly column: number; readonly lane: Lane }
  /** A part of a side, of the pair's row there; in pair programs only. */
  | { readonly op: "part"; readonly side: Side; readonly part: number; readonly lane: Lane }
  /** The value of every row. Integers are decimal digits, floats as in `LiteralNode`, text as is, bits a boolean; null: every row is null. */
  | { readonly op: "constant"; readonly lane: Lane; readonly value: string | number | boolean | null }
  /** Bits; both operands of one lane. Of f32 and f64: every NaN equal, and above everything; -0 equal +0. Of text: by bytes. */
  | { readonly op: "eq" | "lt"; readonly lane: Lane; readonly args: readonly [number, number] }
  /** Bits: an f64 against a wide that counts units of 10^-scale; exact. lt: the first is less than the second, whichever is the float. */
  | { readonly op: "eqScaled" | "ltScaled"; readonly scale: number; readonly args: readonly [number, number] }
  /** Bits: equal to one of many constants, in the sense of `eq`; values as those of `constant`. */
  | {
      readonly op: "among";
      readonly lane: NumberLane | "text";
      readonly values: readonly (string | number)[];
      readonly args: readonly [number];
    }
  /** Bits, three-valued. */
  | { readonly op: "and" | "or"; readonly args: readonly number[] }
  | { readonly op: "not"; readonly args: readonly [number] }
  /** Bits that are never null: whether the operand is null; whether bits are true (null is not). */
  | { readonly op: "isNull" | "isTrue"; readonly args: readonly [number] }
  /** Fail where the result leaves the lane, and at division by zero (`div` is f64 only). `mod` has the sign of the dividend. */
  | { readonly op: "add" | "sub" | "mul" | "div" | "mod"; readonly lane: "i64" | "u64" | "f64"; readonly args: readonly [number, number] }
  /** The same to i64, where one operand is u64: that of this index. */
  | { readonly op: "mixed"; readonly of: "add" | "sub" | "mul" | "mod"; readonly unsigned: 0 | 1; readonly args: readonly [number, number] }
  | { readonly op: "neg" | "abs"; readonly lane: "i64" | "f64"; readonly args: readonly [number] }
  /** Another lane, the value kept; fails where it does not fit. Floats to integers: towards zero. */
  | { readonly op: "convert"; readonly from: NumberLane; readonly to: NumberLane; readonly args: readonly [number] }
  /** An integer (i8 ... u64, or wide) times 10^n or a ratio of units, as a wide; what would leave 256 bits becomes the largest or the smallest. */
  | { readonly op: "widen"; readonly from: NumberLane | "wide"; readonly factor: string; readonly args: readonly [number] }
  /** A wide that counts units of 10^-scale as the nearest f64. */
  | { readonly op: "unscale"; readonly scale: number; readonly args: readonly [number] }
  /** i64, rounded down: temporal casts to a coarser unit. */
  | { readonly op: "floorDivide"; readonly divisor: string; readonly args: readonly [number] }
  /** Bits; operands text. */
  | { readonly op: "startsWith" | "endsWith" | "contains"; readonly args: readonly [number, number] };

export interface Program {
  /** The last is the result. */
  readonly steps: readonly Step[];
}

/** What is computed once per row of a side. */
export interface SideFilter {
  /** Positions of the columns that the programs read. */
  readonly columns: readonly number[];
  /** Conditions on this side alone (bits), cheapest first: a row of which one is not TRUE has no match. */
  readonly conjuncts: readonly Program[];
  /** Vectors that pair programs read. */
  readonly parts: readonly { readonly program: Program; readonly lane: Lane }[];
}

/** `left part op right part`, both of one numeric lane: what sorted search can answer. */
export interface RangeConjunct {
  readonly op: Inequality | "eq";
  readonly left: number;
  readonly right: number;
  readonly lane: NumberLane;
  /** Either operand as people read it. */
  readonly texts: Readonly<Record<Side, string>>;
}

export type Inequality = "lt" | "le" | "gt" | "ge";

/** The comparison with its sides swapped. */
export const MIRRORED = { lt: "gt", le: "ge", gt: "lt", ge: "le", eq: "eq", ne: "ne" } as const;

export interface PairConjunct {
  /** Bits. Leaves are parts and constants; at least one part of either side. */
  readonly program: Program;
  /** Set where the whole conjunct is one such comparison. */
  readonly range: RangeConjunct | null;
  /** As people read it; an `or` in parentheses. */
  readonly text: string;
}

/** Whether the conjunct is one inequality of numbers: the largest or smallest value of one side decides it for a row of the other. */
export const isInequality = ({ range }: PairConjunct): boolean => range !== null && range.op !== "eq";

export interface FilterSpec {
  /** The whole predicate as people read it: `left.price > right.limit and left.sym <> right.sym`. */
  readonly text: string;
  /** A constant conjunct is FALSE or NULL: no pair matches. The rest is empty then. Constant TRUE conjuncts are dropped. */
  readonly never: boolean;
  readonly left: SideFilter;
  readonly right: SideFilter;
  /** Conditions on both sides, cheapest first: later ones are tested only for the pairs that are left. */
  readonly conjuncts: readonly PairConjunct[];
}
