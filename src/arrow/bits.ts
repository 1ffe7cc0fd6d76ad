/**
 * Bit counting and filling on host bitmaps, least significant bit first.
 *
 * The kernels have their own; these serve where no kernel is at hand (a view recomputes null counts before any join runs).
 * O(count / 32).
 */

import type { Bitmap } from "../kernel/contract.ts";

/** Whether bit `i` is set; of no bitmap every bit is. */
export const isSet = (bits: Bitmap | null, i: number): boolean =>
  bits === null || ((bits.bytes[(bits.bit + i) >>> 3] >>> ((bits.bit + i) & 7)) & 1) === 1;

function popcount(x: number): number {
  x -= (x >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** How many of the bits [bit, bit + count) are set. The bytes must hold them. */
export function countSet(bytes: Uint8Array, bit: number, count: number): number {
  const end = bit + count;
  let set = 0;
  let byte = bit >>> 3;
  const last = end >>> 3;
  if (byte === last) return popcount((bytes[byte] >>> (bit & 7)) & ((1 << count) - 1));
  if ((bit & 7) !== 0) set += popcount(bytes[byte++] >>> (bit & 7));
  for (; byte < last && ((bytes.byteOffset + byte) & 3) !== 0; byte++) set += popcount(bytes[byte]);
  const words = new Int32Array(bytes.buffer, (bytes.byteOffset + byte) & ~3, (last - byte) >>> 2);
  for (let i = 0; i < words.length; i++) set += popcount(words[i]);
  for (byte += words.length * 4; byte < last; byte++) set += popcount(bytes[byte]);
  return (end & 7) === 0 ? set : set + popcount(bytes[last] & ((1 << (end & 7)) - 1));
}

/** Sets the bits [bit, bit + count). */
export function fillSet(bytes: Uint8Array, bit: number, count: number): void {
  if (count <= 0) return;
  const end = bit + count;
  const first = bit >>> 3;
  const last = end >>> 3;
  const head = 0xff << (bit & 7);
  const tail = (1 << (end & 7)) - 1;
  if (first === last) {
    bytes[first] |= head & tail;
    return;
  }
  bytes[first] |= head;
  bytes.fill(0xff, first + 1, last);
  if (tail !== 0) bytes[last] |= tail;
}

/** Clears every bit from `bit` on. */
export function clearFrom(bytes: Uint8Array, bit: number): void {
  const byte = bit >>> 3;
  if (byte >= bytes.length) return;
  bytes[byte] &= (1 << (bit & 7)) - 1;
  bytes.fill(0, byte + 1);
}

/** The first `count` bits moved to bit `to` (0 to 7) of fresh bytes. */
export function shiftedBits(bits: Bitmap, count: number, to: number): Uint8Array {
  const out = new Uint8Array((to + count + 7) >>> 3);
  for (let i = 0; i < count; i++) out[(to + i) >>> 3] |= Number(isSet(bits, i)) << ((to + i) & 7);
  return out;
}
