/** Runs as-of joins: one-shot over inputs at hand, or as a stream that pulls its inputs concurrently. */

import type { RecordBatch, Table } from "apache-arrow";
import type { OneShotInput } from "../arrow/input.ts";
import type { StreamInput } from "../arrow/stream.ts";
import { ArrowJoinError } from "../error.ts";
import { acquireKernel, releaseKernel } from "../kernel/load.ts";
import { AsofJoinStream } from "../operators/asof-join-stream.ts";
import type { JoinSwitches } from "../operators/join-options.ts";
import { outputSchema } from "../operators/output-plan.ts";
import type { AsofSpec } from "../spec/asof-spec.ts";
import { hashSeedOf, type RunSettings, type StreamSettings } from "./settings.ts";
import type { StreamRun } from "./stream-run.ts";

/** `inputs`: the left, then the rights. */
export function runAsofTable(spec: AsofSpec, inputs: readonly OneShotInput[], settings: RunSettings, switches: JoinSwitches): Table {
  const [left, ...rights] = inputs;
  const output = outputSchema(spec, left, ...rights);
  const { kernel, reason } = acquireKernel({ kernel: settings.kernel, hashSeed: hashSeedOf(settings), switches });
  try {
    const { memoryLimit } = settings;
    const options = { spec, output, kernel, kernelReason: reason, charged: false, memoryLimit, checksAll: true, inputs, switches };
    const machine = new AsofJoinStream(options);
    const batches: RecordBatch[] = [];
    const next = inputs.map(() => 0);
    for (let step = machine.step(); step.kind !== "done"; step = machine.step()) {
      if (step.kind === "batch") batches.push(step.batch);
      if (step.kind !== "need") continue;
      const [input] = step.inputs;
      const batch = inputs[input].batches[next[input]++];
      if (batch) machine.push(input, batch);
      else machine.end(input);
    }
    settings.onMetrics?.(machine.metrics());
    return output.makeTable(batches);
  } finally {
    releaseKernel(kernel);
  }
}

const missing = (): never => {
  throw new ArrowJoinError("INTERNAL", "As-of joins have no driver of streams yet.");
};

export async function openAsofInputs(
  _left: unknown,
  _rights: readonly unknown[],
  _signal: AbortSignal | null,
): Promise<readonly StreamInput[]> {
  return missing();
}

export function startAsof(_spec: AsofSpec, _inputs: readonly StreamInput[], _settings: StreamSettings, _switches: JoinSwitches): StreamRun {
  return missing();
}
