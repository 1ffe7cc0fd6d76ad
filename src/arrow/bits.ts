/**
 * Bit counting and filling on host bitmaps, least significant bit first.
 *
 * The kernels have their own; these serve where no kernel is at hand (a view recomputes null counts before any join runs).
 * O(count / 32).
 */

import { util } from "apache-arrow";
import type { Bitmap } from "../kernel/contract.ts";

/** Whether bit `i` is set; of no bitmap every bit is. */
export const isSet = (bits: Bitmap | null, i: number): boolean =>
  bits === null || ((bits.bytes[(bits.bit + i) >>> 3] >>> ((bits.bit + i) & 7)) & 1) === 1;

/** How many of the bits [bit, bit + count) are set. The bytes must hold them. */
export const countSet = (bytes: Uint8Array, bit: number, count: number): number => util.popcnt_bit_range(bytes, bit, bit + count);

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
