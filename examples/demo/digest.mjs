/**
 * One number for the contents of an Arrow table: values, nulls and row order count; batches, dictionary codes and field
 * metadata do not. Two results of the same join are the same rows in the same order when their digests agree. O(bytes).
 */

import { DataType } from "apache-arrow";

/** @param {import("apache-arrow").Table} table */
export function digest(table) {
  let sum = table.numRows;
  for (let c = 0; c < table.numCols; c++) sum = mix(sum, columnDigest(table.getChildAt(c)));
  return (sum >>> 0).toString(16).padStart(8, "0");
}

const mix = (a, b) => Math.imul(a ^ b, 0x01000193) ^ (a >>> 15);

function columnDigest(vector) {
  let sum = 0;
  for (const chunk of vector.data) {
    const value = valueReader(chunk);
    const valid = validReader(chunk);
    for (let i = 0; i < chunk.length; i++) sum = mix(sum, valid(i) ? value(i) : -1);
  }
  return sum;
}

/** Of a slice apache-arrow leaves the bitmap whole and raises the offset. */
function validReader({ nullCount, nullBitmap, offset }) {
  if (nullCount === 0) return () => true;
  return (i) => ((nullBitmap[(offset + i) >> 3] >> ((offset + i) & 7)) & 1) === 1;
}

/** A 32-bit number for the value of each row of a chunk. */
function valueReader(chunk) {
  const { type, values } = chunk;
  if (DataType.isDictionary(type)) {
    const text = Int32Array.from([...chunk.dictionary], textDigest);
    return (i) => text[values[i]];
  }
  if (DataType.isUtf8(type)) {
    const offsets = chunk.valueOffsets;
    return (i) => {
      let sum = offsets[i + 1] - offsets[i];
      for (let at = offsets[i]; at < offsets[i + 1]; at++) sum = mix(sum, values[at]);
      return sum;
    };
  }
  if (values.BYTES_PER_ELEMENT === 8) {
    const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
    return (i) => mix(words[2 * i], words[2 * i + 1]);
  }
  return (i) => values[i];
}

function textDigest(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = mix(sum, text.charCodeAt(i));
  return sum;
}
