/**
 * A 32-bit checksum of a block, against stores that give back other bytes than were written. It keeps no secret: who chooses the bytes can
 * choose others of the same sum.
 *
 *     words    0 1 2 3   4 5 6 7   8 9 10 11 ...
 *     lanes    a b c d   a b c d   a b  c  d          at the end mixed into one, with the words and bytes that are left
 *
 * A step is one-to-one in the lane and in the word, so a change within one word always shows; others are missed once in 2^32. There are four
 * lanes because a step takes five cycles and waits only for its own lane.
 *
 * O(bytes): 0.17 to 0.19 ns a byte in blocks of 128 kB to 16 MB (Node 20, x86-64), which a disk does not notice.
 */

const PRIME = 0x9e3779b1;

/** The rotation brings the high bits down again: a product moves them up only, and two changed sign bits would cancel out. */
function step(lane: number, word: number): number {
  const product = Math.imul(lane ^ word, PRIME);
  return (product << 13) | (product >>> 19);
}

/** The bytes must begin at a multiple of 4 of their buffer. */
export function checksum(bytes: Uint8Array): number {
  const { length } = bytes;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, length >> 2);
  let [a, b, c, d] = [length, 1, 2, 3];
  let at = 0;
  for (const end = words.length - 3; at < end; at += 4) {
    a = step(a, words[at]);
    b = step(b, words[at + 1]);
    c = step(c, words[at + 2]);
    d = step(d, words[at + 3]);
  }
  let sum = step(step(step(a, b), c), d);
  for (; at < words.length; at++) sum = step(sum, words[at]);
  for (at *= 4; at < length; at++) sum = step(sum, bytes[at]);
  return sum;
}
