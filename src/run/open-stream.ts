/** Opens the inputs of a streaming join and starts it: everything that can be refused is refused before the promise resolves. */

import type { InputSide } from "../arrow/input.ts";
import { openStream, type StreamInput } from "../arrow/stream.ts";
import { ArrowJoinError } from "../error.ts";
import type { JoinSwitches } from "../operators/join-options.ts";
import { outputSchema } from "../operators/output-plan.ts";
import type { JoinSpec, Side } from "../spec/join-spec.ts";
import { openMachine } from "./open-machine.ts";
import { PreparedRight } from "./prepared-right.ts";
import type { StreamSettings } from "./settings.ts";
import { StreamRun } from "./stream-run.ts";

export type StreamInputs = Readonly<Record<Side, StreamInput>>;

/** Things that can be read once only. */
const isOneShot = (input: unknown): boolean =>
  typeof input === "object" && input !== null && ["next", "getReader", "pipe", "body"].some((member) => member in input);

/** What is read: of a typed source its batches. */
const readOf = (input: unknown): unknown => (isOneShot(input) ? input : ((input as { batches?: unknown } | null)?.batches ?? input));

/** Opens both inputs of a join, as `openAll`. */
export async function openInputs(left: unknown, right: unknown, signal: AbortSignal | null): Promise<StreamInputs> {
  const [l, r] = await openAll([left, right], ["left", "right"], signal);
  return { left: l, right: r };
}

/**
 * Opens inputs at the same time. If one cannot be opened, or the signal is aborted meanwhile, the others are cancelled.
 * Throws INVALID_INPUT, DUPLICATE_COLUMN, SOURCE_FAILED, or the signal's reason.
 */
export async function openAll(
  inputs: readonly unknown[],
  names: readonly InputSide[],
  signal: AbortSignal | null,
  marks = false,
): Promise<StreamInput[]> {
  signal?.throwIfAborted();
  const read = inputs.map(readOf);
  read.forEach((input, i) => {
    const other = read.indexOf(input);
    if (other === i || !isOneShot(input)) return;
    throw new ArrowJoinError(
      "INVALID_INPUT",
      `The ${names[other]} and the ${names[i]} input are the same stream, whose batches would go to one side or the other. Read it into a table first.`,
    );
  });
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  const opening = inputs.map((input, i) =>
    // A prepared side is the right of a join with keys.
    i === 1 && !marks && input instanceof PreparedRight
      ? Promise.resolve(input.stream())
      : openStream(input, names[i], controller.signal, marks),
  );
  try {
    return await Promise.all(opening);
  } catch (error) {
    // Others may be open already, or wait for a first batch that never comes.
    controller.abort(error);
    const cancel = (input: StreamInput) => input.cancel(error);
    for (const input of opening) input.then(cancel, () => {});
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

export function startStream(
  spec: JoinSpec,
  inputs: StreamInputs,
  settings: StreamSettings,
  switches: JoinSwitches = {},
  right: PreparedRight | null = null,
): StreamRun {
  const output = outputSchema(spec, inputs.left, inputs.right);
  const opened = openMachine(spec, output, { charged: true, probeRows: inputs[spec.probe].rows, inputs }, settings, switches, right);
  const run = new StreamRun(opened.machine, opened.release, output, { build: inputs[spec.build], probe: inputs[spec.probe] }, settings);
  if (opened.prepared) opened.prepared.onClose = (error) => run.fail(error);
  return run;
}
