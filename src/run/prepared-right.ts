/**
 * A prepared right side: its index is built once and read by any number of runs, also at the same time.
 *
 *     PreparedRight ── owns the kernel instance and the index
 *       ├─ run: its machine, marks and scratch in a scope of the same kernel, freed when it ends
 *       └─ run ...
 *
 * Closing ends the runs that are alive with CANCELLED and gives the instance back.
 */

import type { InputBatch, OneShotInput } from "../arrow/input.ts";
import type { StreamInput } from "../arrow/stream.ts";
import { ArrowJoinError } from "../error.ts";
import type { Kernel } from "../kernel/contract.ts";
import { acquireKernel, releaseKernel } from "../kernel/load.ts";
import { buildIndex } from "../operators/built-index.ts";
import type { BuiltIndex, JoinSwitches } from "../operators/join-options.ts";
import { KernelScope } from "../operators/kernel-scope.ts";
import type { InputName, Machine, Step } from "../operators/machine.ts";
import type { JoinMetrics } from "../operators/metrics.ts";
import type { JoinRequest, KeySpec } from "../spec/join-spec.ts";
import { hashSeedOf, type RunSettings } from "./settings.ts";

export class PreparedRight {
  readonly input: OneShotInput;
  readonly on: JoinRequest["on"];
  /** The options that were given. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly kernelReason: string | null;
  readonly #kernel: Kernel;
  #built: BuiltIndex | null = null;
  #bytes = 0;
  #runs = new Set<PreparedRun>();

  /** Throws MEMORY_LIMIT above `memoryLimit` bytes, INVALID_INPUT, INVALID_OPTION (a kernel that is refused). */
  constructor(
    input: OneShotInput,
    keys: readonly KeySpec[],
    on: JoinRequest["on"],
    options: Readonly<Record<string, unknown>>,
    settings: PrepareSettings,
    switches: JoinSwitches,
  ) {
    const { kernel, reason } = acquireKernel({ kernel: settings.kernel, hashSeed: hashSeedOf(settings), switches });
    this.input = input;
    this.on = on;
    this.options = options;
    this.kernelReason = reason;
    this.#kernel = kernel;
    try {
      kernel.limitBytes = settings.memoryLimit ?? Number.POSITIVE_INFINITY;
      this.#built = buildIndex(kernel, keys, "right", input.batches, switches);
      // What all runs share is made in no run's scope.
      this.#built.side.startsIn(kernel);
      kernel.limitBytes = Number.POSITIVE_INFINITY;
      this.#bytes = kernel.usedBytes;
    } catch (error) {
      releaseKernel(kernel);
      throw error;
    }
  }

  /** Bytes of the index, without those of the input. */
  get memoryBytes(): number {
    return this.#built ? this.#bytes : 0;
  }

  /** The side as an input of a stream, which has nothing to read any more. */
  stream(): StreamInput {
    const { fields, metadata, rows } = this.input;
    return { fields, metadata, rows, next: async () => null, cancel: () => {} };
  }

  /** What a table has: whoever takes this for one is told what it is. */
  get schema(): never {
    throw new ArrowJoinError(
      "INVALID_INPUT",
      "A prepared join is the right side of join, joinStream or joinIndices, and this is not one: pass it second, with a table before it.",
    );
  }

  /** A machine over the index, until it is released or the index is closed. */
  run(make: (kernel: Kernel, built: BuiltIndex) => Machine): PreparedRun {
    if (!this.#built) throw closed("INVALID_INPUT");
    const built = this.#built;
    const run = new PreparedRun(
      this.#kernel,
      () => make(this.#kernel, built),
      () => this.#runs.delete(run),
    );
    this.#runs.add(run);
    return run;
  }

  close(): void {
    if (!this.#built) return;
    this.#built = null;
    for (const run of [...this.#runs]) {
      run.onClose?.(closed("CANCELLED"));
      run.release();
    }
    releaseKernel(this.#kernel);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

export type PrepareSettings = Pick<RunSettings, "kernel" | "hashSeed" | "memoryLimit">;

const closed = (code: "INVALID_INPUT" | "CANCELLED") =>
  new ArrowJoinError(code, "The prepared right side was closed. Close it when its last join has ended, or prepare it again.");

/** A machine whose kernel memory is its own part of a shared kernel. */
export class PreparedRun implements Machine {
  readonly #scope: KernelScope;
  readonly #machine: Machine;
  readonly #ended: () => void;
  onClose: ((error: ArrowJoinError) => void) | null = null;

  constructor(kernel: Kernel, make: () => Machine, ended: () => void) {
    this.#scope = new KernelScope(kernel);
    this.#ended = ended;
    try {
      this.#machine = this.#scope.run(make);
    } catch (error) {
      this.#scope.free();
      throw error;
    }
  }

  push(input: InputName, batch: InputBatch): void {
    this.#scope.run(() => this.#machine.push(input, batch));
  }

  end(input: InputName): void {
    this.#machine.end(input);
  }

  step(): Step {
    return this.#scope.run(() => this.#machine.step());
  }

  metrics(): JoinMetrics {
    return this.#machine.metrics();
  }

  explain(): string {
    return this.#machine.explain();
  }

  get phase(): Machine["phase"] {
    return this.#machine.phase;
  }

  /** Gives its memory back. */
  release(): void {
    this.#scope.free();
    this.#ended();
  }
}
