/**
 * The result types of the verbs, computed from the inputs' columns and the literal types of the options. Types only.
 *
 *     inputs ──ColumnsOf──▶ L, R ─┬─ AllColumns: how, on, coalesceKeys, suffix, markName ─▶ select ─▶ JoinColumns
 *     options ────────────▶ O ────┴─ CheckedOptions: what the constraint on O cannot see
 *
 * Invariants:
 * - what is not known at compile time gives `AnyColumns` (every column name is accepted), never a guess: untyped inputs, names held in
 *   variables, an option whose value is not a literal;
 * - what is known is closed: a column that the result does not have is an error. So a result is passed on as `AsTypeMap<T>`, never as
 *   `T & TypeMap`, which would bring back the index signature of TypeMap and accept every name.
 *
 * Cost: every column is mapped a constant number of times, without recursion: a join of 200 columns a side takes 17 000 instantiations,
 * as `tsc --extendedDiagnostics` counts them.
 */

import type { Bool, DataType, Dictionary, Int32, RecordBatch, Schema, Table, TypeMap } from "apache-arrow";
import type { JoinMetrics } from "../run/settings.ts";
import type {
  JoinCrossOptions,
  JoinCrossStreamOptions,
  JoinOptions,
  JoinStreamOptions,
  JoinWhereOptions,
  JoinWhereStreamOptions,
  KeyPair,
  On,
  PrepareOptions,
  Watermark,
} from "./options.ts";

/** Columns that are not known: every name is accepted. Not TypeMap, whose tables could not be handed on as tables of known columns. */
// biome-ignore lint/suspicious/noExplicitAny: apache-arrow's own word for a table of unknown columns is Table<any>
export type AnyColumns = any;

export type IsAny<T> = 0 extends 1 & T ? true : false;

/** Whether the names of `T`'s columns are unknown: `any`, TypeMap, or another type with an index signature. */
export type IsOpen<T> = string extends keyof T ? true : false;

/** Whether `T` is a union, which here means: one of several values, decided at run time. */
export type IsUnion<T, Each = T> = Each extends unknown ? ([T] extends [Each] ? false : true) : never;

/** `T` as a TypeMap, closed as it is. */
export type AsTypeMap<T> = T extends TypeMap ? T : never;

/** The type of option `K`; `Default` where it is absent. An option that may be absent gives a union of both. */
export type Option<O, K extends string, Default> = K extends keyof O
  ? Exclude<O[K], undefined> | (undefined extends O[K] ? Default : never)
  : Default;

/* Inputs */

type InputColumns<I> = I extends { readonly schema: Schema<infer T> } | PreparedJoin<infer T>
  ? T
  : I extends
        | readonly RecordBatch<infer T>[]
        | Iterable<RecordBatch<infer T> | Watermark>
        | AsyncIterable<RecordBatch<infer T> | Watermark>
        | ReadableStream<RecordBatch<infer T> | Watermark>
    ? T
    : AnyColumns;

/** apache-arrow types the columns of `tableFromArrays({ 0: … })` by numbers; their names are strings. */
type StringNames<T> = [Extract<keyof T, number>] extends [never] ? T : { [K in keyof T & (string | number) as `${K}`]: T[K] };

/** The columns of an input: of a table, a batch, an array, a reader, a stream of batches or a prepared side. `AnyColumns` where its type does not say. */
export type ColumnsOf<I> = true extends IsOpen<InputColumns<I>> ? AnyColumns : AsTypeMap<StringNames<InputColumns<I>>>;

/* Keys */

/** The name that both sides of a key share; never if they differ; `string` if that is not known. */
type SharedName<A, B> = IsUnion<A | B> extends false ? A | B : true extends IsUnion<A> | IsUnion<B> ? string : never;

type SharedNameOfEntry<E> = [E] extends [KeyPair<infer A, infer B>] ? SharedName<A, B> : SharedName<E, E>;

export type SharedNames<On> =
  true extends IsUnion<On>
    ? string
    : On extends string
      ? On
      : On extends readonly unknown[]
        ? number extends On["length"]
          ? string
          : { [I in keyof On]: SharedNameOfEntry<On[I]> }[number]
        : { [K in keyof On]-?: SharedName<K, On[K]> }[keyof On];

