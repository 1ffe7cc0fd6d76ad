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
import { BYTES_SLOT_WORDS, insertBytes, probeBytes, rehashBytes, touchBytes } from "./bytes-table.ts";
import type { HashMix } from "./hash.ts";
import type { TsRegion } from "./memory.ts";
import {
  insert4,
  insert8,
  insertWide,
  probe4,
  probe8,
  probeWide,
  rehash4,
  rehash8,
  rehashWide,
  relabelSlots,
  slotWords,
  touch4,
  touch8,
  touchWide,
} from "./swiss.ts";

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

/** A call's arrays, resolved once. `keys` or, for byte strings, `strings` and `store` are the real ones. */
interface Resolved {
  readonly cells: Int32Array;
  readonly keys: Int32Array;
  readonly valid: Uint8Array | null;
  readonly strings: Strings | null;
  readonly store: DataView | null;
  readonly step: number;
}

function resolve(table: SwissState, block: KeyBlock, rows: number): Resolved {
  const { i32: cells, bytes } = table.region as TsRegion;
  const valid = block.valid === null ? null : (block.valid as TsRegion).u8;
  const step = bytes > TOUCH_BYTES ? TOUCH_ROWS : Math.max(1, rows);
  if (block.kind === "fixed") return { cells, keys: (block.keys as TsRegion).i32, valid, strings: null, store: null, step };
  if (table.keyBytes === null) throw new ArrowJoinError("INTERNAL", "a table of byte strings has no key store");
  const offsets = (block.offsets as TsRegion).i32;
  const strings = { offsets, data: viewOf((block.data as TsRegion).u8), origin: block.origin, valid };
  return { cells, keys: offsets, valid, strings, store: viewOf((table.keyBytes as TsRegion).u8), step };
}

/** Loads the home slots of rows. The result depends on every load, so that no engine may drop them. */
function touch(table: SwissState, { cells, keys, strings }: Resolved, from: number, to: number, mix: HashMix): number {
  if (strings !== null) return touchBytes(table.slots, cells, strings, from, to, mix);
  if (table.width === 4) return touch4(table.slots, cells, keys, from, to, mix);
  if (table.width === 8) return touch8(table.slots, cells, keys, from, to, mix);
  return touchWide(table.slots, table.width, cells, keys, from, to, mix);
}

/** What touches returned, kept only to be used. */
export interface Touched {
  sink: number;
}

export function insertRows(
  table: SwissState,
  block: KeyBlock,
  from: number,
  to: number,
  base: number,
  out: Int32Array,
  outAt: number,
  mix: HashMix,
  touched: Touched,
): number {
  const limit = swissLimit(table.slots);
  const resolved = resolve(table, block, to - from);
  const { cells, keys, valid, strings, store, step } = resolved;
  for (let row = from; row < to; row += step) {
    const end = Math.min(to, row + step);
    if (step === TOUCH_ROWS) touched.sink ^= touch(table, resolved, row, end, mix);
    const at = outAt + row - from;
    let stop: number;
    if (strings !== null) stop = insertBytes(table, cells, store!, strings, row, end, base, out, at, limit, mix);
    else if (table.width === 4) stop = insert4(table, cells, keys, valid, row, end, base, out, at, limit, mix);
    else if (table.width === 8) stop = insert8(table, cells, keys, valid, row, end, base, out, at, limit, mix);
    else stop = insertWide(table, cells, keys, valid, row, end, base, out, at, limit, mix);
    if (stop < end) return stop;
  }
  return to;
}

export function probeRows(
  table: SwissState,
  block: KeyBlock,
  from: number,
  to: number,
  out: Int32Array,
  outAt: number,
  mix: HashMix,
  touched: Touched,
): void {
  const resolved = resolve(table, block, to - from);
  const { cells, keys, valid, strings, store, step } = resolved;
  const { slots, width } = table;
  for (let row = from; row < to; row += step) {
    const end = Math.min(to, row + step);
    if (step === TOUCH_ROWS) touched.sink ^= touch(table, resolved, row, end, mix);
    const at = outAt + row - from;
    if (strings !== null) probeBytes(slots, cells, store!, strings, row, end, out, at, mix);
    else if (width === 4) probe4(slots, cells, keys, valid, row, end, out, at, mix);
    else if (width === 8) probe8(slots, cells, keys, valid, row, end, out, at, mix);
    else probeWide(slots, width, cells, keys, valid, row, end, out, at, mix);
  }
}

export function rehashSlots(old: SwissState, next: SwissState, from: number, to: number, mix: HashMix): void {
  const source = (old.region as TsRegion).i32;
  const target = (next.region as TsRegion).i32;
  if (old.width === 0) rehashBytes(source, next, target, from, to);
  else if (old.width === 4) rehash4(source, next, target, from, to, mix);
  else if (old.width === 8) rehash8(source, next, target, from, to, mix);
  else rehashWide(source, next, target, from, to, mix);
}

export function relabelValues(table: SwissState, handles: Region, from: number, to: number): void {
  relabelSlots((table.region as TsRegion).i32, strideOf(table.width), (handles as TsRegion).i32, from, to);
}
