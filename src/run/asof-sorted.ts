/**
 * `unsorted: "sort"`: an as-of join of tables of which some are not in the order of their times.
 *
 *     left        ─┬─ order ─▶ copy: time, keys, filter ─┐
 *     rights      ─┼─ order ─▶ copies ───────────────────┴▶ AsofJoinStream ─▶ partner of each left row, as row numbers of the inputs
 *                  │                                                             │
 *                  └─────────────▶ result: left rows as they came, slices; right rows gathered ◀───┘
 *
 * - The result has the left's own order and batches: it is what inputs in order would give, put back.
 * - Only columns that decide are copied, each batch when it is asked for; output columns are gathered once, from the inputs. An input that is in
 *   order is read as it is.
 *
 * O(rows) of each column that is copied or output, in the order of time: memory is read at random.
 */

import type { RecordBatch } from "apache-arrow";
import { ViewCache } from "../arrow/dictionary-view.ts";
import { InputBatch, type OneShotInput, ROW_NUMBERS } from "../arrow/input.ts";
import type { RawBatch } from "../arrow/raw.ts";
import { CHUNK_ROWS, type Kernel, type Region } from "../kernel/contract.ts";
import { type AsofJoinOptions, AsofJoinStream, columnsOf } from "../operators/asof-join-stream.ts";
import { BatchCoalescer } from "../operators/batch-coalescer.ts";
import { BufferLedger } from "../operators/buffer-ledger.ts";
import { CompositeReferenceTable } from "../operators/composite-reference-table.ts";
import { HeldRows } from "../operators/held-rows.ts";
import { MemoryAccount } from "../operators/memory.ts";
import { OutputPlan, outputSchema } from "../operators/output-plan.ts";
import { timeOrder } from "../operators/time-order.ts";
import type { AsofSpec } from "../spec/asof-spec.ts";
import { explainAsof } from "../spec/explain-asof.ts";
import { rowNumbers } from "./index-run.ts";
import type { JoinMetrics } from "./settings.ts";

export interface AsofResult {
  readonly batches: readonly RecordBatch[];
  readonly metrics: JoinMetrics;
}

/** Steps a join to its end over inputs whose batches are at hand, or made as they are asked for. */
export function* stepAsof(machine: AsofJoinStream, inputs: readonly Iterable<InputBatch>[]): Generator<RecordBatch, void> {
  const sources = inputs.map((batches) => batches[Symbol.iterator]());
  for (let step = machine.step(); step.kind !== "done"; step = machine.step()) {
    if (step.kind === "batch") yield step.batch;
    if (step.kind !== "need") continue;
    const [input] = step.inputs;
    const { done, value } = sources[input].next();
    if (done) machine.end(input);
    else machine.push(input, value);
  }
}

/** `options` as of inputs in order. Null: they are. */
export function runSorted(options: AsofJoinOptions, inputs: readonly OneShotInput[]): AsofResult | null {
  const { spec, kernel, memoryLimit, switches } = options;
  const account = new MemoryAccount(kernel, memoryLimit ?? undefined);
  account.observe();
  const start = performance.now();
  const orders = inputs.map((input, i) => timeOrder(kernel, account, input, i === 0 ? spec.rights[0].leftTime : spec.rights[i - 1].time));
  const sorted = performance.now();
  account.observe();
  if (orders.every((order) => order === null)) return null;

  const [left, ...rights] = inputs;
  const search: AsofSpec = {
    ...spec,
    kind: "left",
    batchSize: CHUNK_ROWS,
    copy: false,
    output: spec.rights.map(({ name }, from) => rightColumn(name, ROW_NUMBERS, from, true)),
  };
  const machine = new AsofJoinStream({
    ...options,
    spec: search,
    output: outputSchema(search, left, ...rights),
    charged: orders.map((order) => order !== null),
  });
  const sources = inputs.map((input, i) => {
    const order = orders[i];
    return order ? copiesOf(kernel, input, columnsOf(search, i), order) : input.batches;
  });
  const partners = rights.map(() => kernel.alloc(4 * left.rows, "the matches"));
  let row = 0;
  for (const batch of stepAsof(machine, sources)) {
    const [order, ...rightOrders] = orders.map((region) => region && kernel.i32(region));
    batch.data.children.forEach((data, i) => {
      const [found, own, out] = [rowNumbers(data), rightOrders[i], kernel.i32(partners[i])];
      for (let j = 0; j < found.length; j++) out[order ? order[row + j] : row + j] = own && found[j] >= 0 ? own[found[j]] : found[j];
    });
    row += batch.numRows;
  }

  const matched = performance.now();
  const plan = new OutputPlan(kernel, spec, options.output, switches ?? {});
  const batches = [...assemble(kernel, spec, plan, left, partners, rights.map(keepAll(kernel, plan)), account)];
  const metrics = machine.metrics();
  const outRows = batches.reduce((sum, { numRows }) => sum + numRows, 0);
  const now = { state: "done", kernel: kernel.name, kernelReason: options.kernelReason, leftRows: left.rows, outRows };
  return {
    batches,
    metrics: {
      ...metrics,
      outRows,
      outBatches: batches.length,
      buildMs: sorted - start,
      emitMs: metrics.emitMs + performance.now() - matched,
      peakBytes: Math.max(metrics.peakBytes, account.peakBytes),
      plan: explainAsof(spec, { ...now, outBatches: batches.length, rights: metrics.asof!.inputs.slice(1) }),
    },
  };
}

