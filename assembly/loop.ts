/**
 * All pairs of some probe rows with a tile of build rows, tested by one comparison of two numbers, as bits: four probe rows a pass, in
 * registers, so that a vector of build values is loaded once for them.
 *
 *     build tile    [ 16 ordinals ] [ 16 ordinals ] ...        L1
 *     probe row 0   1001000000000010 0000000000000000 ...      a bit a pair
 *     probe row 1   0000000000000000 0000001000000000 ...
 *
 * Values are ordinals (unsigned, order-preserving, 4 or 8 bytes): one comparison serves every lane. O(pairs), O(pairs / 64) to read the bits.
 */
import { SCRATCH, i32At, setI32, setResult } from "./memory";

/**
 * Where fewer than one of so many pairs are left by the comparisons before, they are tested one by one: 2 ns each, against 0.2 a pair for all.
 */
const SPARSE: u64 = 16;
/** Words that a list looks at: a fraction of a millisecond. */
const LIST_WORDS: i32 = 1 << 18;

/** 16 pairs of one probe value: a bit each, by packing the lanes' masks until they are bytes. */
@inline
function mask4(equal: bool, value: v128, a: v128, b: v128, c: v128, d: v128): i32 {
  const m0 = equal ? i32x4.eq(a, value) : i32x4.lt_s(a, value);
  const m1 = equal ? i32x4.eq(b, value) : i32x4.lt_s(b, value);
  const m2 = equal ? i32x4.eq(c, value) : i32x4.lt_s(c, value);
  const m3 = equal ? i32x4.eq(d, value) : i32x4.lt_s(d, value);
  return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(m0, m1), i16x8.narrow_i32x4_s(m2, m3)));
}

/** 4 pairs: the mask of a lane of 8 bytes is two equal ones of 4, which packing makes one. */
@inline
function pack8(equal: bool, value: v128, a: v128, b: v128): v128 {
  const m0 = equal ? i64x2.eq(a, value) : i64x2.lt_s(a, value);
  const m1 = equal ? i64x2.eq(b, value) : i64x2.lt_s(b, value);
  return i16x8.narrow_i32x4_s(m0, m1);
}

/** 16 pairs of each of four probe rows; those of row r are bits 16 * r and up. */
@inline
function masks<T>(equal: bool, at: usize, turn: v128, p0: v128, p1: v128, p2: v128, p3: v128): u64 {
  if (sizeof<T>() == 4) {
    const a = v128.xor(v128.load(at), turn);
    const b = v128.xor(v128.load(at, 16), turn);
    const c = v128.xor(v128.load(at, 32), turn);
    const d = v128.xor(v128.load(at, 48), turn);
    return <u64>mask4(equal, p0, a, b, c, d) | (<u64>mask4(equal, p1, a, b, c, d) << 16)
      | (<u64>mask4(equal, p2, a, b, c, d) << 32) | (<u64>mask4(equal, p3, a, b, c, d) << 48);
  }
  let a = v128.xor(v128.load(at), turn);
  let b = v128.xor(v128.load(at, 16), turn);
  let c = v128.xor(v128.load(at, 32), turn);
  let d = v128.xor(v128.load(at, 48), turn);
  const m0 = i16x8.narrow_i32x4_s(pack8(equal, p0, a, b), pack8(equal, p0, c, d));
  const m1 = i16x8.narrow_i32x4_s(pack8(equal, p1, a, b), pack8(equal, p1, c, d));
  const m2 = i16x8.narrow_i32x4_s(pack8(equal, p2, a, b), pack8(equal, p2, c, d));
  const m3 = i16x8.narrow_i32x4_s(pack8(equal, p3, a, b), pack8(equal, p3, c, d));
  a = v128.xor(v128.load(at, 64), turn);
  b = v128.xor(v128.load(at, 80), turn);
  c = v128.xor(v128.load(at, 96), turn);
  d = v128.xor(v128.load(at, 112), turn);
  return <u64>i8x16.bitmask(i8x16.narrow_i16x8_s(m0, i16x8.narrow_i32x4_s(pack8(equal, p0, a, b), pack8(equal, p0, c, d))))
    | (<u64>i8x16.bitmask(i8x16.narrow_i16x8_s(m1, i16x8.narrow_i32x4_s(pack8(equal, p1, a, b), pack8(equal, p1, c, d)))) << 16)
    | (<u64>i8x16.bitmask(i8x16.narrow_i16x8_s(m2, i16x8.narrow_i32x4_s(pack8(equal, p2, a, b), pack8(equal, p2, c, d)))) << 32)
    | (<u64>i8x16.bitmask(i8x16.narrow_i16x8_s(m3, i16x8.narrow_i32x4_s(pack8(equal, p3, a, b), pack8(equal, p3, c, d)))) << 48);
}

/** Keeps, of the bits of one row, those whose pair fulfils the comparison. */
@inline
function testBits<T>(equal: bool, swap: bool, negate: bool, value: T, build: usize, bits: usize, end: usize): void {
  for (; bits < end; bits += 8, build += 64 * sizeof<T>()) {
    let kept = load<u64>(bits);
    for (let word = kept; word; word &= word - 1) {
      const found = load<T>(build + <usize>ctz(word) * sizeof<T>());
      if ((equal ? found == value : swap ? value < found : found < value) == negate) kept ^= word & -word;
    }
    store<u64>(bits, kept);
  }
}

