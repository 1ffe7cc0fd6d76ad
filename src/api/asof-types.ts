/**
 * The result types of `joinAsof` and `joinAsofStream`. Types only; the invariants are those of types.ts, whose parts are used.
 *
 *     rights ──RightsOf──▶ [ { table, ...own }, ... ] ─▶ each: own options over common ones ─▶ RightColumns ─┐
 *     left ──ColumnsOf──▶ L ──────────────────────── one right after the other is added with its suffix ◀───┘─▶ select ─▶ AsofColumns
 *
 * Several rights with `select`, or with a suffix for left names, give `AnyColumns`.
 */

import type { TypeMap } from "apache-arrow";
import type { AsofRight, JoinAsofOptions, JoinAsofStreamOptions, KeyPair, On } from "./options.ts";
import type {
  AnyColumns,
  AsTypeMap,
  CheckedMembers,
  CheckedOn,
  CheckedSelect,
  ColumnsOf,
  IsAny,
  IsOpen,
  IsUnion,
  Option,
  PairColumns,
  Refused,
  SelectedColumns,
  SharedNames,
  Suffixes,
  UnknownColumn,
  UnknownOption,
} from "./types.ts";

type Entry = { readonly table: unknown };

/** The rights, each with its own options. */
type RightsOf<R> =
  true extends IsAny<R>
    ? readonly Entry[]
    : R extends Entry | readonly Entry[]
      ? R extends readonly Entry[]
        ? R
        : readonly [R]
      : readonly [{ readonly table: R }];

/** The columns of the right, where there is one; of several any. */
export type AsofColumnsOf<R> = RightsOf<R> extends readonly [infer E extends Entry] ? ColumnsOf<E["table"]> : AnyColumns;

/** Options `O` of the whole join with what entry `E` says for itself. */
type OwnOptions<O, E> = Omit<O, keyof E> & E;

/** The names of the time columns, left and right; `string` if they are not known. */
type TimeNames<On> =
  true extends IsUnion<On>
    ? [string, string]
    : On extends string
      ? [On, On]
      : On extends readonly [infer E]
        ? E extends Pick<KeyPair<infer A, infer B>, "left" | "right">
          ? [A, B]
          : [E, E]
        : On extends readonly unknown[]
          ? [string, string]
          : true extends IsUnion<keyof On>
            ? [string, string]
            : [keyof On, On[keyof On]];

/**
 * A right's columns without those that the left has: `by` columns of equal names, the time column unless `Time` renames it. Not by an `as`
 * clause: the names of such a type are computed again for every column of the left, 440 000 instantiations for 200 columns a side.
 */
type OutColumns<R, Times extends readonly unknown[], Shared, Time> = true extends
  | IsOpen<R>
  | (string extends Times[0] | Times[1] | Shared | Time ? true : false)
  | IsUnion<Time>
  ? AnyColumns
  : Time extends string
    ? Pick<R, Exclude<keyof R, Shared | Times[1]>> & { [K in Time]: R[Times[1] & keyof R] }
    : Pick<R, Exclude<keyof R, Shared | (Times[0] & Times[1])>>;

type RightColumns<R, O> = OutColumns<
  R,
  TimeNames<Option<O, "on", string>>,
  SharedNames<Option<O, "by", readonly []>>,
  Option<O, "rightTime", undefined>
>;

type Added<L, R, O> = PairColumns<L, RightColumns<R, O>, "left", never, Suffixes<Option<O, "suffix", "_right">>, "right">;

/** The left's columns and those of all rights. */
type AllRights<Sofar, Rights, O> = Rights extends readonly [infer E extends Entry, ...infer Rest]
  ? Suffixes<Option<OwnOptions<O, E>, "suffix", "_right">>[0] extends ""
    ? AllRights<Added<Sofar, ColumnsOf<E["table"]>, OwnOptions<O, E>>, Rest, O>
    : AnyColumns
  : Rights extends readonly []
    ? Sofar
    : AnyColumns;

