/**
 * Ordinals, and the largest or smallest one an id has seen.
 *
 * An ordinal is an unsigned integer of one or two i32 words (the low one first) in the order of the value it stands for:
 *
 *     unsigned    as it is               i32   -2^31 .. -1 | 0 .. 2^31 - 1
 *     signed      sign bit flipped             0 ..          2^31 ..
 *     float       sign bit flipped; negative: all bits flipped; NaN: all ones, above infinity; -0 as +0
 *
 * Every loop is O(count), without BigInt; updating and testing access memory at random, by id.
 */

import type { NumberLane } from "../expression-contract.ts";

/** Flipped, unsigned integers compare as signed ones, and the other way round. */
const TOP = 0x80000000 | 0;

export function ordinals(lane: NumberLane, src: Uint8Array, count: number, dst: Int32Array, at: number): void {
  const { buffer, byteOffset } = src;
  if (lane === "f32") return ordinalsF32(new Int32Array(buffer, byteOffset, count), dst, at);
  if (lane === "f64") return ordinalsF64(new Int32Array(buffer, byteOffset, count * 2), dst, at * 2);
  if (lane === "i64" || lane === "u64") {
    return ordinals64(new Int32Array(buffer, byteOffset, count * 2), lane === "i64" ? TOP : 0, dst, at * 2);
  }
  const flip = lane.startsWith("i") ? TOP : 0;
  if (lane === "i32" || lane === "u32") ordinals32(new Int32Array(buffer, byteOffset, count), flip, dst, at);
  else ordinalsNarrow(narrow(lane, buffer, byteOffset, count), flip, dst, at);
}

type Narrow = Int8Array | Uint8Array | Int16Array | Uint16Array;

function narrow(lane: "i8" | "u8" | "i16" | "u16", buffer: ArrayBufferLike, at: number, count: number): Narrow {
  if (lane === "i8") return new Int8Array(buffer, at, count);
  if (lane === "u8") return new Uint8Array(buffer, at, count);
  if (lane === "i16") return new Int16Array(buffer, at, count);
  return new Uint16Array(buffer, at, count);
}

function ordinals32(src: Int32Array, flip: number, dst: Int32Array, at: number): void {
  for (let i = 0; i < src.length; i++) dst[at + i] = src[i] ^ flip;
}

/** A loop of its own: V8 gives up on one that has seen five kinds of array, at 19 ns a row. */
function ordinalsNarrow(src: Narrow, flip: number, dst: Int32Array, at: number): void {
  for (let i = 0; i < src.length; i++) dst[at + i] = src[i] ^ flip;
}

function ordinals64(src: Int32Array, flip: number, dst: Int32Array, at: number): void {
  for (let i = 0; i < src.length; i += 2) {
    dst[at + i] = src[i];
    dst[at + i + 1] = src[i + 1] ^ flip;
  }
}

function ordinalsF32(src: Int32Array, dst: Int32Array, at: number): void {
  for (let i = 0; i < src.length; i++) {
    const bits = src[i];
    const magnitude = bits & ~TOP;
    const ordinal = magnitude === 0 ? TOP : bits ^ ((bits >> 31) | TOP);
    dst[at + i] = magnitude > 0x7f800000 ? -1 : ordinal;
  }
}

function ordinalsF64(src: Int32Array, dst: Int32Array, at: number): void {
  for (let i = 0; i < src.length; i += 2) {
    const low = src[i];
    const high = src[i + 1];
    const magnitude = high & ~TOP;
    if (magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && low !== 0)) {
      dst[at + i] = -1;
      dst[at + i + 1] = -1;
    } else if ((magnitude | low) === 0) {
      dst[at + i] = 0;
      dst[at + i + 1] = TOP;
    } else {
      const sign = high >> 31;
      dst[at + i] = low ^ sign;
      dst[at + i + 1] = high ^ (sign | TOP);
    }
  }
}

