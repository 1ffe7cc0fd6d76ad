/**
 * Host bitmaps, least significant bit first, where no kernel is at hand: a view recomputes null counts before any join runs.
 *
 * Counting and clearing take O(bits / 32).
 */

import { util } from "apache-arrow";
import type { Bitmap } from "../kernel/contract.ts";

/** Whether bit `i` is set; of no bitmap every bit is. */
export const isSet = (bits: Bitmap | null, i: number): boolean =>
  bits === null || ((bits.bytes[(bits.bit + i) >>> 3] >>> ((bits.bit + i) & 7)) & 1) === 1;

/** How many of the bits [start, start + count) are clear; of no bitmap none is. The bytes must hold them. */
export const nullsIn = (bits: Bitmap | null, start: number, count: number): number =>
  bits === null ? 0 : count - util.popcnt_bit_range(bits.bytes, bits.bit + start, bits.bit + start + count);

/** Clears every bit from `bit` on. */
export function clearFrom(bytes: Uint8Array, bit: number): void {
  const byte = bit >>> 3;
  if (byte >= bytes.length) return;
  bytes[byte] &= (1 << (bit & 7)) - 1;
  bytes.fill(0, byte + 1);
}
