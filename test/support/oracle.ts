/**
 * What a join is, by brute force: every pair of rows is compared, and the result is read off the list of pairs. O(left * right).
 * Written to be checked against SEMANTICS 1 to 5 by reading; it knows nothing of hashes, batches or sides that are built.
 */

import { type Cell, keyText, type Row } from "./cell.ts";
import { type Key, keptPairs, keyRows, type Matches, matchRows, type Violation, violationsOf } from "./matches.ts";
import type { FieldText, ReadTable } from "./rows.ts";
import type { How, Options } from "./run.ts";

export interface ExpectedField extends FieldText {
  /** Other types that the rules leave open (coalesced keys of a full join where a side is a dictionary). */
  readonly orType?: (type: string) => boolean;
  /** A coalesced key: entries of the other side's field may stand beside those that must be there. */
  readonly mayHave?: { readonly [key: string]: string };
}

/** Row numbers of one output row; -1: no partner, or a side that the kind does not output. */
export interface Origin {
  readonly left: number;
  readonly right: number;
}

export interface Expected {
  readonly fields: readonly ExpectedField[];
  readonly metadata: { readonly [key: string]: string };
  readonly rows: readonly Row[];
  /** Where each row came from. */
  readonly origins: readonly Origin[];
  /** Rows before the unmatched rows of the other side, which come last. */
  readonly mainRows: number;
  /** Pairs that the residual filter has to decide; without a filter, pairs of rows with equal keys. Null: the rules leave it open. */
  readonly pairs: number | null;
  /** Rows that `validate` or `unmatched` does not allow. Where there is one, the join is an error. */
  readonly violations: readonly Violation[];
  readonly leftUnmatched: number;
  readonly rightUnmatched: number;
  /** Distinct keys that are indexed, for either side. */
  readonly distinctKeys: { readonly left: number; readonly right: number };
}

/** The four forms of `on` as one (DESIGN 2). */
export function keysOf(options: Pick<Options, "on" | "nullsEqual">): Key[] {
  const all = options.nullsEqual ?? false;
  const { on } = options;
  if (typeof on === "string") return [{ left: on, right: on, nullsEqual: all }];
  if (!Array.isArray(on)) return Object.entries(on).map(([left, right]) => ({ left, right, nullsEqual: all }));
  return (on as readonly (string | { left: string; right: string; nullsEqual?: boolean })[]).map((entry) =>
    typeof entry === "string"
      ? { left: entry, right: entry, nullsEqual: all }
      : { left: entry.left, right: entry.right, nullsEqual: entry.nullsEqual ?? all },
  );
}

export interface OracleOptions extends Options {
  /** The order that holds; `any` is for the caller to compare without order. */
  readonly order: "left" | "right";
  /** The side whose dictionary columns are unified (SEMANTICS 2.5). */
  readonly unified: "left" | "right";
  /** For `multiple: "any"`: the partner of each row of the limited side. */
  readonly chosen?: ReadonlyMap<number, number>;
  /** Which rows match, where that was found out before: it depends on rows, keys and filter alone. */
  readonly matches?: Matches;
}

export function oracleJoin(left: ReadTable, right: ReadTable, options: OracleOptions): Expected {
  const how = options.how ?? "inner";
  const keys = keysOf(options);
  const sides = outputSides(how);
  const matches = options.matches ?? matchRows(left, right, keys, options);
  const { match } = matches;
  const kept = keptPairs(match, right.rows.length, options, options.chosen);

  const { origins, mainRows } = outputRows(
    match,
    kept,
    left.rows.length,
    right.rows.length,
    how,
    options.order,
    options.nullAware ? matches : null,
  );
  const columns = outputColumns(left, right, how, keys, options, markOf(matches, how, options.nullAware ?? false));
  const leftMatched = match.map((row) => row.includes(true));
  const rightMatched = right.rows.map((_, r) => match.some((row) => row[r]));
  return {
    fields: columns.map((column) => column.field),
    /** SEMANTICS 2.2: the left wins a conflict; a kind of one side has that side's. */
    metadata: { ...(sides.right && right.metadata), ...(sides.left && left.metadata) },
    rows: origins.map((origin) => columns.map((column) => column.cell(origin))),
    origins,
    mainRows,
    pairs: matches.candidates,
    violations: violationsOf(match, left, right, keys, options),
    leftUnmatched: leftMatched.filter((m) => !m).length,
    rightUnmatched: rightMatched.filter((m) => !m).length,
    distinctKeys: { left: distinct(keyRows(left, keys, "left"), keys), right: distinct(keyRows(right, keys, "right"), keys) },
  };
}

