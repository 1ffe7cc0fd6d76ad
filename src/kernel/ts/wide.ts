/**
 * 256-bit integers: compared with each other and with floats, made from narrower ones, turned into floats.
 *
 *     | word 0 (lowest) | word 1 | ... | word 7 (has the sign) |      eight i32, two's complement
 *
 * Invariant: every answer is exact. A float and a wide integer are compared as floats where the error of that cannot decide; only what is
 * closer takes BigInt (about 1 µs a row), as does a quotient of more than 53 bits. Cost: O(1) a row,
 * 20 ns, 150 where a product is made digit by digit.
 */

const WORDS = 8;
/** Integers below are exact as floats; so are powers of ten up to 10^22. */
const EXACT = 2 ** 53;
const EXACT_SCALE = 22;
/** More than the 10 roundings of 2^-53 that `approximate` and a division make, each relative. */
const ERROR = 2 ** -48;

/** Steps are 8 words or, for a constant, 0. Writes whole words of bits, those after `count` clear. */
export function compareWides(
  less: boolean,
  a: Int32Array,
  aStep: number,
  b: Int32Array,
  bStep: number,
  count: number,
  out: Int32Array,
): void {
  for (let i = 0, p = 0, q = 0; i < count; ) {
    let bits = 0;
    for (const end = Math.min(count, i + 32); i < end; i++, p += aStep, q += bStep) {
      let k = WORDS - 1;
      while (k > 0 && a[p + k] === b[q + k]) k--;
      const x = a[p + k];
      const y = b[q + k];
      const holds = !less ? x === y : k === WORDS - 1 ? x < y : x >>> 0 < y >>> 0;
      if (holds) bits |= 1 << i;
    }
    out[(i - 1) >> 5] = bits;
  }
}

/** Floats (step 1 or 0) against wide integers (step 8 or 0) times 10^-scale. */
export function compareScaled(
  less: boolean,
  floats: Float64Array,
  floatStep: number,
  wides: Int32Array,
  wideStep: number,
  scale: number,
  floatFirst: boolean,
  count: number,
  out: Int32Array,
): void {
  const power = powerOfTen(scale);
  for (let i = 0, p = 0, q = 0; i < count; ) {
    let bits = 0;
    for (const end = Math.min(count, i + 32); i < end; i++, p += floatStep, q += wideStep) {
      const order = orderScaled(floats[p], wides, q, scale, power);
      if (!less ? order === 0 : floatFirst ? order < 0 : order > 0) bits |= 1 << i;
    }
    out[(i - 1) >> 5] = bits;
  }
}

