/**
 * The twin's nested loop: two probe rows a pass, so that a build value is loaded once for both; results are bits.
 *
 * Ordinals are one or two words. Of two numbers below 2^31 the sign of the difference says which is less: halves of the high words are
 * compared so, without a branch that could be mispredicted, and only where they are equal the words themselves. While no pair passes, 32
 * build values are first asked whether one may. ns a pair where one of 100 000 passes, and where half do: 0.95 and 1.7; all with a branch 1.2
 * and 3.8; the plain loop over two columns of floats 1.3 and 4.4 (bench/kernels/loop.mjs).
 */

import type { ExpandCursor } from "../contract.ts";
import type { CompareOp } from "../loop-contract.ts";

/** Where fewer than one of so many pairs are left by the comparisons before, they are tested one by one. */
const SPARSE = 16;
/** Words that a list looks at: a fraction of a millisecond. */
const LIST_WORDS = 1 << 18;

/** `words` a value, the lowest first; `base` and `stride` are those of the bits, in words. */
export function compareTile(
  op: CompareOp,
  words: 1 | 2,
  probe: Int32Array,
  rows: Int32Array,
  first: number,
  count: number,
  build: Int32Array,
  from: number,
  to: number,
  bits: Int32Array,
  base: number,
  stride: number,
  both: boolean,
): number {
  const equality = op === "eq" || op === "ne";
  // With `flag` 1 equal values are less, too; of equality -1 is its negation.
  const flag = op === "ne" ? -1 : Number(op === "le" || op === "ge");
  // Unsigned words with their top bits flipped compare as signed; with the other bits flipped the order is turned around.
  const turn = op === "gt" || op === "ge" ? 0x7fffffff : 0x80000000 | 0;
  const length = ((to - from + 63) >> 6) << 1;
  const before = both ? countRows(bits, base, stride, count, length) : 0;
  if (both && before === 0) return 0;
  if (both && before * SPARSE < count * (to - from)) {
    for (let i = 0; i < count; i++)
      testBits(equality, flag, words, probe, rows[first + i], build, from, bits, base + i * stride, length, turn);
    return countRows(bits, base, stride, count, length);
  }
  const compare = equality ? equalRows : lessRows;
  for (let i = 0; i < count; i += 2) {
    const other = Math.min(i + 1, count - 1);
    const [at, second] = [base + i * stride, base + other * stride];
    compare(words, probe, rows[first + i], rows[first + other], build, from, to, bits, at, second, turn, flag, both);
  }
  return countRows(bits, base, stride, count, length);
}

type Compare = (
  words: number,
  probe: Int32Array,
  row0: number,
  row1: number,
  build: Int32Array,
  from: number,
  to: number,
  bits: Int32Array,
  at0: number,
  at1: number,
  turn: number,
  flag: number,
  both: boolean,
) => void;

const lessRows: Compare = (words, probe, row0, row1, build, from, to, bits, at0, at1, turn, flag, both) => {
  const top = words - 1;
  const [low0, high0] = [(probe[words * row0] ^ turn) + flag, probe[words * row0 + top] ^ turn];
  const [low1, high1] = [(probe[words * row1] ^ turn) + flag, probe[words * row1 + top] ^ turn];
  const [half0, half1] = [high0 >> 1, high1 >> 1];
  const [below0, below1] = [half0 + 1, half1 + 1];
  let few = true;
  const shift = words >> 1;
  for (let at = from; at < to; at += 32, at0++, at1++) {
    const end = Math.min(at + 32, to);
    let word0 = 0;
    let word1 = 0;
    if (few) {
      // Negative where one of the values may be less.
      let any = 0;
      for (let i = (at << shift) + top; i < end << shift; i += words) {
        const half = (build[i] ^ turn) >> 1;
        any |= (half - below0) | (half - below1);
      }
      if (any >= 0) {
        store(bits, at0, at1, 0, 0, 0, end - at, both);
        continue;
      }
    }
    for (let i = end - 1; i >= at; i--) {
      const high = build[(i << shift) + top] ^ turn;
      const half = high >> 1;
      const sign0 = half - half0;
      const sign1 = half - half1;
      word0 = (word0 << 1) | (sign0 >>> 31);
      word1 = (word1 << 1) | (sign1 >>> 31);
      if (sign0 === 0 && (high < high0 || (high === high0 && (build[i << shift] ^ turn) < low0))) word0 |= 1;
      if (sign1 === 0 && (high < high1 || (high === high1 && (build[i << shift] ^ turn) < low1))) word1 |= 1;
    }
    few = word0 === 0 && word1 === 0;
    store(bits, at0, at1, word0, word1, 0, end - at, both);
  }
  pad(bits, at0, at1, to - from);
};

