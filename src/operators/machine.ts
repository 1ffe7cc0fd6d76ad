/**
 * What every operator is to its driver: a machine without I/O. The driver pushes batches in, says when an input ends, and steps.
 *
 *     push(input, batch)   only while the machine needs that input
 *     end(input)           no more batches of it
 *     step()               batch    a batch of the result
 *                          working  it stopped after about 4 ms: step again
 *                          need     it waits for a batch (or the end) of one of these inputs
 *                          done     the result is complete; inputs that have not ended are no longer wanted
 *
 * A step never blocks and holds no promise, so the sync and the async driver are the same few lines around it. The kernel is the driver's:
 * it may close it at any time, and drop the machine.
 */

import type { RecordBatch } from "apache-arrow";
import type { InputBatch } from "../arrow/input.ts";
import type { JoinMetrics } from "./metrics.ts";

export type InputName = "build" | "probe";

export type Step =
  | { readonly kind: "batch"; readonly batch: RecordBatch }
  | { readonly kind: "working" }
  | { readonly kind: "need"; readonly inputs: readonly InputName[] }
  | { readonly kind: "done" };

export const WORKING: Step = { kind: "working" };
export const DONE: Step = { kind: "done" };

export interface Machine {
  push(input: InputName, batch: InputBatch): void;
  end(input: InputName): void;
  step(): Step;
  metrics(): JoinMetrics;
  explain(): string;
  readonly phase: "build" | "probe" | "drain";
}

/** A step gives way after this long: a page stays alive (tasks under 50 ms) with room for what one unit of work overruns. */
export const STEP_MS = 4;

/** Measures one step. `spent()` reads the clock, so it is asked between units of work of 50 µs and more, never per row. */
export class Budget {
  #until = 0;

  start(): void {
    this.#until = performance.now() + STEP_MS;
  }

  spent(): boolean {
    return performance.now() >= this.#until;
  }
}
