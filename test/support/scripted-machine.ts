/**
 * A machine that a test writes down: a generator of its steps, which is given the blocks that it asked for. It takes care that its driver
 * answers each request once, before the next step, and keeps away from it once it has dropped it.
 */

import type { RecordBatch } from "apache-arrow";
import type { InputBatch } from "../../src/arrow/input.ts";
import type { InputName, Machine, Step } from "../../src/operators/machine.ts";
import type { JoinMetrics } from "../../src/operators/metrics.ts";

export type Script = Generator<Step, void, Uint8Array | null>;

export class ScriptedMachine implements Machine {
  readonly phase = "build";
  /** What was pushed, and that an input ended. */
  readonly pushed: (readonly [InputName, InputBatch | null])[] = [];
  /** What the driver did against the contract. */
  readonly misuse: string[] = [];
  /** Set by a driver's `release`: the kernel is another's. */
  released = false;
  readonly #script: Script;
  #awaits = false;
  #block: Uint8Array | null = null;

  constructor(script: Script) {
    this.#script = script;
  }

  #called(what: string, awaited: boolean): void {
    if (this.released) this.misuse.push(`${what} after release`);
    if (this.#awaits !== awaited) this.misuse.push(`${what} while a block is ${awaited ? "not " : ""}awaited`);
  }

  push(input: InputName, batch: InputBatch): void {
    this.#called("push", false);
    this.pushed.push([input, batch]);
  }

  end(input: InputName): void {
    this.#called("end", false);
    this.pushed.push([input, null]);
  }

  step(): Step {
    this.#called("step", false);
    const { done, value } = this.#script.next(this.#block as Uint8Array);
    const step = done ? { kind: "done" as const } : value;
    this.#awaits = step.kind === "store";
    return step;
  }

  stored(block: Uint8Array | null): void {
    this.#called("stored", true);
    this.#awaits = false;
    this.#block = block;
  }

  metrics(): JoinMetrics {
    return { leftRows: 0, rightRows: 0, outRows: 0, plan: "scripted" } as JoinMetrics;
  }

  explain(): string {
    return "scripted";
  }
}

export const append = (file: number, block: Uint8Array): Step => ({ kind: "store", request: { op: "append", file, block } });
export const read = (file: number, offset: number, length: number): Step => ({
  kind: "store",
  request: { op: "read", file, offset, length },
});
export const remove = (file: number): Step => ({ kind: "store", request: { op: "remove", file } });
export const need = (...inputs: InputName[]): Step => ({ kind: "need", inputs });
export const give = (batch: RecordBatch): Step => ({ kind: "batch", batch });
