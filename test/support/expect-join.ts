/**
 * `await expectJoin(left, right, { on: "id", how: "left" })`: runs the join in every way that may not matter (AXES) and compares rows,
 * order, schema, nullability, metadata, batch bound and metrics with the oracle. The failing combination is in the message.
 * `expectJoinWhere` and `expectJoinCross` do the same with joins that have no keys: to the oracle, joins whose list of keys is empty.
 */

import type { RecordBatch, Table } from "apache-arrow";
import { ArrowJoinError } from "../../src/error.ts";
import { AXES, type Combination, combinationsFor, combinationText, switchesOf, WHERE_AXES } from "./axes.ts";
import { type Row, rowText } from "./cell.ts";
import {
  bothSides,
  byText,
  checkBatches,
  checkCopies,
  checkIPC,
  checkMetrics,
  compareFields,
  compareMetadata,
  compareRows,
  must,
  type Plan,
  type Sides,
  same,
} from "./compare.ts";
import { limitedSide, type Matches, matchRows, type Violation } from "./matches.ts";
import { memoryStore } from "./memory-store.ts";
import { keysOf, type OracleOptions, type Origin, oracleJoin } from "./oracle.ts";
import { type ReadTable, readBatches, readTable } from "./rows.ts";
import {
  COMPARED_METRICS,
  CROSS,
  type CrossOptions,
  JOIN,
  type Metrics,
  type Options,
  type Verbs,
  WHERE,
  type WhereOptions,
  withoutKeys,
} from "./run.ts";
import { resplit } from "./table.ts";

/** What a case may fix itself; the rest comes from the combination. */
export interface ExpectOptions {
  /** The rows in left order, worked out by hand. */
  readonly rows?: readonly Row[];
  readonly combinations?: readonly Combination[];
  /** Of many like cases each takes one part of the combinations in turn: its number, and how many parts there are. */
  readonly part?: readonly [number: number, parts: number];
}

export const expectJoin = (left: Table, right: Table, options: Options, expected: ExpectOptions = {}): Promise<void> =>
  expectVerb(left, right, options, expected, JOIN);

/** `predicate` is a tree, an expression of the builder, or a function of the two column proxies. */
export const expectJoinWhere = (
  left: Table,
  right: Table,
  predicate: unknown,
  options: WhereOptions = {},
  expected: ExpectOptions = {},
): Promise<void> => expectVerb(left, right, withoutKeys(options, predicate), expected, WHERE);

export const expectJoinCross = (left: Table, right: Table, options: CrossOptions = {}, expected: ExpectOptions = {}): Promise<void> =>
  expectVerb(left, right, withoutKeys(options), expected, CROSS);

async function expectVerb(left: Table, right: Table, options: Options, expected: ExpectOptions, verbs: Verbs): Promise<void> {
  const before = [readTable(left), readTable(right)] as const;
  if (expected.rows !== undefined) {
    const order = options.order === "right" ? "right" : "left";
    compareRows(
      oracleJoin(before[0], before[1], { ...options, order, unified: "right" }).rows,
      expected.rows,
      "the oracle against the rows of the test",
    );
  }
  const matches = matchRows(before[0], before[1], keysOf(options), options);
  const [number, parts] = expected.part ?? [0, 1];
  const text = JSON.stringify(options) + rowsText(before[0]) + rowsText(before[1]);
  const all = expected.combinations ?? combinationsFor(text, verbs === JOIN ? AXES : WHERE_AXES);
  const combinations = all.filter((_, i) => i % parts === number % parts);
  for (const combination of combinations) {
    try {
      await checkCombination(left, right, options, combination, matches, verbs);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`with ${combinationText(combination)}: ${message}`, { cause: error });
    }
  }
  const after = [readTable(left), readTable(right)] as const;
  for (const side of [0, 1]) same(rowsText(after[side]), rowsText(before[side]), "an input after the join");
}

export const rowsText = (read: ReadTable): string => read.rows.map(rowText).join("\n");

/** One way of running a join, compared with the oracle. */
export async function checkCombination(
  left: Table,
  right: Table,
  options: Options,
  combination: Combination,
  matches?: Matches,
  verbs: Verbs = JOIN,
): Promise<void> {
  const [l, r] = [layOut(left, combination.layout), layOut(right, combination.layout)];
  const inputs = { left: l.table, right: r.table };
  const read = { left: l.read, right: r.read };
  const plan = resolve(options, combination, read.left.rows.length, read.right.rows.length);
  const oracle = { ...options, order: plan.order, unified: plan.unified, matches };
  const asked = oracleJoin(read.left, read.right, oracle);
  if (asked.violations.length > 0) {
    await checkViolation(() => runPlan(inputs.left, inputs.right, plan, combination, verbs), asked.violations);
    return;
  }
  const result = await runPlan(inputs.left, inputs.right, plan, combination, verbs);
  const actual = readBatches(result.schema, result.batches);
  const expected =
    options.multiple === "any" ? oracleJoin(read.left, read.right, { ...oracle, chosen: choicesOf(actual, read, oracle) }) : asked;
  compareFields(actual.fields, expected.fields);
  compareMetadata(actual, expected);
  if (plan.anyOrder) compareRows([...actual.rows].sort(byText), [...expected.rows].sort(byText), "rows without order");
  else compareRows(actual.rows, expected.rows, "rows");
  checkBatches(actual, expected, plan, combination.mode === "join", read, switchesOf(combination).chunkRows);
  checkMetrics(result.metrics, expected, read, plan);
  if (combination.copy) checkCopies(result.batches, [inputs.left, inputs.right]);
  if (combination.batchSize === undefined && combination.mode === "join") checkIPC(result.table as Table, actual);
}

