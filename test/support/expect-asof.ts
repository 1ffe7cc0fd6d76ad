/**
 * `await expectJoinAsof(left, right, { on: "t", by: "k" })`: runs the as-of join in every way that may not matter (ASOF_AXES) and compares
 * rows, order, schema, nullability, metadata, batches and buffers with the oracle. `right` is one table, or an array of
 * `{ table, ...options }`. The failing combination is in the message.
 */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import { type AsofExpected, oracleAsof } from "./asof-oracle.ts";
import { ASOF_AXES, type Combination, combinationsFor, combinationText, switchesOf } from "./axes.ts";
import { batchNumber, checkCopies, checkIPC, compareFields, compareMetadata, compareRows, must, same } from "./compare.ts";
import { type ExpectOptions, later, layOut, rowsText } from "./expect-join.ts";
import { arrayBuffers, type ReadTable, readBatches, readTable } from "./rows.ts";
import { type AsofOptions, type AsofRightOptions, type Metrics, runJoinAsof, runJoinAsofStream } from "./run.ts";

export interface AsofEntry extends AsofRightOptions {
  readonly table: Table;
}

/** One right, whose options are those of the join, or several. */
export type Rights = Table | readonly AsofEntry[];

export const entriesOf = (rights: Rights): readonly AsofEntry[] => (Array.isArray(rights) ? rights : [{ table: rights as Table }]);

export const oracleOf = (left: Table, rights: Rights, options: AsofOptions): AsofExpected =>
  oracleAsof(
    readTable(left),
    entriesOf(rights).map((entry) => ({ ...entry, table: readTable(entry.table) })),
    options,
  );

export async function expectJoinAsof(left: Table, right: Rights, options: AsofOptions, expected: ExpectOptions = {}): Promise<void> {
  const tables = [left, ...entriesOf(right).map(({ table }) => table)];
  const before = tables.map((table) => rowsText(readTable(table)));
  const oracle = oracleOf(left, right, options);
  if (expected.rows !== undefined) compareRows(oracle.rows, expected.rows, "the oracle against the rows of the test");
  const [number, parts] = expected.part ?? [0, 1];
  const all = expected.combinations ?? combinationsFor(textOf(options) + before.join(), ASOF_AXES);
  for (const combination of all.filter((_, i) => i % parts === number % parts)) {
    try {
      await checkAsof(left, right, options, combination, oracle);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`with ${combinationText(combination)}, ${textOf(options)}: ${message}`, { cause: error });
    }
  }
  tables.forEach((table, i) => {
    same(rowsText(readTable(table)), before[i], "an input after the join");
  });
}

export const textOf = (value: unknown): string => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));

/** One way of running an as-of join, compared with the oracle. */
export async function checkAsof(
  left: Table,
  right: Rights,
  options: AsofOptions,
  combination: Combination,
  expected = oracleOf(left, right, options),
): Promise<void> {
  const l = layOut(left, combination.layout);
  const rs = entriesOf(right).map((entry) => ({ entry, ...layOut(entry.table, combination.rightLayout ?? combination.layout) }));
  const asked = askedOf(options, combination);
  const given = Array.isArray(right) ? rs.map(({ entry, table }) => ({ ...entry, table })) : rs[0].table;
  const result = await runAsof(l.table, given, asked, combination);
  const actual = readBatches(result.schema, result.batches);
  compareFields(actual.fields, expected.fields);
  compareMetadata(actual, expected);
  compareRows(actual.rows, expected.rows, "rows");
  checkAsofBatches(actual, expected, l.read, asked, combination.mode === "join");
  same(result.metrics.outRows, expected.rows.length, "metrics", "outRows");
  if (asked.copy) {
    checkCopies(
      result.batches,
      [l, ...rs].map(({ table }) => table),
    );
  } else if ((options.how ?? "left") === "left") checkPassedThrough(result.batches, l.table, expected);
  if (combination.batchSize === undefined && combination.mode === "join") checkIPC(result.table as Table, actual);
}

/** Streams alone take `flush`, and `sort` is for those who have all rows. */
function askedOf(options: AsofOptions, { batchSize, kernel, copy, flush, mode }: Combination): AsofOptions {
  const all = { kernel, copy, hashSeed: 7, ...(mode !== "join" && { flush }), ...options, batchSize: options.batchSize ?? batchSize };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** SEMANTICS 6.1 and 7.9: never longer than asked, never of two left batches, and full except at the end of one or with `eager`. */
function checkAsofBatches(actual: ReadTable, { origins }: AsofExpected, left: ReadTable, asked: AsofOptions, oneShot: boolean): void {
  const size = asked.batchSize ?? (oneShot ? 2 ** 20 : 8192);
  const fullOnly = oneShot || asked.flush === "full";
  const dictionary = left.fields.some((field) => field.type.includes("dictionary<"));
  let end = 0;
  actual.batches.forEach((rows, number) => {
    const first = batchNumber(left.batches, origins[end]);
    end += rows;
    const last = batchNumber(left.batches, origins[end - 1]);
    must(rows <= size, () => `batch ${number} has ${rows} rows, batchSize is ${size}`);
    must(first === last, () => `batch ${number} has rows of the left batches ${first} to ${last}`);
    if (rows === size || end === origins.length || !fullOnly || dictionary) return;
    must(
      batchNumber(left.batches, origins[end]) !== last,
      () => `batch ${number} has ${rows} rows of ${size} and ends within a left batch`,
    );
  });
}

/** Left columns are slices of the input's. */
function checkPassedThrough(batches: readonly RecordBatch[], left: Table, { columns }: AsofExpected): void {
  const owned = arrayBuffers(left.batches);
  batches.forEach((batch, number) => {
    columns.forEach(({ from, field }, i) => {
      if (from >= 0) return;
      const { values } = batch.data.children[i];
      if (!values || values.byteLength === 0) return;
      must(owned.has(values.buffer), () => `left column ${field.name} of batch ${number} is no slice of the input`);
    });
  });
}

interface Result {
  readonly schema: Schema;
  readonly batches: readonly RecordBatch[];
  readonly metrics: Metrics;
  readonly table?: Table;
}

async function runAsof(left: Table, right: Rights, asked: AsofOptions, combination: Combination): Promise<Result> {
  const reported: Metrics[] = [];
  const options: AsofOptions = { ...asked, onMetrics: (metrics) => reported.push(metrics) };
  const once = (): Metrics => {
    same(reported.length, 1, "calls of onMetrics");
    return reported[0];
  };
  const switches = switchesOf(combination);
  if (combination.mode === "join") {
    const table = runJoinAsof(left, right, options, switches);
    return { schema: table.schema, batches: table.batches, metrics: once(), table };
  }
  const source = (table: Table) =>
    combination.mode === "stream of tables" ? table : { schema: table.schema, batches: later(table.batches) };
  const rights = Array.isArray(right) ? right.map((entry) => ({ ...entry, table: source(entry.table) })) : source(right as Table);
  const stream = await runJoinAsofStream(source(left), rights, options, switches);
  const batches: RecordBatch[] = [];
  for await (const batch of stream) {
    must(batch.numRows > 0, () => "a stream gave an empty batch");
    batches.push(batch);
  }
  const last = once();
  same(stream.metrics().outRows, last.outRows, "metrics() after the end", "outRows");
  return { schema: stream.schema, batches, metrics: last };
}
