/**
 * The twin's times (forms: src/kernel/asof-contract.ts): two float64 a row, of which no step rounds. 64-bit integers are read as two words.
 *
 * About 2 ns a row; the forms of two units, which divide by words, 10 ns.
 */

import type { TimeForm, TimePoint } from "../asof-contract.ts";
import type { Int64Words, Numbers } from "./asof-values.ts";

/** Values of up to 32 bits, or floats, as they are. */
export function loadNumbers(values: Numbers, count: number, times: Float64Array, at: number): void {
  for (let i = 0, to = 2 * at; i < count; i++, to += 2) {
    times[to] = values[i];
    times[to + 1] = 0;
  }
}

/** 64-bit integers: value = high * 2^32 + low. */
export function splitWords({ low, high }: Int64Words, count: number, times: Float64Array, at: number): void {
  for (let i = 0, to = 2 * at; i < count; i++, to += 2) {
    const word = low[2 * i];
    times[to] = high[2 * i + 1] * 1048576 + (word >>> 12);
    times[to + 1] = word & 4095;
  }
}

export function splitNumbers(values: Numbers, count: number, times: Float64Array, at: number): void {
  for (let i = 0, to = 2 * at; i < count; i++, to += 2) {
    times[to] = Math.floor(values[i] / 4096);
    times[to + 1] = values[i] - times[to] * 4096;
  }
}

/** Values count units of which each is `factor` (coarse) or one (fine) of those of minor; base is 2^k * factor. */
export function loadUnits(
  form: TimeForm,
  narrow: Numbers | null,
  wide: Int64Words | null,
  count: number,
  times: Float64Array,
  at: number,
): void {
  const { factor, base } = form;
  // 2^k of the base, which may be of more than the low word: then `over` times that.
  const units = Math.min(base / factor, 4294967296);
  const over = base / factor / units;
  for (let i = 0, to = 2 * at; i < count; i++, to += 2) {
    const high = wide ? wide.high[2 * i + 1] : Math.floor((narrow as Numbers)[i] / 4294967296);
    const low = wide ? wide.low[2 * i] : (narrow as Numbers)[i] - high * 4294967296;
    // The quotient of a division by words, high first: `top` counts 2^32, `rest` is below 2^32.
    let top = high;
    let rest = low;
    let left = 0;
    if (form.op === "fine") {
      top = Math.floor(high / factor);
      const a = (high - top * factor) * 65536 + Math.floor(low / 65536);
      const middle = Math.floor(a / factor);
      const b = (a - middle * factor) * 65536 + (low % 65536);
      const bottom = Math.floor(b / factor);
      rest = middle * 65536 + bottom;
      left = b - bottom * factor;
    }
    const whole = Math.floor(rest / units);
    const tops = Math.floor(top / over);
    times[to] = tops * (4294967296 / units) + whole;
    times[to + 1] = ((top - tops * over) * 4294967296 + rest - whole * units) * factor + left;
  }
}

export function orderTimes(times: Float64Array, from: number, to: number, valid: Uint8Array | null, last: TimePoint): number {
  let { major, minor } = last;
  for (let row = from, at = 2 * from; row < to; row++, at += 2) {
    const a = times[at];
    const b = times[at + 1];
    if (valid !== null) {
      const bit = row - from;
      if (Number.isNaN(a)) valid[bit >> 3] &= ~(1 << (bit & 7));
      if (((valid[bit >> 3] >> (bit & 7)) & 1) === 0) {
        times[at] = major;
        times[at + 1] = minor;
        continue;
      }
    }
    if (a < major || (a === major && b < minor)) return row;
    major = a;
    minor = b;
  }
  return -1;
}