/** `flip` brings ordinals into the order of signed numbers; complemented, which turns the order around, for minima. */
export function updateExtremes4(
  ids: Int32Array,
  from: number,
  ordinals: Int32Array,
  valid: Uint8Array | null,
  count: number,
  max: boolean,
  extremes: Int32Array,
  seen: Uint8Array,
): void {
  const flip = max ? TOP : ~TOP;
  for (let i = 0; i < count; i++) {
    const id = ids[from + i];
    if (id < 0 || (valid !== null && valid[i] === 0)) continue;
    const byte = seen[id >> 3];
    const bit = 1 << (id & 7);
    if ((byte & bit) !== 0 && (ordinals[i] ^ flip) <= (extremes[id] ^ flip)) continue;
    seen[id >> 3] = byte | bit;
    extremes[id] = ordinals[i];
  }
}

export function updateExtremes8(
  ids: Int32Array,
  from: number,
  ordinals: Int32Array,
  valid: Uint8Array | null,
  count: number,
  max: boolean,
  extremes: Int32Array,
  seen: Uint8Array,
): void {
  const flip = max ? TOP : ~TOP;
  for (let i = 0; i < count; i++) {
    const id = ids[from + i];
    if (id < 0 || (valid !== null && valid[i] === 0)) continue;
    const low = ordinals[2 * i];
    const high = ordinals[2 * i + 1];
    const byte = seen[id >> 3];
    const bit = 1 << (id & 7);
    if ((byte & bit) !== 0) {
      const top = extremes[2 * id + 1];
      if (top === high ? (low ^ flip) <= (extremes[2 * id] ^ flip) : (high ^ flip) < (top ^ flip)) continue;
    } else seen[id >> 3] = byte | bit;
    extremes[2 * id] = low;
    extremes[2 * id + 1] = high;
  }
}

/** Which of `extreme < ordinal`, equality and `extreme > ordinal` an operator takes, as bits 0, 1, 2. */
const TAKES = { lt: 1, le: 3, gt: 4, ge: 6 };

export function testExtremes4(
  ids: Int32Array,
  from: number,
  ordinals: Int32Array,
  valid: Uint8Array | null,
  count: number,
  op: keyof typeof TAKES,
  extremes: Int32Array,
  seen: Uint8Array,
  out: Int32Array,
): void {
  const takes = TAKES[op];
  for (let base = 0; base < count; base += 32) {
    const end = Math.min(base + 32, count);
    let word = 0;
    for (let i = base; i < end; i++) {
      const id = ids[from + i];
      if (id < 0 || ((seen[id >> 3] >> (id & 7)) & 1) === 0 || (valid !== null && valid[i] === 0)) continue;
      const extreme = extremes[id] ^ TOP;
      const ordinal = ordinals[i] ^ TOP;
      word |= ((takes >> (Number(extreme >= ordinal) + Number(extreme > ordinal))) & 1) << (i & 31);
    }
    out[base >> 5] = word;
  }
  clearPair(out, count);
}

export function testExtremes8(
  ids: Int32Array,
  from: number,
  ordinals: Int32Array,
  valid: Uint8Array | null,
  count: number,
  op: keyof typeof TAKES,
  extremes: Int32Array,
  seen: Uint8Array,
  out: Int32Array,
): void {
  const takes = TAKES[op];
  for (let base = 0; base < count; base += 32) {
    const end = Math.min(base + 32, count);
    let word = 0;
    for (let i = base; i < end; i++) {
      const id = ids[from + i];
      if (id < 0 || ((seen[id >> 3] >> (id & 7)) & 1) === 0 || (valid !== null && valid[i] === 0)) continue;
      // The words that decide: the low ones where the high ones are equal.
      const differ = extremes[2 * id + 1] === ordinals[2 * i + 1] ? 0 : 1;
      const extreme = extremes[2 * id + differ] ^ TOP;
      const ordinal = ordinals[2 * i + differ] ^ TOP;
      word |= ((takes >> (Number(extreme >= ordinal) + Number(extreme > ordinal))) & 1) << (i & 31);
    }
    out[base >> 5] = word;
  }
  clearPair(out, count);
}

/** Bitmaps end at a multiple of 64 bits: the last word's other half. */
function clearPair(out: Int32Array, count: number): void {
  const words = (count + 31) >> 5;
  if ((words & 1) !== 0) out[words] = 0;
}