/** Every column of the result, as if there were no `select`. */
type AllColumns<L, Rights, O, How> =
  true extends IsOpen<L>
    ? AnyColumns
    : [How] extends ["leftSemi" | "leftAnti"]
      ? L
      : [How] extends ["left" | "inner"]
        ? Rights extends readonly [infer E extends Entry]
          ? Added<L, ColumnsOf<E["table"]>, OwnOptions<O, E>>
          : AllRights<L, Rights, O>
        : AnyColumns;

type SelectOf<O> = Option<O, "select", undefined>;
type HowOf<O> = Option<O, "how", "left">;

type ResultColumns<L, Rights, O> =
  true extends IsAny<O>
    ? AnyColumns
    : [SelectOf<O>] extends [undefined]
      ? AllColumns<L, Rights, O, HowOf<O>>
      : Rights extends readonly [infer E extends Entry]
        ? SelectedColumns<SelectOf<O>, L, ColumnsOf<E["table"]>, AllColumns<L, Rights, O, HowOf<O>>, OwnOptions<O, E>, HowOf<O>, "right">
        : AnyColumns;

/**
 * The columns of `joinAsof(left, right, options)`: of a left input with columns `L` ({@link ColumnsOf}), a right argument of type `R`, and
 * options of type `O`.
 *
 * @example
 * type Columns = AsofColumns<{ t: Int32; x: Utf8 }, Table<{ t: Int32; x: Bool }>, { on: "t" }>;
 * // { t: Int32; x: Utf8; x_right: Bool }
 */
export type AsofColumns<L extends TypeMap, R, O> = AsTypeMap<ResultColumns<L, RightsOf<R>, O>>;

/* What the constraints cannot see */

type CheckedNames<Names, L, R> =
  Names extends On<keyof L & string, keyof R & string> ? CheckedOn<Names> : Refused<Names, UnknownColumn<Names>>;

type CheckedEntry<E, L> = {
  readonly [K in keyof E]: K extends "table"
    ? unknown
    : K extends "on" | "by"
      ? CheckedNames<Exclude<E[K], undefined>, L, ColumnsOf<E["table" & keyof E]>>
      : K extends keyof AsofRight
        ? unknown
        : Refused<E[K], UnknownOption<K>>;
};

/** A right argument `R` of an as-of join whose left has columns `L`: options of its entries that there are not, and wrong column names. */
export type CheckedRights<R, L> = R &
  (R extends readonly Entry[] ? { readonly [I in keyof R]: CheckedEntry<R[I], L> } : R extends Entry ? CheckedEntry<R, L> : unknown);

/** Where each right may name its own time column, the whole join need not. */
export type AsofOptionsFor<R, Options extends { readonly on: unknown }> = R extends Entry | readonly Entry[]
  ? Omit<Options, "on"> & { readonly on?: Options["on"] }
  : Options;

type CheckedOptions<O, Known, L, R> = {
  readonly [K in keyof O]: K extends "on" | "by"
    ? CheckedOn<O[K]>
    : K extends "select"
      ? RightsOf<R> extends readonly [infer E extends Entry]
        ? CheckedSelect<Exclude<O[K], undefined>, L, ColumnsOf<E["table"]>, AllColumns<L, RightsOf<R>, O, HowOf<O>>, HowOf<O>>
        : unknown
      : K extends "tolerance"
        ? O[K] extends object
          ? CheckedMembers<O[K], "before" | "after">
          : unknown
        : K extends Known
          ? unknown
          : Refused<O[K], UnknownOption<K>>;
};

/** Options `O` of `joinAsof`, checked. */
export type CheckedAsofOptions<O, L, R> = O & CheckedOptions<O, keyof JoinAsofOptions, ColumnsOf<L>, R>;

/** Options `O` of `joinAsofStream`, checked. */
export type CheckedAsofStreamOptions<O, L, R> = O & CheckedOptions<O, keyof JoinAsofStreamOptions, ColumnsOf<L>, R>;
