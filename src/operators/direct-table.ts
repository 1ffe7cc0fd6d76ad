/**
 * A `DirectTable`: integer keys addressed by value, one 4-byte cell for each key from the smallest to the largest. No hash, no
 * comparison, one cache line a probe; chosen whenever the range allows. Same steps as `SwissTable`, but it never grows.
 */

import type { DirectState, FixedKeys, Kernel, KeyBlock, Region } from "../kernel/contract.ts";
import { touch } from "./swiss-table.ts";

const RELABEL_CELLS = 65536;

export class DirectTable {
  readonly #kernel: Kernel;
  readonly #state: DirectState;
  #touched = 0;

  constructor(kernel: Kernel, width: 4 | 8, signed: boolean, min: bigint, range: number) {
    this.#kernel = kernel;
    const region = kernel.alloc(4 * range, `a direct table of ${range} cells`, true);
    this.#state = { kind: "direct", width, signed, min, range, region, count: 0 };
  }

  get count(): number {
    return this.#state.count;
  }

  get bytes(): number {
    return this.#state.region.bytes;
  }

  insert(block: KeyBlock, from: number, to: number, base: number, out: Region, outAt: number): number {
    const { region } = this.#state;
    if (this.#touched < region.bytes) {
      this.#touched = touch(this.#kernel, region, this.#touched);
      return from;
    }
    this.#kernel.insertDirect(this.#state, block as FixedKeys, from, to, base, out, outAt);
    return to;
  }

  probe(block: KeyBlock, from: number, to: number, out: Region, outAt: number): void {
    this.#kernel.probeDirect(this.#state, block as FixedKeys, from, to, out, outAt);
  }

  /** Relabels a slice from `at` on; returns where the next begins, or -1 after the last. */
  relabel(handles: Region, at: number): number {
    const to = Math.min(at + RELABEL_CELLS, this.#state.range);
    this.#kernel.relabelDirect(this.#state, handles, at, to);
    return to === this.#state.range ? -1 : to;
  }
}
