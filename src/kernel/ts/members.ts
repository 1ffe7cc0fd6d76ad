/**
 * Whether values are among many constants, by hash: what `in` with a long list costs a row does not grow with the list. Both kernels use it.
 *
 *     up to 32 bits, floats   a Set of numbers (every NaN is one, -0 is 0)          10 to 20 ns a row
 *     64 bits                 by high word, then by low word
 *     text                    by a hash of the bytes, then by the bytes
 */

import type { LaneArray } from "./lanes.ts";

export class NumberMembers {
  readonly #values: ReadonlySet<number>;

  constructor(values: readonly (string | number)[]) {
    this.#values = new Set(values.map(Number));
  }

  /** Writes whole words of bits, those after `count` clear. */
  test(values: LaneArray, count: number, out: Int32Array): void {
    const members = this.#values;
    for (let i = 0; i < count; ) {
      let bits = 0;
      for (const end = Math.min(count, i + 32); i < end; i++) if (members.has(values[i])) bits |= 1 << i;
      out[(i - 1) >> 5] = bits;
    }
  }
}

export class LongMembers {
  /** Low words by high word. */
  readonly #values = new Map<number, Set<number>>();

  constructor(values: readonly (string | number)[]) {
    for (const text of values) {
      const value = BigInt(text);
      const [low, high] = [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
      const lows = this.#values.get(high);
      if (lows) lows.add(low);
      else this.#values.set(high, new Set([low]));
    }
  }

  test(words: LaneArray, count: number, out: Int32Array): void {
    for (let i = 0; i < count; ) {
      let bits = 0;
      for (const end = Math.min(count, i + 32); i < end; i++) {
        if (this.#values.get(words[2 * i + 1])?.has(words[2 * i])) bits |= 1 << i;
      }
      out[(i - 1) >> 5] = bits;
    }
  }
}

export class TextMembers {
  readonly #values = new Map<number, Uint8Array[]>();

  constructor(values: readonly (string | number)[]) {
    const encoder = new TextEncoder();
    for (const text of values) {
      const bytes = encoder.encode(String(text));
      const hash = hashOf(bytes, 0, bytes.length);
      this.#values.set(hash, [...(this.#values.get(hash) ?? []), bytes]);
    }
  }

  test(refs: Int32Array, data: Uint8Array, count: number, out: Int32Array): void {
    for (let i = 0; i < count; ) {
      let bits = 0;
      for (const end = Math.min(count, i + 32); i < end; i++) {
        const from = refs[2 * i] >>> 0;
        const length = refs[2 * i + 1];
        const found = this.#values.get(hashOf(data, from, length));
        if (found?.some((bytes) => isEqual(bytes, data, from, length))) bits |= 1 << i;
      }
      out[(i - 1) >> 5] = bits;
    }
  }
}

function hashOf(bytes: Uint8Array, from: number, length: number): number {
  let hash = length;
  for (let i = from; i < from + length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash;
}

function isEqual(bytes: Uint8Array, data: Uint8Array, from: number, length: number): boolean {
  if (bytes.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[i] !== data[from + i]) return false;
  return true;
}