/** Names of the keys that come out as one column; `string` if they are not known. */
type Coalesced<O> = [Option<O, "coalesceKeys", true>] extends [infer C]
  ? [C] extends [true]
    ? SharedNames<Option<O, "on", string>>
    : [C] extends [false]
      ? never
      : string
  : never;

/* All columns of a join */

export type Suffixes<S> =
  true extends IsUnion<S>
    ? [string, string]
    : S extends string
      ? ["", S]
      : S extends readonly [infer A extends string, infer B extends string]
        ? [A, B]
        : [string, string];

/** A string or a pattern such as `_${string}`, as opposed to one literal. */
type IsWide<S extends string> = Record<never, 1> extends Record<S, 1> ? true : IsUnion<S>;

/** The side whose dictionaries are unified and get Int32 codes (SEMANTICS 2.5); both where that is decided at run time. */
type UnifiedSide<O, Verb> = Verb extends "stream"
  ? [Option<O, "build", "right">] extends ["left"]
    ? "left"
    : ["left" | Option<O, "order", "left">, "auto" | Option<O, "build", "right">] extends ["left", "auto" | "right"]
      ? "right"
      : "left" | "right"
  : [Option<O, "order", "left">] extends ["right"]
    ? "left"
    : [Option<O, "order", "left">] extends ["left" | "any"]
      ? "right"
      : "left" | "right";

/** Column type `T` of `Side` as it comes out. */
type Out<T, Side, Unified> = Side extends Unified
  ? T extends Dictionary<infer Value, infer Codes>
    ? Dictionary<Value, [Unified] extends [Side] ? Int32 : Codes | Int32>
    : T
  : T;

/** A coalesced key of a full join: one type holds both sides. Which one is left to the run time where it is neither's own. */
type FullKey<L, R> =
  L extends Dictionary<infer Value>
    ? R extends Dictionary
      ? Dictionary<Value, Int32>
      : R
    : R extends Dictionary
      ? L
      : [L, R] extends [R, L]
        ? L
        : DataType;

type KeyColumn<L, R, How, Unified> = [How] extends ["inner" | "left"]
  ? Out<L, "left", Unified>
  : [How] extends ["right"]
    ? Out<R, "right", Unified>
    : [How] extends ["full"]
      ? FullKey<L, R>
      : DataType;

/* Left columns, then right ones: a name of both sides that is no coalesced key gets each side's suffix. */
type LeftColumns<L, R, How, Keys, Suffix extends string, Unified> = {
  [K in keyof L as K extends Exclude<keyof R, Keys> ? `${K & string}${Suffix}` : K]: K extends Keys & keyof R
    ? KeyColumn<L[K], R[K], How, Unified>
    : Out<L[K], "left", Unified>;
};

type RightColumns<L, R, Keys, Suffix extends string, Unified> = {
  [K in Exclude<keyof R, Keys> as K extends keyof L ? `${K & string}${Suffix}` : K]: Out<R[K], "right", Unified>;
};

type SideColumns<T, Side, Unified> = true extends IsOpen<T> ? AnyColumns : { [K in keyof T]: Out<T[K], Side, Unified> };

/**
 * The last step makes one object type of an intersection: editors show its columns. Not `{ [K in keyof A | keyof B]: K extends keyof A ? … }`:
 * that computes both sets of names again for every column, 420 000 instantiations for 200 columns a side where this takes 17 000.
 */
export type PairColumns<L, R, How, Keys, S extends [string, string], Unified> = true extends
  | IsOpen<L>
  | IsOpen<R>
  | IsWide<S[0]>
  | IsWide<S[1]>
  | (string extends Keys ? true : false)
  ? AnyColumns
  : LeftColumns<L, R, How, Keys, S[0], Unified> & RightColumns<L, R, Keys, S[1], Unified> extends infer T
    ? { [K in keyof T]: T[K] }
    : never;

