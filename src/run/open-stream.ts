/** Opens the inputs of a streaming join and starts it: everything that can be refused is refused before the promise resolves. */

import { openStream, type StreamInput } from "../arrow/stream.ts";
import { acquireKernel } from "../kernel/load.ts";
import { HashJoinStream, type JoinSwitches } from "../operators/hash-join-stream.ts";
import { outputSchema } from "../operators/output-plan.ts";
import type { JoinSpec, Side } from "../spec/join-spec.ts";
import { hashSeedOf, type StreamSettings } from "./settings.ts";
import { StreamRun } from "./stream-run.ts";

export type StreamInputs = Readonly<Record<Side, StreamInput>>;

/**
 * Opens both inputs at the same time. If one cannot be opened, or the signal is aborted meanwhile, the other is cancelled.
 * Throws INVALID_INPUT, DUPLICATE_COLUMN, SOURCE_FAILED, or the signal's reason.
 */
export async function openInputs(left: unknown, right: unknown, signal: AbortSignal | null): Promise<StreamInputs> {
  signal?.throwIfAborted();
  const opening = { left: openStream(left, "left"), right: openStream(right, "right") };
  let abort = () => {};
  try {
    const both = Promise.all([opening.left, opening.right]);
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal?.reason);
      signal?.addEventListener("abort", abort);
    });
    const [l, r] = await (signal ? Promise.race([both, aborted]) : both);
    return { left: l, right: r };
  } catch (error) {
    for (const input of [opening.left, opening.right]) {
      input.then(
        (opened) => opened.cancel(error),
        () => {},
      );
    }
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** Cancels both: the join was refused after they were opened. */
export function cancelInputs(inputs: StreamInputs, reason: unknown): void {
  inputs.left.cancel(reason);
  inputs.right.cancel(reason);
}

export function startStream(spec: JoinSpec, inputs: StreamInputs, settings: StreamSettings, switches: JoinSwitches = {}): StreamRun {
  const output = outputSchema(spec, inputs.left, inputs.right);
  const { kernel, reason } = acquireKernel({ kernel: settings.kernel, hashSeed: hashSeedOf(settings), switches });
  const machine = new HashJoinStream({ spec, output, kernel, kernelReason: reason, charged: true, probeRows: null, switches });
  return new StreamRun(machine, kernel, output, { build: inputs[spec.build], probe: inputs[spec.probe] }, settings);
}
