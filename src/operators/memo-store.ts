/**
 * `MemoStore`: for each key the last right row so far and its time, as flat arrays by key id: 4 bytes a key, 20 where times are asked for.
 */

import type { Memo, TimePoint } from "../kernel/asof-contract.ts";
import { type Kernel, NONE, type Region } from "../kernel/contract.ts";
import { exceeds } from "../kernel/time-gaps.ts";
import { TIME_BYTES } from "./time-loader.ts";

const PART = "the last rows by key";

/** An i32 by key id, NONE at first, that grows with the ids. */
export class ByKey {
  readonly #kernel: Kernel;
  region: Region;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.region = this.#make(1024);
  }

  ensure(keys: number): void {
    const { bytes } = this.region;
    if (4 * keys <= bytes) return;
    const old = this.region;
    this.region = this.#make(Math.max(keys, bytes >> 1));
    this.#kernel.copy(this.region, 0, old, 0, bytes);
    this.#kernel.free(old);
  }

  get values(): Int32Array {
    return this.#kernel.i32(this.region);
  }

  #make(keys: number): Region {
    const region = this.#kernel.alloc(4 * keys, PART);
    this.#kernel.fill(region, 255, 0, region.bytes);
    return region;
  }
}

export class MemoStore implements Memo {
  readonly #kernel: Kernel;
  readonly #rows: ByKey;
  times: Region | null;

  constructor(kernel: Kernel, timed: boolean) {
    this.#kernel = kernel;
    this.#rows = new ByKey(kernel);
    this.times = timed ? kernel.alloc(TIME_BYTES * 1024, PART) : null;
  }

  get rows(): Region {
    return this.#rows.region;
  }

  ensure(keys: number): void {
    this.#rows.ensure(keys);
    const old = this.times;
    const bytes = (this.rows.bytes >> 2) * TIME_BYTES;
    if (!old || old.bytes >= bytes) return;
    this.times = this.#kernel.alloc(bytes, PART);
    this.#kernel.copy(this.times, 0, old, 0, old.bytes);
    this.#kernel.free(old);
  }

  /** The rows of keys [0, keys), NONE where there is none. */
  values(keys: number): Int32Array {
    return this.#rows.values.subarray(0, keys);
  }

  /** Forgets rows that are more than `before` before `time`: no later left row reaches them. Needs times. */
  forget(keys: number, time: TimePoint, before: TimePoint, base: number): void {
    const rows = this.values(keys);
    const times = this.#kernel.f64(this.times as Region);
    const { major, minor } = time;
    for (let key = 0; key < keys; key++) {
      if (rows[key] !== NONE && exceeds(major, minor, times[2 * key], times[2 * key + 1], before, base)) rows[key] = NONE;
    }
  }
}