/** A side's columns, then the mark. */
type MarkColumns<T, Side, Unified, Mark extends string> = true extends IsOpen<T> | IsWide<Mark>
  ? AnyColumns
  : SideColumns<T, Side, Unified> & { [K in Mark]: Bool } extends infer All
    ? { [K in keyof All]: All[K] }
    : never;

/** Every column of the result, as if there were no `select`. */
type AllColumns<L, R, O, Verb, How> = [How] extends ["leftSemi" | "leftAnti"]
  ? SideColumns<L, "left", UnifiedSide<O, Verb>>
  : [How] extends ["rightSemi" | "rightAnti"]
    ? SideColumns<R, "right", UnifiedSide<O, Verb>>
    : [How] extends ["leftMark"]
      ? MarkColumns<L, "left", UnifiedSide<O, Verb>, Option<O, "markName", "mark"> & string>
      : [How] extends ["rightMark"]
        ? MarkColumns<R, "right", UnifiedSide<O, Verb>, Option<O, "markName", "mark"> & string>
        : [How] extends ["inner" | "left" | "right" | "full"]
          ? PairColumns<L, R, How, Coalesced<O>, Suffixes<Option<O, "suffix", "_right">>, UnifiedSide<O, Verb>>
          : AnyColumns;

/* select */

/** The sides whose own columns `select` may name. */
type OutputSide<How> = [How] extends ["leftSemi" | "leftAnti" | "leftMark"]
  ? "left"
  : [How] extends ["rightSemi" | "rightAnti" | "rightMark"]
    ? "right"
    : "left" | "right";

/** Type of the column that `Entry` names; never if there is none. */
type Selected<Entry, L, R, All, How, Unified> = Entry extends `left.${infer Name extends keyof L & string}`
  ? "left" extends OutputSide<How>
    ? Out<L[Name], "left", Unified>
    : never
  : Entry extends `right.${infer Name extends keyof R & string}`
    ? "right" extends OutputSide<How>
      ? Out<R[Name], "right", Unified>
      : never
    : Entry extends keyof All
      ? All[Entry]
      : never;

/** Whether which columns `select` lists is decided at run time. */
type IsOpenSelect<S> =
  true extends IsUnion<S>
    ? true
    : S extends readonly string[]
      ? number extends S["length"]
        ? true
        : true extends { [I in keyof S]: IsWide<S[I] & string> }[number]
          ? true
          : false
      : string extends keyof S | S[keyof S]
        ? true
        : false;

/** A side's own column keeps its name, with the side's suffix where another entry has that name too; a bare name is exact. */
type SelectedName<Entry, Entries, L, R, S extends [string, string]> = Entry extends `left.${infer Name extends keyof L & string}`
  ? [Entries & (Name | `right.${Name}`)] extends [never]
    ? Name
    : `${Name}${S[0]}`
  : Entry extends `right.${infer Name extends keyof R & string}`
    ? [Entries & (Name | `left.${Name}`)] extends [never]
      ? Name
      : `${Name}${S[1]}`
    : Entry;

export type SelectedColumns<S, L, R, All, O, How, Unified> = true extends IsOpen<All> | IsOpenSelect<S>
  ? AnyColumns
  : S extends readonly string[]
    ? {
        [Entry in S[number] as SelectedName<Entry, S[number], L, R, Suffixes<Option<O, "suffix", "_right">>>]: Selected<
          Entry,
          L,
          R,
          All,
          How,
          Unified
        >;
      }
    : { -readonly [Name in keyof S]: Selected<S[Name], L, R, All, How, Unified> };

type ResultColumns<L, R, O, Verb> =
  true extends IsAny<O>
    ? AnyColumns
    : [Option<O, "select", undefined>] extends [undefined]
      ? AllColumns<L, R, O, Verb, Option<O, "how", "inner">>
      : SelectedColumns<
          Option<O, "select", undefined>,
          L,
          R,
          AllColumns<L, R, O, Verb, Option<O, "how", "inner">>,
          O,
          Option<O, "how", "inner">,
          UnifiedSide<O, Verb>
        >;

