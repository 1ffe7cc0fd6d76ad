/**
 * Bitmaps, least significant bit first: copy, and, count, for any bit offset.
 *
 * Cost: O(count / 8) byte steps; no path works bit by bit except the gather of scattered rows (gather-bits.ts).
 *
 *     dst   ....hhhh bbbbbbbb bbbbbbbb 00000ttt      head: up to the next byte of dst, body: whole bytes, tail: the rest
 */

export function popcount32(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The `count` (1 to 8) bits from `bit` on, as the low bits of a number. Never reads a byte that holds none of them. */
function readBits(bytes: Uint8Array, bit: number, count: number): number {
  const at = Math.floor(bit / 8);
  const shift = bit % 8;
  let value = bytes[at] >> shift;
  if (shift + count > 8) value |= bytes[at + 1] << (8 - shift);
  return value & ((1 << count) - 1);
}

/** How many of the bits [bit, bit + count) are set. */
export function countBits(bytes: Uint8Array, bit: number, count: number): number {
  if (count <= 0) return 0;
  const head = Math.min(count, (8 - (bit % 8)) % 8);
  let set = head > 0 ? popcount32(readBits(bytes, bit, head)) : 0;
  const end = bit + count;
  let at = (bit + head) / 8;
  const lastByte = Math.floor(end / 8);
  if (head === count) return set;
  for (; at + 4 <= lastByte; at += 4) {
    set += popcount32(bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24));
  }
  for (; at < lastByte; at++) set += popcount32(bytes[at]);
  const tail = end % 8;
  return tail > 0 ? set + popcount32(bytes[at] & ((1 << tail) - 1)) : set;
}

/**
 * dst bits [dstBit, dstBit + count) := src bits from srcBit on. The bits of dst's first byte before dstBit stay; bits of its last
 * byte after the range are cleared. The bits of the first byte from dstBit on must be clear unless dstBit is a whole byte.
 */
export function appendBits(dst: Uint8Array, dstBit: number, src: Uint8Array, srcBit: number, count: number): void {
  const head = Math.min(count, (8 - (dstBit % 8)) % 8);
  if (head > 0) dst[Math.floor(dstBit / 8)] |= readBits(src, srcBit, head) << (dstBit % 8);
  let to = Math.ceil(dstBit / 8);
  let bit = srcBit + head;
  const body = Math.floor((count - head) / 8);
  const shift = bit % 8;
  let from = Math.floor(bit / 8);
  if (shift === 0) {
    dst.set(src.subarray(from, from + body), to);
    to += body;
  } else {
    let carry = src[from] >> shift;
    for (const end = to + body; to < end; to++) {
      const next = src[++from];
      dst[to] = carry | (next << (8 - shift));
      carry = next >> shift;
    }
  }
  bit += body * 8;
  const tail = count - head - body * 8;
  if (tail > 0) dst[to] = readBits(src, bit, tail);
}

/** dst bits [dstBit, dstBit + count) := 1; the bits around them stay. */
export function setBits(dst: Uint8Array, dstBit: number, count: number): void {
  if (count <= 0) return;
  const end = dstBit + count;
  const first = Math.floor(dstBit / 8);
  const last = Math.floor(end / 8);
  const firstMask = 0xff << (dstBit % 8);
  const lastMask = (1 << (end % 8)) - 1;
  if (first === last) {
    dst[first] |= firstMask & lastMask;
    return;
  }
  dst[first] |= firstMask;
  dst.fill(0xff, first + 1, last);
  if (lastMask !== 0) dst[last] |= lastMask;
}

/** dst bits [0, count) &= src bits from srcBit on; the rest of dst's last byte is cleared. */
export function andBits(dst: Uint8Array, src: Uint8Array, srcBit: number, count: number): void {
  const shift = srcBit % 8;
  let from = Math.floor(srcBit / 8);
  const body = Math.floor(count / 8);
  if (shift === 0) {
    for (let at = 0; at < body; at++) dst[at] &= src[from + at];
  } else {
    for (let at = 0; at < body; at++, from++) dst[at] &= (src[from] >> shift) | (src[from + 1] << (8 - shift));
  }
  const tail = count % 8;
  if (tail > 0) dst[body] &= readBits(src, srcBit + body * 8, tail);
}
