/**
 * The sync driver: both inputs are at hand, so a machine is pushed what it needs and stepped to its end.
 *
 * A result or an error, inputs untouched; the kernel goes back to its pool and the files of a spill store are removed either way.
 */

import type { RecordBatch, Table } from "apache-arrow";
import { type InputBatch, type InputSchema, type InputSide, type OneShotInput, readInput } from "../arrow/input.ts";
import { ArrowJoinError } from "../error.ts";
import type { JoinSwitches } from "../operators/join-options.ts";
import type { InputName, Machine } from "../operators/machine.ts";
import { outputSchema } from "../operators/output-plan.ts";
import type { JoinSpec, PlannedInput, Side } from "../spec/join-spec.ts";
import { openMachine } from "./open-machine.ts";
import type { PreparedRight } from "./prepared-right.ts";
import type { RunSettings } from "./settings.ts";
import { SpillSession } from "./spill-session.ts";

export type RunSwitches = JoinSwitches;

export type TableInputs = Readonly<Record<Side, OneShotInput>>;

/** Throws INVALID_INPUT, DUPLICATE_COLUMN. No row is looked at. */
export function readInputs(left: unknown, right: unknown): TableInputs {
  return { left: readLeft(left), right: readRight(right) };
}

export const readLeft = (input: unknown): OneShotInput => readInput(input, "left");
export const readRight = (input: unknown, name: InputSide = "right"): OneShotInput => readInput(input, name);

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
  const { machine, release } = openMachine(spec, output, { charged: false, probeRows, probeBatches, inputs }, settings, switches, right);
  const spill = new SpillSession(settings.spill);
  try {
    const batches = runToEnd(machine, { build: inputs[spec.build].batches, probe: inputs[spec.probe].batches }, spill);
    settings.onMetrics?.(machine.metrics());
    return output.makeTable(batches);
  } finally {
    spill.close();
    release();
  }
}

/** Steps the machine to its end. `spill` is the caller's to close. */
export function runToEnd(machine: Machine, inputs: Readonly<Record<InputName, readonly InputBatch[]>>, spill: SpillSession): RecordBatch[] {
  const next = { build: 0, probe: 0 };
  const result: RecordBatch[] = [];
  for (;;) {
    const step = machine.step();
    switch (step.kind) {
      case "done":
        return result;
      case "batch":
        result.push(step.batch);
        break;
      case "store":
        machine.stored!(answerNow(spill.perform(step.request)));
        break;
      case "need":
        for (const input of step.inputs) {
          const batch = inputs[input][next[input]++];
          if (batch) machine.push(input, batch);
          else machine.end(input);
        }
    }
  }
}

function answerNow<T>(answer: T | Promise<T>): T {
  if (!(answer instanceof Promise)) return answer;
  // What comes of it is nobody's any more.
  answer.catch(() => {});
  throw new ArrowJoinError(
    "INVALID_OPTION",
    "spill answers with a promise, for which a join that returns its table cannot wait: take the stream verb (joinStream for join), or a store that answers at once, such as fileSpillStore({ sync: true }) of arrow-join/node.",
  );
}
