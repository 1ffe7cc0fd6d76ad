/**
 * Columns picked row by row, as one writes it by hand over Arrow buffers: typed arrays in, typed arrays out, no value boxed.
 *
 *     rows = [2, -1, 0]    values [a, b, c]  ->  [c, null, a]
 *
 * Covers what the demo and the benches need: fixed-width numbers and timestamps, utf8, dictionaries. O(rows + bytes).
 */

import { DataType, Field, makeData, RecordBatch, Schema, Struct, Table } from "apache-arrow";

/**
 * A column as whole arrays, whatever its chunks were; one chunk is not copied. `valid` has a byte a row, or is null when no
 * row is null. All chunks of a dictionary column must share the dictionary.
 *
 * @param {import("apache-arrow").Vector} vector
 */
export function flatColumn(vector) {
  const { type, length, data } = vector;
  const valid =
    vector.nullCount > 0
      ? Uint8Array.from(data.flatMap((chunk) => Array.from({ length: chunk.length }, (_, i) => (chunk.getValid(i) ? 1 : 0))))
      : null;
  const base = { type, length, valid, dictionary: data[0]?.dictionary };
  return DataType.isUtf8(type) ? { ...base, ...flatText(data, length) } : { ...base, values: flatValues(data, length) };
}

function flatValues(data, length) {
  if (data.length === 1) return data[0].values.subarray(0, length);
  const out = new data[0].values.constructor(length);
  let at = 0;
  for (const chunk of data) {
    out.set(chunk.values.subarray(0, chunk.length), at);
    at += chunk.length;
  }
  return out;
}

function flatText(data, length) {
  if (data.length === 1) return { offsets: data[0].valueOffsets, bytes: data[0].values };
  const offsets = new Int32Array(length + 1);
  const parts = [];
  let row = 0;
  for (const chunk of data) {
    const from = chunk.valueOffsets[0];
    for (let i = 1; i <= chunk.length; i++) offsets[row + i] = offsets[row] + chunk.valueOffsets[i] - from;
    parts.push(chunk.values.subarray(from, chunk.valueOffsets[chunk.length]));
    row += chunk.length;
  }
  return { offsets, bytes: Buffer.concat(parts) };
}

/**
 * @param {{ name: string, vector: import("apache-arrow").Vector, rows: Int32Array, hasMisses: boolean }[]} columns
 * @returns {Table} one batch
 */
export function gatherTable(columns) {
  const length = columns[0].rows.length;
  const children = columns.map(({ vector, rows, hasMisses }) => gather(flatColumn(vector), rows, hasMisses));
  const schema = new Schema(columns.map(({ name, vector }, c) => new Field(name, vector.type, children[c].nullCount > 0)));
  return new Table(schema, [new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }))]);
}

function gather(column, rows, hasMisses) {
  const { type, dictionary } = column;
  const validity = column.valid !== null || hasMisses ? gatherValidity(column.valid, rows) : { nullCount: 0 };
  const base = { type, length: rows.length, ...validity };
  if (column.offsets) return makeData({ ...base, ...gatherText(column, rows) });
  const data = gatherValues(column.values, rows, hasMisses);
  return makeData(dictionary ? { ...base, data, dictionary } : { ...base, data });
}

function gatherValues(values, rows, hasMisses) {
  const out = new values.constructor(rows.length);
  if (hasMisses) {
    for (let i = 0; i < rows.length; i++) if (rows[i] >= 0) out[i] = values[rows[i]];
  } else {
    for (let i = 0; i < rows.length; i++) out[i] = values[rows[i]];
  }
  return out;
}

function gatherText({ offsets, bytes }, rows) {
  const valueOffsets = new Int32Array(rows.length + 1);
  let size = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (row >= 0) size += offsets[row + 1] - offsets[row];
    valueOffsets[i + 1] = size;
  }
  const data = new Uint8Array(size);
  for (let i = 0, at = 0; i < rows.length; i++) {
    const row = rows[i];
    if (row < 0) continue;
    for (let from = offsets[row], end = offsets[row + 1]; from < end; ) data[at++] = bytes[from++];
  }
  return { valueOffsets, data };
}

function gatherValidity(valid, rows) {
  const nullBitmap = new Uint8Array(Math.ceil(rows.length / 8));
  let nullCount = 0;
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] >= 0 && (valid === null || valid[rows[i]] === 1)) nullBitmap[i >> 3] |= 1 << (i & 7);
    else nullCount++;
  }
  return { nullBitmap, nullCount };
}
