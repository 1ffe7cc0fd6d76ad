/**
 * Radix sort by bytes, for the groups of a range search: count a byte, move by it, from the lowest byte up; in the end by group. Stable.
 *
 * O(rows) a byte, about 2 ns a row and move: a stretch of the input is read in order, 256 (or as many as groups) places are written.
 */
import { i32At, setI32 } from "./memory";

export function countBytes(keys: usize, width: usize, byte: usize, from: i32, to: i32, counts: usize): void {
  let at = keys + <usize>from * width + byte;
  for (let i = from; i < to; ++i, at += width) {
    const count = counts + (<usize>load<u8>(at) << 2);
    store<i32>(count, load<i32>(count) + 1);
  }
}

/** Moves a key and what goes with it to the next place of its digit. */
@inline
function move(keys: usize, rows: usize, width: usize, i: i32, next: usize, digit: usize, outKeys: usize, outRows: usize): void {
  const slot = next + (digit << 2);
  const to = load<i32>(slot);
  store<i32>(slot, to + 1);
  setI32(outRows, to, i32At(rows, i));
  if (width == 4) setI32(outKeys, to, i32At(keys, i));
  else store<u64>(outKeys + (<usize>to << 3), load<u64>(keys + (<usize>i << 3)));
}

/** `groupOf` 0: by byte. */
export function moveKeys(
  keys: usize, rows: usize, width: usize, byte: usize, from: i32, to: i32, groupOf: usize, next: usize, outKeys: usize, outRows: usize,
): void {
  for (let i = from; i < to; ++i) {
    const digit = groupOf ? <usize>i32At(groupOf, i32At(rows, i)) : <usize>load<u8>(keys + <usize>i * width + byte);
    move(keys, rows, width, i, next, digit, outKeys, outRows);
  }
}
