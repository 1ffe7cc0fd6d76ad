/**
 * Inputs by shape: tables, record batches and arrays of batches of any copy of apache-arrow, as fields and batches.
 *
 * Invariants
 * - Nothing is told by `instanceof`. A thing with `schema` and `batches` is a table, one with `schema` and `data` a batch.
 * - All batches of an input have the names and types of its first (or of the schema that came with them).
 * - A column is viewed, and its buffers checked, when it is first asked for: columns that nothing needs are never touched.
 * - Besides its own columns a batch has the numbers of its rows: as column -1, an Int32, and as column -2, a Float64.
 *
 * O(batches x columns), no row is looked at.
 */

import type { DataType } from "apache-arrow";
import { Float64, Int32 } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { PlainType } from "../plain-type.ts";
import type { ColumnView } from "./column.ts";
import { ViewCache } from "./dictionary-view.ts";
import { memo } from "./memo.ts";
import type { RawBatch, RawData, RawField, RawSchema } from "./raw.ts";
import { asWords } from "./slice.ts";
import { describeType, textOf } from "./type.ts";
import { viewColumn } from "./view.ts";

/** How messages call an input; as-of joins may have several rights. */
export type InputSide = "left" | "right" | `right${number}`;

export interface InputField {
  readonly name: string;
  /** As the input gave it: of whatever copy. */
  readonly type: DataType;
  readonly info: PlainType;
  readonly nullable: boolean;
  readonly metadata: Map<string, string>;
}

export interface InputSchema {
  readonly fields: InputField[];
  readonly metadata: Map<string, string>;
}

export interface OneShotInput extends InputSchema {
  readonly batches: InputBatch[];
  readonly rows: number;
}

type Loose = Record<PropertyKey, unknown>;

const isObject = (x: unknown): x is Loose => typeof x === "object" && x !== null;
export const isSchema = (x: unknown): x is RawSchema => isObject(x) && Array.isArray(x.fields);
export const isBatch = (x: unknown): x is RawBatch =>
  isObject(x) && isSchema(x.schema) && isObject(x.data) && typeof x.data.length === "number" && Array.isArray(x.data.children);
/** A table, or `{ schema, batches }` with an array. */
const isTable = (x: unknown): x is { schema: RawSchema; batches: readonly RawBatch[] } =>
  isObject(x) && isSchema(x.schema) && Array.isArray(x.batches);

export const invalidInput = (side: InputSide, text: string): ArrowJoinError =>
  new ArrowJoinError("INVALID_INPUT", `The ${side} input ${text}`);

/** What a thing is, for the message that says it is no table. */
export function nameOf(x: unknown): string {
  if (x === null || x === undefined) return String(x);
  if (typeof x !== "object") return `a ${typeof x}`;
  if (Array.isArray(x)) return `an array of ${nameOf(x[0])}`;
  const name = Object.getPrototypeOf(x)?.constructor?.name ?? "Object";
  return name === "Object"
    ? `an object with the members ${Object.keys(x).slice(0, 5).join(", ") || "(none)"}`
    : `an object of class ${name}`;
}

export const SCHEMA_FORM = "pass `{ schema, batches }`, which says what its columns are";

/** The error for what is no table; `takes` lists what is one. */
export function notATable(input: unknown, side: InputSide, takes: string): ArrowJoinError {
  const promise = typeof (input as PromiseLike<unknown> | null)?.then === "function";
  return invalidInput(side, promise ? "is a Promise: await it first." : `is ${nameOf(input)}, which is no Arrow table: pass ${takes}.`);
}

/** Fields and metadata of a schema; names must be unique. */
export function readSchema(schema: RawSchema, side: InputSide): InputSchema {
  const names = new Set<string>();
  const fields = schema.fields.map((field): InputField => {
    const name = String(field.name);
    if (names.has(name)) {
      throw new ArrowJoinError(
        "DUPLICATE_COLUMN",
        `The ${side} input has more than one column "${name}": rename one of them before joining.`,
      );
    }
    names.add(name);
    return {
      name,
      type: field.type as unknown as DataType,
      info: describeType(field.type),
      nullable: field.nullable,
      metadata: new Map(field.metadata ?? []),
    };
  });
  return { fields, metadata: new Map(schema.metadata ?? []) };
}

/** Checks the names and types of a batch's schema against those of its input. */
function checkSchema(schema: RawSchema, fields: readonly InputField[], side: InputSide, index: number): void {
  const fieldText = (f?: RawField | InputField) => (f === undefined ? "nothing" : `"${f.name}" of type ${textOf(f.type)}`);
  for (let i = 0; i < Math.max(fields.length, schema.fields.length); i++) {
    const [field, before] = [schema.fields[i], fields[i]];
    if (field?.name === before?.name && (field?.type as unknown) === before?.type) continue;
    const [here, there] = [fieldText(field), fieldText(before)];
    if (here !== there)
      throw invalidInput(
        side,
        `has batches of different schemas: as column ${i}, batch ${index} has ${here}, those before it ${there}. Bring them to one schema first.`,
      );
  }
}

const isCount = (x: unknown): boolean => Number.isSafeInteger(x) && (x as number) >= 0;

/** Position of the column of row numbers: of each row its place in the whole input. It costs nothing unless it is asked for. */
export const ROW_NUMBERS = -1;
/** The same as Float64: for inputs of more rows than an Int32 counts. */
export const ROW_POSITIONS = -2;

/** The type of a column of row numbers, told by its position; null where that is a column of the input. */
export function rowNumberType(column: number | null): DataType | null {
  if (column === ROW_NUMBERS) return new Int32();
  return column === ROW_POSITIONS ? new Float64() : null;
}

