/**
 * Comparing a result with what the oracle expects: rows, fields, metadata, batch bound, metrics, copies, IPC. Runs thousands of times a
 * test, so vitest's own `expect` is called only to show a difference.
 */

import type { RecordBatch, Table } from "apache-arrow";
import { tableFromIPC, tableToIPC } from "apache-arrow";
import { expect } from "vitest";
import { type Row, rowText } from "./cell.ts";
import { type Expected, type ExpectedField, keysOf, outputSides } from "./oracle.ts";
import { arrayBuffers, type FieldText, type ReadTable, readTable } from "./rows.ts";
import { COMPARED_METRICS, type How, type Metrics, type Options } from "./run.ts";

export interface Sides<T> {
  readonly left: T;
  readonly right: T;
}

/** How a join is run, and what holds for its result. */
export interface Plan {
  readonly options: Options;
  readonly order: "left" | "right";
  readonly anyOrder: boolean;
  readonly unified: "left" | "right";
  /** The built side where the options fix it. */
  readonly built?: "left" | "right";
}

export const bothSides = (how: How): boolean => outputSides(how).left && outputSides(how).right;

export function must(condition: boolean, message: () => string): void {
  if (!condition) throw new Error(message());
}

export function same(actual: unknown, expected: unknown, what: string, of = ""): void {
  if (Object.is(actual, expected)) return;
  expect(actual, of ? `${what} of ${of}` : what).toEqual(expected);
}

export const byText = (a: Row, b: Row): number => (rowText(a) < rowText(b) ? -1 : 1);

export function compareRows(actual: readonly Row[], expected: readonly Row[], what: string): void {
  const a = actual.map(rowText);
  const e = expected.map(rowText);
  const at = e.findIndex((text, i) => text !== a[i]);
  if (at < 0 && a.length === e.length) return;
  const from = at < 0 ? e.length : at;
  const show = (texts: readonly string[]) => texts.slice(from, from + 4).join(" ") || "nothing";
  expect(a, `${what}: ${a.length} instead of ${e.length}, from row ${from} on ${show(a)} instead of ${show(e)}`).toEqual(e);
}

const entriesText = (entries: { readonly [key: string]: string }): string =>
  JSON.stringify(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));

export function compareMetadata(actual: ReadTable, expected: Pick<Expected, "metadata">): void {
  same(entriesText(actual.metadata), entriesText(expected.metadata), "schema metadata");
}

export function compareFields(actual: readonly FieldText[], expected: readonly ExpectedField[]): void {
  same(JSON.stringify(actual.map(({ name }) => name)), JSON.stringify(expected.map(({ name }) => name)), "names of the columns");
  actual.forEach((field, i) => {
    const { type, nullable, metadata, orType, mayHave } = expected[i];
    if (orType === undefined) same(field.type, type, "type", field.name);
    else must(orType(field.type), () => `type of ${field.name} is ${field.type}`);
    same(field.nullable, nullable, "nullable", field.name);
    same(entriesText(field.metadata), entriesText({ ...pickKnown(field.metadata, mayHave), ...metadata }), "metadata", field.name);
  });
}

/** Of the entries that a field has, those that it may have. */
function pickKnown(
  metadata: { readonly [key: string]: string },
  mayHave: { readonly [key: string]: string } = {},
): { [key: string]: string } {
  return Object.fromEntries(
    Object.entries(metadata)
      .filter(([key]) => key in mayHave)
      .map(([key]) => [key, mayHave[key]]),
  );
}

