/**
 * The options of the verbs, and the shapes their inputs may have. Types only: nothing here exists at run time.
 *
 * `JoinOptions<L, R>` takes the columns of both inputs, so that key names are checked and completed by an editor:
 *
 *     on: "id"                              both sides have an `id`
 *     on: ["country", "city"]               two keys, each of one name
 *     on: { origin: "iata" }                left name: right name
 *     on: [{ left: "origin", right: "iata", nullsEqual: true }]
 */

import type { RecordBatch, Schema, Table, TypeMap } from "apache-arrow";
import type { JoinMetrics } from "../run/settings.ts";
import type { SpillStore } from "../run/spill-store.ts";
import type { JoinKind } from "../spec/join-spec.ts";
import type { Filter } from "./expr-types.ts";

export type { JoinKind, JoinMetrics, SpillStore };

/** One key whose names differ, or that decides about nulls for itself. */
export interface KeyPair<LeftName extends string = string, RightName extends string = string> {
  /** Name of the key column in the left input. */
  readonly left: LeftName;
  /** Name of the key column in the right input. */
  readonly right: RightName;
  /** Null matches null in this key. Default: the option `nullsEqual`. */
  readonly nullsEqual?: boolean;
}

/** The keys of a join, in one of four forms: a name, several names, a map from left names to right names, or a list of pairs. */
export type On<LeftName extends string = string, RightName extends string = string> =
  | (LeftName & RightName)
  | readonly ((LeftName & RightName) | KeyPair<LeftName, RightName>)[]
  | { readonly [Left in LeftName]?: RightName };

/**
 * One output column: `left.x`, `right.x`, or a bare name of the output that `select` replaces (the mark's too). `string & {}` keeps that last form open
 * (its names depend on the other options and are checked where these are known) without hiding the first two from completion.
 */
export type SelectEntry<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap> =
  | `left.${keyof L & string}`
  | `right.${keyof R & string}`
  | (keyof L & string)
  | (keyof R & string)
  | (string & {});

/** Output columns in order: a list, or a map from output name to column. */
export type Select<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap> =
  | readonly SelectEntry<L, R>[]
  | { readonly [outputName: string]: SelectEntry<L, R> };

/** Whether a row may have no partner: for the sides whose unmatched rows the kind drops, or side by side. */
export type Unmatched = "allow" | "error" | { readonly left?: "allow" | "error"; readonly right?: "allow" | "error" };

/** Options of {@link join}. `L` and `R` are the columns of the inputs; without them any column name is accepted. */
export interface JoinOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap> {
  /** The keys, required: `"id"`, `["a", "b"]`, `{ leftName: "rightName" }` or `[{ left, right, nullsEqual? }]`. */
  readonly on: On<keyof L & string, keyof R & string>;
  /** The kind: `inner left right full leftSemi leftAnti rightSemi rightAnti leftMark rightMark`. Default `inner`. */
  readonly how?: JoinKind;
  /**
   * The residual filter: rows match if their keys do and this is true. It decides matches, so a row whose pairs all fail is unmatched.
   * `(l, r) => l.price.gt(r.limit)` is called once, with the columns of both inputs; an `Expr`, or its JSON, does the same. Default: none.
   */
  readonly filter?: Filter<L, R>;
  /** Null keys match null keys. Default `false`: a null key matches nothing. A key pair may decide for itself. */
  readonly nullsEqual?: boolean;
  /**
   * Comparing with null is unknown. `leftAnti` and `rightAnti` are then SQL's NOT IN: a row is kept only if every comparison is false.
   * Marks are IN: null where no comparison is true and one is unknown. Default `false`. Only for these four kinds.
   */
  readonly nullAware?: boolean;
  /**
   * Output columns: `["left.a", "right.b", "id"]` or `{ name: "left.a" }`; `[]` gives batches without columns and with the right number of
   * rows. Columns that nothing needs are never read. Default: all columns, left ones first.
   */
  readonly select?: Select<L, R>;
  /** Appended to right names that clash with a left name, or a pair for both sides. `""` is a real suffix. Default `"_right"`. */
  readonly suffix?: string | readonly [left: string, right: string];
  /** One output column per key whose two names are equal, at the left's position. Default `true`. */
  readonly coalesceKeys?: boolean;
  /** Name of the mark column of `leftMark` and `rightMark`, the last one unless `select` places it. Default `"mark"`. */
  readonly markName?: string;
  /**
   * What the keys must be, else the join fails with `CARDINALITY`: `m:1` no left row has two partners, `1:m` no right row, `1:1` both.
   * Default `m:m`. Only for `inner left right full`.
   */
  readonly validate?: "m:m" | "1:m" | "m:1" | "1:1";
  /**
   * `error`: the join fails with `UNMATCHED` if a row without a partner would be dropped; `{ left: "error" }`: if a left row has none, `right`
   * likewise. Default `allow`. Only for `inner left right full`.
   */
  readonly unmatched?: Unmatched;
  /**
   * Which partners of a left row come out (for `right`: of a right row): `all`, the `first` or `last` in the other side's row order, or
   * `any` one, the same on every run. Default `all`. Only for `inner left right full`.
   */
  readonly multiple?: "all" | "first" | "last" | "any";
  /**
   * Row order of the output: `left` (partners of one row in right order), its mirror `right`, or `any`: whatever is fastest, the same on
   * every run. Default `left`; in a stream with `build: "left"`, `right`.
   */
  readonly order?: "left" | "right" | "any";
  /** The side that is hashed, in a stream also the one that is buffered: `auto left right`. Default `auto`; for streams `right`. */
  readonly build?: "auto" | "left" | "right";
  /**
   * Rows: no output batch is longer. A whole number above 0, or `Infinity`. Default: 8192 for streams; one-shot verbs give one batch for up
   * to a million rows.
   */
  readonly batchSize?: number;
  /** Never share buffers with the inputs. Default `false`: rows that are consecutive in an input come out as slices of it. */
  readonly copy?: boolean;
  /** What runs the hot loops: `auto wasm ts`. Default `auto`: WebAssembly, or TypeScript where that is refused (`explain()` says why). */
  readonly kernel?: "auto" | "wasm" | "ts";
  /** Seed of the hash functions, for reproducible internals; results never depend on it. Default: random per process. */
  readonly hashSeed?: number;
  /** Called once, when the join has ended, with its final metrics; their `plan` is the text of `explain()`. */
  readonly onMetrics?: (metrics: JoinMetrics) => void;
}

