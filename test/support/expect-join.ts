/**
 * `await expectJoin(left, right, { on: "id", how: "left" })`: runs the join in every way that may not matter (AXES) and compares rows,
 * order, schema, nullability, metadata, batch bound and metrics with the oracle. The failing combination is in the message.
 */

import type { RecordBatch, Table } from "apache-arrow";
import { tableFromIPC, tableToIPC } from "apache-arrow";
import { expect } from "vitest";
import { type Combination, combinationsFor, combinationText, switchesOf } from "./axes.ts";
import { type Row, rowText } from "./cell.ts";
import { type Expected, type ExpectedField, oracleJoin, outputSides } from "./oracle.ts";
import { arrayBuffers, type FieldText, type ReadTable, readBatches, readTable } from "./rows.ts";
import { COMPARED_METRICS, type How, type Metrics, type Options, runJoin, runJoinStream } from "./run.ts";
import { resplit } from "./table.ts";

/** What a case may fix itself; the rest comes from the combination. */
export interface ExpectOptions {
  /** The rows in left order, worked out by hand. */
  readonly rows?: readonly Row[];
  readonly combinations?: readonly Combination[];
}

export async function expectJoin(left: Table, right: Table, options: Options, expected: ExpectOptions = {}): Promise<void> {
  const before = [readTable(left), readTable(right)] as const;
  if (expected.rows !== undefined) {
    const order = options.order === "right" ? "right" : "left";
    compareRows(
      oracleJoin(before[0], before[1], { ...options, order, unified: "right" }).rows,
      expected.rows,
      "the oracle against the rows of the test",
    );
  }
  const combinations = expected.combinations ?? combinationsFor(JSON.stringify(options) + rowsText(before[0]) + rowsText(before[1]));
  for (const combination of combinations) {
    try {
      await checkCombination(left, right, options, combination);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`with ${combinationText(combination)}: ${message}`, { cause: error });
    }
  }
  const after = [readTable(left), readTable(right)] as const;
  for (const side of [0, 1]) expect(rowsText(after[side]), "an input was changed by the join").toBe(rowsText(before[side]));
}

const rowsText = (read: ReadTable): string => read.rows.map(rowText).join("\n");

/** One way of running a join, compared with the oracle. */
export async function checkCombination(left: Table, right: Table, options: Options, combination: Combination): Promise<void> {
  const inputs = { left: layOut(left, combination), right: layOut(right, combination) };
  const plan = resolve(options, combination, inputs.left.numRows, inputs.right.numRows);
  const read = { left: readTable(inputs.left), right: readTable(inputs.right) };
  const expected = oracleJoin(read.left, read.right, { ...options, order: plan.order, unified: plan.unified });

  const result = await runPlan(inputs.left, inputs.right, plan, combination);
  const actual = readBatches(result.schema, result.batches);
  compareFields(actual.fields, expected.fields);
  expect(sorted(actual.metadata), "schema metadata").toEqual(sorted(expected.metadata));
  if (plan.anyOrder) compareRows([...actual.rows].sort(byText), [...expected.rows].sort(byText), "rows without order");
  else compareRows(actual.rows, expected.rows, "rows");
  checkBatches(actual, expected, plan, combination, read);
  checkMetrics(result.metrics, expected, read, plan);
  if (combination.copy) checkCopies(result.batches, inputs);
  if (combination.batchSize === undefined && combination.mode === "join") checkIPC(result.table as Table, actual);
}

// Running

function layOut(input: Table, { layout }: Combination): Table {
  if (layout === "every row") return resplit(input, 1, false);
  return layout === "pairs and holes" ? resplit(input, 2, true) : input;
}

interface Plan {
  readonly options: Options;
  readonly order: "left" | "right";
  readonly anyOrder: boolean;
  readonly unified: "left" | "right";
  /** The built side where the options fix it. */
  readonly built?: "left" | "right";
}

const bothSides = (how: How): boolean => outputSides(how).left && outputSides(how).right;

/**
 * SEMANTICS 5.2 and 5.3: which order holds, and what a stream's order leaves of the axis `build`. Kinds that output one side have that
 * side's order whatever is asked (5.1), so an order fixes nothing for them.
 */
