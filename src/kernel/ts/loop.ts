/**
 * The twin's nested loop: two probe rows a pass, so that a build value is loaded once for both; results are bits.
 *
 * Ordinals are one or two words. Of two numbers below 2^31 the sign of the difference says which is less: halves of the high words are
 * compared so, without a branch that could be mispredicted, and only where they are equal the words themselves. ns a pair where one of
 * 100 000 passes, and where half do: 1.0 and 1.4; a branch for each 1.2 and 2.9; a loop written for the two columns 1.5 and 4.5
 * (bench/kernels/loop.mjs).
 */

import type { ExpandCursor } from "../contract.ts";
import type { CompareOp } from "../loop-contract.ts";
import { formOf } from "./search.ts";

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
  const { equal, swap, negate } = formOf(op);
  const length = ((to - from + 63) >> 6) << 1;
  const before = both ? countRows(bits, base, stride, count, length) : 0;
  // Unsigned words with their top bits flipped compare as signed; with the other bits flipped the order is turned around.
  const turn = swap ? 0x7fffffff : 0x80000000 | 0;
  if (both && before * SPARSE < count * (to - from)) {
    if (before === 0) return 0;
    for (let i = 0; i < count; i++) {
      const row = rows[first + i];
      testBits(equal, negate, words, probe, row, build, from, bits, base + i * stride, length, turn);
    }
    return countRows(bits, base, stride, count, length);
  }
  const flip = negate ? -1 : 0;
  const compare = equal ? equalRows : lessRows;
  for (let i = 0; i < count; i += 2) {
    const other = Math.min(i + 1, count - 1);
    const [at, second] = [base + i * stride, base + other * stride];
    compare(words, probe, rows[first + i], rows[first + other], build, from, to, bits, at, second, turn, flip, both);
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
  flip: number,
  both: boolean,
) => void;

const lessRows: Compare = (words, probe, row0, row1, build, from, to, bits, at0, at1, turn, flip, both) => {
  const top = words - 1;
  const [low0, high0] = [probe[words * row0] ^ turn, probe[words * row0 + top] ^ turn];
  const [low1, high1] = [probe[words * row1] ^ turn, probe[words * row1 + top] ^ turn];
  const [half0, half1] = [high0 >> 1, high1 >> 1];
  const shift = words >> 1;
  for (let at = from; at < to; at += 32, at0++, at1++) {
    const end = Math.min(at + 32, to);
    let word0 = 0;
    let word1 = 0;
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
    store(bits, at0, at1, word0, word1, flip, end - at, both);
  }
  pad(bits, at0, at1, to - from);
};

const equalRows: Compare = (words, probe, row0, row1, build, from, to, bits, at0, at1, _turn, flip, both) => {
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
    store(bits, at0, at1, word0, word1, flip, end - at, both);
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
  equal: boolean,
  negate: boolean,
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
  const [low, high] = [probe[words * row] ^ turn, probe[words * row + top] ^ turn];
  for (let w = 0; w < length; w++) {
    let kept = bits[base + w];
    for (let word = kept; word !== 0; word &= word - 1) {
      const at = words * (from + 32 * w + 31 - Math.clz32(word & -word));
      const foundHigh = build[at + top] ^ turn;
      const foundLow = build[at] ^ turn;
      const holds = foundHigh === high ? (equal ? foundLow === low : foundLow < low) : !equal && foundHigh < high;
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
