/**
 * Calls on tables of distinct keys: picks the loop by key width, sizes tables, and touches ahead where tables outgrow the cache.
 *
 * A probe of a large table is one cache miss, and misses of one loop overlap only as far as its branches are predicted. So rows go in
 * blocks of TOUCH_ROWS: a first loop without branches only loads each row's home slot, the second finds the keys. Plain against
 * touched, ns a probe of 4-byte keys at half hits and load 5/8: 2 K slots 24 / 24, 256 K slots 67 / 49, 2 M slots 143 / 83; all hits: 17 / 18,
 * 56 / 43, 77 / 58. Cost: O(1) a call besides the loops.
 */

import { ArrowJoinError } from "../../error.ts";
import type { KeyBlock, Region, SwissState } from "../contract.ts";
import { viewOf } from "./byte-runs.ts";
import type { Strings } from "./bytes-table.ts";
import { BYTES_SLOT_WORDS, rehashBytes, seekBytes, touchBytes } from "./bytes-table.ts";
import type { HashMix } from "./hash.ts";
import type { TsRegion } from "./memory.ts";
import { rehashFixed, relabelSlots, seek4, seek8, seekWide, slotWords, touchFixed } from "./swiss.ts";

/**
 * Load 5/8: without tags, linear probing degrades beyond it. ns a probe of 4-byte keys in 2 M slots, hits / half hits, at load 0.5, 0.625,
 * 0.75: 48 / 67, 58 / 83, 67 / 97.
 */
const LOAD_EIGHTHS = 5;
/** Half of a 512 kB L2: smaller tables stay in it beside the chunk, and touching them would be work for nothing. */
const TOUCH_BYTES = 1 << 18;
/** Rows touched at a time: more than the 10 to 16 misses a core keeps in flight, few enough that none is evicted before its use. */
const TOUCH_ROWS = 32;

export function swissBytes(width: number, slots: number): number {
  return slots * 4 * strideOf(width);
}

export function swissLimit(slots: number): number {
  return (slots * LOAD_EIGHTHS) / 8;
}

function strideOf(width: number): number {
  return width === 0 ? BYTES_SLOT_WORDS : slotWords(width);
}

/** What touches returned, kept only to be used. */
export interface Touched {
  sink: number;
}

/** Finds or inserts rows [from, to); with a negative limit only finds. Returns the first row not done. */
export function seekRows(
  table: SwissState,
  block: KeyBlock,
  from: number,
  to: number,
  base: number,
  out: Int32Array,
  outAt: number,
  limit: number,
  mix: HashMix,
  touched: Touched,
): number {
  const { i32: cells, bytes } = table.region as TsRegion;
  const valid = block.valid && (block.valid as TsRegion).u8;
  let strings: Strings | null = null;
  let store: DataView | null = null;
  if (block.kind === "bytes") {
    if (table.keyBytes === null) throw new ArrowJoinError("INTERNAL", "a table of byte strings has no key store");
    const offsets = (block.offsets as TsRegion).i32;
    strings = { offsets, data: viewOf((block.data as TsRegion).u8), origin: block.origin, valid };
    store = viewOf((table.keyBytes as TsRegion).u8);
  }
  const keys = block.kind === "bytes" ? cells : (block.keys as TsRegion).i32;
  const touches = bytes > TOUCH_BYTES;
  for (let row = from; row < to; ) {
    const end = touches ? Math.min(to, row + TOUCH_ROWS) : to;
    // The sink depends on every load, so that no engine may drop them.
    if (touches)
      touched.sink ^= strings ? touchBytes(table.slots, cells, strings, row, end, mix) : touchFixed(table, cells, keys, row, end, mix);
    const at = outAt + row - from;
    if (strings) row = seekBytes(table, cells, store!, strings, row, end, base, out, at, limit, mix);
    else {
      const seek = table.width === 4 ? seek4 : table.width === 8 ? seek8 : seekWide;
      row = seek(table, cells, keys, valid, row, end, base, out, at, limit, mix);
    }
    if (row < end) return row;
  }
  return to;
}

export function rehashSlots(old: SwissState, next: SwissState, from: number, to: number, mix: HashMix): void {
  const source = (old.region as TsRegion).i32;
  const target = (next.region as TsRegion).i32;
  if (old.width === 0) rehashBytes(source, next, target, from, to);
  else rehashFixed(source, next, target, from, to, mix);
}

export function relabelValues(table: SwissState, handles: Region, from: number, to: number): void {
  relabelSlots((table.region as TsRegion).i32, strideOf(table.width), (handles as TsRegion).i32, from, to);
}