/** Options of {@link joinIndices}: those of {@link join}, but for the ones that shape a table and the kinds that mark. */
export interface JoinIndicesOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap>
  extends Omit<JoinOptions<L, R>, "how" | "select" | "suffix" | "coalesceKeys" | "copy" | "markName"> {
  /** The kind: `inner left right full leftSemi leftAnti rightSemi rightAnti`. Default `inner`. */
  readonly how?: Exclude<JoinKind, "leftMark" | "rightMark">;
}

/** Options that only streams have. */
export interface FlowOptions {
  /** `full`: batches are filled to `batchSize`; `eager`: what is there is emitted whenever an input is not ready. Default `full`. */
  readonly flush?: "full" | "eager";
  /** Aborting it ends the join, cancels both inputs, and rejects with `signal.reason`. Default: none. */
  readonly signal?: AbortSignal;
  /** Called with the rows so far, at most 10 times a second, and once at the end. Default: none. */
  readonly onProgress?: (progress: JoinProgress) => void;
}

/** Options of {@link joinStream}: those of {@link join} and the ones that only a stream has. */
export interface JoinStreamOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap> extends JoinOptions<L, R>, FlowOptions {}

/** Options of {@link joinWhere}: those of {@link join}, but for the ones about keys, and what the join may hold. */
export interface JoinWhereOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap>
  extends Omit<JoinOptions<L, R>, "on" | "filter" | "nullsEqual" | "nullAware" | "coalesceKeys"> {
  /**
   * Bytes that the join may hold, above 0: buffered rows of streams, kernel memory, output under way; not a one-shot verb's inputs, nor
   * batches that were handed out. What does not fit is joined in several passes over the other side. Default: none.
   */
  readonly memoryLimit?: number;
  /**
   * Where rows go that must be read again by a later pass, and what those passes found: files (`fileSpillStore` of `arrow-join/node`) or a
   * store of your own. One-shot verbs take stores that answer at once. Default: none, and what does not fit is `MEMORY_LIMIT`.
   */
  readonly spill?: SpillStore;
}

/** Options of {@link joinWhereStream}: those of {@link joinWhere} and the ones that only a stream has. */
export interface JoinWhereStreamOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap>
  extends JoinWhereOptions<L, R>,
    FlowOptions {}

/** Options of {@link joinCross}: those of {@link joinWhere}, but for the ones about matches. */
export type JoinCrossOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap> = Omit<
  JoinWhereOptions<L, R>,
  "how" | "validate" | "unmatched" | "multiple" | "markName"
>;

