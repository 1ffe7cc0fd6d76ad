/** How the twin reads values of a time column. */

import type { NumberLane } from "../expression-contract.ts";
import { LANE_ARRAYS } from "./lanes.ts";

export type Numbers = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** 64-bit integers as words: low at 2 i, high at 2 i + 1. */
export interface Int64Words {
  readonly low: Uint32Array;
  readonly high: Int32Array | Uint32Array;
}

/** The values of lanes that a float64 holds; null for 64-bit integers. */
export function numbersOf(lane: NumberLane, { buffer, byteOffset, byteLength }: Uint8Array): Numbers | null {
  if (lane === "i64" || lane === "u64") return null;
  const Values = LANE_ARRAYS[lane];
  return new Values(buffer as ArrayBuffer, byteOffset, Math.floor(byteLength / Values.BYTES_PER_ELEMENT));
}

export function wordsOf(lane: NumberLane, { buffer, byteOffset, byteLength }: Uint8Array): Int64Words {
  const low = new Uint32Array(buffer, byteOffset, byteLength >> 2);
  return { low, high: lane === "u64" ? low : new Int32Array(buffer, byteOffset, byteLength >> 2) };
}
