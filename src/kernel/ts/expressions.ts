/**
 * `ExpressionKernels` as loops over typed arrays, inherited by both kernels: the twin runs them all, the WASM kernel those that filters
 * rarely need, and comparisons of floats that meet a NaN.
 *
 * Here regions are resolved to views and the loop is chosen, once a call (about 0.5 µs, of a tile of 2048 rows). Loops are in the files
 * beside this one.
 */

import type { Region } from "../contract.ts";
import type { ExpressionKernels, Members, NumberLane, Operand, TextOperand } from "../expression-contract.ts";
import * as arithmetic from "./arithmetic.ts";
import { viewOf } from "./byte-runs.ts";
import * as compare from "./compare.ts";
import { HostGathers } from "./gather.ts";
import { convertLane, isFloat, isLong, LANE_ARRAYS, type LaneArray } from "./lanes.ts";
import { LongMembers, NumberMembers, TextMembers } from "./members.ts";
import { compareTexts, type TextTest } from "./texts.ts";
import * as wide from "./wide.ts";

/** Rows that are widened at a time: two tiles of f64 take 32 kB. */
const TILE_ROWS = 2048;
const TOP = 0x80000000 | 0;
const ZERO = new Int32Array(2);

type Make<A> = new (buffer: ArrayBufferLike, at: number, length: number) => A;

export abstract class HostExpressions extends HostGathers implements ExpressionKernels {
  /** Room for a tile of either operand, from the first use on. */
  #tiles: readonly Float64Array[] = [];

  abstract u8(region: Region): Uint8Array;

