/**
 * The output columns of an as-of join (SEMANTICS 7.7): the left's, then each right's without its `by` columns that have the left's names, and
 * without its time column if that has the left's name, unless `rightTime` names it. Suffixes and `select` as in every join (SEMANTICS 2.2,
 * 2.3), with as many inputs as there are.
 *
 *     left t sym px    right t sym px    right1 time sym px        by sym, suffix "_b" of right1
 *     t sym px         px_right          time px_b
 */

import { ArrowJoinError } from "../error.ts";
import type { PlainField } from "../plain-type.ts";
import type { AsofColumn, AsofRequest, AsofRight } from "./asof-spec.ts";
import { refuseDuplicates, selectFrom, suffixClashes } from "./output.ts";

/** Throws INVALID_OPTION, COLUMN_NOT_FOUND, DUPLICATE_COLUMN. */
export function planAsofOutput(
  left: readonly PlainField[],
  rights: readonly (readonly PlainField[])[],
  plans: readonly AsofRight[],
  request: AsofRequest,
): AsofColumn[] {
  const { how, select } = request;
  const leftOnly = how === "leftSemi" || how === "leftAnti";
  const hidden = `how: "${how}" outputs only the left side`;
  const named = request.rights.find(({ rightTime }) => rightTime !== null);
  if (leftOnly && named) {
    throw new ArrowJoinError("INVALID_OPTION", `rightTime names a column "${named.rightTime}", but ${hidden}: leave it out.`);
  }
  const leftColumn = (index: number): AsofColumn => ({
    name: left[index].name,
    left: index,
    right: null,
    from: 0,
    nullable: left[index].nullable,
    typeOf: "left",
    convert: "none",
  });
  const rightColumn = (from: number, index: number, name: string): AsofColumn => ({
    name,
    left: null,
    right: index,
    from,
    nullable: rights[from][index].nullable || how === "left",
    typeOf: "right",
    convert: "none",
  });
  const suffixed = (columns: readonly AsofColumn[]) => suffixClashes(columns, inputOf, (column, rest) => suffixOf(request, column, rest));
  const defaults = suffixed([
    ...left.map((_, i) => leftColumn(i)),
    ...(leftOnly ? [] : rights).flatMap((fields, from) =>
      fields.flatMap(({ name }, i) => {
        const out = nameOf(plans[from], request.rights[from].rightTime, i, name);
        return out === null ? [] : [rightColumn(from, i, out)];
      }),
    ),
  ]);
  const inputs = [
    { name: "left", fields: left, column: leftColumn },
    ...rights.map((fields, from) => ({
      name: plans[from].name,
      fields,
      column: leftOnly ? null : (index: number) => rightColumn(from, index, fields[index].name),
    })),
  ];
  const columns = select ? selectFrom(select, defaults, inputs, hidden, suffixed) : defaults;
  refuseDuplicates(columns);
  return columns;
}

/** Of a right column; null: it is not in the output. */
function nameOf({ time, leftTime, keys }: AsofRight, rightTime: string | null, column: number, name: string): string | null {
  if (column === time.column && rightTime !== null) return rightTime;
  const dropped = (column === time.column && name === leftTime.name) || keys.some((key) => key.right === column && key.leftName === name);
  return dropped ? null : name;
}

/** 0 is the left. */
const inputOf = ({ left, from }: AsofColumn): number => (left !== null ? 0 : from + 1);

/** A left column follows the first right that it clashes with. */
function suffixOf({ rights }: AsofRequest, column: AsofColumn, rest: readonly AsofColumn[]): string {
  if (column.left === null) return rights[column.from].suffix[1];
  const first = Math.min(...rest.map(inputOf).filter((input) => input > 0)) - 1;
  return rights[first]?.suffix[0] ?? "";
}
