/**
 * A `SwissTable`: one slot per distinct key, growing by doubling, in bounded steps.
 *
 * - `insert` does one bounded thing: rows into the table, or a slice of a growth under way; the caller calls until its rows are done.
 * - While growing, the old and the new table are both held (and counted); nothing else stops.
 * - Values are build rows (One(row)) or dense ids; `relabel` turns rows into handles once the groups are known.
 *
 *     insert --full--> growing: rehash slices of 64 k slots --> insert
 *            --no room for key bytes--> copy slices of 16 MiB --> insert
 *
 * Cost O(1) a row; growth adds at most one more insertion per key.
 */

import type { BytesKeys, Kernel, KeyBlock, Region, SwissState } from "../kernel/contract.ts";

/** Slots moved in one call: about 1 ms. */
const REHASH_SLOTS = 65536;
const COPY_BYTES = 16 << 20;
const MIN_SLOTS = 16;

/** Bytes of a fresh table touched in one call. */
const TOUCH_BYTES = 4 << 20;

/**
 * Touches the next part of a fresh table and returns where the one after begins. Otherwise the first rows, which go everywhere, would
 * fault in all of its pages in one step (64 MB: 70 ms); in order it costs the same, in parts.
 */
export function touch(kernel: Kernel, region: Region, at: number): number {
  const to = Math.min(at + TOUCH_BYTES, region.bytes);
  kernel.fill(region, 0, at, to);
  return to;
}

interface Growth {
  readonly next: SwissState;
  touched: number;
  at: number;
}

interface KeyGrowth {
  readonly next: Region;
  at: number;
}

export class SwissTable {
  readonly #kernel: Kernel;
  #state: SwissState;
  /** Bytes of the table that have been touched; all of them before the first row. */
  #touched = 0;
  #growth: Growth | null = null;
  #keyGrowth: KeyGrowth | null = null;

  /** `width` 0: byte strings, of which `expectedBytes` bytes are expected. */
  constructor(kernel: Kernel, width: number, expectedKeys: number, expectedBytes: number) {
    this.#kernel = kernel;
    this.#state = newState(kernel, width, slotsFor(kernel, width, expectedKeys));
    if (width === 0) this.#state.keyBytes = kernel.alloc(Math.max(64, expectedBytes), "the key bytes of the hash table");
  }

  get count(): number {
    return this.#state.count;
  }

  get bytes(): number {
    return this.#state.region.bytes + (this.#state.keyBytes?.bytes ?? 0);
  }

  /** A dense id that no key gets. */
  skipId(): number {
    return this.#state.count++;
  }

  /** Does one bounded piece of work; returns the first row not yet inserted. */
  insert(block: KeyBlock, from: number, to: number, base: number, out: Region, outAt: number): number {
    const state = this.#state;
    if (this.#touched < state.region.bytes || this.#growth || this.#keyGrowth) {
      if (this.#growth) this.#rehash(this.#growth);
      else if (this.#keyGrowth) this.#copyKeys(this.#keyGrowth);
      else this.#touched = touch(this.#kernel, state.region, this.#touched);
      return from;
    }
    const done = this.#kernel.insertSwiss(state, block, from, to, base, out, outAt);
    if (done < to) {
      if (state.count >= this.#kernel.swissLimit(state.width, state.slots)) this.#startGrowth();
      else this.#startKeyGrowth(block, done);
    }
    return done;
  }

  probe(block: KeyBlock, from: number, to: number, out: Region, outAt: number): void {
    this.#kernel.probeSwiss(this.#state, block, from, to, out, outAt);
  }

  /** Relabels a slice of the slots from `at` on; returns where the next begins, or -1 after the last. */
  relabel(handles: Region, at: number): number {
    const to = Math.min(at + REHASH_SLOTS, this.#state.slots);
    this.#kernel.relabelSwiss(this.#state, handles, at, to);
    return to === this.#state.slots ? -1 : to;
  }

  free(): void {
    this.#kernel.free(this.#state.region);
    if (this.#state.keyBytes) this.#kernel.free(this.#state.keyBytes);
    if (this.#growth) this.#kernel.free(this.#growth.next.region);
    if (this.#keyGrowth) this.#kernel.free(this.#keyGrowth.next);
  }

  #startGrowth(): void {
    const { width, slots } = this.#state;
    this.#growth = { next: newState(this.#kernel, width, slots * 2), touched: 0, at: 0 };
  }

  #rehash(growth: Growth): void {
    const { region } = growth.next;
    if (growth.touched < region.bytes) {
      growth.touched = touch(this.#kernel, region, growth.touched);
      return;
    }
    const old = this.#state;
    const to = Math.min(growth.at + REHASH_SLOTS, old.slots);
    growth.next.keyBytes = old.keyBytes;
    growth.next.keyBytesUsed = old.keyBytesUsed;
    this.#kernel.rehashSwiss(old, growth.next, growth.at, to);
    growth.at = to;
    if (to < old.slots) return;
    this.#kernel.free(old.region);
    // Ids that no key has count too.
    growth.next.count = old.count;
    this.#state = growth.next;
    this.#touched = region.bytes;
    this.#growth = null;
  }

  #startKeyGrowth(block: KeyBlock, row: number): void {
    const { keyBytes, keyBytesUsed } = this.#state;
    const offsets = this.#kernel.i32((block as BytesKeys).offsets);
    const needed = offsets[row + 1] - offsets[row];
    const bytes = Math.max((keyBytes as Region).bytes * 2, keyBytesUsed + needed);
    this.#keyGrowth = { next: this.#kernel.alloc(bytes, "the key bytes of the hash table"), at: 0 };
  }

  #copyKeys(growth: KeyGrowth): void {
    const state = this.#state;
    const old = state.keyBytes as Region;
    const bytes = Math.min(COPY_BYTES, state.keyBytesUsed - growth.at);
    this.#kernel.copy(growth.next, growth.at, old, growth.at, bytes);
    growth.at += bytes;
    if (growth.at < state.keyBytesUsed) return;
    this.#kernel.free(old);
    state.keyBytes = growth.next;
    this.#keyGrowth = null;
  }
}

function newState(kernel: Kernel, width: number, slots: number): SwissState {
  const region = kernel.alloc(kernel.swissBytes(width, slots), `a hash table of ${slots} slots`, true);
  return { kind: "swiss", width, slots, region, count: 0, keyBytes: null, keyBytesUsed: 0 };
}

function slotsFor(kernel: Kernel, width: number, keys: number): number {
  let slots = MIN_SLOTS;
  while (kernel.swissLimit(width, slots) < keys) slots *= 2;
  return slots;
}