function distinct(rows: readonly Row[], keys: readonly Key[]): number {
  const indexed = rows.filter((row) => keys.every((key, k) => row[k] !== null || key.nullsEqual));
  return new Set(indexed.map((row) => row.map(keyText).join("|"))).size;
}

// Rows: SEMANTICS 2 (kinds) and 5.1 (order)

function outputRows(
  match: Matches["match"],
  kept: Matches["match"],
  leftRows: number,
  rightRows: number,
  how: How,
  order: "left" | "right",
  nullAware: Matches | null,
): { origins: Origin[]; mainRows: number } {
  const ls = Array.from({ length: leftRows }, (_, l) => l);
  const rs = Array.from({ length: rightRows }, (_, r) => r);
  const hasLeft = (pairs: Matches["match"], l: number) => pairs[l].includes(true);
  const hasRight = (pairs: Matches["match"], r: number) => pairs.some((row) => row[r]);
  const only = (origins: Origin[]) => ({ origins, mainRows: origins.length });
  const ofLeft = (rows: readonly number[]) => only(rows.map((left) => ({ left, right: -1 })));
  const ofRight = (rows: readonly number[]) => only(rows.map((right) => ({ left: -1, right })));

  switch (how) {
    case "leftSemi":
      return ofLeft(ls.filter((l) => hasLeft(match, l)));
    case "leftAnti":
      return ofLeft(ls.filter((l) => !hasLeft(match, l) && !(nullAware && hasLeft(nullAware.unknown, l))));
    case "leftMark":
      return ofLeft(ls);
    case "rightSemi":
      return ofRight(rs.filter((r) => hasRight(match, r)));
    case "rightAnti":
      return ofRight(rs.filter((r) => !hasRight(match, r) && !(nullAware && hasRight(nullAware.unknown, r))));
    case "rightMark":
      return ofRight(rs);
  }

  const partnersOfLeft = ls.map((l) => rs.filter((r) => kept[l][r]));
  const partnersOfRight = rs.map((r) => ls.filter((l) => kept[l][r]));
  const keepLeft = how === "left" || how === "full";
  const keepRight = how === "right" || how === "full";
  const pairs: Origin[] = [];
  const last: Origin[] = [];
  if (order === "left") {
    for (const left of ls) {
      for (const right of partnersOfLeft[left]) pairs.push({ left, right });
      if (keepLeft && !hasLeft(match, left)) pairs.push({ left, right: -1 });
    }
    if (keepRight) for (const right of rs) if (!hasRight(match, right)) last.push({ left: -1, right });
  } else {
    for (const right of rs) {
      for (const left of partnersOfRight[right]) pairs.push({ left, right });
      if (keepRight && !hasRight(match, right)) pairs.push({ left: -1, right });
    }
    if (keepLeft) for (const left of ls) if (!hasLeft(match, left)) last.push({ left, right: -1 });
  }
  return { origins: [...pairs, ...last], mainRows: pairs.length };
}

/** SEMANTICS 3.4: the mark of a row, null-aware or not. */
function markOf({ match, unknown }: Matches, how: How, nullAware: boolean): OutColumn | null {
  if (!how.endsWith("Mark")) return null;
  const any = ({ left, right }: Origin, pairs: Matches["match"]) =>
    how === "leftMark" ? pairs[left].includes(true) : pairs.some((row) => row[right]);
  return {
    field: { name: "mark", type: "bool", nullable: nullAware, metadata: {} },
    cell: (origin) => any(origin, match) || (nullAware && any(origin, unknown) ? null : false),
  };
}

// Columns: SEMANTICS 2.1 to 2.5

interface OutColumn {
  readonly field: ExpectedField;
  readonly cell: (origin: Origin) => Cell;
}

/** Sides whose columns a kind outputs. */
export const outputSides = (how: How): { left: boolean; right: boolean } => ({
  left: !how.startsWith("right") || how === "right",
  right: !how.startsWith("left") || how === "left",
});

