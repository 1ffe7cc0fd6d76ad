/**
 * The sync driver: both inputs are at hand, so a machine is pushed what it needs and stepped to its end.
 *
 * A result or an error, inputs untouched; the kernel goes back to its pool either way.
 */

import type { RecordBatch, Table } from "apache-arrow";
import { type InputBatch, type InputSchema, type OneShotInput, readInput } from "../arrow/input.ts";
import type { JoinSwitches } from "../operators/join-options.ts";
import type { InputName, Machine } from "../operators/machine.ts";
import { outputSchema } from "../operators/output-plan.ts";
import type { JoinSpec, PlannedInput, Side } from "../spec/join-spec.ts";
import { openMachine } from "./open-machine.ts";
import type { PreparedRight } from "./prepared-right.ts";
import type { RunSettings } from "./settings.ts";

export type RunSwitches = JoinSwitches;

export type TableInputs = Readonly<Record<Side, OneShotInput>>;

/** Throws INVALID_INPUT, DUPLICATE_COLUMN. No row is looked at. */
export function readInputs(left: unknown, right: unknown): TableInputs {
  return { left: readLeft(left), right: readRight(right) };
}

export const readLeft = (input: unknown): OneShotInput => readInput(input, "left");
export const readRight = (input: unknown): OneShotInput => readInput(input, "right");

/** What planning needs of an input. */
export function plannedInput(input: InputSchema & { readonly rows: number | null }): PlannedInput {
  return { fields: input.fields.map(({ name, info, nullable }) => ({ name, type: info, nullable })), rows: input.rows };
}

export function runTable(
  spec: JoinSpec,
  inputs: TableInputs,
  settings: RunSettings,
  switches: JoinSwitches = {},
  right: PreparedRight | null = null,
): Table {
  const output = outputSchema(spec, inputs.left, inputs.right);
  const { rows: probeRows, batches: probeBatches } = inputs[spec.probe];
  const { machine, release } = openMachine(spec, output, { charged: false, probeRows, probeBatches }, settings, switches, right);
  try {
    const batches = runToEnd(machine, { build: inputs[spec.build].batches, probe: inputs[spec.probe].batches });
    settings.onMetrics?.(machine.metrics());
    return output.makeTable(batches);
  } finally {
    release();
  }
}

function runToEnd(machine: Machine, inputs: Readonly<Record<InputName, readonly InputBatch[]>>): RecordBatch[] {
  const next = { build: 0, probe: 0 };
  const result: RecordBatch[] = [];
  for (;;) {
    const step = machine.step();
    if (step.kind === "done") return result;
    if (step.kind === "batch") result.push(step.batch);
    if (step.kind !== "need") continue;
    for (const input of step.inputs) {
      const batch = inputs[input][next[input]++];
      if (batch) machine.push(input, batch);
      else machine.end(input);
    }
  }
}
