/**
 * Comparisons of numbers, 32 rows to a word of bits: i32 (u32 with its top bit flipped), 64-bit integers as two words, f64.
 *
 * An operand is an array and a mask of its row number: -1 or, where it is constant, 0. `Number(a < b)` compiles to one instruction without
 * a branch, so the order of the data does not matter. Narrow lanes and f32 are widened by the caller: one loop that meets several kinds of
 * typed array takes several times as long. Words [word, word + words) are written; bits after the last row are the caller's to clear.
 *
 * Floats: the plain comparison sums what it reads; a sum that is NaN has met a NaN, or infinities of both signs, and sends the 32 rows to
 * the full rule.
 * O(rows). ns a row on a busy machine (bench/kernels/expressions.mjs): i32 1.6, f64 1.5, i64 3.5. Four rows a step take three quarters of the
 * time of one a step; a test of each float for NaN doubles that of floats.
 */

const TOP = 0x80000000 | 0;

/** `flip` is xored into both sides: 0 for signed, the top bit for unsigned numbers. */
export function lessInts(
  a: Int32Array,
  aMask: number,
  b: Int32Array,
  bMask: number,
  flip: number,
  out: Int32Array,
  word: number,
  words: number,
): void {
  for (let w = 0; w < words; w++) {
    let bits = 0;
    for (let i = w * 32, end = i + 32; i < end; i += 4) {
      bits =
        (bits >>> 4) |
        (Number((a[i & aMask] ^ flip) < (b[i & bMask] ^ flip)) << 28) |
        (Number((a[(i + 1) & aMask] ^ flip) < (b[(i + 1) & bMask] ^ flip)) << 29) |
        (Number((a[(i + 2) & aMask] ^ flip) < (b[(i + 2) & bMask] ^ flip)) << 30) |
        (Number((a[(i + 3) & aMask] ^ flip) < (b[(i + 3) & bMask] ^ flip)) << 31);
    }
    out[word + w] = bits;
  }
}

export function equalInts(a: Int32Array, aMask: number, b: Int32Array, bMask: number, out: Int32Array, word: number, words: number): void {
  for (let w = 0; w < words; w++) {
    let bits = 0;
    for (let i = w * 32, end = i + 32; i < end; i += 4) {
      bits =
        (bits >>> 4) |
        (Number(a[i & aMask] === b[i & bMask]) << 28) |
        (Number(a[(i + 1) & aMask] === b[(i + 1) & bMask]) << 29) |
        (Number(a[(i + 2) & aMask] === b[(i + 2) & bMask]) << 30) |
        (Number(a[(i + 3) & aMask] === b[(i + 3) & bMask]) << 31);
    }
    out[word + w] = bits;
  }
}

/** Low word first; `flip` is for the high one. */
export function lessLongs(a: Int32Array, aMask: number, b: Int32Array, bMask: number, flip: number, out: Int32Array, words: number): void {
  for (let w = 0; w < words; w++) {
    let bits = 0;
    for (let i = w * 32, end = i + 32; i < end; i++) {
      const p = (i & aMask) << 1;
      const q = (i & bMask) << 1;
      const high = a[p + 1] ^ flip;
      const other = b[q + 1] ^ flip;
      // A branch, for once: high words mostly are all equal or hardly ever.
      if (high === other) bits |= Number((a[p] ^ TOP) < (b[q] ^ TOP)) << i;
      else bits |= Number(high < other) << i;
    }
    out[w] = bits;
  }
}

export function equalLongs(a: Int32Array, aMask: number, b: Int32Array, bMask: number, out: Int32Array, words: number): void {
  for (let w = 0; w < words; w++) {
    let bits = 0;
    for (let i = w * 32, end = i + 32; i < end; i++) {
      const p = (i & aMask) << 1;
      const q = (i & bMask) << 1;
      bits |= Number(((a[p] ^ b[q]) | (a[p + 1] ^ b[q + 1])) === 0) << i;
    }
    out[w] = bits;
  }
}

/** Every NaN is above everything else; -0 equals +0. */
export function lessFloats(
  a: Float64Array,
  aMask: number,
  b: Float64Array,
  bMask: number,
  out: Int32Array,
  word: number,
  words: number,
): void {
  for (let w = 0; w < words; w++) {
    let bits = 0;
    let sum = 0;
    for (let i = w * 32, end = i + 32; i < end; i += 4) {
      const a0 = a[i & aMask];
      const a1 = a[(i + 1) & aMask];
      const a2 = a[(i + 2) & aMask];
      const a3 = a[(i + 3) & aMask];
      const b0 = b[i & bMask];
      const b1 = b[(i + 1) & bMask];
      const b2 = b[(i + 2) & bMask];
      const b3 = b[(i + 3) & bMask];
      bits = (bits >>> 4) | (Number(a0 < b0) << 28) | (Number(a1 < b1) << 29) | (Number(a2 < b2) << 30) | (Number(a3 < b3) << 31);
      sum += a0 + b0 + (a1 + b1) + (a2 + b2 + (a3 + b3));
    }
    out[word + w] = Number.isNaN(sum) ? bits | lessNans(a, aMask, b, bMask, w * 32) : bits;
  }
}

/** What NaNs add to the bits of 32 rows. */
function lessNans(a: Float64Array, aMask: number, b: Float64Array, bMask: number, from: number): number {
  let bits = 0;
  for (let i = from; i < from + 32; i++) bits |= (Number(Number.isNaN(b[i & bMask])) & Number(!Number.isNaN(a[i & aMask]))) << i;
  return bits;
}

/** Every NaN equals every NaN; -0 equals +0. */
export function equalFloats(
  a: Float64Array,
  aMask: number,
  b: Float64Array,
  bMask: number,
  out: Int32Array,
  word: number,
  words: number,
): void {
  for (let w = 0; w < words; w++) {
    let bits = 0;
    let sum = 0;
    for (let i = w * 32, end = i + 32; i < end; i += 4) {
      const a0 = a[i & aMask];
      const a1 = a[(i + 1) & aMask];
      const a2 = a[(i + 2) & aMask];
      const a3 = a[(i + 3) & aMask];
      const b0 = b[i & bMask];
      const b1 = b[(i + 1) & bMask];
      const b2 = b[(i + 2) & bMask];
      const b3 = b[(i + 3) & bMask];
      bits = (bits >>> 4) | (Number(a0 === b0) << 28) | (Number(a1 === b1) << 29) | (Number(a2 === b2) << 30) | (Number(a3 === b3) << 31);
      sum += a0 + b0 + (a1 + b1) + (a2 + b2 + (a3 + b3));
    }
    out[word + w] = Number.isNaN(sum) ? bits | equalNans(a, aMask, b, bMask, w * 32) : bits;
  }
}

/** What NaNs add to the bits of 32 rows. */
function equalNans(a: Float64Array, aMask: number, b: Float64Array, bMask: number, from: number): number {
  let bits = 0;
  for (let i = from; i < from + 32; i++) bits |= (Number(Number.isNaN(b[i & bMask])) & Number(Number.isNaN(a[i & aMask]))) << i;
  return bits;
}
