/** A machine with the kernel it runs on: one of its own, or that of a prepared right side. */

import type { OutputSchema } from "../arrow/output.ts";
import { acquireKernel, releaseKernel } from "../kernel/load.ts";
import { joinMachine } from "../operators/join.ts";
import type { HashJoinOptions, JoinSwitches } from "../operators/join-options.ts";
import type { Machine } from "../operators/machine.ts";
import type { JoinSpec } from "../spec/join-spec.ts";
import type { PreparedRight, PreparedRun } from "./prepared-right.ts";
import { hashSeedOf, type RunSettings } from "./settings.ts";

export interface OpenMachine {
  readonly machine: Machine;
  /** Gives back what the machine holds; safe to call twice. */
  release(): void;
  /** Set where the index may be closed from outside. */
  readonly prepared: PreparedRun | null;
}

/** What differs between the drivers. */
export type MachineInputs = Pick<HashJoinOptions, "charged" | "probeRows" | "probeBatches" | "inputs">;

export function openMachine(
  spec: JoinSpec,
  output: OutputSchema,
  inputs: MachineInputs,
  settings: RunSettings,
  switches: JoinSwitches,
  right: PreparedRight | null,
): OpenMachine {
  if (right) {
    const run = right.run((kernel, built) =>
      joinMachine({ spec, output, kernel, kernelReason: right.kernelReason, built, switches, ...inputs }),
    );
    return { machine: run, release: () => run.release(), prepared: run };
  }
  const { kernel, reason } = acquireKernel({ kernel: settings.kernel, hashSeed: hashSeedOf(settings), switches });
  const release = () => releaseKernel(kernel);
  try {
    const { memoryLimit, spill } = settings;
    const machine = joinMachine({ spec, output, kernel, kernelReason: reason, switches, memoryLimit, spills: spill !== null, ...inputs });
    return { machine, release, prepared: null };
  } catch (error) {
    release();
    throw error;
  }
}
