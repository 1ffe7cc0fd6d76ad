/** Runs as-of joins: one-shot over inputs at hand, or as a stream that pulls its inputs concurrently. */

import type { Table } from "apache-arrow";
import type { OneShotInput } from "../arrow/input.ts";
import type { StreamInput } from "../arrow/stream.ts";
import { ArrowJoinError } from "../error.ts";
import type { JoinSwitches } from "../operators/join-options.ts";
import type { AsofSpec } from "../spec/asof-spec.ts";
import type { RunSettings, StreamSettings } from "./settings.ts";
import type { StreamRun } from "./stream-run.ts";

const missing = (): never => {
  throw new ArrowJoinError("INTERNAL", "As-of joins have no driver yet.");
};

/** `inputs`: the left, then the rights. */
export function runAsofTable(_spec: AsofSpec, _inputs: readonly OneShotInput[], _settings: RunSettings, _switches: JoinSwitches): Table {
  return missing();
}

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