/** Has the sign of x minus the wide integer at `at` times 10^-scale. */
function orderScaled(x: number, words: Int32Array, at: number, scale: number, power: number): number {
  if (Number.isNaN(x)) return 1;
  const wide = approximate(words, at);
  if (scale >= 0 && scale <= EXACT_SCALE && Math.abs(wide) < EXACT) {
    // Rounding keeps the order, and `wide` is exact: unequal after it is unequal before.
    const product = x * power;
    return product === wide ? productError(x, power, product) : product - wide;
  }
  const quotient = wide / power;
  const difference = x - quotient;
  if (Math.abs(difference) > Math.abs(quotient) * ERROR) return difference;
  // x is finite, and a power of two times it an integer.
  let shift = 0n;
  for (; !Number.isInteger(x); x *= 2) shift++;
  const ten = 10n ** BigInt(Math.abs(scale));
  const left = BigInt(x) * (scale > 0 ? ten : 1n);
  const right = (bigOf(words, at) * (scale < 0 ? ten : 1n)) << shift;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Exactly a * b - product, where `product` is that rounded (Dekker, A floating-point technique for extending the available precision, 1971). */
function productError(a: number, b: number, product: number): number {
  const SPLITTER = 2 ** 27 + 1;
  const aHigh = SPLITTER * a - (SPLITTER * a - a);
  const bHigh = SPLITTER * b - (SPLITTER * b - b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

/** With a relative error of at most 9 roundings; exact where the result is below 2^53 in magnitude. */
function approximate(words: Int32Array, at: number): number {
  const sign = words[at + WORDS - 1] >> 31;
  let magnitude = 0;
  for (let k = at + WORDS - 1; k >= at; k--) magnitude = magnitude * 2 ** 32 + ((words[k] ^ sign) >>> 0);
  return sign === 0 ? magnitude : -(magnitude + 1);
}

function bigOf(words: Int32Array, at: number): bigint {
  let value = BigInt(words[at + WORDS - 1]);
  for (let k = at + WORDS - 2; k >= at; k--) value = (value << 32n) | BigInt(words[k] >>> 0);
  return value;
}

/** `10 ** n` may be off by a unit in the last place; a literal is not. */
function powerOfTen(exponent: number): number {
  return Number(`1e${exponent}`);
}

/** Wide integers times 10^-scale: one exact division rounds once; else the text of the number does. */
export function unscale(words: Int32Array, scale: number, count: number, out: Float64Array): void {
  const power = powerOfTen(scale);
  for (let i = 0; i < count; i++) {
    const wide = approximate(words, i * WORDS);
    const exact = scale >= 0 && scale <= EXACT_SCALE && Math.abs(wide) < EXACT;
    out[i] = exact ? wide / power : Number(`${bigOf(words, i * WORDS)}e${-scale}`);
  }
}

/**
 * Integers of `width` words, times `factor`, saturating. A product from 2^53 on is made of 16-bit digits of the magnitudes, lowest first: a
 * digit times a digit plus two digits is below 2^32. `row` is where the first result goes.
 */
export function widenWords(
  src: Int32Array,
  width: number,
  signed: boolean,
  factor: bigint,
  count: number,
  out: Int32Array,
  row: number,
): void {
  const factors = digitsOf(factor);
  const by = Number(factor);
  const digits = new Int32Array(4 * WORDS);
  for (let i = 0, p = 0, q = row * WORDS; i < count; i++, p += width, q += WORDS) {
    const top = src[p + width - 1];
    const sign = signed ? top >> 31 : 0;
    for (let k = 0; k < WORDS; k++) out[q + k] = k < width ? src[p + k] : sign;
    if (factor === 1n) continue;
    const value = width > 2 ? EXACT : (signed ? top : top >>> 0) * (width === 2 ? 2 ** 32 : 1) + (width === 2 ? src[p] >>> 0 : 0);
    const product = value * by;
    // Below 2^53 both factors are, or one is 0: nothing was rounded.
    if (Math.abs(product) < EXACT) {
      out[q] = product;
      out[q + 1] = Math.floor(product / 2 ** 32);
    } else multiply(out, q, sign, 2 * width, factors, digits);
  }
}

function digitsOf(value: bigint): number[] {
  const digits: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 16n) digits.push(Number(rest & 0xffffn));
  return digits;
}

/** The integer at `at`, of at most `used` digits, times `factors`. */
function multiply(words: Int32Array, at: number, sign: number, used: number, factors: readonly number[], digits: Int32Array): void {
  digits.fill(0);
  let carry = sign & 1;
  // One digit more: the magnitude of the smallest integer of a width.
  for (let i = 0; i <= used && i < 2 * WORDS; i++) {
    carry += ((words[at + (i >> 1)] ^ sign) >>> (16 * (i & 1))) & 0xffff;
    const digit = carry & 0xffff;
    carry >>= 16;
    if (digit === 0) continue;
    let high = 0;
    for (let j = 0; j < factors.length || high > 0; j++) {
      const sum = digits[i + j] + high + (j < factors.length ? digit * factors[j] : 0);
      digits[i + j] = sum & 0xffff;
      high = sum >>> 16;
    }
  }
  let beyond = digits[2 * WORDS - 1] >> 15;
  for (let i = 2 * WORDS; i < digits.length; i++) beyond |= digits[i];
  let borrow = sign & 1;
  for (let k = 0; k < WORDS; k++) {
    // The largest is all ones but the sign; the smallest its complement.
    let word = beyond ? (k === WORDS - 1 ? 0x7fffffff : -1) : digits[2 * k] | (digits[2 * k + 1] << 16);
    word ^= sign;
    if (!beyond) {
      word = (word + borrow) | 0;
      borrow &= Number(word === 0);
    }
    words[at + k] = word;
  }
}
