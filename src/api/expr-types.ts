/**
 * Types of expressions: what an `Expr<T>` of Arrow type `T` can do, and with what. Types only: nothing here exists at run time.
 *
 *     T ──Kin──▶ types that compare with it ─┐
 *     └──ValueOf──▶ JavaScript values ───────┴─▶ Operand<T>: what a comparison takes
 *
 * A type that is not known (any) has every method, and every argument fits.
 */

import type {
  Binary,
  BinaryView,
  Bool,
  DataType,
  Date_,
  Decimal,
  Dictionary,
  Duration,
  FixedSizeBinary,
  Float,
  Int,
  LargeBinary,
  LargeUtf8,
  Null,
  Time,
  Timestamp,
  TypeMap,
  Utf8,
  Utf8View,
} from "apache-arrow";
import type { Expression } from "../spec/expression.ts";

/** A column type that is not known: every method is there, every argument fits. */
// biome-ignore lint/suspicious/noExplicitAny: as apache-arrow's own Vector<any>
type AnyType = any;

type IsAny<T> = 0 extends 1 & T ? true : false;

/** A bare JavaScript value as an operand. It takes the type of what it meets. */
export type Value = number | bigint | string | boolean | null | Date;

/** The type of `lit(value)`: a value that has no Arrow type yet. */
interface LiteralOf<V> {
  readonly literal: V;
}

type Num = Int | Float;
type Text = Utf8 | LargeUtf8 | Utf8View;
type Bytes = Binary | LargeBinary | BinaryView | FixedSizeBinary;
/** What arithmetic takes. Decimals compare only. */
type NumLike = Num | LiteralOf<number | bigint>;
type TextLike = Text | Dictionary<Text> | LiteralOf<string>;

/** The Arrow types that compare with `T`. */
type Kin<T> =
  T extends Dictionary<infer V>
    ? Kin<V>
    : T extends LiteralOf<infer V>
      ? V extends Date
        ? Date_ | Timestamp
        : Num | Decimal | Date_ | Time | Timestamp | Duration
      : T extends Num | Decimal
        ? Num | Decimal
        : T extends Text
          ? Text
          : T extends Bytes
            ? Bytes
            : T extends Bool
              ? Bool
              : T extends Date_
                ? Date_
                : T extends Timestamp
                  ? Timestamp
                  : T extends Time
                    ? Time
                    : T extends Duration
                      ? Duration
                      : T extends Null
                        ? DataType
                        : never;

/** The JavaScript values that compare with `T`. Not null, with which every comparison is null. */
type ValueOf<T> =
  T extends Dictionary<infer V>
    ? ValueOf<V>
    : T extends LiteralOf<infer V>
      ? V
      : T extends Num | Decimal | Time | Duration
        ? number | bigint
        : T extends Date_ | Timestamp
          ? number | bigint | Date
          : T extends Text
            ? string
            : T extends Bool
              ? boolean
              : never;

/** What a comparison with `T` takes: a value that fits, or an expression of a type that compares with it. */
type Operand<T> = true extends IsAny<T> ? Value | Expr : ValueOf<T> | Expr<Kin<T> | Dictionary<Kin<T>> | LiteralOf<ValueOf<T>> | Null>;

type NumOperand = number | bigint | Expr<NumLike>;
type TextOperand = string | Expr<TextLike>;
type Truth = boolean | Expr<Bool>;

/** How far apart two times are; a number counts in the unit of the timestamp that it meets. */
type Lapse = number | bigint | Expr<Duration | LiteralOf<number | bigint>>;

/** What can be added to `T`, or subtracted from it: numbers and numbers, timestamps and durations. */
type Addend<T, Op> =
  true extends IsAny<T>
    ? Value | Expr
    : T extends NumLike
      ? NumOperand
      : T extends Timestamp | LiteralOf<Date>
        ? Lapse | (Op extends "sub" ? Date | Expr<Timestamp | LiteralOf<Date>> : never)
        : T extends Duration
          ? Op extends "add"
            ? Date | Expr<Timestamp | LiteralOf<Date>>
            : never
          : never;

type Sum<T, U> =
  true extends IsAny<T>
    ? AnyType
    : T extends NumLike
      ? Num
      : T extends Timestamp | LiteralOf<Date>
        ? [U] extends [Lapse]
          ? Timestamp
          : Duration
        : Timestamp;

/** The Arrow type of a text such as `int64` or `timestamp(us, UTC)`; any if the text is not known. */
export type TypeNamed<S extends string> = string extends S
  ? AnyType
  : S extends `int${string}` | `uint${string}`
    ? Int
    : S extends `float${string}`
      ? Float
      : S extends `decimal${string}`
        ? Decimal
        : S extends `timestamp${string}`
          ? Timestamp
          : S extends `date${string}`
            ? Date_
            : S extends `time${string}`
              ? Time
              : S extends `duration${string}`
                ? Duration
                : S extends "utf8" | "largeutf8" | "utf8view" | "string"
                  ? Utf8
                  : S extends "bool"
                    ? Bool
                    : AnyType;

/** The type of `lit(value)`. */
export type LiteralType<V> =
  true extends IsAny<V>
    ? AnyType
    : V extends number | bigint
      ? LiteralOf<number | bigint>
      : V extends string
        ? Utf8
        : V extends boolean
          ? Bool
          : V extends Date
            ? LiteralOf<Date>
            : Null;

/** Of a union of expressions (a column whose name is one of several) the union: an argument fits that fits one of them, the planner asks for all. */
type TypeOf<E> = E extends Expr<infer T> ? T : never;

/**
 * The columns of an input in a filter: `l.price`, `l["unit price"]`. Any name is a column, and there is nothing else. Of an untyped input
 * every name is accepted.
 */
