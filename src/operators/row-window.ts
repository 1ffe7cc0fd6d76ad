/**
 * `RowWindow`: times and key ids of right rows that are still to come or still to be looked at, in row order; those at the front are dropped as
 * time passes them.
 *
 *     row      0 ............ low ................ end ...... capacity
 *              dead           alive                free
 *
 * When there is no room it is moved to the front, or into regions twice as large: O(1) a row on average. Whoever holds rows of the window is
 * told by how much they moved.
 */

import { CHUNK_ROWS, type Kernel, type Region } from "../kernel/contract.ts";
import { TIME_BYTES } from "./time-loader.ts";

const PART = "the right rows within reach";

export class RowWindow {
  readonly #kernel: Kernel;
  readonly #links: number;
  #capacity = CHUNK_ROWS;
  times: Region;
  ids: Region;
  /** i32 a row each: the next row of the key, the one before. */
  links: Region[];
  end = 0;

  /** `links`: how many i32 a row there are beside the id. */
  constructor(kernel: Kernel, links: number) {
    this.#kernel = kernel;
    this.#links = links;
    [this.times, this.ids, ...this.links] = this.#make(this.#capacity);
  }

  get capacity(): number {
    return this.#capacity;
  }

  #make(rows: number): [Region, Region, ...Region[]] {
    const alloc = (bytes: number) => this.#kernel.alloc(bytes * rows, PART);
    return [alloc(TIME_BYTES), alloc(4), ...Array.from({ length: this.#links }, () => alloc(4))];
  }

  /** The ids of the `rows` rows that come next; null: all are of key 0. */
  putIds(ids: Region | null, rows: number): void {
    if (ids) this.#kernel.copy(this.ids, 4 * this.end, ids, 0, 4 * rows);
    else this.#kernel.fill(this.ids, 0, 4 * this.end, 4 * (this.end + rows));
  }

  /** Makes room for `rows` more; rows before `low` may go. Returns how far rows moved to the front. */
  makeRoom(rows: number, low: number): number {
    if (this.end + rows <= this.#capacity) return 0;
    const alive = this.end - low;
    const old = [this.times, this.ids, ...this.links];
    // In place only where what is copied does not meet where it goes.
    const fits = alive <= low && alive + rows <= this.#capacity / 2;
    if (!fits) {
      this.#capacity = Math.max(CHUNK_ROWS, alive + rows, Math.min(2 * (alive + rows), 2 * this.#capacity));
      [this.times, this.ids, ...this.links] = this.#make(this.#capacity);
    }
    [this.times, this.ids, ...this.links].forEach((to, i) => {
      const bytes = i === 0 ? TIME_BYTES : 4;
      if (alive > 0) this.#kernel.copy(to, 0, old[i], bytes * low, bytes * alive);
      if (!fits) this.#kernel.free(old[i]);
    });
    this.end = alive;
    return low;
  }
}

/** Row numbers that moved to the front by `shift`: those of rows that are gone become negative but for NONE, which stays. */
export function shiftRows(rows: Int32Array, shift: number): void {
  for (let i = 0; i < rows.length; i++) if (rows[i] >= 0) rows[i] = rows[i] < shift ? -1 : rows[i] - shift;
}