@inline
function compareRows<T>(
  equal: bool, swap: bool, negate: bool, probe: usize, rows: usize, count: i32, build: usize, length: i32, bits: usize, stride: usize, both: bool,
): i32 {
  // Unsigned values with their top bits flipped compare as signed; with the other bits flipped the order is turned around.
  const turn = v128.splat<T>(<T>(<T>1 << (<T>sizeof<T>() * 8 - 1)) ^ (swap ? <T>(-1) : 0));
  const flip: u64 = negate ? -1 : 0;
  const words = <usize>(length + 63) >> 6 << 3;
  const tail: u64 = length & 63 ? (<u64>1 << (length & 63)) - 1 : -1;
  let set: u64 = 0;
  for (let row = 0; row < count; row += 4) {
    const four = min(count - row, 4);
    const start = bits + <usize>row * stride;
    if (both) {
      let before: u64 = 0;
      for (let i = 0; i < four; ++i) before += countSet(start + <usize>i * stride, words);
      if (before < <u64>(four * length) / SPARSE) {
        for (let i = 0; before && i < four; ++i) {
          const at = start + <usize>i * stride;
          testBits<T>(equal, swap, negate, valueAt<T>(probe, rows, row + i), build, at, at + words);
          set += countSet(at, words);
        }
        continue;
      }
    }
    // Where fewer than four are left the last one is tested again.
    const r1 = min(1, four - 1);
    const r2 = min(2, four - 1);
    const r3 = four - 1;
    const p0 = v128.xor(v128.splat<T>(valueAt<T>(probe, rows, row)), turn);
    const p1 = v128.xor(v128.splat<T>(valueAt<T>(probe, rows, row + r1)), turn);
    const p2 = v128.xor(v128.splat<T>(valueAt<T>(probe, rows, row + r2)), turn);
    const p3 = v128.xor(v128.splat<T>(valueAt<T>(probe, rows, row + r3)), turn);
    const out = both ? SCRATCH : start;
    const step = both ? words : stride;
    const b1 = out + <usize>r1 * step;
    const b2 = out + <usize>r2 * step;
    const b3 = out + <usize>r3 * step;
    let at = build;
    for (let byte: usize = 0; byte < words; byte += 2, at += 16 * sizeof<T>()) {
      const found = masks<T>(equal, at, turn, p0, p1, p2, p3) ^ flip;
      store<u16>(out + byte, <u16>found);
      store<u16>(b1 + byte, <u16>(found >> 16));
      store<u16>(b2 + byte, <u16>(found >> 32));
      store<u16>(b3 + byte, <u16>(found >> 48));
    }
    for (let i = 0; i < four; ++i) {
      const to = start + <usize>i * stride;
      const last = to + words - 8;
      if (both) for (let at: usize = 0; at < words; at += 8) store<u64>(to + at, load<u64>(to + at) & load<u64>(out + <usize>i * words + at));
      else store<u64>(last, load<u64>(last) & tail);
      set += countSet(to, words);
    }
  }
  return <i32>set;
}

@inline
function valueAt<T>(values: usize, rows: usize, row: i32): T {
  return load<T>(values + <usize>i32At(rows, row) * sizeof<T>());
}

function countSet(bits: usize, bytes: usize): u64 {
  let set: u64 = 0;
  for (const end = bits + bytes; bits < end; bits += 8) set += popcnt(load<u64>(bits));
  return set;
}

/** Returns how many bits are set. `equal`: equality; else build < probe, with `swap` probe < build; `negate`: what does not fulfil it. */
export function compareTile(
  width: i32, equal: bool, swap: bool, negate: bool, probe: usize, rows: usize, count: i32, build: usize, length: i32, bits: usize, stride: usize,
  both: bool,
): i32 {
  if (width == 4) {
    return equal
      ? compareRows<u32>(true, false, negate, probe, rows, count, build, length, bits, stride, both)
      : compareRows<u32>(false, swap, negate, probe, rows, count, build, length, bits, stride, both);
  }
  return equal
    ? compareRows<u64>(true, false, negate, probe, rows, count, build, length, bits, stride, both)
    : compareRows<u64>(false, swap, negate, probe, rows, count, build, length, bits, stride, both);
}

/** Lists pairs whose bit is set, from bit `pos` of row `row` on. Results: row, pos, next free place. */
export function listBits(
  bits: usize, stride: usize, length: i32, row: i32, pos: i32, at: i32, rows: usize, count: i32, probeBase: i32, members: usize,
  outProbe: usize, outBuild: usize, limit: i32,
): void {
  let budget = LIST_WORDS;
  for (; row < count; ++row) {
    const probe = probeBase + i32At(rows, row);
    const start = bits + <usize>row * stride;
    while (pos < length) {
      if (at == limit || !budget--) {
        setResult<i32>(0, row);
        setResult<i32>(1, pos);
        setResult<i32>(2, at);
        return;
      }
      const first = pos & ~63;
      let word = load<u64>(start + <usize>(first >> 3)) & (~(<u64>0) << (pos & 63));
      pos = first + 64;
      for (; word; word &= word - 1) {
        const place = first + <i32>ctz(word);
        if (at == limit) {
          pos = place;
          break;
        }
        setI32(outProbe, at, probe);
        setI32(outBuild, at++, i32At(members, place));
      }
    }
    pos = 0;
  }
  setResult<i32>(0, row);
  setResult<i32>(1, 0);
  setResult<i32>(2, at);
}
