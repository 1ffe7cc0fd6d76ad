/**
 * Tables for tests: `table({ id: int32([1, null, 2]) }, { split: [1, 2], slice: true })`.
 *
 * With `slice` every batch is a slice of a longer one with other values and nulls before and after it, at an offset that is not a
 * multiple of 8, so that no bitmap is aligned; nested columns are sliced the same way.
 */

import { type Data, Field, makeData, RecordBatch, Schema, Struct, Table } from "apache-arrow";
import type { Cell } from "./cell.ts";
import type { Column } from "./column.ts";

export interface TableOptions {
  /** Rows of each batch, 0 allowed; they add up to the rows of the table. Default: one batch. `[]`: no batch at all. */
  readonly split?: readonly number[];
  readonly slice?: boolean;
  /** For all fields or by name. Default: nullable where a cell is null. */
  readonly nullable?: boolean | { readonly [name: string]: boolean };
  readonly metadata?: { readonly [key: string]: string };
  readonly fieldMetadata?: { readonly [name: string]: { readonly [key: string]: string } };
  /** Rows of a table without columns. */
  readonly rows?: number;
}

const BEFORE = 11;
const AFTER = 6;

export function table(columns: { readonly [name: string]: Column }, options: TableOptions = {}): Table {
  const entries = Object.entries(columns);
  const rows = entries.length > 0 ? entries[0][1].cells.length : (options.rows ?? 0);
  for (const [name, column] of entries) {
    if (column.cells.length !== rows) throw new Error(`column ${name} has ${column.cells.length} cells, the first has ${rows}`);
  }
  const split = options.split ?? [rows];
  if (split.reduce((sum, n) => sum + n, 0) !== rows) throw new Error(`split [${split.join(", ")}] is not ${rows} rows`);

  const schema = new Schema(
    entries.map(([name, column]) => {
      const asked = typeof options.nullable === "object" ? options.nullable[name] : options.nullable;
      const nullable = asked ?? (column.type.typeId === 1 || column.cells.includes(null));
      return new Field(name, column.type, nullable, new Map(Object.entries(options.fieldMetadata?.[name] ?? {})));
    }),
    new Map(Object.entries(options.metadata ?? {})),
  );
  let at = 0;
  const batches = split.map((length) => {
    const from = at;
    at += length;
    const children = entries.map(([, column]) => columnData(column, from, length, options.slice ?? false));
    return batchOf(schema, children, length);
  });
  return new Table(schema, batches);
}

function columnData(column: Column, from: number, length: number, slice: boolean): Data {
  const cells = column.cells.slice(from, from + length);
  if (!slice) return column.encode(cells, column.cells);
  const padding = (count: number, salt: number): Cell[] =>
    Array.from({ length: count }, (_, i) =>
      (i + salt) % 3 === 0 ? null : (column.cells[(i * 5 + salt) % (column.cells.length || 1)] ?? column.sample),
    );
  const long = [...padding(BEFORE, from), ...cells, ...padding(AFTER, from + 1)];
  return column.encode(long, [...column.cells, column.sample]).slice(BEFORE, length);
}

export function batchOf(schema: Schema, children: readonly Data[], length: number): RecordBatch {
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children: [...children] }));
}

/** The same rows in batches of other sizes, as zero-copy slices of the batches there are; `holes` puts an empty batch before each. */
export function resplit(input: Table, rowsPerBatch: number, holes: boolean): Table {
  const batches: RecordBatch[] = [];
  for (const batch of input.batches) {
    for (let at = 0; at < batch.numRows; at += rowsPerBatch) {
      const length = Math.min(rowsPerBatch, batch.numRows - at);
      if (holes) batches.push(sliceBatch(batch, at, 0));
      batches.push(sliceBatch(batch, at, length));
    }
  }
  if (holes && input.batches.length > 0) batches.push(sliceBatch(input.batches[0], 0, 0));
  return new Table(input.schema, batches);
}

function sliceBatch(batch: RecordBatch, at: number, length: number): RecordBatch {
  return batchOf(
    batch.schema,
    batch.data.children.map((child) => child.slice(at, length)),
    length,
  );
}
