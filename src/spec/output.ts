/**
 * The output columns of a join (SEMANTICS 2): left columns first, coalesced keys at the left's position, suffixes, the mark, `select`,
 * nullability. Plain data in, plain data out; a clash that remains is refused here, before any work.
 */

import { ArrowJoinError } from "../error.ts";
import type { PlainField } from "../plain-type.ts";
import {
  existenceOf,
  type JoinKind,
  type JoinRequest,
  type KeySpec,
  keepsUnmatched,
  type OutputColumn,
  otherSide,
  outputSideOf,
  type Side,
} from "./join-spec.ts";

interface Sides {
  readonly left: readonly PlainField[];
  readonly right: readonly PlainField[];
}

export function planOutput(fields: Sides, keys: readonly KeySpec[], request: JoinRequest): OutputColumn[] {
  const columns = request.select ? selectColumns(fields, keys, request, request.select) : defaultColumns(fields, keys, request);
  refuseDuplicates(columns);
  return columns;
}

/** What comes out without `select`. */
function defaultColumns(fields: Sides, keys: readonly KeySpec[], request: JoinRequest): OutputColumn[] {
  const only = outputSideOf(request.how);
  if (only) {
    const columns = fields[only].map((_, i) => sideColumn(fields, request.how, only, i));
    return existenceOf(request.how) === "mark" ? [...columns, markColumn(fields, request, only)] : columns;
  }
  const shared = request.coalesceKeys ? keys.filter((key) => key.leftName === key.rightName) : [];
  const left = fields.left.map((_, i) => {
    const key = shared.find((k) => k.left === i);
    return key ? coalescedColumn(fields, key, request.how) : sideColumn(fields, request.how, "left", i);
  });
  const right = fields.right.flatMap((_, i) => (shared.some((k) => k.right === i) ? [] : [sideColumn(fields, request.how, "right", i)]));
  return applySuffixes([...left, ...right], request.suffix);
}

/** Whether the row has a match: a column of neither side. It is never suffixed: a clash is refused, even where `select` leaves one out. */
function markColumn(fields: Sides, { how, markName, nullAware }: JoinRequest, side: Side): OutputColumn {
  if (fields[side].some(({ name }) => name === markName)) {
    throw new ArrowJoinError(
      "DUPLICATE_COLUMN",
      `how: "${how}" adds a column "${markName}", and the ${side} input has one of that name: set another markName.`,
    );
  }
  return { name: markName, left: null, right: null, nullable: nullAware, typeOf: side, convert: "none" };
}

function sideColumn(fields: Sides, kind: JoinKind, side: Side, index: number): OutputColumn {
  const field = fields[side][index];
  return {
    name: field.name,
    left: side === "left" ? index : null,
    right: side === "right" ? index : null,
    // A side's columns are null where the other side's unmatched rows are kept.
    nullable: field.nullable || keepsUnmatched(kind, otherSide(side)),
    typeOf: side,
    convert: "none",
  };
}

function coalescedColumn(fields: Sides, key: KeySpec, kind: JoinKind): OutputColumn {
  if (kind !== "full") {
    const side: Side = kind === "right" ? "right" : "left";
    const index = key[side];
    return { ...sideColumn(fields, kind, side, index), nullable: fields[side][index].nullable, otherKey: key[otherSide(side)] };
  }
  const left = fields.left[key.left].type;
  const right = fields.right[key.right].type;
  const dictionaries = Number(left.name === "dictionary") + Number(right.name === "dictionary");
  // With one dictionary only, the plain type of the other side is the one that holds both.
  const typeOf = dictionaries === 1 && left.name === "dictionary" ? "right" : "left";
  return {
    name: key.leftName,
    left: key.left,
    right: key.right,
    nullable: fields.left[key.left].nullable || fields.right[key.right].nullable,
    typeOf,
    otherKey: key[otherSide(typeOf)],
    convert: dictionaries === 2 ? "codes" : dictionaries === 1 ? "values" : "none",
  };
}

/** Names that clash get their side's suffix; columns of one side never clash among themselves (inputs with duplicate names are refused). */
function applySuffixes(columns: OutputColumn[], suffix: readonly [string, string]): OutputColumn[] {
  const count = new Map<string, number>();
  for (const column of columns) count.set(column.name, (count.get(column.name) ?? 0) + 1);
  return columns.map((column) => {
    if (count.get(column.name) === 1) return column;
    const side = column.left !== null ? 0 : 1;
    return { ...column, name: column.name + suffix[side] };
  });
}

function refuseDuplicates(columns: readonly OutputColumn[]): void {
  const seen = new Set<string>();
  for (const { name } of columns) {
    if (seen.has(name)) {
      throw new ArrowJoinError(
        "DUPLICATE_COLUMN",
        `The result would have two columns named "${name}": set another suffix, or give other names with select: { newName: "right.x" }.`,
      );
    }
    seen.add(name);
  }
}

function selectColumns(
  fields: Sides,
  keys: readonly KeySpec[],
  request: JoinRequest,
  select: NonNullable<JoinRequest["select"]>,
): OutputColumn[] {
  const defaults = defaultColumns(fields, keys, request);
  const chosen = select.map((entry) => ({ entry, column: findColumn(fields, request, defaults, entry.column) }));
  const suffixed = applySuffixes(
    chosen.map(({ column }) => column),
    request.suffix,
  );
  return chosen.map(({ entry, column }, i) => {
    if (entry.name !== null) return { ...column, name: entry.name };
    // A bare name is exact: it was already the name of an output column, suffix and all.
    return defaults.includes(column) ? column : suffixed[i];
  });
}

/** `left.x` or `right.x` is that side's own column; any other text is the name of a default output column. */
function findColumn(fields: Sides, request: JoinRequest, defaults: readonly OutputColumn[], text: string): OutputColumn {
  const dot = text.indexOf(".");
  const prefix = text.slice(0, dot);
  if (dot > 0 && (prefix === "left" || prefix === "right")) {
    const name = text.slice(dot + 1);
    const index = fields[prefix].findIndex((field) => field.name === name);
    const only = outputSideOf(request.how);
    if (index >= 0 && only && only !== prefix) {
      throw new ArrowJoinError("INVALID_OPTION", `select names "${text}", but how: "${request.how}" outputs only the ${only} side.`);
    }
    if (index >= 0) return sideColumn(fields, request.how, prefix, index);
    const whole = defaults.find((column) => column.name === text);
    if (whole) return whole;
    throw new ArrowJoinError(
      "COLUMN_NOT_FOUND",
      `select names "${text}", but the ${prefix} input has no column "${name}". It has: ${namesOf(fields[prefix])}.`,
    );
  }
  const column = defaults.find((candidate) => candidate.name === text);
  if (column) return column;
  throw new ArrowJoinError(
    "COLUMN_NOT_FOUND",
    `select names "${text}", which is no output column. There are: ${defaults.map((c) => `"${c.name}"`).join(", ")}; a side's own column is "left.x" or "right.x".`,
  );
}

export function namesOf(fields: readonly PlainField[]): string {
  return fields.length === 0 ? "none" : fields.map((field) => `"${field.name}"`).join(", ");
}
