/**
 * What every operator is to its driver: a machine without I/O. The driver pushes batches in, says when an input ends, and steps.
 *
 *     push(input, batch)   only while the machine needs that input
 *     end(input)           no more batches of it
 *     step()               batch    a batch of the result
 *                          working  it stopped after about 4 ms: step again
 *                          need     it waits for a batch (or the end) of one of these inputs
 *                          store    the driver is to write or read a block, then says stored()
 *                          done     the result is complete; inputs that have not ended are no longer wanted
 *
 * A step never blocks and holds no promise, so the sync and the async driver are the same few lines around it. The kernel is the driver's:
 * it may close it at any time, and drop the machine.
 */

import type { RecordBatch } from "apache-arrow";
import type { InputBatch } from "../arrow/input.ts";
import type { JoinMetrics } from "./metrics.ts";

export type InputName = "build" | "probe";

/** What a machine asks of the store that its driver has. Files have numbers, given by the machine; one is made when it is first appended to. */
export type StoreRequest =
  | { readonly op: "append"; readonly file: number; readonly block: Uint8Array }
  /** A block that was appended, by its place. */
  | { readonly op: "read"; readonly file: number; readonly offset: number; readonly length: number }
  | { readonly op: "remove"; readonly file: number };

export type Step =
  | { readonly kind: "batch"; readonly batch: RecordBatch }
  | { readonly kind: "working" }
  | { readonly kind: "need"; readonly inputs: readonly InputName[] }
  | { readonly kind: "store"; readonly request: StoreRequest }
  | { readonly kind: "done" };

export const WORKING: Step = { kind: "working" };
export const DONE: Step = { kind: "done" };

export interface Machine {
  push(input: InputName, batch: InputBatch): void;
  end(input: InputName): void;
  step(): Step;
  /** What was asked of the store is done; `block` is what was read. Only machines that ask have it. */
  stored?(block: Uint8Array | null): void;
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
