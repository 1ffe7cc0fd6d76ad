/** Runs as-of joins: one-shot over inputs at hand, or as a stream that pulls its inputs concurrently. */

import type { Table } from "apache-arrow";
import type { OneShotInput } from "../arrow/input.ts";
import type { StreamInput } from "../arrow/stream.ts";
import { acquireKernel, releaseKernel } from "../kernel/load.ts";
import { type AsofJoinOptions, AsofJoinStream } from "../operators/asof-join-stream.ts";
import type { JoinSwitches } from "../operators/join-options.ts";
import { outputSchema } from "../operators/output-plan.ts";
import type { AsofSpec } from "../spec/asof-spec.ts";
import { rightName } from "../spec/plan-asof.ts";
import { type AsofResult, runSorted, stepAsof } from "./asof-sorted.ts";
import { openAll } from "./open-stream.ts";
import { hashSeedOf, type RunSettings, type StreamSettings } from "./settings.ts";
import { StreamRun } from "./stream-run.ts";

/** `inputs`: the left, then the rights. */
export function runAsofTable(spec: AsofSpec, inputs: readonly OneShotInput[], settings: RunSettings, switches: JoinSwitches): Table {
  const [left, ...rights] = inputs;
  const output = outputSchema(spec, left, ...rights);
  const { kernel, reason } = acquireKernel({ kernel: settings.kernel, hashSeed: hashSeedOf(settings), switches });
  try {
    const charged = inputs.map(() => false);
    const { memoryLimit, onMetrics } = settings;
    const options = { spec, output, kernel, kernelReason: reason, charged, memoryLimit, checksAll: true, inputs, switches };
    const { batches, metrics } = (spec.unsorted === "sort" && runSorted(options, inputs)) || runInOrder(options, inputs);
    onMetrics?.(metrics);
    return output.makeTable(batches);
  } finally {
    releaseKernel(kernel);
  }
}

function runInOrder(options: AsofJoinOptions, inputs: readonly OneShotInput[]): AsofResult {
  const machine = new AsofJoinStream(options);
  const batches = [
    ...stepAsof(
      machine,
      inputs.map((input) => input.batches),
    ),
  ];
  return { batches, metrics: machine.metrics() };
}

/** The left, then the rights, opened at the same time; watermarks may come between their batches. Rejects as `openAll`. */
export function openAsofInputs(left: unknown, rights: readonly unknown[], signal: AbortSignal | null): Promise<readonly StreamInput[]> {
  const names = rights.map((_, i) => rightName(i));
  return openAll([left, ...rights], ["left", ...names], signal, true);
}

export function startAsof(
  spec: AsofSpec,
  inputs: readonly StreamInput[],
  settings: StreamSettings,
  switches: JoinSwitches,
): StreamRun<number> {
  const { memoryLimit } = settings;
  const [left, ...rights] = inputs;
  const output = outputSchema(spec, left, ...rights);
  const { kernel, reason } = acquireKernel({ kernel: settings.kernel, hashSeed: hashSeedOf(settings), switches });
  const release = () => releaseKernel(kernel);
  try {
    const options = {
      spec,
      output,
      kernel,
      kernelReason: reason,
      charged: inputs.map(() => true),
      memoryLimit,
      checksAll: false,
      inputs,
      switches,
    };
    return new StreamRun(new AsofJoinStream(options), release, output, inputs, settings);
  } catch (error) {
    release();
    throw error;
  }
}
