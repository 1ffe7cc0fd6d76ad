/**
 * Arithmetic on 64-bit integers, as two words a value (lowest first), and on f64.
 *
 * Invariants
 * - `failed` is clear when a loop begins, and gets the bits of rows that cannot be computed, which hardly ever are any; loops return how many.
 * - Operands have a step: one value, or 0 for a constant.
 *
 * Sums are made of words, with the carries in the top bits of what Hacker's Delight (section 2-16) gives for them. Products and quotients are made of floats
 * while they are exact, below 2^53, and of BigInt beyond. ns a row on a busy machine (bench/kernels/expressions.mjs): sums 4 to 10, products 10
 * while exact and 70 beyond.
 */

const EXACT = 2 ** 53;

/** Both views of a vector of 64-bit integers. */
export interface Longs {
  readonly words: Int32Array;
  readonly values: BigInt64Array | BigUint64Array;
}

/** a + b, or with `flip` -1, which complements b, a - b. Steps are 2 or 0. */
export function addLongs(
  a: Int32Array,
  aStep: number,
  b: Int32Array,
  bStep: number,
  flip: 0 | -1,
  signed: boolean,
  count: number,
  out: Int32Array,
  failed: Int32Array,
): number {
  let failures = 0;
  for (let i = 0, p = 0, q = 0; i < count; i++, p += aStep, q += bStep) {
    const low = a[p];
    const other = b[q] ^ flip;
    const lowSum = (((low + other) | 0) - (flip | 0)) | 0;
    const high = a[p + 1];
    const otherHigh = b[q + 1] ^ flip;
    const sum = (high + otherHigh + (carryOf(low, other, lowSum) >>> 31)) | 0;
    out[2 * i] = lowSum;
    out[2 * i + 1] = sum;
    // Signed: both have a sign that the sum has not. Unsigned: a carry of a sum, none of a difference.
    const beyond = signed ? (high ^ sum) & (otherHigh ^ sum) : carryOf(high, otherHigh, sum) ^ flip;
    if (beyond < 0) {
      failed[i >> 5] |= 1 << i;
      failures++;
    }
  }
  return failures;
}

/** The top bit is the carry out of a sum of two words. */
function carryOf(a: number, b: number, sum: number): number {
  return (a & b) | ((a | b) & ~sum);
}

/** Only the smallest signed integer has none. */
export function absLongs(a: Int32Array, step: number, signed: boolean, count: number, out: Int32Array, failed: Int32Array): number {
  let failures = 0;
  for (let i = 0, p = 0; i < count; i++, p += step) {
    const sign = signed ? a[p + 1] >> 31 : 0;
    const low = ((a[p] ^ sign) - sign) | 0;
    const high = ((a[p + 1] ^ sign) + (sign & Number(low === 0))) | 0;
    out[2 * i] = low;
    out[2 * i + 1] = high;
    if (signed && high < 0) {
      failed[i >> 5] |= 1 << i;
      failures++;
    }
  }
  return failures;
}

