/**
 * Stream inputs that answer when a test says so: each is a list of batches and watermarks, and a pull waits until `deliver` gives it the next
 * of them, or the end. What has been delivered is what a join can know.
 */

import type { RecordBatch, Schema } from "apache-arrow";
import type { Cell } from "./cell.ts";

export type Item = RecordBatch | { readonly watermark: number | bigint | Date };

/** A watermark's value as a cell of the time column, beside the item that is yielded. */
export interface Planned {
  readonly item: Item;
  readonly cell: Cell;
}

export class Scheduled {
  readonly schema: Schema;
  /** What the join knows. */
  readonly known: { rows: number; watermark: Cell; ended: boolean } = { rows: 0, watermark: null, ended: false };
  pulls = 0;
  returns = 0;
  readonly batches: AsyncIterableIterator<Item>;
  readonly #plan: readonly Planned[];
  #at = 0;
  #answer: ((result: IteratorResult<Item>) => void) | null = null;

  constructor(schema: Schema, plan: readonly Planned[]) {
    this.schema = schema;
    this.#plan = plan;
    this.batches = {
      [Symbol.asyncIterator]: () => this.batches,
      next: () => {
        this.pulls++;
        if (this.#answer) throw new Error("an input is pulled while a pull of it is in flight");
        return new Promise<IteratorResult<Item>>((resolve) => {
          this.#answer = resolve;
        });
      },
      return: async () => {
        this.returns++;
        return { done: true, value: undefined };
      },
    };
  }

  /** A pull waits for what comes next. */
  get waits(): boolean {
    return this.#answer !== null;
  }

  deliver(): void {
    const answer = this.#answer as (result: IteratorResult<Item>) => void;
    this.#answer = null;
    const planned = this.#plan[this.#at++];
    if (planned === undefined) {
      this.known.ended = true;
      answer({ done: true, value: undefined });
      return;
    }
    const { item, cell } = planned;
    if ("watermark" in item) {
      const { watermark } = this.known;
      if (watermark === null || (cell as number | bigint) > (watermark as number | bigint)) this.known.watermark = cell;
    } else this.known.rows += item.numRows;
    answer({ done: false, value: item });
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits until `state` has stayed the same for some turns of the event loop: everything that can happen has happened. */
export async function quiet(state: () => string): Promise<void> {
  let before = state();
  for (let same = 0; same < 4; ) {
    await turn();
    const now = state();
    same = now === before ? same + 1 : 0;
    before = now;
  }
}
