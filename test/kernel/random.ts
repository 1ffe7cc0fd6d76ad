/** Seeded random data for the kernel suite: the same run every time, any value reachable. */

export interface Random {
  /** An integer in [0, bound). */
  below(bound: number): number;
  i32(): number;
  chance(probability: number): boolean;
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/** mulberry32. */
export function random(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return (x ^ (x >>> 14)) >>> 0;
  };
  return {
    below: (bound) => Math.floor((next() / 2 ** 32) * bound),
    i32: () => next() | 0,
    chance: (probability) => next() / 2 ** 32 < probability,
    bytes: (length) => Uint8Array.from({ length }, () => next() & 0xff),
  };
}

/** `count` booleans, true with the probability given. */
export function flags(r: Random, count: number, probability: number): boolean[] {
  return Array.from({ length: count }, () => r.chance(probability));
}

/** `count` cells of `width` bytes drawn from `distinct` random ones; row i's key is cell number `ids[i]`. */
export function cells(r: Random, width: number, count: number, distinct: number): { bytes: Uint8Array; ids: Int32Array } {
  const pool = r.bytes(width * distinct);
  // Neighbours in value, which a weak hash would cluster, and cells that differ in one byte only.
  for (let i = 0; i < distinct; i += 2) {
    pool.fill(0, i * width, (i + 1) * width);
    const at = i * width + (i % 4 === 0 ? 0 : width - 4);
    new DataView(pool.buffer).setUint32(at, i, true);
  }
  const ids = Int32Array.from({ length: count }, () => r.below(distinct));
  const bytes = new Uint8Array(width * count);
  for (let i = 0; i < count; i++) bytes.set(pool.subarray(ids[i] * width, (ids[i] + 1) * width), i * width);
  return { bytes, ids };
}

/** `count` byte strings drawn from `distinct` ones of length 0 to `longest`, many with a common prefix. */
export function strings(r: Random, count: number, distinct: number, longest: number): Uint8Array[] {
  const prefix = r.bytes(longest);
  const pool = Array.from({ length: distinct }, () => {
    const text = r.bytes(r.below(longest + 1));
    if (r.chance(0.5)) text.set(prefix.subarray(0, Math.max(0, text.length - 4)));
    return text;
  });
  return Array.from({ length: count }, () => pool[r.below(distinct)]);
}