/**
 * The columns of `join(left, right, options)`: of inputs with columns `L` and `R` ({@link ColumnsOf}) and options of type `O`. For those
 * of `joinStream` give `Verb` as `"stream"`: it buffers another side, so other dictionaries get Int32 codes.
 *
 * @example
 * type Columns = JoinColumns<{ id: Int32; x: Utf8 }, { id: Int32; x: Bool }, { on: "id" }>;
 * // { id: Int32; x: Utf8; x_right: Bool }
 */
export type JoinColumns<L extends TypeMap, R extends TypeMap, O, Verb extends "table" | "stream" = "table"> = AsTypeMap<
  ResultColumns<L, R, O, Verb>
>;

/* What the constraint on the options cannot see */

declare const problem: unique symbol;

/** No value is of this type: the verb has no option, or a key pair or `unmatched` no member, called `Name`. */
export interface UnknownOption<Name> {
  readonly [problem]: Name;
}

/** No value is of this type: there is no column called `Name` to select. */
export interface UnknownColumn<Name> {
  readonly [problem]: Name;
}

/** No value is of this type: `on` is a list of names or a list of pairs. */
interface NamesOrPairs {
  readonly [problem]: never;
}

/** Refuses a member; a value of type any too, which would pass for every type but never. */
export type Refused<Value, Problem> = true extends IsAny<Value> ? never : Problem;

export type CheckedMembers<E, Known> = { readonly [K in keyof E]: K extends Known ? unknown : Refused<E[K], UnknownOption<K>> };

export type CheckedOn<On> = On extends readonly unknown[]
  ? On extends readonly string[]
    ? unknown
    : { readonly [I in keyof On]: On[I] extends string ? NamesOrPairs : CheckedMembers<On[I], keyof KeyPair> }
  : unknown;

type CheckedEntry<Entry, L, R, All, How> = [Selected<Entry, L, R, All, How, never>] extends [never] ? UnknownColumn<Entry> : unknown;

export type CheckedSelect<S, L, R, All, How> = true extends IsOpen<All> | IsOpenSelect<S>
  ? unknown
  : { readonly [K in keyof S]: CheckedEntry<S[K], L, R, All, How> };

/**
 * To be intersected with `O`: refuses options that the verb does not have (a constraint `O extends Options` alone lets every further member
 * pass), such members of key pairs and of `unmatched`, and columns in `select` that are neither a side's own nor in the result.
 */
type CheckedOptions<O, Known, L, R, Joined = O> = {
  readonly [K in keyof O]: K extends "on"
    ? CheckedOn<O[K]>
    : K extends "select"
      ? CheckedSelect<
          Exclude<O[K], undefined>,
          L,
          R,
          AllColumns<L, R, Joined, "table", Option<O, "how", "inner">>,
          Option<O, "how", "inner">
        >
      : K extends "unmatched"
        ? CheckedMembers<O[K], "left" | "right">
        : K extends Known
          ? unknown
          : Refused<O[K], UnknownOption<K>>;
};

/* The verbs */

/** Options `O` of `join` for inputs of types `L` and `R`, checked. */
export type CheckedJoinOptions<O, L, R> = O & CheckedOptions<O, keyof JoinOptions, ColumnsOf<L>, ColumnsOf<R>, JoinedOptions<O, R>>;

/** Options `O` of `joinStream` for inputs of types `L` and `R`, checked. */
export type CheckedJoinStreamOptions<O, L, R> = O &
  CheckedOptions<O, keyof JoinStreamOptions, ColumnsOf<L>, ColumnsOf<R>, JoinedOptions<O, R>>;

/** Options `O` of a join without keys, for its result: no column stands for two. */
export type Keyless<O> = true extends IsAny<O> ? O : O & { readonly on: readonly []; readonly coalesceKeys: false };

/** Options `O` of `joinWhere` for inputs of types `L` and `R`, checked. */
export type CheckedWhereOptions<O, L, R> = O & CheckedOptions<O, keyof JoinWhereOptions, ColumnsOf<L>, ColumnsOf<R>, Keyless<O>>;

/** Options `O` of `joinWhereStream`, checked. */
export type CheckedWhereStreamOptions<O, L, R> = O &
  CheckedOptions<O, keyof JoinWhereStreamOptions, ColumnsOf<L>, ColumnsOf<R>, Keyless<O>>;