export type ColumnExprs<T> = string extends keyof T
  ? { readonly [name: string]: Expr }
  : { readonly [K in keyof T as `${K & (string | number)}`]: Expr<DataType extends T[K] ? AnyType : T[K]> };

/**
 * A residual filter: a function of both inputs' columns, what it returns, or that as JSON. To write one apart from its join:
 * `Filter<ColumnsOf<typeof left>, ColumnsOf<typeof right>>`. Without types any column is accepted.
 */
export type Filter<L = TypeMap, R = TypeMap> =
  | ((left: ColumnExprs<L>, right: ColumnExprs<R>) => Expr<Bool> | Expression)
  | Expr<Bool>
  | Expression;

declare const typeOf: unique symbol;

/**
 * An expression over the columns of two inputs, of Arrow type `T` (or a class of types). Made by columns and {@link lit}; every method
 * makes a new one. A bare value (number, bigint, string, boolean, null, Date) is a literal, which takes the type of what it meets.
 *
 * Comparisons give null where an operand is null; only a filter that is true makes a match. What cannot be computed (overflow, division
 * by zero, a failed cast) is null too.
 *
 * @example
 * import { col } from "arrow-join";
 *
 * const dear = col("left", "price").gt(col("right", "limit")).and(col("left", "sym").ne("XYZ"));
 * console.log(JSON.stringify(dear).length); // 208
 */
export interface Expr<T = AnyType> {
  /**
   * No value: tells expressions of different types apart. The only place where `T` stands (methods take the type of `this`), so that an
   * expression passes as one of a wider class of types.
   */
  readonly [typeOf]?: T;
  /** The tree: plain data, the same as its JSON. */
  toJSON(): Expression;

  /** Throws: an operator of JavaScript was used. */
  [Symbol.toPrimitive](): never;

  /** Equal. All NaNs are equal, and -0 is 0. */
  eq<E extends Expr>(this: E, other: Operand<TypeOf<E>>): Expr<Bool>;
  /** Not equal. */
  ne<E extends Expr>(this: E, other: Operand<TypeOf<E>>): Expr<Bool>;
  /** Less than. NaN is above everything; strings compare by their UTF-8 bytes. */
  lt<E extends Expr>(this: E, other: Operand<TypeOf<E>>): Expr<Bool>;
  /** Less than or equal. */
  le<E extends Expr>(this: E, other: Operand<TypeOf<E>>): Expr<Bool>;
  /** Greater than. */
  gt<E extends Expr>(this: E, other: Operand<TypeOf<E>>): Expr<Bool>;
  /** Greater than or equal. */
  ge<E extends Expr>(this: E, other: Operand<TypeOf<E>>): Expr<Bool>;
  /** At least `low` and at most `high`. */
  between<E extends Expr>(this: E, low: Operand<TypeOf<E>>, high: Operand<TypeOf<E>>): Expr<Bool>;
  /** Equal to one of several values: an `or` of `eq`, false for none. */
  in<E extends Expr>(this: E, ...values: readonly Operand<TypeOf<E>>[] | readonly [readonly Operand<TypeOf<E>>[]]): Expr<Bool>;
  /** Is null; never null itself. */
  isNull(): Expr<Bool>;
  /** Is not null; never null itself. */
  isNotNull(): Expr<Bool>;
  /** Not equal, null being equal to null; never null itself. */
  isDistinctFrom<E extends Expr>(this: E, other: Operand<TypeOf<E>> | null): Expr<Bool>;

  /** True if all are true, false if one is false, else null. */
  and(this: Expr<Bool>, ...others: readonly Truth[]): Expr<Bool>;
  /** True if one is true, false if all are false, else null. */
  or(this: Expr<Bool>, ...others: readonly Truth[]): Expr<Bool>;
  /** False for true, true for false, null for null. */
  not(this: Expr<Bool>): Expr<Bool>;

  /** The sum: of integers an int64 (uint64 if both are unsigned), with a float a float64; of a timestamp and a duration a timestamp. */
  add<E extends Expr, U extends Addend<TypeOf<E>, "add">>(this: E, other: U): Expr<Sum<TypeOf<E>, U>>;
  /** The difference; of two timestamps a duration. */
  sub<E extends Expr, U extends Addend<TypeOf<E>, "sub">>(this: E, other: U): Expr<Sum<TypeOf<E>, U>>;
  /** The product. */
  mul(this: Expr<NumLike>, other: NumOperand): Expr<Num>;
  /** The quotient, always a float64. */
  div(this: Expr<NumLike>, other: NumOperand): Expr<Float>;
  /** The remainder, with the sign of the dividend. */
  mod(this: Expr<NumLike>, other: NumOperand): Expr<Num>;
  /** The absolute value. */
  abs(this: Expr<NumLike>): Expr<Num>;
  /** The negative. */
  neg(this: Expr<NumLike>): Expr<Num>;

  /** Whether a string starts with another. */
  startsWith(this: Expr<TextLike>, text: TextOperand): Expr<Bool>;
  /** Whether a string ends with another. */
  endsWith(this: Expr<TextLike>, text: TextOperand): Expr<Bool>;
  /** Whether a string has another in it. */
  contains(this: Expr<TextLike>, text: TextOperand): Expr<Bool>;

  /**
   * The value in another type, by its text; null where it does not fit. Numbers become integers and floats (`int8` to `uint64`, `float32`,
   * `float64`), decimals floats; integers and times each other; dates and timestamps each other (`date32`, `timestamp(us, UTC)`), times of
   * day and durations other units (`time64(us)`, `duration(ms)`); dictionaries their values (`utf8`).
   */
  cast<const S extends string>(type: S): Expr<TypeNamed<S>>;
}
