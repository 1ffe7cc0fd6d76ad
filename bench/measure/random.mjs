/**
 * Deterministic numbers: the same seed gives the same bench on every machine and day.
 */

/** murmur3's finaliser: a bijection on 32-bit integers, so distinct inputs give distinct keys without a set to check them. */
export function mix32(x) {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/** @returns {(bound: number) => number} xorshift32: integers of [0, bound), bound at most 2^32 */
export function random(seed) {
  let state = mix32(seed) || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * bound);
  };
}
