/** Filters by name over the columns of `random-tree.ts`, one for every construct and every trap that SEMANTICS 3 speaks of. */

import { l, lit, type Operand, r, type Tree, x } from "./tree.ts";

/** Both sides. */
export const BOTH_SIDES: { readonly [name: string]: Tree } = {
  "l.i < r.i": x.lt(l("i"), r("i")),
  "l.i = r.i": x.eq(l("i"), r("i")),
  "l.i <> r.i": x.ne(l("i"), r("i")),
  "l.i + r.i > 3": x.gt(x.add(l("i"), r("i")), 3),
  "l.i * 2 - r.i <= l.j mod 3": x.le(x.sub(x.mul(l("i"), 2), r("i")), x.mod(l("j"), 3)),
  "a conjunct on each side and two on both": x.and(x.gt(l("i"), -100), x.ne(l("i"), r("i")), x.isNotNull(r("f")), x.le(r("i"), l("j"))),
  "an or over both sides": x.or(x.lt(l("i"), r("i")), x.eq(l("s"), r("s")), x.isNull(l("b"))),
  "a not of an and of an or": x.not(x.and(x.or(x.lt(l("i"), r("i")), r("b")), x.or(l("b"), x.ne(l("i"), 1)))),
  "an or within an and within an or": x.or(x.and(l("b"), x.or(r("b"), x.lt(l("f"), r("f")))), x.and(x.not(r("b")), x.ge(l("f"), r("f")))),
  "booleans of both sides": x.or(l("b"), r("b")),
  "booleans that are equal": x.eq(l("b"), r("b")),
  "results that are null": x.eq(x.eq(l("i"), r("i")), x.lt(l("f"), r("f"))),
  "isNull of a comparison": x.isNull(x.lt(l("i"), r("i"))),
  isDistinctFrom: x.isDistinctFrom(l("i"), r("i")),
  "not isDistinctFrom, of texts": x.not(x.isDistinctFrom(l("d"), r("d"))),
  "between two columns": x.between(l("i"), r("i"), l("j")),
  "in, with columns, a constant and a null": x.in(l("i"), r("i"), 2, null),
  "floats with NaN": x.gt(l("f"), r("f")),
  "floats that are equal, NaN and -0 too": x.eq(l("f"), r("f")),
  "floats against integers of 64 bits": x.le(l("f"), r("j")),
  "integers of other width and sign": x.lt(l("u"), r("i")),
  "unsigned integers of 64 bits against signed ones": x.gt(l("u"), r("j")),
  "decimals of different scale": x.lt(l("n"), r("n")),
  "decimals that are equal": x.eq(l("n"), r("n")),
  "a decimal against a float": x.ge(l("n"), r("f")),
  "a decimal against an integer": x.ne(r("n"), l("j")),
  "texts, a dictionary on one side": x.lt(l("s"), r("s")),
  "texts of two dictionaries": x.ge(l("d"), r("s")),
  startsWith: x.startsWith(l("s"), r("d")),
  endsWith: x.endsWith(r("s"), l("d")),
  contains: x.contains(l("d"), r("s")),
  "timestamps of different units": x.lt(l("t"), r("t")),
  "dates of 32 and 64 bits": x.le(l("e"), r("e")),
  "a difference of timestamps": x.gt(x.sub(l("t"), r("t")), lit("1000", "duration(ms)")),
  "a timestamp and a duration": x.ge(x.add(l("t"), x.sub(r("t"), r("t"))), r("t")),
  "an overflow that is null": x.isNull(x.add(l("j"), r("j"))),
  "an overflow that is compared": x.gt(x.mul(l("j"), r("j")), 0),
  "abs and neg of the smallest integer": x.ge(x.abs(l("j")), x.neg(r("j"))),
  "a division by zero": x.ge(x.div(l("i"), r("i")), 1),
  "mod by zero, with the sign of the dividend": x.lt(x.mod(l("j"), r("i")), 1),
  "a division of floats by zero": x.isNotNull(x.div(l("f"), r("f"))),
  "a cast that may fail": x.eq(x.cast(l("j"), "int8"), r("i")),
  "a cast of floats to integers": x.le(x.cast(l("f"), "int64"), x.cast(r("f"), "int64")),
  "a cast to another unit of time": x.eq(x.cast(l("t"), "timestamp(s)"), r("t")),
};

/** One side. */
export const LEFT_ONLY: { readonly [name: string]: Tree } = {
  "an integer against a fraction": x.gt(l("i"), 0.5),
  "an integer against what no int64 holds": x.lt(l("j"), 2n ** 70n),
  "two columns of one side": x.or(x.lt(l("i"), l("j")), x.eq(l("s"), "a")),
  "a text in a list": x.in(l("s"), "a", "", "😀"),
  "a decimal against 0.1": x.eq(l("n"), 0.1),
  "a timestamp against a Date": x.le(l("t"), new Date(1000)),
  "a date between two Dates": x.between(l("e"), new Date(0), new Date(86_400_000)),
  "a boolean column": l("b"),
  "a float that is not NaN": x.lt(l("f"), Number.NaN),
};

export const RIGHT_ONLY: { readonly [name: string]: Tree } = {
  "a comparison with a constant": x.le(r("i"), 1),
  "two conjuncts": x.and(x.isNotNull(r("s")), x.ne(r("s"), "b")),
  "a dictionary that contains a text": x.contains(r("s"), "a"),
  "a float32 against its double": x.ge(r("f"), 1.5),
  "nothing passes": x.lt(r("i"), -2147483648),
};

const constant = (value: Operand): Tree => lit(value as boolean);

/** No side. */
export const CONSTANT: { readonly [name: string]: Tree } = {
  TRUE: constant(true),
  FALSE: constant(false),
  NULL: constant(null),
  "1 < 2": x.lt(1, 2),
  "TRUE and a condition": x.and(true, x.lt(l("i"), r("i"))),
  "NULL and a condition": x.and(x.lt(l("i"), r("i")), null),
  "NULL or a condition": x.or(x.lt(l("i"), r("i")), null),
  "a comparison with null": x.eq(l("i"), null),
};
