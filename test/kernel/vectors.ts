/** Vectors of the expression kernels as plain values: bigints for integers, numbers for floats; what lies after the last row is random. */

import type { Kernel, Region } from "../../src/kernel/contract.ts";
import type { NumberLane, Operand, TextOperand } from "../../src/kernel/expression-contract.ts";
import type { Random } from "./random.ts";

export type Value = bigint | number;

export const INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"] as const satisfies NumberLane[];
export const LANES = [...INTEGERS, "f32", "f64"] as const satisfies NumberLane[];
export const COUNTS = [0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 129, 1000];

export const WIDE_BYTES = 32;

export const isFloat = (lane: NumberLane): boolean => lane[0] === "f";
export const bitsOf = (lane: NumberLane): number => Number(lane.slice(1));

/** The smallest and the largest of an integer lane. */
export function range(lane: NumberLane): [bigint, bigint] {
  const bits = BigInt(bitsOf(lane));
  return lane[0] === "u" ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

export const wrap = (bits: number, value: bigint, signed: boolean): bigint => (signed ? BigInt.asIntN : BigInt.asUintN)(bits, value);

/** A region with room for 64 rows more than `rows`, all bytes random. */
function room(kernel: Kernel, r: Random, bytes: number): Region {
  const region = kernel.alloc(bytes + 64, "a test");
  kernel.write(region, 0, r.bytes(bytes + 64));
  return region;
}

const roundUp = (count: number): number => Math.ceil(count / 64) * 64;

export function bytesOf(lane: NumberLane, values: readonly Value[]): Uint8Array {
  const width = bitsOf(lane) / 8;
  const view = new DataView(new ArrayBuffer(values.length * width));
  values.forEach((value, i) => {
    if (lane === "f64") view.setFloat64(i * 8, Number(value), true);
    else if (lane === "f32") view.setFloat32(i * 4, Number(value), true);
    else for (let b = 0; b < width; b++) view.setUint8(i * width + b, Number((BigInt(value) >> BigInt(8 * b)) & 255n));
  });
  return new Uint8Array(view.buffer);
}

export function makeVector(kernel: Kernel, r: Random, bytesPerRow: number, count: number): Region {
  return room(kernel, r, roundUp(count) * bytesPerRow);
}

export function makeBits(kernel: Kernel, r: Random, count: number): Region {
  return room(kernel, r, roundUp(count) / 8);
}

export function vector(kernel: Kernel, r: Random, lane: NumberLane, values: readonly Value[]): Operand {
  const region = makeVector(kernel, r, bitsOf(lane) / 8, values.length);
  kernel.write(region, 0, bytesOf(lane, values));
  return { region, constant: false };
}

export function constant(kernel: Kernel, lane: NumberLane, value: Value): Operand {
  const bytes = bytesOf(lane, new Array(512 / bitsOf(lane)).fill(value));
  const region = kernel.alloc(64, "a test");
  kernel.write(region, 0, bytes);
  return { region, constant: true };
}

export function takeVector(kernel: Kernel, lane: NumberLane, region: Region, count: number): Value[] {
  const bytes = kernel.u8(region);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const width = bitsOf(lane) / 8;
  return Array.from({ length: count }, (_, i) => {
    if (lane === "f64") return view.getFloat64(i * 8, true);
    if (lane === "f32") return view.getFloat32(i * 4, true);
    return wrap(bitsOf(lane), littleEndian(bytes, i * width, width), lane[0] === "i");
  });
}

function littleEndian(bytes: Uint8Array, at: number, width: number): bigint {
  let value = 0n;
  for (let b = width - 1; b >= 0; b--) value = (value << 8n) | BigInt(bytes[at + b]);
  return value;
}

export function wideVector(kernel: Kernel, r: Random, values: readonly bigint[], width = WIDE_BYTES): Operand {
  const region = makeVector(kernel, r, width, values.length);
  kernel.write(region, 0, wideBytes(values, width));
  return { region, constant: false };
}

export function wideConstant(kernel: Kernel, value: bigint): Operand {
  const region = kernel.alloc(64, "a test");
  kernel.write(region, 0, wideBytes([value, value], WIDE_BYTES));
  return { region, constant: true };
}

function wideBytes(values: readonly bigint[], width: number): Uint8Array {
  const bytes = new Uint8Array(values.length * width);
  values.forEach((value, i) => {
    for (let b = 0; b < width; b++) bytes[i * width + b] = Number((value >> BigInt(8 * b)) & 255n);
  });
  return bytes;
}

export function takeWide(kernel: Kernel, region: Region, count: number): bigint[] {
  const bytes = kernel.u8(region);
  return Array.from({ length: count }, (_, i) => BigInt.asIntN(256, littleEndian(bytes, i * WIDE_BYTES, WIDE_BYTES)));
}

/** The texts lie in random order, with random bytes between them. */
export function textVector(kernel: Kernel, r: Random, texts: readonly Uint8Array[]): TextOperand {
  const data = room(kernel, r, texts.reduce((sum, text) => sum + text.length + 3, 0) + 64);
  const region = makeVector(kernel, r, 8, texts.length);
  const pairs = kernel.i32(region);
  let at = 0;
  const order = texts.map((_, i) => i).sort(() => r.below(3) - 1);
  for (const i of order) {
    at += r.below(3);
    kernel.write(data, at, texts[i]);
    pairs[2 * i] = at;
    pairs[2 * i + 1] = texts[i].length;
    at += texts[i].length;
  }
  return { region, data, constant: false };
}

export function textConstant(kernel: Kernel, text: Uint8Array): TextOperand {
  const data = kernel.alloc(text.length, "a test");
  kernel.write(data, 0, text);
  const region = kernel.alloc(64, "a test");
  kernel.i32(region).set([0, text.length]);
  return { region, data, constant: true };
}

export function bitVector(kernel: Kernel, r: Random, bits: readonly boolean[]): Region {
  const region = makeBits(kernel, r, bits.length);
  const bytes = kernel.u8(region);
  bits.forEach((bit, i) => {
    if (bit) bytes[i >> 3] |= 1 << (i & 7);
    else bytes[i >> 3] &= ~(1 << (i & 7));
  });
  return region;
}

/** Bits up to the end of the last 64-bit word: those after `count` must be clear. */
export function takeBits(kernel: Kernel, region: Region, count: number): boolean[] {
  const bytes = kernel.u8(region);
  return Array.from({ length: roundUp(count) }, (_, i) => ((bytes[i >> 3] >> (i & 7)) & 1) === 1);
}

/** What `takeBits` gives for these rows. */
export function padded(bits: readonly boolean[]): boolean[] {
  return [...bits, ...new Array<boolean>(roundUp(bits.length) - bits.length).fill(false)];
}

const NAN_BITS = [0x7ff8000000000000n, 0xfff8000000000000n, 0x7ff0000000000001n, 0xffffffffffffffffn];
const FLOATS = [0, -0, 1, -1, 0.5, 1.5, -2.5, 1e300, -1e300, 5e-324, 2 ** 53, 2 ** 53 - 1, 2 ** 63, 2 ** 64, -(2 ** 63), 2 ** 31, 2 ** 32];

/** Random values of a lane, half of them edges or small ones, so that equal ones meet. `nans`: the share of NaNs and infinities. */
export function randomValues(r: Random, lane: NumberLane, count: number, nans = 0.1): Value[] {
  return Array.from({ length: count }, () => randomValue(r, lane, nans));
}

function randomValue(r: Random, lane: NumberLane, nans: number): Value {
  if (isFloat(lane)) {
    if (r.chance(nans)) return r.chance(0.6) ? Number.NaN : r.chance(0.5) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    const value = r.chance(0.4) ? FLOATS[r.below(FLOATS.length)] : r.chance(0.5) ? r.below(7) - 3 : r.i32() * 2 ** (r.below(80) - 40);
    return lane === "f32" ? Math.fround(value) : value;
  }
  const [low, high] = range(lane);
  if (r.chance(0.3)) return [low, low + 1n, high, high - 1n, 0n, 1n, wrap(bitsOf(lane), -1n, lane[0] === "i")][r.below(7)];
  if (r.chance(0.4)) return wrap(bitsOf(lane), BigInt(r.below(7) - 3), lane[0] === "i");
  if (r.chance(0.2)) return wrap(bitsOf(lane), 2n ** 53n + BigInt(r.below(3) - 1), lane[0] === "i");
  const word = (BigInt(r.i32()) << 32n) | BigInt(r.i32() >>> 0);
  return wrap(bitsOf(lane), word >> BigInt(r.below(64)), lane[0] === "i");
}

/** Puts NaNs of all kinds over the first rows of an f64 vector. */
export function scatterNans(kernel: Kernel, region: Region, rows: readonly number[]): void {
  const bytes = kernel.u8(region);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  rows.forEach((row, i) => void view.setBigUint64(row * 8, NAN_BITS[i % NAN_BITS.length], true));
}

export function randomWide(r: Random): bigint {
  const edges = [
    0n,
    1n,
    -1n,
    2n ** 255n - 1n,
    -(2n ** 255n),
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 64n,
    -(2n ** 64n),
    2n ** 127n,
    -(2n ** 127n),
  ];
  if (r.chance(0.4)) return edges[r.below(edges.length)];
  let value = 0n;
  for (let k = 0; k < 8; k++) value = (value << 32n) | BigInt(r.i32() >>> 0);
  return BigInt.asIntN(256, value) >> BigInt(r.below(256));
}

/** The order that SEMANTICS 1.2 gives numbers of one kind: NaN above all, -0 as +0. */
export function order(a: Value, b: Value): number {
  const [x, y] = [Number.isNaN(a), Number.isNaN(b)];
  if (x || y) return Number(x) - Number(y);
  return a < b ? -1 : a > b ? 1 : 0;
}
