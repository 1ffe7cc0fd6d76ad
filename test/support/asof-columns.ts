/** The output of an as-of join: which columns there are, their names, nullability and metadata (SEMANTICS 7.7, 2.2, 2.3, 2.5). */

import type { Cell } from "./cell.ts";
import { type ExpectedField, keysOf } from "./oracle.ts";
import type { FieldText, ReadTable } from "./rows.ts";
import type { AsofOptions, AsofRightOptions } from "./run.ts";

export interface OracleRight extends AsofRightOptions {
  readonly table: ReadTable;
}

export interface OutColumn {
  readonly field: ExpectedField;
  readonly cell: (left: number, partners: readonly number[]) => Cell;
  /** -1: the left; else the number of the right. */
  readonly from: number;
}

export interface OutColumns {
  readonly columns: readonly OutColumn[];
  readonly fields: readonly ExpectedField[];
  readonly metadata: { readonly [key: string]: string };
}

export function outputOf(left: ReadTable, rights: readonly OracleRight[], options: AsofOptions): OutColumns {
  const how = options.how ?? "left";
  const both = how === "left" || how === "inner";
  const given = both ? rights : [];
  const columns = chosen(left, given, options);
  return {
    columns,
    fields: columns.map((column) => column.field),
    metadata: Object.assign({}, ...given.map(({ table }) => table.metadata).reverse(), left.metadata),
  };
}

const settings = (options: AsofOptions, right: AsofRightOptions): AsofRightOptions => ({ ...options, ...right });

function leftColumn(left: ReadTable, name: string, mayHave?: ExpectedField["mayHave"]): OutColumn {
  const at = left.fields.findIndex((field) => field.name === name);
  return { field: { ...left.fields[at], mayHave }, cell: (l) => left.rows[l][at], from: -1 };
}

/** SEMANTICS 2.5 and 7.7: dictionaries of a right become one, of Int32 codes; with `left` its columns become nullable. */
function rightColumn({ table }: OracleRight, name: string, from: number, how: AsofOptions["how"] = "left"): OutColumn {
  const at = table.fields.findIndex((field) => field.name === name);
  if (at < 0) throw new Error(`the oracle finds no ${name}`);
  const field: FieldText = table.fields[at];
  return {
    field: {
      ...field,
      type: field.type.replace(/dictionary<u?int\d+,/g, "dictionary<int32,"),
      nullable: field.nullable || how === "left",
    },
    cell: (_, partners) => (partners[from] < 0 ? null : table.rows[partners[from]][at]),
    from,
  };
}

const renamed = (column: OutColumn, name: string): OutColumn => ({ ...column, field: { ...column.field, name } });

function chosen(left: ReadTable, rights: readonly OracleRight[], options: AsofOptions): OutColumn[] {
  const { select } = options;
  const all = () => withSuffixes(allColumns(left, rights, options), rights, options);
  if (select === undefined) return all();
  const pick = (entry: string): OutColumn => {
    const [, side, name] = /^(left|right\d*)\.(.*)$/s.exec(entry) ?? [];
    if (side === "left") return leftColumn(left, name);
    if (side !== undefined) {
      const from = Number(side.slice("right".length) || 0);
      return rightColumn(rights[from], name, from, options.how);
    }
    const column = all().find(({ field }) => field.name === entry);
    if (column === undefined) throw new Error(`the oracle finds no ${entry}`);
    return column;
  };
  if (Array.isArray(select)) return withSuffixes(select.map(pick), rights, options);
  return Object.entries(select).map(([name, entry]) => renamed(pick(entry), name));
}

/** The right's `by` columns are dropped when they have the left's names, its time likewise unless `rightTime` names it. */
function allColumns(left: ReadTable, rights: readonly OracleRight[], options: AsofOptions): OutColumn[] {
  const dropped: { [name: string]: { [key: string]: string } } = {};
  const ofRights = rights.flatMap((right, from) => {
    const { on = [], by = [], rightTime } = settings(options, right);
    const [time] = keysOf({ on });
    const keys = keysOf({ on: by }).filter((key) => key.left === key.right);
    return right.table.fields.flatMap(({ name, metadata }) => {
      const isTime = name === time.right;
      if (isTime && rightTime !== undefined) return [renamed(rightColumn(right, name, from, options.how), rightTime)];
      const drops = keys.some((key) => key.right === name) || (isTime && time.left === time.right);
      if (!drops) return [rightColumn(right, name, from, options.how)];
      dropped[name] = { ...metadata, ...dropped[name] };
      return [];
    });
  });
  return [...left.fields.map(({ name }) => leftColumn(left, name, dropped[name])), ...ofRights];
}

/** Every other clash gets the suffix of the right that comes later; of a pair the left part goes to the left's column. */
function withSuffixes(columns: readonly OutColumn[], rights: readonly OracleRight[], options: AsofOptions): OutColumn[] {
  const suffixes = rights.map((right): readonly [string, string] => {
    const { suffix = "_right" } = settings(options, right);
    return typeof suffix === "string" ? ["", suffix] : suffix;
  });
  const clashes = (a: OutColumn, b: OutColumn) => a.field.name === b.field.name && a.from !== b.from;
  const out = columns.map((column) => {
    const { from, field } = column;
    if (from < 0) {
      const other = columns.find((one) => clashes(one, column));
      return other === undefined ? column : renamed(column, field.name + suffixes[other.from][0]);
    }
    return columns.some((one) => one.from < from && clashes(one, column)) ? renamed(column, field.name + suffixes[from][1]) : column;
  });
  if (new Set(out.map(({ field }) => field.name)).size < out.length) throw new Error("the oracle finds a duplicate column");
  return out;
}