function outputColumns(
  left: ReadTable,
  right: ReadTable,
  how: How,
  keys: readonly Key[],
  options: OracleOptions,
  mark: OutColumn | null,
): OutColumn[] {
  const sides = outputSides(how);
  const both = sides.left && sides.right;
  const coalesced = both && (options.coalesceKeys ?? true) ? keys.filter((key) => key.left === key.right).map((key) => key.left) : [];

  const own = (which: "left" | "right", name: string): OutColumn => sideColumn(which === "left" ? left : right, which, name, how, options);
  const key = (name: string): OutColumn => coalescedKey(left, right, name, how, options);

  const leftEntries = sides.left
    ? left.fields.map(({ name }) => ({ from: "left" as const, column: coalesced.includes(name) ? key(name) : own("left", name) }))
    : [];
  const rightEntries = sides.right
    ? right.fields
        .filter(({ name }) => !coalesced.includes(name))
        .map(({ name }) => ({ from: "right" as const, column: own("right", name) }))
    : [];
  const markEntry = mark ? [{ from: "mark" as const, column: renamed(mark, options.markName ?? "mark") }] : [];
  const all = withSuffixes([...leftEntries, ...rightEntries, ...markEntry], options.suffix);

  const { select } = options;
  if (select === undefined) return all;
  const pick = (entry: string): { from: "left" | "right" | "output"; column: OutColumn } => {
    const dot = entry.indexOf(".");
    const side = dot < 0 ? "" : entry.slice(0, dot);
    if (side === "left" || side === "right") return { from: side, column: own(side, entry.slice(dot + 1)) };
    const column = all.find(({ field }) => field.name === entry);
    if (column === undefined) throw new Error(`the oracle finds no ${entry}`);
    return { from: "output", column };
  };
  if (Array.isArray(select)) return withSuffixes(select.map(pick), options.suffix);
  return Object.entries(select).map(([name, entry]) => renamed(pick(entry).column, name));
}

/** SEMANTICS 2.2: names that both sides give are told apart by the suffix, on the right or, with a pair, on both. */
function withSuffixes(
  entries: readonly { readonly from: string; readonly column: OutColumn }[],
  suffix: Options["suffix"] = "_right",
): OutColumn[] {
  const [onLeft, onRight] = typeof suffix === "string" ? ["", suffix] : suffix;
  const names = (right: boolean) =>
    new Set(entries.filter(({ from }) => from !== "mark" && (from === "right") === right).map(({ column }) => column.field.name));
  const leftNames = names(false);
  const rightNames = names(true);
  const out = entries.map(({ from, column }) => {
    const { name } = column.field;
    if (!leftNames.has(name) || !rightNames.has(name)) return column;
    return renamed(column, name + (from === "right" ? onRight : onLeft));
  });
  if (new Set(out.map(({ field }) => field.name)).size < out.length) throw new Error("the oracle finds a duplicate column");
  return out;
}

const renamed = (column: OutColumn, name: string): OutColumn => ({ ...column, field: { ...column.field, name } });

function sideColumn(side: ReadTable, which: "left" | "right", name: string, how: How, options: OracleOptions): OutColumn {
  const at = side.fields.findIndex((field) => field.name === name);
  const field = side.fields[at];
  const padded = how === "full" || (which === "left" ? how === "right" : how === "left");
  return {
    field: { ...field, type: outputType(field.type, which === options.unified), nullable: field.nullable || padded },
    cell: (origin) => (origin[which] < 0 ? null : side.rows[origin[which]][at]),
  };
}

/** SEMANTICS 2.5: unified dictionaries have Int32 codes, those inside nested columns too. */
const outputType = (type: string, unified: boolean): string =>
  unified ? type.replace(/dictionary<u?int\d+,/g, "dictionary<int32,") : type;

/** SEMANTICS 2.1. */
function coalescedKey(left: ReadTable, right: ReadTable, name: string, how: How, options: OracleOptions): OutColumn {
  const l = left.fields.findIndex((field) => field.name === name);
  const r = right.fields.findIndex((field) => field.name === name);
  const [leftField, rightField] = [left.fields[l], right.fields[r]];
  const ofLeft = sideColumn(left, "left", name, "inner", options);
  const ofRight = sideColumn(right, "right", name, "inner", options);
  const mayHave = { ...rightField.metadata, ...leftField.metadata };
  if (how === "right") return { field: { ...ofRight.field, metadata: {}, mayHave }, cell: ofRight.cell };
  if (how !== "full") return { field: { ...ofLeft.field, mayHave: { ...rightField.metadata } }, cell: ofLeft.cell };
  const dictionaries = [leftField, rightField].filter((field) => field.type.startsWith("dictionary<"));
  const values = (type: string) => type.replace(/^dictionary<u?int\d+, (.*)>$/, "$1");
  return {
    field: {
      ...leftField,
      nullable: leftField.nullable || rightField.nullable,
      mayHave,
      orType:
        dictionaries.length === 0
          ? undefined
          : (type) => values(type) === values(leftField.type) && (dictionaries.length === 1 || type.startsWith("dictionary<")),
    },
    cell: (origin) => (origin.left >= 0 ? left.rows[origin.left][l] : right.rows[origin.right][r]),
  };
}
