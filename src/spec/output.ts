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
  return suffixClashes([...left, ...right], inputOf, suffixOf(request));
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

/** 0 is the left. */
const inputOf = (column: OutputColumn): number => (column.left !== null ? 0 : 1);
const suffixOf =
  ({ suffix }: JoinRequest) =>
  (column: OutputColumn): string =>
    suffix[inputOf(column)];

/**
 * Names that clash get a suffix: the left's name for any other, a right's for one of its own or of an earlier input. Default columns of one
 * input never clash among themselves (inputs with duplicate names are refused).
 */
export function suffixClashes<C extends OutputColumn>(
  columns: readonly C[],
  input: (column: C) => number,
  suffix: (column: C, rest: readonly C[]) => string,
): C[] {
  const named = new Map<string, C[]>();
  for (const column of columns) named.set(column.name, [...(named.get(column.name) ?? []), column]);
  return columns.map((column) => {
    const rest = (named.get(column.name) as C[]).filter((other) => other !== column);
    const own = input(column);
    const clashes = rest.some((other) => own === 0 || input(other) <= own);
    return clashes ? { ...column, name: column.name + suffix(column, rest) } : column;
  });
}

export function refuseDuplicates(columns: readonly OutputColumn[]): void {
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
  const only = outputSideOf(request.how);
  const inputs = (["left", "right"] as const).map((name) => ({
    name,
    fields: fields[name],
    column: only && only !== name ? null : (index: number) => sideColumn(fields, request.how, name, index),
  }));
  const hidden = `how: "${request.how}" outputs only the ${only} side`;
  const defaults = defaultColumns(fields, keys, request);
  return selectFrom(select, defaults, inputs, hidden, (columns) => suffixClashes(columns, inputOf, suffixOf(request)));
}

/** An input as `select` names it. `column` makes an output column of one of its own; null: they are not in the output. */
export interface SelectInput<C> {
  readonly name: string;
  readonly fields: readonly PlainField[];
  readonly column: ((index: number) => C) | null;
}

/** What `select` names; `hidden` says why an input is not in the output. */
export function selectFrom<C extends OutputColumn>(
  select: NonNullable<JoinRequest["select"]>,
  defaults: readonly C[],
  inputs: readonly SelectInput<C>[],
  hidden: string,
  suffixed: (columns: readonly C[]) => C[],
): C[] {
  const chosen = select.map(({ column }) => findColumn(defaults, inputs, hidden, column));
  const named = suffixed(chosen);
  return select.map(({ name }, i) => {
    if (name !== null) return { ...chosen[i], name };
    // A bare name is exact: it was already the name of an output column, suffix and all.
    return defaults.includes(chosen[i]) ? chosen[i] : named[i];
  });
}

/** `left.x` or `right.x` is that side's own column; any other text is the name of a default output column. */
function findColumn<C extends OutputColumn>(defaults: readonly C[], inputs: readonly SelectInput<C>[], hidden: string, text: string): C {
  const dot = text.indexOf(".");
  const input = dot > 0 ? inputs.find(({ name }) => name === text.slice(0, dot)) : undefined;
  const name = text.slice(dot + 1);
  const index = input ? input.fields.findIndex((field) => field.name === name) : -1;
  if (input && index >= 0) {
    if (input.column) return input.column(index);
    throw new ArrowJoinError("INVALID_OPTION", `select names "${text}", but ${hidden}.`);
  }
  const whole = defaults.find((column) => column.name === text);
  if (whole) return whole;
  const own = inputs.map((one) => `"${one.name}.x"`).join(" or ");
  throw new ArrowJoinError(
    "COLUMN_NOT_FOUND",
    input
      ? `select names "${text}", but the ${input.name} input has no column "${name}". It has: ${namesOf(input.fields)}.`
      : `select names "${text}", which is no output column. There are: ${defaults.map((c) => `"${c.name}"`).join(", ")}; a side's own column is ${own}.`,
  );
}

export function namesOf(fields: readonly PlainField[]): string {
  return fields.length === 0 ? "none" : fields.map((field) => `"${field.name}"`).join(", ");
}