/** The error names one row that breaks the rule, and its key. */
async function checkViolation(run: () => Promise<unknown>, violations: readonly Violation[]): Promise<void> {
  const codes = new Set(violations.map(({ code }) => code));
  const error = await run().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  must(error instanceof ArrowJoinError, () => `no error of ${[...codes].join(" or ")}, but ${error === null ? "a result" : String(error)}`);
  const { code, message } = error as ArrowJoinError;
  const named = violations.filter(
    (one) =>
      one.code === code && hasWord(message, String(one.row)) && one.key.every((cell) => cell === null || message.includes(String(cell))),
  );
  must(named.length > 0, () => `the error ${code} names no row that breaks the rule, and its key: ${message}`);
}

const hasWord = (text: string, word: string): boolean => text.split(/[^0-9A-Za-z]+/).includes(word);

/** For `multiple: "any"`: which partner each limited row came out with. The rows of the tables must tell themselves apart. */
function choicesOf(actual: ReadTable, read: Sides<ReadTable>, options: OracleOptions): Map<number, number> {
  const all = oracleJoin(read.left, read.right, { ...options, multiple: "all" });
  const origins = new Map(all.rows.map((row, i) => [rowText(row), all.origins[i]]));
  same(origins.size, all.rows.length, "different rows of a test of multiple: any");
  const limited = limitedSide(options.how ?? "inner");
  const chosen = new Map<number, number>();
  for (const row of actual.rows) {
    const origin = origins.get(rowText(row));
    must(origin !== undefined, () => `the row ${rowText(row)} is no match`);
    const { left, right } = origin as Origin;
    if (left < 0 || right < 0) continue;
    const [one, other] = limited === "left" ? [left, right] : [right, left];
    must(!chosen.has(one), () => `row ${one} of the ${limited} side has two partners`);
    chosen.set(one, other);
  }
  return chosen;
}

// Running

export interface LaidOut {
  readonly table: Table;
  readonly read: ReadTable;
}

const laidOut = new WeakMap<Table, Map<Combination["layout"], LaidOut>>();

/** The input in batches as the combination says; made and read once a table. */
export function layOut(input: Table, layout: Combination["layout"]): LaidOut {
  const known = laidOut.get(input) ?? new Map<Combination["layout"], LaidOut>();
  laidOut.set(input, known);
  let made = known.get(layout);
  if (!made) {
    const table = layout === "as given" ? input : layout === "every row" ? resplit(input, 1, false) : resplit(input, 2, true);
    made = { table, read: readTable(table) };
    known.set(layout, made);
  }
  return made;
}

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

async function runPlan(left: Table, right: Table, plan: Plan, combination: Combination, verbs: Verbs): Promise<Result> {
  const store = storeOf(combination);
  try {
    return await runVerb(left, right, store ? { ...plan.options, spill: store } : plan.options, combination, verbs);
  } finally {
    same(store?.files() ?? 0, 0, "files that the join left in the store");
    same(store?.misuse.join() ?? "", "", "misuse of the store");
  }
}

/** A verb that answers at once takes no store that does not. */
const storeOf = ({ store = "none", mode }: Combination) =>
  store === "none" ? null : memoryStore({ answers: store === "with promises" && mode !== "join" ? "later" : "now" });

async function runVerb(left: Table, right: Table, asked: Options, combination: Combination, verbs: Verbs): Promise<Result> {
  const reported: Metrics[] = [];
  const options: Options = { ...asked, onMetrics: (metrics) => reported.push(metrics) };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const once = (): Metrics => {
    same(reported.length, 1, "calls of onMetrics");
    return reported[0];
  };
  if (combination.mode === "join") {
    const table = verbs.now(left, right, given as unknown as Options, switchesOf(combination));
    return { schema: table.schema, batches: table.batches, metrics: once(), table };
  }
  const source = (table: Table) =>
    combination.mode === "stream of tables" ? table : { schema: table.schema, batches: later(table.batches) };
  const stream = await verbs.later(source(left), source(right), given as unknown as Options, switchesOf(combination));
  const batches: RecordBatch[] = [];
  for await (const batch of stream) {
    must(batch.numRows > 0, () => "a stream gave an empty batch");
    batches.push(batch);
  }
  const last = once();
  const after = stream.metrics();
  for (const name of COMPARED_METRICS) same(after[name], last[name], "metrics() after the end", name);
  return { schema: stream.schema, batches, metrics: last };
}

export async function* later(batches: readonly RecordBatch[]): AsyncGenerator<RecordBatch> {
  for (const batch of batches) {
    await null;
    yield batch;
  }
}