  compare(op: "eq" | "lt", lane: NumberLane, a: Operand, b: Operand, count: number, out: Region): void {
    const bits = this.i32(out);
    const words = (count + 31) >> 5;
    const [m, n] = [maskOf(a), maskOf(b)];
    const less = op === "lt";
    if (lane === "i32" || lane === "u32") compareInts(less, this.i32(a.region), m, this.i32(b.region), n, lane === "u32", bits, 0, words);
    else if (isLong(lane)) {
      const [x, y] = [this.i32(a.region), this.i32(b.region)];
      if (less) compare.lessLongs(x, m, y, n, lane === "u64" ? TOP : 0, bits, words);
      else compare.equalLongs(x, m, y, n, bits, words);
    } else if (lane === "f64") compareFloats(less, this.#f64(a.region), m, this.#f64(b.region), n, bits, 0, words);
    else this.#compareWidened(less, lane, a, b, count, bits);
    clearAfter(bits, count);
  }

  /** Lanes of 1 and 2 bytes as i32, f32 as f64. */
  #compareWidened(less: boolean, lane: NumberLane, a: Operand, b: Operand, count: number, bits: Int32Array): void {
    const [x, y] = [this.#lane(lane, a.region), this.#lane(lane, b.region)];
    const [m, n] = [maskOf(a), maskOf(b)];
    for (let at = 0; at < count; at += TILE_ROWS) {
      const rows = Math.min(TILE_ROWS, count - at);
      const words = (rows + 31) >> 5;
      if (isFloat(lane)) {
        const [left, right] = [this.#tile(0), this.#tile(1)];
        compareFloats(less, fill(left, x, m & at, m & rows), m, fill(right, y, n & at, n & rows), n, bits, at >> 5, words);
      } else {
        const [left, right] = [wordsOf(this.#tile(0)), wordsOf(this.#tile(1))];
        compareInts(less, fill(left, x, m & at, m & rows), m, fill(right, y, n & at, n & rows), n, false, bits, at >> 5, words);
      }
    }
  }

  compareText(op: TextTest, a: TextOperand, b: TextOperand, count: number, out: Region): void {
    const bits = this.i32(out);
    const [x, y] = [viewOf(this.u8(a.data)), viewOf(this.u8(b.data))];
    compareTexts(op, this.i32(a.region), stepOf(a, 2), x, this.i32(b.region), stepOf(b, 2), y, count, bits);
    clearAfter(bits, count);
  }

  compareWide(op: "eq" | "lt", a: Operand, b: Operand, count: number, out: Region): void {
    const bits = this.i32(out);
    wide.compareWides(op === "lt", this.i32(a.region), stepOf(a, 8), this.i32(b.region), stepOf(b, 8), count, bits);
    clearAfter(bits, count);
  }

  compareScaled(op: "eq" | "lt", floats: Operand, wides: Operand, scale: number, floatFirst: boolean, count: number, out: Region): void {
    const bits = this.i32(out);
    const [x, y] = [this.#f64(floats.region), this.i32(wides.region)];
    wide.compareScaled(op === "lt", x, stepOf(floats, 1), y, stepOf(wides, 8), scale, floatFirst, count, bits);
    clearAfter(bits, count);
  }

  bitwise(op: "and" | "or" | "andNot" | "xnor" | "not", a: Region, b: Region, count: number, out: Region): void {
    const [x, y, bits] = [this.i32(a), this.i32(b), this.i32(out)];
    const words = (count + 31) >> 5;
    let w = 0;
    if (op === "and") for (; w < words; w++) bits[w] = x[w] & y[w];
    else if (op === "or") for (; w < words; w++) bits[w] = x[w] | y[w];
    else if (op === "andNot") for (; w < words; w++) bits[w] = x[w] & ~y[w];
    else if (op === "xnor") for (; w < words; w++) bits[w] = ~(x[w] ^ y[w]);
    else for (; w < words; w++) bits[w] = ~x[w];
    clearAfter(bits, count);
  }

  arithmetic(
    op: arithmetic.FloatOp,
    lane: "i64" | "u64" | "f64",
    a: Operand,
    b: Operand,
    count: number,
    out: Region,
    failed: Region,
  ): number {
    const failures = this.#noneFailed(failed, count);
    if (lane === "f64") {
      const y = this.#f64(b.region);
      arithmetic.computeFloats(op, this.#f64(a.region), stepOf(a, 1), y, stepOf(b, 1), count, this.#f64(out));
      return op === "div" || op === "mod" ? arithmetic.failZeros(y, stepOf(b, 1), count, failures) : 0;
    }
    const signed = lane === "i64";
    const [x, step, sum] = [this.i32(a.region), stepOf(a, 2), this.i32(out)];
    switch (op) {
      case "add":
      case "sub":
        return arithmetic.addLongs(x, step, this.i32(b.region), stepOf(b, 2), op === "sub" ? -1 : 0, signed, count, sum, failures);
      case "neg":
        return arithmetic.addLongs(ZERO, 0, x, step, -1, signed, count, sum, failures);
      case "abs":
        return arithmetic.absLongs(x, step, signed, count, sum, failures);
      default: {
        const [left, right] = [this.#longs(a.region, signed), this.#longs(b.region, signed)];
        const result = this.#longs(out, signed);
        return arithmetic.multiplyLongs(op, left, step / 2, signed, right, stepOf(b, 1), signed, count, result, failures);
      }
    }
  }

  mixedArithmetic(
    op: "add" | "sub" | "mul" | "mod",
    a: Operand,
    b: Operand,
    unsigned: 0 | 1,
    count: number,
    out: Region,
    failed: Region,
  ): number {
    const [left, right] = [this.#longs(a.region, unsigned === 1), this.#longs(b.region, unsigned === 0)];
    const failures = this.#noneFailed(failed, count);
    const result = this.#longs(out, true);
    return arithmetic.multiplyLongs(op, left, stepOf(a, 1), unsigned === 1, right, stepOf(b, 1), unsigned === 0, count, result, failures);
  }

  members(lane: NumberLane | "text", values: readonly (string | number)[]): Members {
    return lane === "text" ? new TextMembers(values) : isLong(lane) ? new LongMembers(values) : new NumberMembers(values);
  }

  among(lane: NumberLane | "text", a: Operand | TextOperand, members: Members, count: number, out: Region): void {
    if (lane !== "text") (members as NumberMembers | LongMembers).test(this.#lane(lane, a.region), count, this.i32(out));
    else (members as TextMembers).test(this.i32(a.region), this.u8((a as TextOperand).data), count, this.i32(out));
  }

  convert(from: NumberLane, to: NumberLane, src: Region, count: number, out: Region, failed: Region): number {
    return convertLane(from, to, this.#lane(from, src), count, this.#lane(to, out), this.#noneFailed(failed, count), this.#tile(0));
  }

  widen(from: NumberLane | "wide", bytes: number, src: Region, factor: bigint, count: number, out: Region): void {
    const result = this.i32(out);
    if (from === "wide" || isLong(from)) {
      wide.widenWords(this.i32(src), from === "wide" ? bytes >> 2 : 2, from !== "u64", factor, count, result, 0);
      return;
    }
    const [values, tile] = [this.#lane(from, src), wordsOf(this.#tile(0))];
    for (let at = 0; at < count; at += TILE_ROWS) {
      const rows = Math.min(TILE_ROWS, count - at);
      wide.widenWords(fill(tile, values, at, rows), 1, from !== "u32", factor, rows, result, at);
    }
  }

  unscale(src: Region, scale: number, count: number, out: Region): void {
    wide.unscale(this.i32(src), scale, count, this.#f64(out));
  }

  floorDivide(src: Region, divisor: bigint, count: number, out: Region): void {
    arithmetic.floorDivide(this.#longs(src, true), divisor, count, this.#longs(out, true));
  }

  bitsToBytes(bits: Region, count: number, out: Region, at: number): void {
    const [words, bytes] = [this.i32(bits), this.u8(out)];
    for (let i = 0; i < count; i++) bytes[at + i] = (words[i >> 5] >> (i & 31)) & 1;
  }

  bytesToBits(bytes: Region, count: number, out: Region): void {
    const [values, bits] = [this.u8(bytes), this.i32(out)];
    const words = (count + 31) >> 5;
    for (let w = 0; w < words; w++) {
      let word = 0;
      for (let i = w * 32, end = i + 32; i < end; i++) word |= Number(values[i] !== 0) << i;
      bits[w] = word;
    }
    clearAfter(bits, count);
  }

  #view<A>(make: Make<A>, region: Region, bytes: number): A {
    const { buffer, byteOffset, length } = this.u8(region);
    return new make(buffer, byteOffset, Math.floor(length / bytes));
  }

  #lane(lane: NumberLane, region: Region): LaneArray {
    const make = LANE_ARRAYS[lane];
    return this.#view<LaneArray>(make, region, make.BYTES_PER_ELEMENT);
  }

  #f64(region: Region): Float64Array {
    return this.#view(Float64Array, region, 8);
  }

  #longs(region: Region, signed: boolean): arithmetic.Longs {
    return {
      words: this.i32(region),
      values: this.#view<BigInt64Array | BigUint64Array>(signed ? BigInt64Array : BigUint64Array, region, 8),
    };
  }

  #noneFailed(failed: Region, count: number): Int32Array {
    return this.i32(failed).fill(0, 0, ((count + 63) >> 6) * 2);
  }

  #tile(index: number): Float64Array {
    if (this.#tiles.length === 0) this.#tiles = [new Float64Array(TILE_ROWS), new Float64Array(TILE_ROWS)];
    return this.#tiles[index];
  }
}

function compareInts(
  less: boolean,
  a: Int32Array,
  aMask: number,
  b: Int32Array,
  bMask: number,
  unsigned: boolean,
  out: Int32Array,
  word: number,
  words: number,
): void {
  if (less) compare.lessInts(a, aMask, b, bMask, unsigned ? TOP : 0, out, word, words);
  else compare.equalInts(a, aMask, b, bMask, out, word, words);
}

function compareFloats(
  less: boolean,
  a: Float64Array,
  aMask: number,
  b: Float64Array,
  bMask: number,
  out: Int32Array,
  word: number,
  words: number,
): void {
  if (less) compare.lessFloats(a, aMask, b, bMask, out, word, words);
  else compare.equalFloats(a, aMask, b, bMask, out, word, words);
}

const maskOf = ({ constant }: Operand): number => (constant ? 0 : -1);
const stepOf = ({ constant }: Operand, step: number): number => (constant ? 0 : step);
const wordsOf = (tile: Float64Array): Int32Array => new Int32Array(tile.buffer, 0, TILE_ROWS);

/** The values [at, at + rows), of a constant at least one. */
function fill<A extends Int32Array | Float64Array>(tile: A, values: LaneArray, at: number, rows: number): A {
  tile.set(values.subarray(at, at + Math.max(rows, 1)));
  return tile;
}

/** Clears the bits from `count` on, up to the end of its 64-bit word. */
function clearAfter(bits: Int32Array, count: number): void {
  const whole = (count + 31) >> 5;
  if ((count & 31) !== 0) bits[whole - 1] &= (1 << (count & 31)) - 1;
  if ((whole & 1) !== 0) bits[whole] = 0;
}