/** One record batch of an input, its columns viewed on demand. */
export class InputBatch {
  readonly length: number;
  readonly #batch: RawBatch;
  readonly #fields: readonly InputField[];
  readonly #side: InputSide;
  readonly #cache: ViewCache;
  readonly #views = new Map<number, ColumnView>();
  /** Rows of the input before this batch's. */
  readonly firstRow: number;

  /** `index` counts the batches of the input, for messages; `firstRow` is the number of rows in those before, where row numbers are needed. */
  constructor(
    batch: RawBatch,
    fields: readonly InputField[],
    side: InputSide,
    index: number,
    cache: ViewCache,
    schema?: RawSchema,
    firstRow = 0,
  ) {
    if (batch.schema !== schema) checkSchema(batch.schema, fields, side, index);
    this.#batch = batch;
    this.#fields = fields;
    this.#side = side;
    this.#cache = cache;
    this.firstRow = firstRow;
    this.length = batch.data.length;
    fields.forEach(({ name }, i) => {
      const has = this.#child(i)?.length;
      if (has !== this.length || !isCount(has))
        throw invalidInput(side, `has a batch of ${this.length} rows whose column "${name}" has ${has ?? "none"}.`);
    });
  }

  /**
   * Column `i`, checked at the first call. Throws INVALID_INPUT, UNSUPPORTED_TYPE. O(rows) once.
   */
  column(i: number): ColumnView {
    return memo(this.#views, i, () => (i < 0 ? this.#numberRows(i) : this.#viewColumn(i)));
  }

  #viewColumn(i: number): ColumnView {
    const { name, type, nullable } = this.#fields[i];
    const data = this.#child(i);
    if ((data.type as unknown) !== type && textOf(data.type) !== textOf(type))
      throw invalidInput(this.#side, `declares column "${name}" as ${textOf(type)}, but a batch has it as ${textOf(data.type)}.`);
    const view = viewColumn(data, `${this.#side} column "${name}"`, this.#cache);
    // In a stream the first schema has fixed the output's. A column that breaks its own declaration is passed on as it came.
    if (view.nullCount > 0 && !nullable && this.#batch.schema.fields[i].nullable) {
      throw invalidInput(
        this.#side,
        `has nulls in column "${name}", which an earlier batch declared free of nulls: ${SCHEMA_FORM}, with that column nullable.`,
      );
    }
    return view;
  }

  #numberRows(column: number): ColumnView {
    const { length } = this;
    const wide = column === ROW_POSITIONS;
    const numbers = wide ? new Float64Array(length) : new Int32Array(length);
    for (let row = 0; row < length; row++) numbers[row] = this.firstRow + row;
    const width = wide ? 8 : 4;
    const type = rowNumberType(column)!;
    return { layout: "words", length, type, nullCount: 0, validity: null, words: asWords(numbers, 4), perRow: width / 4, width };
  }

  /** Bytes of the buffers under these columns that `seen` does not have yet, whole buffers each; adds them to `seen`. */
  bufferBytes(columns: readonly number[], seen: Set<ArrayBufferLike>): number {
    return columns.reduce((sum, i) => sum + addBuffers(this.#child(i), seen), 0);
  }

  #child(i: number): RawData {
    return this.#batch.data.children![i];
  }
}

/** Bytes of the buffers of the column, its children and dictionaries, that `seen` does not have yet; adds them to `seen`. */
export function addBuffers({ values, valueOffsets, nullBitmap, children, dictionary }: RawData, seen: Set<ArrayBufferLike>): number {
  let bytes = 0;
  for (const part of [values, valueOffsets, nullBitmap]) {
    if (!part || seen.has(part.buffer)) continue;
    seen.add(part.buffer);
    bytes += part.buffer.byteLength;
  }
  for (const data of [...(children ?? []), ...(dictionary?.data ?? [])]) bytes += addBuffers(data, seen);
  return bytes;
}

/** The schema and batches of whatever has them at once; null for anything else. */
export function batchesOf(input: unknown, side: InputSide): { schema: RawSchema; batches: readonly RawBatch[] } | null {
  if (isTable(input)) return input;
  if (isBatch(input)) return { schema: input.schema, batches: [input] };
  if (!Array.isArray(input)) return null;
  if (input.length === 0) throw invalidInput(side, `is an empty array, from which no columns can be told: ${SCHEMA_FORM}.`);
  return isBatch(input[0]) ? { schema: input[0].schema, batches: input as RawBatch[] } : null;
}

/**
 * Reads an input of a one-shot verb.
 * Throws INVALID_INPUT, DUPLICATE_COLUMN. O(batches x columns).
 */
export function readInput(input: unknown, side: InputSide): OneShotInput {
  const found = batchesOf(input, side);
  if (found === null)
    throw notATable(
      input,
      side,
      "a Table, a RecordBatch or an array of RecordBatches (joinStream and the other stream verbs take streams and IPC bytes)",
    );
  const { schema, batches } = found;
  const read = readSchema(schema, side);
  // The flag may differ between batches (apache-arrow guesses it from the data): a column is nullable if any batch says so.
  const fields = read.fields.map((field, i) => ({
    ...field,
    nullable: field.nullable || batches.some((b) => isBatch(b) && b.schema !== schema && b.schema.fields[i]?.nullable === true),
  }));
  const cache = new ViewCache();
  let rows = 0;
  const views = batches.map((batch, i) => {
    if (!isBatch(batch)) throw invalidInput(side, `has ${nameOf(batch)} as batch ${i}, not a RecordBatch.`);
    const view = new InputBatch(batch, fields, side, i, cache, schema, rows);
    rows += view.length;
    return view;
  });
  return { fields, metadata: read.metadata, batches: views, rows };
}
