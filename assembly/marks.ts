/**
 * Which build rows found a partner: bitmaps over rows and over groups, so that a group of a million rows is one bit until
 * the end.
 *
 * markMatches O(handles), random access into the bitmaps; spreadMarks O(groups + rows of marked groups); scanMarks O(rows / 64
 * + rows written).
 */
import { NONE, bitAt, i32At, setI32, setResult } from "./memory";

/** Sets a bit; 1 where it was clear. */
@inline
function setBit(bits: usize, index: i32): i32 {
  const at = bits + <usize>(index >> 3);
  const byte = <i32>load<u8>(at);
  const bit = 1 << (index & 7);
  store<u8>(at, <u8>(byte | bit));
  return i32((byte & bit) == 0);
}

/** Sets the bit of each One(row) and each Multi(g). Returns how many were clear before. */
export function markMatches(handles: usize, from: i32, to: i32, rowMarks: usize, groupMarks: usize): i32 {
  let fresh = 0;
  for (let i = from; i < to; ++i) {
    const handle = i32At(handles, i);
    if (handle >= 0) fresh += setBit(rowMarks, handle);
    else if (handle != NONE && groupMarks) fresh += setBit(groupMarks, -2 - handle);
  }
  return fresh;
}

/** Groups [from, to) whose bit is set: sets the bits of their rows. */
export function spreadMarks(groupMarks: usize, from: i32, to: i32, offsets: usize, rows: usize, rowMarks: usize): void {
  for (let group = from; group < to; ++group) {
    if (!bitAt(groupMarks, group)) continue;
    const end = i32At(offsets, group + 1);
    for (let i = i32At(offsets, group); i < end; ++i) setBit(rowMarks, i32At(rows, i));
  }
}

/** Rows whose mark is set (want) or clear. Results: row, next free place. */
export function scanMarks(rowMarks: usize, row: i32, at: i32, to: i32, want: bool, out: usize, limit: i32): void {
  const flip: u64 = want ? 0 : ~(<u64>0);
  while (row < to && at < limit) {
    const first = row & ~63;
    let word = (load<u64>(rowMarks + <usize>(first >> 3)) ^ flip) & (~(<u64>0) << (row & 63));
    if (to - first < 64) word &= (<u64>1 << (to - first)) - 1;
    for (; word && at < limit; word &= word - 1) {
      row = first + <i32>ctz(word);
      setI32(out, at++, row);
      ++row;
    }
    if (!word) row = min(first + 64, to);
  }
  setResult<i32>(0, row);
  setResult<i32>(1, at);
}
