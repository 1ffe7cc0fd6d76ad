/**
 * Calls on tables of distinct keys: the key width chooses the table, once a call.
 *
 *     width   table
 *     4, 8    bucket.ts
 *     16 ..   swiss.ts
 *     0       bytes-table.ts: `keys` are the offsets of byte strings
 */
import { insert, probe, rehashBuckets, relabelBuckets } from "./bucket";
import { rehashBytes, seekBytes } from "./bytes-table";
import { rehashWide, relabelWide, seekWide } from "./swiss";
import { setResult } from "./memory";

/** Finds or inserts the keys of rows [from, to); with a negative limit only finds. Results: count, key bytes used. Returns the first row not done. */
export function seek(
  width: i32, base: usize, slots: u32, count: i32, limit: i32, keyStore: usize, used: u32, room: u32,
  keys: usize, data: usize, valid: usize, from: i32, to: i32, first: i32, out: usize,
): i32 {
  setResult<i32>(0, count);
  setResult<u32>(1, used);
  if (width == 0) return seekBytes(base, slots, count, limit, keyStore, used, room, keys, data, valid, from, to, first, out);
  if (width > 8) return seekWide(base, slots, count, limit, keys, <usize>width, valid, from, to, first, out);
  if (limit >= 0) return width == 4 ? insert4(base, slots, count, limit, keys, valid, from, to, first, out) : insert8(base, slots, count, limit, keys, valid, from, to, first, out);
  if (width == 4) probe4(base, slots, keys, valid, from, to, out);
  else probe8(base, slots, keys, valid, from, to, out);
  return to;
}

function insert4(base: usize, slots: u32, count: i32, limit: i32, keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): i32 {
  return insert<u32>(base, slots, count, limit, keys, valid, from, to, first, out);
}

function insert8(base: usize, slots: u32, count: i32, limit: i32, keys: usize, valid: usize, from: i32, to: i32, first: i32, out: usize): i32 {
  return insert<u64>(base, slots, count, limit, keys, valid, from, to, first, out);
}

function probe4(base: usize, slots: u32, keys: usize, valid: usize, from: i32, to: i32, out: usize): void {
  probe<u32>(base, slots, keys, valid, from, to, out);
}

function probe8(base: usize, slots: u32, keys: usize, valid: usize, from: i32, to: i32, out: usize): void {
  probe<u64>(base, slots, keys, valid, from, to, out);
}

/** Moves what the slots [from, to) of an old table hold into a larger one. Returns how many. */
export function rehash(width: i32, old: usize, oldSlots: u32, from: u32, to: u32, base: usize, slots: u32): i32 {
  if (width == 0) return rehashBytes(old, from, to, base, slots);
  if (width > 8) return rehashWide(old, oldSlots, from, to, base, slots, <usize>width);
  return rehashBuckets(width == 4, old, from, to, base, slots);
}

/** In the slots [from, to): value v becomes handles[v]. */
export function relabel(width: i32, base: usize, slots: u32, from: u32, to: u32, handles: usize): void {
  if (width > 8) relabelWide(base, slots, from, to, <usize>width, handles);
  else if (width == 4) relabelBuckets(base, from, to, 3, 32, 64, handles);
  else if (width == 8) relabelBuckets(base, from, to, 2, 40, 60, handles);
  else relabelBuckets(base, from, to, 2, 48, 64, handles);
}
