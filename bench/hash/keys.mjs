/**
 * Tables of the hash bench: one key and one float64 a side, build keys distinct and in random order, 90 % of the probe rows with
 * a partner.
 *
 *     dense int32    0 … n-1 shuffled; misses lie in n … 2n-1
 *     sparse int32   mixed 32-bit numbers, all over the range
 *     sparse int64   two mixed halves
 *     short strings  "id-" and up to seven base-32 digits
 */

import { makeData, makeVector, Table, Utf8 } from "apache-arrow";
import { float64, int32, int64 } from "../measure/columns.mjs";
import { mix32, random } from "../measure/random.mjs";

const HIT_SHARE = 0.9;

/** Key number -> column. Build keys have the numbers below `buildRows`, misses those from there on. */
const COLUMNS = {
  "dense int32": (numbers) => int32(numbers.slice()),
  "sparse int32": (numbers) => int32(numbers.map(mix32)),
  "sparse int64": (numbers) => {
    const words = new Int32Array(numbers.length * 2);
    for (let i = 0; i < numbers.length; i++) {
      words[2 * i] = mix32(numbers[i]);
      words[2 * i + 1] = mix32(numbers[i] ^ 0x5bd1e995);
    }
    return int64(new BigInt64Array(words.buffer));
  },
  "short strings": (numbers) => {
    const valueOffsets = new Int32Array(numbers.length + 1);
    const bytes = new Uint8Array(numbers.length * 10);
    let at = 0;
    for (let i = 0; i < numbers.length; i++) {
      bytes.set(PREFIX, at);
      at += PREFIX.length;
      for (let rest = mix32(numbers[i]) >>> 0; rest > 0; rest >>>= 5) bytes[at++] = DIGITS[rest & 31];
      valueOffsets[i + 1] = at;
    }
    return makeVector(makeData({ type: new Utf8(), nullCount: 0, valueOffsets, data: bytes.slice(0, at) }));
  },
};

const PREFIX = Buffer.from("id-");
const DIGITS = Buffer.from("0123456789abcdefghijklmnopqrstuv");

export const KEY_KINDS = Object.keys(COLUMNS);

/**
 * @param {string} keys one of KEY_KINDS
 * @param {number} buildRows
 * @param {number} probeRows
 * @returns {{ probe: Table, build: Table }} columns `key` and `price`; `key` and `size`
 */
export function makeTables(keys, buildRows, probeRows) {
  const build = shuffled(buildRows);
  const draw = random(probeRows);
  const probe = Int32Array.from({ length: probeRows }, () => (draw(1e6) < HIT_SHARE * 1e6 ? draw(buildRows) : buildRows + draw(buildRows)));
  return {
    probe: new Table({ key: COLUMNS[keys](probe), price: floats(probeRows, 1) }),
    build: new Table({ key: COLUMNS[keys](build), size: floats(buildRows, 2) }),
  };
}

function shuffled(count) {
  const draw = random(count);
  const out = Int32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = draw(i + 1);
    const held = out[i];
    out[i] = out[j];
    out[j] = held;
  }
  return out;
}

function floats(count, seed) {
  const draw = random(seed);
  const data = new Float64Array(count);
  for (let i = 0; i < count; i++) data[i] = draw(1e6) / 100;
  return float64(data);
}