function resolve(options: Options, combination: Combination, leftRows: number, rightRows: number): Plan {
  const { batchSize, kernel, copy, mode } = combination;
  const asked = options.order;
  let build: Options["build"] = options.build ?? combination.build;
  let built: "left" | "right" | undefined;
  let order: "left" | "right" = asked === "right" ? "right" : "left";
  if (mode === "join") {
    built = build === "auto" ? undefined : build;
  } else if ((asked === "left" || asked === "right") && bothSides(options.how ?? "inner")) {
    built = asked === "left" ? "right" : "left";
    build = build === built ? build : undefined;
    order = asked;
  } else {
    const known = mode === "stream of tables" && asked === "any";
    built = build === "auto" ? (known && leftRows < rightRows ? "left" : "right") : build;
    order = built === "left" ? "right" : "left";
  }
  const unified = mode === "join" ? (asked === "right" ? "left" : "right") : (built as "left" | "right");
  return {
    options: { kernel, copy, hashSeed: 7, ...options, batchSize: options.batchSize ?? batchSize, build },
    order,
    anyOrder: asked === "any",
    unified,
    built,
  };
}

interface Result {
  readonly schema: Table["schema"];
  readonly batches: readonly RecordBatch[];
  readonly metrics: Metrics;
  readonly table?: Table;
}

async function runPlan(left: Table, right: Table, plan: Plan, combination: Combination): Promise<Result> {
  const reported: Metrics[] = [];
  const options: Options = { ...plan.options, onMetrics: (metrics) => reported.push(metrics) };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const once = (): Metrics => {
    expect(reported.length, "calls of onMetrics").toBe(1);
    return reported[0];
  };
  if (combination.mode === "join") {
    const table = runJoin(left, right, given, switchesOf(combination));
    return { schema: table.schema, batches: table.batches, metrics: once(), table };
  }
  const source = (table: Table) =>
    combination.mode === "stream of tables" ? table : { schema: table.schema, batches: later(table.batches) };
  const stream = await runJoinStream(source(left), source(right), given, switchesOf(combination));
  const batches: RecordBatch[] = [];
  for await (const batch of stream) {
    expect(batch.numRows, "rows of a batch of a stream").toBeGreaterThan(0);
    batches.push(batch);
  }
  const last = once();
  for (const name of COMPARED_METRICS) expect(stream.metrics()[name], `metrics().${name} after the end`).toBe(last[name]);
  return { schema: stream.schema, batches, metrics: last };
}

async function* later(batches: readonly RecordBatch[]): AsyncGenerator<RecordBatch> {
  for (const batch of batches) {
    await null;
    yield batch;
  }
}

// Comparing

const byText = (a: Row, b: Row): number => (rowText(a) < rowText(b) ? -1 : 1);

function compareRows(actual: readonly Row[], expected: readonly Row[], what: string): void {
  const a = actual.map(rowText);
  const e = expected.map(rowText);
  const at = e.findIndex((text, i) => text !== a[i]);
  if (at < 0 && a.length === e.length) return;
  const from = at < 0 ? e.length : at;
  const show = (texts: readonly string[]) => texts.slice(from, from + 4).join(" ") || "nothing";
  expect(a, `${what}: ${a.length} instead of ${e.length}, from row ${from} on ${show(a)} instead of ${show(e)}`).toEqual(e);
}

const sorted = (entries: { readonly [key: string]: string }): [string, string][] =>
  Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));

