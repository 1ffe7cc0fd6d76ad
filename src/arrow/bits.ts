/**
 * Host bitmaps, least significant bit first, where no kernel is at hand: a view recomputes null counts before any join runs.
 *
 * Counting takes O(bits / 32), copying and clearing O(bits / 8).
 */

import { util } from "apache-arrow";
import type { Bitmap } from "../kernel/contract.ts";

/** Whether bit `i` is set; of no bitmap every bit is. */
export const isSet = (bits: Bitmap | null, i: number): boolean =>
  bits === null || ((bits.bytes[(bits.bit + i) >>> 3] >>> ((bits.bit + i) & 7)) & 1) === 1;

/** How many of the bits [start, start + count) are clear; of no bitmap none is. The bytes must hold them. */
export const nullsIn = (bits: Bitmap | null, start: number, count: number): number =>
  bits === null ? 0 : count - util.popcnt_bit_range(bits.bytes, bits.bit + start, bits.bit + start + count);

/** The bits [start, start + count) to the bits from 0 on of `target`, whose bytes are those bits: the last ones of them are cleared. */
export function copyBits({ bytes, bit }: Bitmap, start: number, count: number, target: Uint8Array): void {
  const shift = (bit + start) & 7;
  const source = bytes.subarray((bit + start) >>> 3, (bit + start + count + 7) >>> 3);
  if (shift === 0) target.set(source);
  else for (let i = 0; i < target.length; i++) target[i] = (source[i] >>> shift) | (source[i + 1] << (8 - shift));
  clearFrom(target, count);
}

/** Clears every bit from `bit` on. */
export function clearFrom(bytes: Uint8Array, bit: number): void {
  const byte = bit >>> 3;
  if (byte >= bytes.length) return;
  bytes[byte] &= (1 << (bit & 7)) - 1;
  bytes.fill(0, byte + 1);
}