const equalRows: Compare = (words, probe, row0, row1, build, from, to, bits, at0, at1, _turn, flag, both) => {
  const top = words - 1;
  const [low0, high0] = [probe[words * row0], probe[words * row0 + top]];
  const [low1, high1] = [probe[words * row1], probe[words * row1 + top]];
  const shift = words >> 1;
  for (let at = from; at < to; at += 32, at0++, at1++) {
    const end = Math.min(at + 32, to);
    let word0 = 0;
    let word1 = 0;
    for (let i = at; i < end; i++) {
      const low = build[i << shift];
      if (low === low0 && build[(i << shift) + top] === high0) word0 |= 1 << (i - at);
      if (low === low1 && build[(i << shift) + top] === high1) word1 |= 1 << (i - at);
    }
    store(bits, at0, at1, word0, word1, flag, end - at, both);
  }
  pad(bits, at0, at1, to - from);
};

/** `at1` may be `at0`, with the same word. */
function store(bits: Int32Array, at0: number, at1: number, word0: number, word1: number, flip: number, count: number, both: boolean): void {
  const mask = count === 32 ? -1 : (1 << count) - 1;
  const old0 = both ? bits[at0] : -1;
  const old1 = both ? bits[at1] : -1;
  bits[at0] = (word0 ^ flip) & mask & old0;
  bits[at1] = (word1 ^ flip) & mask & old1;
}

/** Bitmaps end at a multiple of 64 bits: the last word's other half. */
function pad(bits: Int32Array, at0: number, at1: number, count: number): void {
  if ((((count + 31) >> 5) & 1) === 0) return;
  bits[at0] = 0;
  bits[at1] = 0;
}

/** Keeps, of the bits of one row, those whose pair fulfils the comparison. */
function testBits(
  equality: boolean,
  flag: number,
  words: number,
  probe: Int32Array,
  row: number,
  build: Int32Array,
  from: number,
  bits: Int32Array,
  base: number,
  length: number,
  turn: number,
): void {
  const top = words - 1;
  const negate = flag < 0;
  const [low, high] = [(probe[words * row] ^ turn) + Math.max(flag, 0), probe[words * row + top] ^ turn];
  for (let w = 0; w < length; w++) {
    let kept = bits[base + w];
    for (let word = kept; word !== 0; word &= word - 1) {
      const at = words * (from + 32 * w + 31 - Math.clz32(word & -word));
      const foundHigh = build[at + top] ^ turn;
      const foundLow = build[at] ^ turn;
      const holds = foundHigh === high ? (equality ? foundLow === low : foundLow < low) : !equality && foundHigh < high;
      if (holds === negate) kept ^= word & -word;
    }
    bits[base + w] = kept;
  }
}

function countRows(bits: Int32Array, base: number, stride: number, count: number, length: number): number {
  let set = 0;
  for (let i = 0; i < count; i++) {
    const end = base + i * stride + length;
    for (let at = base + i * stride; at < end; at++) {
      let word = bits[at];
      if (word === 0) continue;
      word -= (word >>> 1) & 0x55555555;
      word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
      set += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
  }
  return set;
}

/** `base` and `stride` in words. */
export function listBits(
  bits: Int32Array,
  base: number,
  stride: number,
  length: number,
  cursor: ExpandCursor,
  rows: Int32Array,
  first: number,
  count: number,
  probeBase: number,
  members: Int32Array,
  from: number,
  outProbe: Int32Array,
  outBuild: Int32Array,
  limit: number,
): void {
  let { row, pos, at } = cursor;
  let budget = LIST_WORDS;
  for (; row < count; row++, pos = 0) {
    const probe = probeBase + rows[first + row];
    const start = base + row * stride;
    while (pos < length && at < limit && budget-- > 0) {
      const word = bits[start + (pos >> 5)] & (-1 << (pos & 31));
      if (word === 0) {
        pos = (pos | 31) + 1;
        continue;
      }
      pos = (pos & ~31) + 31 - Math.clz32(word & -word);
      outProbe[at] = probe;
      outBuild[at++] = members[from + pos];
      pos++;
    }
    if (pos < length) break;
  }
  cursor.row = row;
  cursor.pos = row < count ? pos : 0;
  cursor.at = at;
}
