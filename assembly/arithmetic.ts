/**
 * Arithmetic on vectors of 64-bit integers and f64, with a bitmap of the rows that cannot be computed; bitmaps combined; bits as bytes.
 *
 * - Steps are 16 bytes, 0 for a constant, which is repeated. The last pair of rows may be half one: what lay behind it is put back.
 * - Sums overflow as the signs say (Hacker's Delight, section 2-13); a difference is the sum with the complement, and one.
 * - A product's float tells how large it is but for 2^-50 of it. Where that leaves the question open, near the bound, the top bit of the
 *   64 bits kept answers it: what is just beyond the bound has wrapped to the other end.
 *
 * O(rows). ns a row on a busy machine (bench/kernels/expressions.mjs): floats 0.4, against 1.6 where one loop chooses the operation for each
 * pair; sums of integers 1.7, products 3.5, remainders 1.5.
 */
import { clearAfter } from "./compare";

const ADD: i32 = 0;
const SUB: i32 = 1;
const MUL: i32 = 2;
const DIV: i32 = 3;
const NEG: i32 = 4;
const ABS: i32 = 5;
const MOD: i32 = 6;

/** Two rows; the sign bits of what is returned are those that failed. `flip`: ones complement b, whose difference it is then. */
@inline
function sum(a: v128, b: v128, flip: v128, unsigned: bool, out: usize): v128 {
  b = v128.xor(b, flip);
  const r = i64x2.sub(i64x2.add(a, b), flip);
  v128.store(out, r);
  if (unsigned) return v128.xor(v128.or(v128.and(a, b), v128.andnot(v128.or(a, b), r)), flip);
  return v128.and(v128.xor(a, r), v128.xor(b, r));
}

/** Eight rows, of which it is first asked whether any failed: their bits. */
@inline
function sums(a: usize, aStep: usize, b: usize, bStep: usize, flip: v128, unsigned: bool, out: usize): i32 {
  const f0 = sum(v128.load(a), v128.load(b), flip, unsigned, out);
  const f1 = sum(v128.load(a + aStep), v128.load(b + bStep), flip, unsigned, out + 16);
  const f2 = sum(v128.load(a + 2 * aStep), v128.load(b + 2 * bStep), flip, unsigned, out + 32);
  const f3 = sum(v128.load(a + 3 * aStep), v128.load(b + 3 * bStep), flip, unsigned, out + 48);
  if (!i64x2.bitmask(v128.or(v128.or(f0, f1), v128.or(f2, f3)))) return 0;
  return i64x2.bitmask(f0) | (i64x2.bitmask(f1) << 2) | (i64x2.bitmask(f2) << 4) | (i64x2.bitmask(f3) << 6);
}

/** `op` is a constant: a loop for each. */
@inline
function floats(op: i32, a: usize, aStep: usize, b: usize, bStep: usize, out: usize, end: usize): void {
  for (; out < end; a += aStep, b += bStep, out += 16) {
    const x = v128.load(a);
    const y = v128.load(b);
    if (op == ADD) v128.store(out, f64x2.add(x, y));
    else if (op == SUB) v128.store(out, f64x2.sub(x, y));
    else if (op == MUL) v128.store(out, f64x2.mul(x, y));
    else if (op == DIV) v128.store(out, f64x2.div(x, y));
    else v128.store(out, op == NEG ? f64x2.neg(x) : f64x2.abs(x));
  }
}

/** op: add, sub, mul, div, neg, abs. None fails but a quotient, see `compare` with zero. */
export function computeFloats(op: i32, a: usize, aStep: usize, b: usize, bStep: usize, count: i32, out: usize): void {
  const end = out + (<usize>count << 3);
  const saved = load<u64>(end);
  if (op == ADD) floats(ADD, a, aStep, b, bStep, out, end);
  else if (op == SUB) floats(SUB, a, aStep, b, bStep, out, end);
  else if (op == MUL) floats(MUL, a, aStep, b, bStep, out, end);
  else if (op == DIV) floats(DIV, a, aStep, b, bStep, out, end);
  else if (op == NEG) floats(NEG, a, aStep, b, bStep, out, end);
  else floats(ABS, a, aStep, b, bStep, out, end);
  store<u64>(end, saved);
}

/** One row: a product or a quotient. */
@inline
function scaled(op: i32, a: i64, b: i64, unsigned: bool, out: usize): i32 {
  if (op == MUL) {
    const r = a * b;
    store<i64>(out, r);
    // 1.5 times the bound is beyond all doubt, and so is three quarters of it.
    if (unsigned) {
      const product = <f64><u64>a * <f64><u64>b;
      return i32(product >= 27670116110564327424.0) | (i32(product > 13835058055282163712.0) & i32(r >= 0));
    }
    const product = <f64>a * <f64>b;
    return i32(abs(product) > 13835058055282163712.0) | (i32(r < 0) ^ i32(product < 0));
  }
  const fails = b == 0 || (!unsigned && b == -1 && a == i64.MIN_VALUE);
  const by = fails ? 1 : b;
  store<i64>(out, unsigned ? <i64>(<u64>a / <u64>by) : a / by);
  return i32(fails);
}

/** Below this bound of either sign a 64-bit integer is made a float, and back, by adding a number whose last bit counts ones. */
const BOUND: i64 = 1 << 51;
const ONES: i64 = 0x4338000000000000;