/** Options `O` of `joinCross`, checked. */
export type CheckedCrossOptions<O, L, R> = O & CheckedOptions<O, keyof JoinCrossOptions, ColumnsOf<L>, ColumnsOf<R>, Keyless<O>>;

/** Options `O` of `joinCrossStream`, checked. */
export type CheckedCrossStreamOptions<O, L, R> = O &
  CheckedOptions<O, keyof JoinCrossStreamOptions, ColumnsOf<L>, ColumnsOf<R>, Keyless<O>>;

/** Options `O` of `prepareJoin`, checked. */
export type CheckedPrepareOptions<O> = O & {
  readonly [K in keyof O]: K extends "on" ? CheckedOn<O[K]> : K extends keyof PrepareOptions ? unknown : Refused<O[K], UnknownOption<K>>;
};

/* A prepared right side */

declare const prepared: unique symbol;

/**
 * A right side that was indexed once, by `prepareJoin`: the right of any number of `join`, `joinStream` and `joinIndices`, also at the same
 * time. `C` are its columns, `Keys` the type of its `on`.
 */
export interface PreparedJoin<C extends TypeMap = AnyColumns, Keys = On> {
  /** Bytes of the index, without those of the table, which is kept too. 0 once it is closed. */
  readonly memoryBytes: number;
  /** Gives the index back. Joins that are still running fail with `CANCELLED`, later ones with `INVALID_INPUT`. Safe to call twice. */
  close(): void;
  /** As `close()`, for `using`. */
  [Symbol.dispose](): void;
  /** For the compiler alone. */
  readonly [prepared]: { readonly columns: C; readonly on: Keys };
}

/** The `on` of a prepared right side; never for another. */
type PreparedOn<R> = true extends IsAny<R> ? never : [R] extends [PreparedJoin<AnyColumns, infer Keys>] ? Keys : never;

/** `Options` of a join whose right side is of type `R`: with a prepared one `on` may be left out, and the left cannot be the built side. */
export type OptionsFor<R, Options extends { readonly on: unknown }> = [PreparedOn<R>] extends [never]
  ? Options
  : Omit<Options, "on" | "build"> & {
      /** The keys: those that the right side was prepared with, or left out. */
      readonly on?: Options["on"];
      /** A prepared side is the one that is hashed: `auto` and `right` say the same. */
      readonly build?: "auto" | "right";
    };

/** Options `O` with what a prepared right side of type `R` decided. */
export type JoinedOptions<O, R> = [PreparedOn<R>] extends [never]
  ? O
  : true extends IsAny<O>
    ? O
    : Omit<O, "on" | "build"> & { readonly on: PreparedOn<R>; readonly build: "right" };

/* Streams */

/**
 * The result of a streaming join: record batches, made as they are asked for. Work starts at the first pull; concurrent `next()` calls are
 * served in order; after an error every `next()` rejects with that same error.
 */
export interface JoinStream<T extends TypeMap = AnyColumns> extends AsyncIterableIterator<RecordBatch<T>> {
  /** The schema of the result, known before any row is. */
  readonly schema: Schema<T>;
  /** A live snapshot of what the join has done so far. */
  metrics(): JoinMetrics;
  /** The operator tree, the kind of table, the kernel used and why, counters. */
  explain(): string;
  /** All (remaining) batches as one table. */
  toTable(): Promise<Table<T>>;
  /** The batches as a web stream that pulls one at a time. */
  toReadableStream(): ReadableStream<RecordBatch<T>>;
  /** The batches in the Arrow IPC stream format. */
  toIPC(): ReadableStream<Uint8Array>;
  /** Ends the join and cancels both inputs, without waiting for a pull in flight; a `toTable()` under way rejects with `CANCELLED`. */
  cancel(reason?: unknown): Promise<void>;
  /** As `cancel()`: what leaving a `for await` loop calls. */
  return(value?: unknown): Promise<IteratorResult<RecordBatch<T>>>;
  [Symbol.asyncIterator](): JoinStream<T>;
  /** As `cancel()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
