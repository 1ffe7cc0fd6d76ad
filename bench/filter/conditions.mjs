/**
 * The conditions of the filter bench. Each makes the columns of both sides for a share of pairs that shall pass, says what it is as an
 * expression, and has the loops to beat (loops.mjs) with the arrays they read.
 *
 * Values are spread evenly over [0, VALUES), build values at random; a probe row passes with 0 to twice the share of its candidates, so
 * that no row is like another.
 */

import { float64, int32, int64, utf8 } from "../measure/columns.mjs";
import { less, lessAndGreater, lessInt32, lessUnique, sumAbove } from "./loops.mjs";

const VALUES = 1_000_000;

const column = (side, name) => ({ side, column: name });
const l = (name) => column("left", name);
const r = (name) => column("right", name);
const LESS = { op: "lt", args: [l("v"), r("v")] };

/** Build values of [0, VALUES). */
const anywhere = (draw, rows) => Int32Array.from({ length: rows }, () => draw(VALUES));
/** Probe values below a share of them. */
const belowShare = (draw, rows, share) => Int32Array.from({ length: rows }, () => VALUES - 1 - draw(2 * share * VALUES));
const aboveShare = (draw, rows, share) => Int32Array.from({ length: rows }, () => draw(2 * share * VALUES));

/** `l.v < r.v`, the numbers turned into what `form` says. */
function lessOf(name, form, loops) {
  return {
    name: `${name}, l.v < r.v`,
    filter: LESS,
    make(draw, leftRows, rightRows, share) {
      const [left, right] = [form(belowShare(draw, leftRows, share)), form(anywhere(draw, rightRows))];
      return {
        left: { v: left.column },
        right: { v: right.column },
        loops: loops.map(([label, pair, member = "array"]) => ({ label, pair, left: [left[member]], right: [right[member]] })),
      };
    },
  };
}

/**
 * @typedef {object} Condition
 * @property {string} name
 * @property {object} filter
 * @property {(draw: (bound: number) => number, leftRows: number, rightRows: number, share: number) => {
 *   left: Record<string, import("apache-arrow").Vector>, right: Record<string, import("apache-arrow").Vector>,
 *   loops: { label: string, pair: Record<"branchy" | "branchless", Function>, left: ArrayLike<unknown>[], right: ArrayLike<unknown>[] }[] }} make
 */

const ints = (numbers) => ({ array: numbers, column: int32(numbers) });

/** @type {Record<string, Condition>} */
export const CONDITIONS = {
  int32: lessOf("int32", ints, [["", lessInt32]]),
  unique: lessOf("int32", ints, [["", lessUnique]]),
  float64: lessOf(
    "float64",
    (numbers) => {
      const array = Float64Array.from(numbers, (number) => number / 8);
      return { array, column: float64(array) };
    },
    [["", less]],
  ),
  int64: lessOf(
    "int64",
    (numbers) => {
      const array = BigInt64Array.from(numbers, (number) => BigInt(number) * 1_000_003n);
      return { array, numbers: Float64Array.from(array, Number), column: int64(array) };
    },
    [
      ["BigInt64Array", less],
      ["Float64Array, converted before", less, "numbers"],
    ],
  ),
  strings: lessOf(
    "strings",
    (numbers) => {
      const array = Array.from(numbers, (number) => `id-${String(number).padStart(7, "0")}`);
      return { array, column: utf8(array) };
    },
    [["", less]],
  ),
  and: {
    name: "int32, l.v < r.v and l.w > r.w",
    filter: { op: "and", args: [LESS, { op: "gt", args: [l("w"), r("w")] }] },
    make(draw, leftRows, rightRows, share) {
      const each = Math.sqrt(share);
      const left = [belowShare(draw, leftRows, each), aboveShare(draw, leftRows, each)];
      const right = [anywhere(draw, rightRows), anywhere(draw, rightRows)];
      return {
        left: { v: int32(left[0]), w: int32(left[1]) },
        right: { v: int32(right[0]), w: int32(right[1]) },
        loops: [{ label: "", pair: lessAndGreater, left, right }],
      };
    },
  },
  sum: {
    name: `int32, l.v + r.w > ${VALUES}`,
    filter: {
      op: "gt",
      args: [
        { op: "add", args: [l("v"), r("w")] },
        { type: "number", value: VALUES },
      ],
    },
    make(draw, leftRows, rightRows, share) {
      const [v, w] = [aboveShare(draw, leftRows, share), anywhere(draw, rightRows)];
      return { left: { v: int32(v) }, right: { w: int32(w) }, loops: [{ label: "", pair: sumAbove(VALUES), left: [v], right: [w] }] };
    },
  },
};
