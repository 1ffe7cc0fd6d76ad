/**
 * What every operator is to its driver: a machine without I/O. The driver pushes batches in, says when an input ends, and steps.
 *
 *     push(input, batch)   only while the machine needs that input
 *     end(input)           no more batches of it
 *     step()               batch    a batch of the result
 *                          working  it stopped after about 4 ms: step again
 *                          need     it waits for a batch (or the end) of any one of these inputs
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

export type Step<I = InputName> =
  | { readonly kind: "batch"; readonly batch: RecordBatch }
  | { readonly kind: "working" }
  /** `held`: rows of the result wait in the machine, which `flush` brings out, should none of the inputs be ready. */
  | { readonly kind: "need"; readonly inputs: readonly I[]; readonly held?: boolean }
  | { readonly kind: "store"; readonly request: StoreRequest }
  | { readonly kind: "done" };

export const WORKING: Step<never> = { kind: "working" };
export const DONE: Step<never> = { kind: "done" };

/** `I`: how the inputs are called. */
export interface Machine<I = InputName> {
  push(input: I, batch: InputBatch): void;
  end(input: I): void;
  step(): Step<I>;
  /** A watermark came between two batches of the input. Only as-of joins take them. */
  mark?(input: I, value: unknown): void;
  /** What is held goes out with the next steps. Only machines that say `held` have it. */
  flush?(): void;
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
