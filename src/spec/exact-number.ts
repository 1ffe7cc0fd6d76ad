/**
 * Exact numbers at planning time: a literal or a constant as a ratio of two bigints, and the values of a float type on either side of it.
 * A literal is thus compared with a column by its value, never by what its value rounds to.
 *
 * Invariants: `d` is positive; NaN and the infinities are no ratios but stay JavaScript numbers.
 * Cost: O(digits²), of at most 400 digits.
 */

export interface Ratio {
  readonly n: bigint;
  readonly d: bigint;
}

/** Digits and exponents of a literal: beyond every double and every decimal, and cheap. */
const MOST_DIGITS = 400;

export const integer = (n: bigint): Ratio => ({ n, d: 1n });
export const powerOf10 = (exponent: number): bigint => 10n ** BigInt(exponent);

/** Negative, 0 or positive. */
export function compareRatios(a: Ratio, b: Ratio): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function ofDouble(value: number): Ratio | number {
  if (!Number.isFinite(value)) return value;
  let scaled = value;
  let d = 1n;
  for (; !Number.isInteger(scaled); d *= 2n) scaled *= 2;
  return { n: BigInt(scaled), d };
}

/** `-12.5`, `1e-7`; null for anything else. */
export function ofDecimal(text: string): Ratio | null {
  const [, digits, fraction = "", exponent = "0"] = /^([+-]?\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i.exec(text) ?? [];
  const power = Number(exponent) - fraction.length;
  if (digits === undefined || text.length > MOST_DIGITS || Math.abs(power) > MOST_DIGITS) return null;
  const n = BigInt(digits.replace("+", "") + fraction);
  return power < 0 ? { n, d: powerOf10(-power) } : integer(n * powerOf10(power));
}

export function floorOf({ n, d }: Ratio): bigint {
  return n / d - (n % d < 0n ? 1n : 0n);
}

/** The largest value of the float type that is not above the ratio. */
export function floatBelow(ratio: Ratio, lane: "f32" | "f64"): number {
  const step = lane === "f32" ? nextFloat : nextDouble;
  const near = nearDouble(ratio);
  let value = lane === "f32" ? Math.fround(near) : near;
  const isAbove = (x: number) => (Number.isFinite(x) ? compareRatios(ofDouble(x) as Ratio, ratio) > 0 : x > 0);
  while (isAbove(value)) value = -step(-value);
  for (let next = step(value); !isAbove(next); next = step(value)) value = next;
  return value;
}

/** Within a few units in the last place; Infinity beyond the largest. */
function nearDouble({ n, d }: Ratio): number {
  const size = (x: bigint) => x.toString(16).length * 4;
  const shift = size(n) - size(d) - 64;
  const quotient = shift < 0 ? (n << BigInt(-shift)) / d : n / (d << BigInt(shift));
  // In two factors: neither leaves the range of doubles where the product does not.
  const half = Math.trunc(shift / 2);
  return Number(quotient) * 2 ** half * 2 ** (shift - half);
}

/** The next larger one; of -0 too. */
function nextDouble(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(1);
  const floats = new Float64Array(bits.buffer);
  floats[0] = value;
  bits[0] += value > 0 ? 1n : -1n;
  return floats[0];
}

function nextFloat(value: number): number {
  if (value === 0) return 2 ** -149;
  const bits = new Int32Array(1);
  const floats = new Float32Array(bits.buffer);
  floats[0] = value;
  bits[0] += value > 0 ? 1 : -1;
  return floats[0];
}
