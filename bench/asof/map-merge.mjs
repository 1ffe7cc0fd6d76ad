/**
 * The as-of join that people write by hand: both tables walked once in time order, a `Map` from symbol to its last quote; typed arrays for the
 * times, for the symbols where they are numbers, and for the result. Strings are read as apache-arrow gives them.
 */

import { Float64, makeData, makeVector, Table } from "apache-arrow";

/** Microseconds as float64: exact up to 2^53, and without a BigInt a row. */
function timesOf(table) {
  const { values } = table.getChild("t").data[0];
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const times = new Float64Array(values.length);
  for (let i = 0; i < times.length; i++) times[i] = words[2 * i + 1] * 4294967296 + (words[2 * i] >>> 0);
  return times;
}

function symbolsOf(table) {
  const column = table.getChild("sym");
  if (column === null) return () => 0;
  if (column.type.typeId === 2) {
    const values = column.toArray();
    return (row) => values[row];
  }
  return (row) => column.get(row);
}

/** For each left row the number of the last right row of its symbol at or before it, or -1. */
function lastRows(left, right) {
  const [lt, rt] = [timesOf(left), timesOf(right)];
  const [ls, rs] = [symbolsOf(left), symbolsOf(right)];
  const last = new Map();
  const rows = new Int32Array(lt.length);
  let r = 0;
  for (let l = 0; l < lt.length; l++) {
    for (; r < rt.length && rt[r] <= lt[l]; r++) last.set(rs(r), r);
    rows[l] = last.get(ls(l)) ?? -1;
  }
  return rows;
}

function take(column, rows) {
  const values = column.toArray();
  const data = new Float64Array(rows.length);
  const nullBitmap = new Uint8Array((rows.length + 7) >> 3);
  let nullCount = 0;
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] < 0) nullCount++;
    else {
      data[i] = values[rows[i]];
      nullBitmap[i >> 3] |= 1 << (i & 7);
    }
  }
  return makeVector(makeData({ type: new Float64(), data, nullCount, nullBitmap }));
}

/** @param {import("apache-arrow").Table} left @param {import("apache-arrow").Table[]} rights @param {string[][]} names of each right's prices */
export function mapMerge(left, rights, names) {
  const columns = Object.fromEntries(left.schema.fields.map(({ name }) => [name, left.getChild(name)]));
  rights.forEach((right, i) => {
    const rows = lastRows(left, right);
    for (const name of names[i]) columns[name] = take(right.getChild(name), rows);
  });
  return new Table(columns);
}
