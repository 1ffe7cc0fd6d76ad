/** Trades and quotes: times in microseconds that rise at random, symbols drawn evenly, prices. */

import { Dictionary, Int32, makeData, makeVector, Table, TimestampMicrosecond, Utf8 } from "apache-arrow";
import { float64, int32, utf8 } from "../measure/columns.mjs";
import { random } from "../measure/random.mjs";

const START = 1_700_000_000_000_000n;
export const SYMBOLS = 5000;
const NAMES = Array.from({ length: SYMBOLS }, (_, i) => `SYM${String(i).padStart(4, "0")}`);

/** Over ten hours, whatever the number of rows. */
function times(rows, next) {
  const data = new BigInt64Array(rows);
  const step = Math.max(2, Math.floor((2 * 36e9) / rows));
  let now = START;
  for (let i = 0; i < rows; i++) {
    now += BigInt(next(step));
    data[i] = now;
  }
  return makeVector(makeData({ type: new TimestampMicrosecond(), nullCount: 0, data }));
}

function symbols(kind, rows, next) {
  const codes = Int32Array.from({ length: rows }, () => next(SYMBOLS));
  if (kind === "utf8") return utf8(Array.from(codes, (code) => NAMES[code]));
  if (kind !== "dictionary") return int32(codes);
  const type = new Dictionary(new Utf8(), new Int32());
  return makeVector(makeData({ type, nullCount: 0, data: codes, dictionary: utf8(NAMES) }));
}

/** @param {string} kind of symbols; `unkeyed`: none */
export function trades(kind, rows, seed = 1) {
  const next = random(seed);
  return new Table({
    t: times(rows, next),
    ...(kind !== "unkeyed" && { sym: symbols(kind, rows, next) }),
    price: float64(Float64Array.from({ length: rows }, () => next(10_000) / 100)),
    size: int32(Int32Array.from({ length: rows }, () => next(1000))),
  });
}

export function quotes(kind, rows, names = ["bid", "ask"], seed = 2) {
  const next = random(seed);
  const prices = () => float64(Float64Array.from({ length: rows }, () => next(10_000) / 100));
  return new Table({
    t: times(rows, next),
    ...(kind !== "unkeyed" && { sym: symbols(kind, rows, next) }),
    ...Object.fromEntries(names.map((name) => [name, prices()])),
  });
}