const rightColumn = (name: string, right: number, from: number, nullable: boolean) =>
  ({ name, left: null, right, from, nullable, typeOf: "right", convert: "none" }) as const;

/** All batches of a right, for a plan to gather from. They are the caller's. */
const keepAll =
  (kernel: Kernel, plan: OutputPlan) =>
  ({ batches }: OneShotInput, from: number): HeldRows => {
    const ledger = new BufferLedger([], null);
    const held = new HeldRows(kernel, plan, from, "right", ledger, null);
    for (const batch of batches) if (batch.length > 0) held.push(batch, ledger.take(batch));
    return held;
  };

/** The columns of the input, its rows in the order, as batches that have only those. */
function* copiesOf(kernel: Kernel, input: OneShotInput, columns: readonly number[], order: Region): Generator<InputBatch, void> {
  const output = columns.map((column) => rightColumn(input.fields[column].name, column, 0, input.fields[column].nullable));
  const sides = { kind: "left", probe: "left", build: "right", unified: "right", output } as const;
  const plan = new OutputPlan(kernel, sides, outputSchema(sides, input, input), {});
  const coalescer = new BatchCoalescer(kernel, plan, keepAll(kernel, plan)(input, 0), CHUNK_ROWS, false);
  // The dictionaries of all batches are one by now, and its codes have another type.
  const fields = input.fields.map((field, i) => ({ ...field, type: plan.schema.fields[columns.indexOf(i)]?.type ?? field.type }));
  const schema = { fields };
  const cache = new ViewCache();
  let firstRow = 0;
  for (let from = 0; from < input.rows; ) {
    const count = Math.min(coalescer.room, input.rows - from);
    coalescer.add({ count, probe: null, build: { rows: order, from, hasNone: false } });
    from += count;
    for (const { numRows: length, data } of drain(coalescer, from === input.rows)) {
      const children = fields.map((_, i) => data.children[columns.indexOf(i)] ?? { length });
      const batch = { schema, data: { length, children } } as unknown as RawBatch;
      yield new InputBatch(batch, fields, "left", 0, cache, schema, firstRow);
      firstRow += length;
    }
  }
}

/** The result: each left row, in its own order, with its partners. */
function* assemble(
  kernel: Kernel,
  { kind, batchSize, copy }: AsofSpec,
  plan: OutputPlan,
  left: OneShotInput,
  partners: readonly Region[],
  kept: readonly HeldRows[],
  account: MemoryAccount,
): Generator<RecordBatch, void> {
  const refs = partners.map(() => kernel.alloc(4 * CHUNK_ROWS, "the matches"));
  const references = new CompositeReferenceTable(kernel, kind, refs);
  const coalescer = new BatchCoalescer(kernel, plan, kept, batchSize, copy);
  const step = (isLast: boolean) => {
    account.setPending(plan.heldBytes);
    return drain(coalescer, isLast);
  };
  for (const batch of left.batches) {
    if (batch.length === 0) continue;
    coalescer.setProbe(batch);
    coalescer.expect(batch.length);
    yield* step(false);
    for (let start = 0; start < batch.length; ) {
      const rows = Math.min(coalescer.room, batch.length - start);
      for (const [i, of] of partners.entries()) kernel.copy(refs[i], 0, of, 4 * (batch.firstRow + start), 4 * rows);
      coalescer.add(references.piece(start, 0, rows));
      start += rows;
      yield* step(start === batch.length);
    }
  }
}

/** What the coalescer has to do; `isLast`: then what it holds. */
function* drain(coalescer: BatchCoalescer, isLast: boolean): Generator<RecordBatch, void> {
  for (let flushed = !isLast; ; flushed = true) {
    while (!coalescer.idle) {
      const batch = coalescer.step();
      if (batch) yield batch;
    }
    if (flushed) return;
    coalescer.flush();
  }
}
