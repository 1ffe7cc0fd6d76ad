/**
 * One value of a column, exact and comparable: what the table builder takes and what the rows reader gives.
 *
 * integers up to 32 bits, Date32, Time32   number        binary, fixed-size binary   hex text
 * 64-bit integers and times, decimals      bigint (raw)  list                        array
 * floats   number, except "-0" and "NaN(bits)"           struct                      object
 * strings  string                                        map                         array of [key, value]
 *
 * Floats that JavaScript would blur are texts of their bits, so two cells are the same exactly when their bits are.
 */

export type Cell = null | boolean | number | bigint | string | readonly Cell[] | { readonly [name: string]: Cell };

export type Row = readonly Cell[];

/** One line of text for a cell: different for every two different cells, of different JavaScript types too. */
export function cellText(cell: Cell): string {
  if (cell === null) return "∅";
  switch (typeof cell) {
    case "bigint":
      return `${cell}n`;
    case "string":
      return JSON.stringify(cell);
    case "number":
      return Object.is(cell, -0) ? `"-0"` : String(cell);
    case "boolean":
      return String(cell);
  }
  if (Array.isArray(cell)) return `[${cell.map(cellText).join(", ")}]`;
  return `{${Object.entries(cell)
    .map(([name, value]) => `${name}: ${cellText(value as Cell)}`)
    .join(", ")}}`;
}

export const rowText = (row: Row): string => `(${row.map(cellText).join(", ")})`;

/** What a cell is as a join key: SEMANTICS 1.2 makes all NaNs one key and -0 the key 0. */
export function keyText(cell: Cell): string {
  if (typeof cell === "string" && cell.startsWith("NaN(")) return "NaN";
  if (cell === "-0" || Object.is(cell, -0)) return "0";
  return cellText(cell);
}

export type FloatWidth = 16 | 32 | 64;

const scratch = new DataView(new ArrayBuffer(8));

/** The cell of a float's bits (for 16 and 32 bits the low ones). */
export function floatCell(width: FloatWidth, bits: bigint): Cell {
  const digits = width / 4;
  const value = floatOfBits(width, bits);
  if (Number.isNaN(value)) return `NaN(${bits.toString(16).padStart(digits, "0")})`;
  return Object.is(value, -0) ? "-0" : value;
}

function floatOfBits(width: FloatWidth, bits: bigint): number {
  if (width === 64) {
    scratch.setBigUint64(0, bits);
    return scratch.getFloat64(0);
  }
  if (width === 32) {
    scratch.setUint32(0, Number(bits));
    return scratch.getFloat32(0);
  }
  const half = Number(bits);
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The bits of a cell given to a float column: a number that the width holds exactly, "-0" or "NaN(bits)". */
export function floatBits(width: FloatWidth, cell: Cell): bigint {
  if (typeof cell === "string" && cell.startsWith("NaN(")) return BigInt(`0x${cell.slice(4, -1)}`);
  const value = cell === "-0" ? -0 : (cell as number);
  if (width === 64) {
    scratch.setFloat64(0, value);
    return scratch.getBigUint64(0);
  }
  if (width === 32) {
    scratch.setFloat32(0, value);
    return BigInt(scratch.getUint32(0));
  }
  if (Number.isNaN(value)) return 0x7e00n;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  for (let bits = 0; bits <= 0x7c00; bits++) {
    if (floatOfBits(16, BigInt(bits)) === Math.abs(value)) return BigInt(sign | bits);
  }
  throw new Error(`${value} is no float16`);
}

export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}
