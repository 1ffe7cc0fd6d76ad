/**
 * A `DirectTable`: integer keys addressed by value, one 4-byte cell for each key from the smallest to the largest. No hash, no
 * comparison, one cache line a probe; chosen whenever the range allows. Same steps as `SwissTable`; it grows only when it is told to.
 */

import type { DirectState, FixedKeys, Kernel, KeyBlock, Region } from "../kernel/contract.ts";
import { touch } from "./swiss-table.ts";

const RELABEL_CELLS = 65536;

export class DirectTable {
  readonly #kernel: Kernel;
  #state: DirectState;
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

  /** A dense id that no key gets. */
  skipId(): number {
    return this.#state.count++;
  }

  get min(): bigint {
    return this.#state.min;
  }

  get range(): number {
    return this.#state.range;
  }

  /** Covers keys from `min` on, `range` of them: the ones so far, and others. Old and new cells are both held meanwhile. */
  extend(min: bigint, range: number): void {
    const { region, min: before } = this.#state;
    const next = this.#kernel.alloc(4 * range, `a direct table of ${range} cells`, true);
    this.#kernel.copy(next, 4 * Number(before - min), region, 0, 4 * this.#state.range);
    this.#kernel.free(region);
    this.#state = { ...this.#state, min, range, region: next };
    this.#touched = next.bytes;
  }

  /** By dense id the key's distance from `min`, -1 for ids that no key has. O(range). */
  keysById(): Int32Array {
    const { region, range, count } = this.#state;
    const keys = new Int32Array(count).fill(-1);
    const cells = this.#kernel.i32(region);
    for (let i = 0; i < range; i++) if (cells[i] !== 0) keys[~cells[i]] = i;
    return keys;
  }

  free(): void {
    this.#kernel.free(this.#state.region);
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
