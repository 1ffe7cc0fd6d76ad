/** Arrow columns over typed arrays, without a copy and without nulls. */

import { Float64, Int32, Int64, makeData, makeVector, Utf8 } from "apache-arrow";

const fixed = (type) => (data) => makeVector(makeData({ type, nullCount: 0, data }));

/** @type {(data: Int32Array) => import("apache-arrow").Vector} */
export const int32 = fixed(new Int32());
/** @type {(data: BigInt64Array) => import("apache-arrow").Vector} */
export const int64 = fixed(new Int64());
/** @type {(data: Float64Array) => import("apache-arrow").Vector} */
export const float64 = fixed(new Float64());

/** @param {string[]} texts of ASCII */
export function utf8(texts) {
  const valueOffsets = new Int32Array(texts.length + 1);
  texts.forEach((text, i) => {
    valueOffsets[i + 1] = valueOffsets[i] + text.length;
  });
  const data = Buffer.from(texts.join(""), "latin1");
  return makeVector(makeData({ type: new Utf8(), nullCount: 0, valueOffsets, data }));
}
