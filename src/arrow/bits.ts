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

/** How many of the bits [bit, bit + count) are set. The bytes must hold them. */
export const countSet = (bytes: Uint8Array, bit: number, count: number): number => util.popcnt_bit_range(bytes, bit, bit + count);

/** Clears every bit from `bit` on. */
export function clearFrom(bytes: Uint8Array, bit: number): void {
  const byte = bit >>> 3;
  if (byte >= bytes.length) return;
  bytes[byte] &= (1 << (bit & 7)) - 1;
  bytes.fill(0, byte + 1);
}