/** Options of {@link joinCrossStream}: those of {@link joinCross} and the ones that only a stream has. */
export type JoinCrossStreamOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap> = JoinCrossOptions<L, R> & FlowOptions;

/** A distance in time: a number in the unit of the left time column, or a duration such as `"5s"`, `"1m30s"` (`ns us ms s m h d w`). */
export type Lapse = number | bigint | string;

/** The time columns of an as-of join: one of each side, as a name, a map from left to right, or a pair. */
export type AsofOn<LeftName extends string = string, RightName extends string = string> =
  | (LeftName & RightName)
  | readonly [(LeftName & RightName) | Omit<KeyPair<LeftName, RightName>, "nullsEqual">]
  | { readonly [Left in LeftName]?: RightName };

/** What an as-of join asks of one right. With several rights each may say its own, and the options of the whole join hold for the rest. */
export interface AsofMatchOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap> {
  /**
   * The time columns, required: `"time"`, `{ leftTime: "rightTime" }` or `[{ left, right }]`. Integers, float32, float64, dates, timestamps,
   * times of day or durations; units may differ. Both inputs are in its order, over all keys.
   */
  readonly on: AsofOn<keyof L & string, keyof R & string>;
  /** Columns that must be equal, as `on` of {@link join}: the nearest time is sought among rows of the same key. Default: none. */
  readonly by?: On<keyof L & string, keyof R & string>;
  /**
   * Where a left row of time T looks: `backward` at t <= T, `forward` at t >= T, `nearest` at both (of equal distances the earlier). Default
   * `backward`.
   */
  readonly direction?: "backward" | "forward" | "nearest";
  /** Whether t = T is a match. Default `true`. */
  readonly allowExactMatches?: boolean;
  /**
   * How far a match may be, inclusive: a number or bigint in the unit of the left time column (days for Date32), a duration such as `"5s"`
   * (not for integers and floats), or one for each direction, `{ before, after }`. Default: none.
   */
  readonly tolerance?: Lapse | { readonly before?: Lapse; readonly after?: Lapse };
  /**
   * Which of several right rows of one time: the `first` or the `last` in right order, or the one next to T, `adjacent`: the last looking
   * back, the first looking forward. Default `adjacent`.
   */
  readonly ties?: "adjacent" | "first" | "last";
  /** Restricts the right rows before the nearest is chosen: `(l, r) => r.volume.gt(l.least)`, an `Expr`, or its JSON. Default: none. */
  readonly filter?: Filter<L, R>;
  /** Null `by` keys match null `by` keys. Default `false`. A key pair may decide for itself. A null time never matches. */
  readonly nullsEqual?: boolean;
  /** Name of the output column with the matched time. Default: the right's own name, and no such column where the left's is the same. */
  readonly rightTime?: string;
  /** Appended to right names that clash with an earlier column, or a pair for the left's and the right's. Default `"_right"`. */
  readonly suffix?: string | readonly [left: string, right: string];
}

/** One of several rights of an as-of join: its input, and what differs for it from the options of the whole join. */
export interface AsofRight<Input = TableInput, L extends TypeMap = TypeMap, R extends TypeMap = TypeMap>
  extends Partial<AsofMatchOptions<L, R>> {
  /** The right input: a table, or in a stream whatever that takes. */
  readonly table: Input;
}

/** Options of {@link joinAsof}. */
export interface JoinAsofOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap>
  extends AsofMatchOptions<L, R>,
    Pick<JoinOptions<L, R>, "batchSize" | "kernel" | "copy" | "hashSeed" | "onMetrics"> {
  /**
   * `left`: every left row, with nulls where it has no match; `inner`, `leftSemi`: those with a match (of several rights: in each), `leftSemi`
   * without right columns; `leftAnti`: those that `leftSemi` drops. Default `left`.
   */
  readonly how?: "left" | "inner" | "leftSemi" | "leftAnti";
  /** Inputs out of order: an error, `UNSORTED`, or sorted by time, stably (`sort`; not in streams). Default `error`. */
  readonly unsorted?: "error" | "sort";
  /** Output columns, as in {@link join}; of several rights the second is `right1`, the third `right2`: `["left.a", "right1.b"]`. Default: all. */
  readonly select?: Select<L, R> | readonly string[] | { readonly [outputName: string]: string };
  /** Bytes that the join may hold, above 0; more is `MEMORY_LIMIT`. Not a one-shot verb's inputs, nor batches handed out. Default: none. */
  readonly memoryLimit?: number;
}