/** Products, quotients towards zero and remainders, and sums whose operands differ in sign. Steps are 1 or 0 values. */
export function multiplyLongs(
  op: "add" | "sub" | "mul" | "div" | "mod",
  a: Longs,
  aStep: number,
  aSigned: boolean,
  b: Longs,
  bStep: number,
  bSigned: boolean,
  count: number,
  out: Longs,
  failed: Int32Array,
): number {
  const left = a.words;
  const right = b.words;
  const words = out.words;
  let failures = 0;
  for (let i = 0, p = 0, q = 0; i < count; i++, p += aStep, q += bStep) {
    const high = left[2 * p + 1];
    const otherHigh = right[2 * q + 1];
    if (op === "mod") {
      const low = left[2 * p];
      const by = right[2 * q];
      // Numbers of 32 bits, as most are: 6 ns against 16.
      if (high === low >> 31 && otherHigh === by >> 31 && by !== 0 && (aSigned || high === 0) && (bSigned || otherHigh === 0)) {
        const rest = (low % by) | 0;
        words[2 * i] = rest;
        words[2 * i + 1] = rest >> 31;
        continue;
      }
    }
    const x = (aSigned ? high : high >>> 0) * 2 ** 32 + (left[2 * p] >>> 0);
    const y = (bSigned ? otherHigh : otherHigh >>> 0) * 2 ** 32 + (right[2 * q] >>> 0);
    let result = x * y;
    if (op !== "mul") {
      const quotient = Math.trunc(x / y);
      const rounded = op === "div" ? quotient : op === "mod" ? x - quotient * y : op === "add" ? x + y : x - y;
      result = Math.abs(x) < EXACT && Math.abs(y) < EXACT ? rounded : EXACT;
    }
    // A product below 2^53 has factors below it, or is 0: neither was rounded.
    let fails = y === 0 && (op === "div" || op === "mod");
    if (Math.abs(result) < EXACT) {
      words[2 * i] = result;
      words[2 * i + 1] = Math.floor(result / 2 ** 32);
    } else if (!fails) {
      const [v, w] = [a.values[p], b.values[q]];
      const exact = op === "mul" ? v * w : op === "div" ? v / w : op === "mod" ? v % w : op === "add" ? v + w : v - w;
      out.values[i] = exact;
      fails = out.values[i] !== exact;
    }
    if (fails) {
      failed[i >> 5] |= 1 << i;
      failures++;
    }
  }
  return failures;
}

export type FloatOp = "add" | "sub" | "mul" | "div" | "mod" | "neg" | "abs";

export function computeFloats(
  op: FloatOp,
  a: Float64Array,
  aStep: number,
  b: Float64Array,
  bStep: number,
  count: number,
  out: Float64Array,
): void {
  let [i, p, q] = [0, 0, 0];
  switch (op) {
    case "add":
      for (; i < count; i++, p += aStep, q += bStep) out[i] = a[p] + b[q];
      return;
    case "sub":
      for (; i < count; i++, p += aStep, q += bStep) out[i] = a[p] - b[q];
      return;
    case "mul":
      for (; i < count; i++, p += aStep, q += bStep) out[i] = a[p] * b[q];
      return;
    case "div":
      for (; i < count; i++, p += aStep, q += bStep) out[i] = a[p] / b[q];
      return;
    case "mod":
      for (; i < count; i++, p += aStep, q += bStep) out[i] = a[p] % b[q];
      return;
    case "neg":
      for (; i < count; i++, p += aStep) out[i] = -a[p];
      return;
    case "abs":
      for (; i < count; i++, p += aStep) out[i] = Math.abs(a[p]);
  }
}

/** Rows that divide by zero. */
export function failZeros(divisors: Float64Array, step: number, count: number, failed: Int32Array): number {
  let failures = 0;
  for (let i = 0, p = 0; i < count; i++, p += step) {
    if (divisors[p] !== 0) continue;
    failed[i >> 5] |= 1 << i;
    failures++;
  }
  return failures;
}

/**
 * Rounded down. Powers of two are shifted away, what remains of the divisor divides digits of 32, 16 and 16 bits, highest first: exact while
 * it is below 2^37, which units of time are (a day of nanoseconds has 2^16). BigInt beyond.
 */
export function floorDivide(src: Longs, divisor: bigint, count: number, out: Longs): void {
  let [rest, shift] = [divisor, 0];
  for (; shift < 31 && (rest & 1n) === 0n; rest >>= 1n) shift++;
  if (rest >= 2n ** 37n) {
    for (let i = 0; i < count; i++) {
      const value = src.values[i];
      const quotient = value / divisor;
      out.values[i] = quotient * divisor > value ? quotient - 1n : quotient;
    }
    return;
  }
  const by = Number(rest);
  const { words } = src;
  for (let i = 0; i < count; i++) {
    const high = words[2 * i + 1];
    const low = shift === 0 ? words[2 * i] : (words[2 * i] >>> shift) | (high << (32 - shift));
    const top = Math.floor((high >> shift) / by);
    const middleOf = ((high >> shift) - top * by) * 65536 + (low >>> 16);
    const middle = Math.floor(middleOf / by);
    const bottom = Math.floor(((middleOf - middle * by) * 65536 + (low & 0xffff)) / by);
    out.words[2 * i] = (middle << 16) + bottom;
    out.words[2 * i + 1] = top;
  }
}
