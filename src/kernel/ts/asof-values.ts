/** How the twin reads values of a time column. */

import type { NumberLane } from "../expression-contract.ts";

export type Numbers = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** 64-bit integers as words: low at 2 i, high at 2 i + 1. */
export interface Int64Words {
  readonly low: Uint32Array;
  readonly high: Int32Array | Uint32Array;
}

const ARRAYS = {
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

/** The values of lanes that a float64 holds; null for 64-bit integers. */
export function numbersOf(lane: NumberLane, { buffer, byteOffset, byteLength }: Uint8Array): Numbers | null {
  if (lane === "i64" || lane === "u64") return null;
  const Values = ARRAYS[lane];
  return new Values(buffer as ArrayBuffer, byteOffset, Math.floor(byteLength / Values.BYTES_PER_ELEMENT));
}

export function wordsOf(lane: NumberLane, { buffer, byteOffset, byteLength }: Uint8Array): Int64Words {
  const low = new Uint32Array(buffer, byteOffset, byteLength >> 2);
  return { low, high: lane === "u64" ? low : new Int32Array(buffer, byteOffset, byteLength >> 2) };
}