/** As a float, of an integer within the bound. */
@inline
function asFloat(a: v128): v128 {
  const ones = i64x2.splat(ONES);
  return f64x2.sub(i64x2.add(a, ones), ones);
}

/** Two rows. Of floats whose quotient is below 2^51 the rounded one has the right integer part. */
@inline
function remainder(a: v128, y: v128, out: usize): void {
  const ones = i64x2.splat(ONES);
  const x = asFloat(a);
  const r = f64x2.sub(x, f64x2.mul(f64x2.trunc(f64x2.div(x, y)), y));
  v128.store(out, i64x2.sub(f64x2.add(r, ones), ones));
}

/** `four` rows, or two: one look at whether all are within the bound. */
@inline
function remainders(four: bool, a: usize, aStep: usize, b: usize, bStep: usize, unsigned: bool, out: usize): i32 {
  const a0 = v128.load(a);
  const b0 = v128.load(b);
  const a1 = four ? v128.load(a + aStep) : a0;
  const b1 = four ? v128.load(b + bStep) : b0;
  const below = i64x2.splat(unsigned ? 0 : BOUND);
  const all = v128.or(v128.or(i64x2.add(a0, below), i64x2.add(b0, below)), v128.or(i64x2.add(a1, below), i64x2.add(b1, below)));
  if (v128.any_true(i64x2.shr_u(all, unsigned ? 51 : 52))) {
    let failed = 0;
    for (let i: usize = 0; i < <usize>(four ? 4 : 2); ++i) {
      const lane = ((i & 1) << 3);
      const pair = i >> 1;
      failed |= rest(load<i64>(a + pair * aStep + lane), load<i64>(b + pair * bStep + lane), unsigned, out + (i << 3)) << <i32>i;
    }
    return failed;
  }
  remainder(a0, asFloat(b0), out);
  if (four) remainder(a1, asFloat(b1), out + 16);
  const zero = i64x2.splat(0);
  return i64x2.bitmask(i64x2.eq(b0, zero)) | (four ? i64x2.bitmask(i64x2.eq(b1, zero)) << 2 : 0);
}

function rest(a: i64, b: i64, unsigned: bool, out: usize): i32 {
  const by = b == 0 ? 1 : b;
  store<i64>(out, unsigned ? <i64>(<u64>a % <u64>by) : a % by);
  return i32(b == 0);
}

/** 64-bit integers; op: add, sub, mul, div, mod. Returns how many rows failed. */
export function computeLongs(
  op: i32, unsigned: bool, a: usize, aStep: usize, b: usize, bStep: usize, count: i32, out: usize, failed: usize,
): i32 {
  const after = out + (<usize>count << 3);
  const saved = load<u64>(after);
  const flip = i64x2.splat(op == SUB ? -1 : 0);
  let failures: i64 = 0;
  for (let i = 0; i < count; failed += 8) {
    let word: u64 = 0;
    const stop = min(count, i + 64);
    if (op < MUL) {
      for (; i + 8 <= stop; i += 8, a += 4 * aStep, b += 4 * bStep, out += 64)
        word |= <u64>(unsigned ? sums(a, aStep, b, bStep, flip, true, out) : sums(a, aStep, b, bStep, flip, false, out)) << (i & 63);
    } else if (op == MOD) {
      for (; i + 4 <= stop; i += 4, a += 2 * aStep, b += 2 * bStep, out += 32)
        word |= <u64>remainders(true, a, aStep, b, bStep, unsigned, out) << (i & 63);
    }
    for (; i < stop; i += 2, a += aStep, b += bStep, out += 16) {
      let two: i32;
      if (op < MUL) two = i64x2.bitmask(sum(v128.load(a), v128.load(b), flip, unsigned, out));
      else if (op == MOD) two = remainders(false, a, aStep, b, bStep, unsigned, out);
      else {
        two = scaled(op, load<i64>(a), load<i64>(b), unsigned, out);
        two |= scaled(op, load<i64>(a, 8), load<i64>(b, 8), unsigned, out + 8) << 1;
      }
      word |= <u64>two << (i & 63);
    }
    if (stop & 63) word &= (<u64>1 << (stop & 63)) - 1;
    store<u64>(failed, word);
    failures += popcnt(word);
  }
  store<u64>(after, saved);
  return <i32>failures;
}

/** op: and, or, and not, xnor, not. A word a step: a tile of 2048 rows takes 32. */
export function bitwise(op: i32, a: usize, b: usize, count: i32, out: usize): void {
  for (let left = count; left > 0; left -= 64, a += 8, b += 8, out += 8) {
    const x = load<u64>(a);
    const y = load<u64>(b);
    store<u64>(out, op == 0 ? x & y : op == 1 ? x | y : op == 2 ? x & ~y : op == 3 ? ~(x ^ y) : ~x);
  }
  clearAfter(out, count);
}

/** Each byte becomes 8, of 0 or 1: the byte repeated, a bit kept in each, made 1. What lay behind the last row is put back. */
export function bitsToBytes(bits: usize, count: i32, out: usize): void {
  const after = out + <usize>count;
  const saved = load<u64>(after);
  for (; out < after; ++bits, out += 8) {
    const kept = (<u64>load<u8>(bits) * 0x0101010101010101) & 0x8040201008040201;
    store<u64>(out, ((kept + 0x7f7f7f7f7f7f7f7f) >> 7) & 0x0101010101010101);
  }
  store<u64>(after, saved);
}
