/**
 * A machine that a test writes down: a generator of its steps, which is given the blocks that it asked for. It takes care that its driver
 * answers each request once, before the next step, gives it only what it asked for, and keeps away from it once it has dropped it.
 */

import type { RecordBatch } from "apache-arrow";
import type { InputBatch } from "../../src/arrow/input.ts";
import type { InputName, Machine, Step } from "../../src/operators/machine.ts";
import type { JoinMetrics } from "../../src/operators/metrics.ts";

export type Script<I = InputName> = Generator<Step<I>, void, Uint8Array | null>;

export class ScriptedMachine<I = InputName> implements Machine<I> {
  readonly phase = "build";
  /** What was pushed, and that an input ended. */
  readonly pushed: (readonly [I, InputBatch | null])[] = [];
  /** The same as text, watermarks and flushes among it: `0: 2 rows`, `0: mark 5`, `0: end`, `flush`. */
  readonly log: string[] = [];
  /** What the driver did against the contract. */
  readonly misuse: string[] = [];
  /** Set by a driver's `release`: the kernel is another's. */
  released = false;
  readonly #script: Script<I>;
  /** Inputs that were asked for and have not answered since. */
  readonly #asked = new Set<I>();
  #held = false;
  #awaits = false;
  #block: Uint8Array | null = null;

  constructor(script: Script<I>) {
    this.#script = script;
  }

  #called(what: string, awaited: boolean): void {
    if (this.released) this.misuse.push(`${what} after release`);
    if (this.#awaits !== awaited) this.misuse.push(`${what} while a block is ${awaited ? "not " : ""}awaited`);
  }

  #answered(what: string, input: I, text: string): void {
    this.#called(what, false);
    if (!this.#asked.delete(input)) this.misuse.push(`${what} of ${String(input)}, which was not asked for`);
    this.#held = false;
    this.log.push(`${String(input)}: ${text}`);
  }

  push(input: I, batch: InputBatch): void {
    this.#answered("push", input, `${batch.length} rows`);
    this.pushed.push([input, batch]);
  }

  end(input: I): void {
    this.#answered("end", input, "end");
    this.pushed.push([input, null]);
  }

  mark(input: I, value: unknown): void {
    this.#answered("mark", input, `mark ${String(value)}`);
  }

  flush(): void {
    this.#called("flush", false);
    if (!this.#held) this.misuse.push("flush of what is not held, or after an answer");
    this.#held = false;
    this.log.push("flush");
  }

  step(): Step<I> {
    this.#called("step", false);
    const { done, value } = this.#script.next(this.#block as Uint8Array);
    const step = done ? { kind: "done" as const } : value;
    this.#awaits = step.kind === "store";
    this.#held = step.kind === "need" && step.held === true;
    if (step.kind === "need") for (const input of step.inputs) this.#asked.add(input);
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
export const need = <I = InputName>(...inputs: I[]): Step<I> => ({ kind: "need", inputs });
export const held = <I>(...inputs: I[]): Step<I> => ({ kind: "need", inputs, held: true });
export const give = (batch: RecordBatch): Step<never> => ({ kind: "batch", batch });
