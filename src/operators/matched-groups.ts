/**
 * `MatchedGroups`: the build rows of each key that occurs more than once, contiguous, in row order: count -> prefix sum -> scatter.
 *
 *     reps     0 1 0 3 1 0      first row with the same key
 *     handles  Multi(0) Multi(1) . One(3) . .
 *     offsets  0 3 5            rows  0 2 5 | 1 4
 *
 * Three passes over the rows, each in chunks: O(rows), 12 bytes a row while it works, 4 bytes a duplicate row afterwards.
 */

import { CHUNK_ROWS, type Groups, type Kernel, type Region } from "../kernel/contract.ts";

type State = { at: "count"; row: number } | { at: "number"; row: number } | { at: "scatter"; row: number } | { at: "done" };

/** Rows of one call: about half a millisecond where every row is a cache miss. */
const PASS_ROWS = CHUNK_ROWS;

export class MatchedGroups {
  readonly #kernel: Kernel;
  readonly #reps: Region;
  readonly #rows: number;
  #counts: Region;
  #state: State = { at: "count", row: 0 };
  #duplicates = 0;
  #groups = 0;
  #next = { group: 0, start: 0 };
  #offsets: Region | null = null;
  #members: Region | null = null;

  constructor(kernel: Kernel, reps: Region, rows: number) {
    this.#kernel = kernel;
    this.#reps = reps;
    this.#rows = rows;
    this.#counts = kernel.alloc(4 * rows, "the matched groups", true);
  }

  /** Handle of each representative row: valid once done, until `freeHandles`. */
  get handles(): Region {
    return this.#counts;
  }

  get groupCount(): number {
    return this.#groups;
  }

  get groups(): Groups {
    return { offsets: this.#offsets as Region, rows: this.#members as Region };
  }

  /** One bounded pass piece; true when done. */
  step(): boolean {
    const state = this.#state;
    if (state.at === "done") return true;
    const to = Math.min(state.row + PASS_ROWS, this.#rows);
    const kernel = this.#kernel;
    if (state.at === "count") {
      const added = kernel.countDuplicates(this.#reps, state.row, to, this.#counts);
      this.#duplicates += added.duplicates;
      this.#groups += added.groups;
    } else if (state.at === "number") {
      kernel.numberGroups(this.#counts, state.row, to, this.#next, this.#offsets as Region);
    } else {
      kernel.scatterGroups(this.#reps, this.#counts, state.row, to, this.#offsets as Region, this.#members as Region);
    }
    state.row = to;
    if (to === this.#rows) this.#advance(state.at);
    return false;
  }

  freeHandles(): void {
    this.#kernel.free(this.#counts);
  }

  #advance(from: "count" | "number" | "scatter"): void {
    if (from === "count") {
      this.#offsets = this.#kernel.alloc(4 * (this.#groups + 1), "the matched groups");
      this.#members = this.#kernel.alloc(4 * (this.#duplicates + this.#groups), "the matched groups");
      this.#kernel.i32(this.#offsets)[0] = 0;
      this.#state = { at: "number", row: 0 };
    } else if (from === "number") this.#state = { at: "scatter", row: 0 };
    else this.#state = { at: "done" };
  }
}