/** Options of {@link joinAsofStream}: those of {@link joinAsof}, but for sorting, and the ones that only a stream has. */
export interface JoinAsofStreamOptions<L extends TypeMap = TypeMap, R extends TypeMap = TypeMap>
  extends Omit<JoinAsofOptions<L, R>, "unsorted">,
    Omit<FlowOptions, "flush"> {
  /** Inputs out of order are an error, `UNSORTED`: a stream cannot be sorted. */
  readonly unsorted?: "error";
  /**
   * `eager`: left rows come out as soon as they are decided and an input is not ready; `full`: left batches come out whole, or in pieces of
   * `batchSize`. Default `eager`.
   */
  readonly flush?: "full" | "eager";
}

/** Options of {@link prepareJoin}. `R` are the right side's columns; the left's are not known yet. */
export interface PrepareOptions<R extends TypeMap = TypeMap> extends Pick<JoinOptions<TypeMap, R>, "nullsEqual" | "kernel" | "hashSeed"> {
  /**
   * The keys, required: `"id"`, `["a", "b"]`, `{ leftName: "rightName" }` or `[{ left, right, nullsEqual? }]`. Left names are looked up by
   * each join: `COLUMN_NOT_FOUND` where its left input does not have them.
   */
  readonly on: On<string, keyof R & string>;
  /** Bytes that the index may take, above 0; more is `MEMORY_LIMIT`. What the joins hold beside it is not counted. Default: none. */
  readonly memoryLimit?: number;
}

/** How far a streaming join has come. Counts are rows. */
export interface JoinProgress {
  /** `build`: the buffered side is being read; `probe`: the streamed one; `drain`: what matched nothing is being emitted. */
  readonly phase: "build" | "probe" | "drain";
  /** Rows read from the left input. */
  readonly leftRows: number;
  /** Rows read from the right input. */
  readonly rightRows: number;
  /** Rows handed out. */
  readonly outRows: number;
}

/** A schema by shape: also one of another copy or version of apache-arrow, whose classes TypeScript tells apart from this one's. */
export interface SchemaShape {
  readonly fields: readonly { readonly name: string; readonly typeId: number; readonly nullable: boolean }[];
}

/** A record batch of another copy or version of apache-arrow. */
export interface RecordBatchShape {
  readonly schema: SchemaShape;
  readonly data: unknown;
  readonly numRows: number;
}

/** A table of another copy or version of apache-arrow. */
export interface TableShape {
  readonly schema: SchemaShape;
  readonly batches: readonly RecordBatchShape[];
  readonly numRows: number;
}

/** What a one-shot verb takes: a table, a record batch, an array of batches of one schema, or `{ schema, batches }`, of which there may be none. */
export type TableInput =
  | Table
  | RecordBatch
  | readonly RecordBatch[]
  | TableShape
  | RecordBatchShape
  | readonly RecordBatchShape[]
  | { readonly schema: Schema | SchemaShape; readonly batches: readonly (RecordBatch | RecordBatchShape)[] };

type Chunk = RecordBatch | RecordBatchShape | Uint8Array;

/** A web stream by shape: browsers and `node:stream/web` declare two types that TypeScript does not accept for one another. */
interface WebStreamShape<T> {
  getReader(): { read(): Promise<{ done: boolean; value?: T | undefined }> };
}

/** A Node stream by shape, so that the declarations do not need Node's. Its chunks are batches or IPC bytes. */
interface NodeStreamShape {
  readonly readable: boolean;
  pipe(destination: never): unknown;
  [Symbol.asyncIterator](): AsyncIterator<unknown>;
}

type StreamOf<Item, Batch = Exclude<Item, Uint8Array>> =
  | Iterable<Item>
  | AsyncIterable<Item>
  | WebStreamShape<Item>
  | { readonly schema: Schema | SchemaShape; readonly batches: Iterable<Batch> | AsyncIterable<Batch> };

/**
 * What a streaming verb takes: all of {@link TableInput}, (async) iterables and streams of batches or of Arrow IPC bytes, a
 * `RecordBatchReader`, a `Response`, IPC bytes, or `{ schema, batches }`, the form for batches that may be none.
 */
export type StreamInput = TableInput | Uint8Array | ArrayBuffer | Response | NodeStreamShape | StreamOf<Chunk>;

/** What an input of a streaming as-of join may give between batches: none of its later rows is before this time. */
export interface Watermark {
  /** In the unit of the input's time column; of dates and timestamps a `Date` too. */
  readonly watermark: number | bigint | Date;
}

/** What a streaming as-of join takes: all of {@link StreamInput}, whose iterables and streams may give watermarks too. */
export type AsofStreamInput = StreamInput | StreamOf<Chunk | Watermark>;