function compareFields(actual: readonly FieldText[], expected: readonly ExpectedField[]): void {
  expect(
    actual.map(({ name }) => name),
    "names of the columns",
  ).toEqual(expected.map(({ name }) => name));
  actual.forEach((field, i) => {
    const { type, nullable, metadata, orType, mayHave } = expected[i];
    if (orType === undefined) expect(field.type, `type of ${field.name}`).toBe(type);
    else expect(orType(field.type), `type of ${field.name} is ${field.type}`).toBe(true);
    expect(field.nullable, `${field.name} is nullable`).toBe(nullable);
    expect(sorted(field.metadata), `metadata of ${field.name}`).toEqual(sorted({ ...pickKnown(field.metadata, mayHave), ...metadata }));
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
function checkBatches(
  actual: ReadTable,
  expected: Expected,
  plan: Plan,
  combination: Combination,
  read: { left: ReadTable; right: ReadTable },
): void {
  const size = plan.options.batchSize ?? (combination.mode === "join" ? 2 ** 20 : 8192);
  const hasDictionary = actual.fields.some((field) => field.type.includes("dictionary<"));
  let end = 0;
  actual.batches.forEach((rows, number) => {
    end += rows;
    expect(rows, `rows of batch ${number}, batchSize ${size}`).toBeLessThanOrEqual(size);
    if (rows === size || end === actual.rows.length || end === expected.mainRows || plan.anyOrder || plan.options.flush === "eager") return;
    if (combination.mode === "join" && plan.options.batchSize === undefined) return;
    const side = drivingSide(plan.options.how ?? "inner", plan.order, end - 1 >= expected.mainRows);
    const from = batchNumber(read[side].batches, expected.origins[end - 1][side]);
    const to = batchNumber(read[side].batches, expected.origins[end][side]);
    const short = `batch ${number} has ${rows} rows of ${size}`;
    expect(to, `${short} and does not end with a batch of the ${side} input`).not.toBe(from);
    if (!hasDictionary)
      expect(
        2 * rows >= size || 2 * read[side].batches[from] < size,
        `${short}, though its input batch has ${read[side].batches[from]}`,
      ).toBe(true);
  });
}

/** The side whose rows appear in order. */
function drivingSide(how: How, order: "left" | "right", last: boolean): "left" | "right" {
  const sides = outputSides(how);
  if (!sides.right) return "left";
  if (!sides.left) return "right";
  return last ? (order === "left" ? "right" : "left") : order;
}

function batchNumber(batches: readonly number[], row: number): number {
  let end = 0;
  return batches.findIndex((rows) => {
    end += rows;
    return row < end;
  });
}

/** Fields that the oracle knows, for the kinds that they have a meaning in; what an early stop leaves unread is not counted. */
function checkMetrics(metrics: Metrics, expected: Expected, read: { left: ReadTable; right: ReadTable }, plan: Plan): void {
  const how = plan.options.how ?? "inner";
  expect(metrics.outRows, "metrics: outRows").toBe(expected.rows.length);
  if (!bothSides(how) || expected.distinctKeys.left === 0 || expected.distinctKeys.right === 0) return;
  const wanted: Partial<Metrics> = {
    leftRows: read.left.rows.length,
    rightRows: read.right.rows.length,
    candidatePairs: expected.pairs,
    ...(plan.built && { distinctKeys: expected.distinctKeys[plan.built] }),
    ...((how === "left" || how === "full") && { leftUnmatched: expected.leftUnmatched }),
    ...((how === "right" || how === "full") && { rightUnmatched: expected.rightUnmatched }),
  };
  for (const name of COMPARED_METRICS) if (wanted[name] !== undefined) expect(metrics[name], `metrics: ${name}`).toBe(wanted[name]);
  if (plan.built === undefined)
    expect([expected.distinctKeys.left, expected.distinctKeys.right], "metrics: distinctKeys").toContain(metrics.distinctKeys);
}

function checkCopies(batches: readonly RecordBatch[], inputs: { left: Table; right: Table }): void {
  const owned = arrayBuffers([...inputs.left.batches, ...inputs.right.batches]);
  for (const buffer of arrayBuffers(batches))
    expect(owned.has(buffer), "a buffer is shared with an input in spite of copy: true").toBe(false);
}

/** What Arrow itself writes and reads back is the same table: dictionary ids do not clash, null counts and offsets are right. */
function checkIPC(table: Table, actual: ReadTable): void {
  if (table.numCols === 0 || table.numRows === 0) return;
  const back = readTable(tableFromIPC(tableToIPC(table, "stream")));
  compareRows(back.rows, actual.rows, "rows after writing and reading IPC");
}