/** SEMANTICS 6.1: never longer than asked; shorter only where the rule allows. */
export function checkBatches(
  actual: ReadTable,
  expected: Expected,
  plan: Plan,
  oneShot: boolean,
  read: Sides<ReadTable>,
  chunkRows = Number.POSITIVE_INFINITY,
): void {
  const size = plan.options.batchSize ?? (oneShot ? 2 ** 20 : 8192);
  const hasDictionary = actual.fields.some((field) => field.type.includes("dictionary<"));
  let end = 0;
  actual.batches.forEach((rows, number) => {
    end += rows;
    must(rows <= size, () => `batch ${number} has ${rows} rows, batchSize is ${size}`);
    if (rows === size || end === actual.rows.length || end === expected.mainRows || plan.anyOrder || plan.options.flush === "eager") return;
    if (oneShot && plan.options.batchSize === undefined) return;
    const side = drivingSide(plan.options.how ?? "inner", plan.order, end - 1 >= expected.mainRows);
    // Of an existence join each pass over a chunk of the buffered side is a phase.
    const passOf = (row: number) => Math.floor(expected.origins[row][side] / chunkRows);
    if (!bothSides(plan.options.how ?? "inner") && passOf(end - 1) !== passOf(end)) return;
    const from = batchNumber(read[side].batches, expected.origins[end - 1][side]);
    const to = batchNumber(read[side].batches, expected.origins[end][side]);
    const input = read[side].batches[from];
    must(to !== from, () => `batch ${number} has ${rows} rows of ${size} and does not end with a batch of the ${side} input`);
    if (hasDictionary) return;
    must(2 * rows >= size || 2 * input < size, () => `batch ${number} has ${rows} rows of ${size}, though its input batch has ${input}`);
  });
}

/** The side whose rows appear in order. */
function drivingSide(how: How, order: "left" | "right", last: boolean): "left" | "right" {
  const sides = outputSides(how);
  if (!sides.right) return "left";
  if (!sides.left) return "right";
  return last ? (order === "left" ? "right" : "left") : order;
}

/** Which of batches of so many rows a row is in. */
export function batchNumber(batches: readonly number[], row: number): number {
  let end = 0;
  return batches.findIndex((rows) => {
    end += rows;
    return row < end;
  });
}

/** Fields that the oracle knows, for the kinds that they have a meaning in; what an early stop leaves unread is not counted. */
export function checkMetrics(metrics: Metrics, expected: Expected, read: Sides<ReadTable>, plan: Plan): void {
  const how = plan.options.how ?? "inner";
  same(metrics.outRows, expected.rows.length, "metrics", "outRows");
  if (!bothSides(how) || expected.distinctKeys.left === 0 || expected.distinctKeys.right === 0) return;
  // A filter that rules out whole rows leaves fewer keys to index, and may end the join before an input was read to its end.
  const filtered = plan.options.filter !== undefined;
  // Without keys there are none to count, and what is a candidate is the plan's affair.
  const keyed = keysOf(plan.options).length > 0;
  const limited = (plan.options.multiple ?? "all") !== "all";
  const wanted: Partial<Metrics> = {
    ...(!filtered && { leftRows: read.left.rows.length, rightRows: read.right.rows.length }),
    ...(!filtered && keyed && plan.built && { distinctKeys: expected.distinctKeys[plan.built] }),
    ...(!limited && keyed && expected.pairs !== null && { candidatePairs: expected.pairs }),
    ...((how === "left" || how === "full") && { leftUnmatched: expected.leftUnmatched }),
    ...((how === "right" || how === "full") && { rightUnmatched: expected.rightUnmatched }),
  };
  for (const name of COMPARED_METRICS) if (wanted[name] !== undefined) same(metrics[name], wanted[name], "metrics", name);
  if (filtered || !keyed) return;
  const either = [expected.distinctKeys.left, expected.distinctKeys.right];
  must(either.includes(metrics.distinctKeys), () => `${metrics.distinctKeys} distinct keys, where the sides have ${either.join(" and ")}`);
}

export function checkCopies(batches: readonly RecordBatch[], inputs: readonly Table[]): void {
  const owned = arrayBuffers(inputs.flatMap((input) => input.batches));
  for (const buffer of arrayBuffers(batches)) must(!owned.has(buffer), () => "a buffer is shared with an input in spite of copy: true");
}

/** What Arrow itself writes and reads back is the same table: dictionary ids do not clash, null counts and offsets are right. */
export function checkIPC(table: Table, actual: ReadTable): void {
  if (table.numCols === 0 || table.numRows === 0) return;
  const back = readTable(tableFromIPC(tableToIPC(table, "stream")));
  compareRows(back.rows, actual.rows, "rows after writing and reading IPC");
}
