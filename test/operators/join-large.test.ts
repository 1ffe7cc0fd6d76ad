/**
 * Joins beyond one kernel call: more rows than a chunk, groups longer than a chunk, tables that grow many times. The oracle is a Map loop
 * over row numbers, in the order that SEMANTICS 5 promises.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { type Column, dictionary, int32, int64, utf8 } from "../support/column.ts";
import { type How, join, joinStream, type Options } from "../support/run.ts";
import { resplit, table } from "../support/table.ts";

const KERNELS = ["wasm", "ts"] as const;

/** Row numbers of the result, left and right one after the other, -1 for none. */
function expectedRows(left: readonly (number | null)[], right: readonly (number | null)[], how: How): number[] {
  const rightRows = new Map<number, number[]>();
  right.forEach((key, r) => {
    if (key === null) return;
    const rows = rightRows.get(key);
    if (rows) rows.push(r);
    else rightRows.set(key, [r]);
  });
  const leftKeys = new Set(left);
  const partners = (key: number | null): readonly number[] => (key === null ? [] : (rightRows.get(key) ?? []));
  const unmatchedRight = () => right.flatMap((key, r) => (key !== null && leftKeys.has(key) ? [] : [r]));
  switch (how) {
    case "leftSemi":
      return left.flatMap((key, l) => (partners(key).length > 0 ? [l] : []));
    case "leftAnti":
      return left.flatMap((key, l) => (partners(key).length > 0 ? [] : [l]));
    case "rightSemi":
      return right.flatMap((key, r) => (key !== null && leftKeys.has(key) ? [r] : []));
    case "rightAnti":
      return unmatchedRight();
    default: {
      const pairs = left.flatMap((key, l) => {
        const found = partners(key).flatMap((r) => [l, r]);
        return found.length === 0 && (how === "left" || how === "full") ? [l, -1] : found;
      });
      return how === "right" || how === "full" ? [...pairs, ...unmatchedRight().flatMap((r) => [-1, r])] : pairs;
    }
  }
}

function actualRows(result: Table): number[] {
  const columns = result.schema.fields.map(({ name }) => {
    const column = result.getChild(name);
    return Array.from({ length: result.numRows }, (_, i) => column?.get(i) ?? -1);
  });
  return columns[0].flatMap((_, i) => columns.map((column) => column[i]));
}

function selectFor(how: How): string[] {
  const one = how.endsWith("Semi") || how.endsWith("Anti");
  return one ? [how.startsWith("left") ? "left.l" : "right.r"] : ["left.l", "right.r"];
}

/** Compares without showing a hundred thousand numbers. */
function expectSame(actual: readonly number[], expected: readonly number[], what: string): void {
  const at = expected.findIndex((value, i) => value !== actual[i]);
  expect({ length: actual.length, firstDifference: at, there: actual.slice(at, at + 4) }, what).toEqual({
    length: expected.length,
    firstDifference: -1,
    there: actual.slice(-1, 3),
  });
}

const LEFT = 40_000;
const RIGHT = 25_000;
const leftKeys = Array.from({ length: LEFT }, (_, i) => (i % 101 === 7 ? null : (Math.imul(i, 48271) >>> 3) % 30_011));
const rightKeys = Array.from({ length: RIGHT }, (_, i) => (i % 97 === 5 ? null : (Math.imul(i, 69621) >>> 5) % 30_011));

const FORMS: { readonly [name: string]: (keys: readonly (number | null)[]) => Column } = {
  "dense integers": (keys) => int32(keys),
  "sparse integers": (keys) => int64(keys.map((key) => (key === null ? null : BigInt(key) * 1_000_003_000_017n))),
  strings: (keys) => utf8(keys.map((key) => (key === null ? null : `key-${key}-${"x".repeat(key % 20)}`))),
  dictionaries: (keys) => dictionary(utf8(keys.map((key) => (key === null ? null : `key ${key}`))), { index: "uint16" }),
};

for (const [form, make] of Object.entries(FORMS)) {
  describe(`forty thousand rows against twenty-five thousand on ${form}`, () => {
    const rows = (count: number) => int32(Array.from({ length: count }, (_, i) => i));
    const left = resplit(table({ k: make(leftKeys), l: rows(LEFT) }), 17_000, false);
    const right = resplit(table({ r: rows(RIGHT), k: make(rightKeys) }), 9_999, true);

    for (const how of ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"] as const) {
      it(`give every row of a ${how} join in order, for both kernels and build sides, one-shot and streamed`, async () => {
        const expected = expectedRows(leftKeys, rightKeys, how);
        for (const kernel of KERNELS) {
          const options: Options = { on: "k", how, kernel, select: selectFor(how) };
          for (const build of ["left", "right"] as const)
            expectSame(actualRows(join(left, right, { ...options, build })), expected, `${kernel}, build ${build}`);
          const stream = await joinStream(left, right, { ...options, batchSize: 5000 });
          expectSame(actualRows(await stream.toTable()), expected, `${kernel}, streamed`);
        }
      });
    }
  });
}

describe("one key with more rows than a kernel call takes", () => {
  const many = 20_000;
  const rows = (count: number) => int32(Array.from({ length: count }, (_, i) => i));
  const left = table({ k: int32([5, 1, 5, 9]), l: rows(4) });
  const right = table({ k: int32(Array.from({ length: many + 10 }, (_, i) => (i < 5 || i >= many + 5 ? 7 : 5))), r: rows(many + 10) });

  it("is expanded in full, in order and in batches that are full", async () => {
    const expected = expectedRows(
      [5, 1, 5, 9],
      Array.from({ length: many + 10 }, (_, i) => (i < 5 || i >= many + 5 ? 7 : 5)),
      "full",
    );
    for (const kernel of KERNELS) {
      for (const build of ["left", "right"] as const) {
        const result = join(left, right, { on: "k", how: "full", kernel, build, select: ["left.l", "right.r"], batchSize: 3000 });
        expectSame(actualRows(result), expected, `${kernel}, build ${build}`);
        expect(result.batches.every((batch) => batch.numRows <= 3000)).toBe(true);
      }
      const stream = await joinStream(right, left, { on: "k", how: "inner", kernel, select: ["right.l", "left.r"], order: "right" });
      expect((await stream.toTable()).numRows).toBe(2 * many);
    }
  });
});

describe("whole chunks of rows that match and whole chunks that do not", () => {
  // A kernel call takes 16 384 rows: matched ones of a chunk are passed as one run, and the next run does not follow it.
  const chunk = 16_384;
  const keys = Array.from({ length: 4 * chunk + 100 }, (_, i) => (Math.floor(i / chunk) % 2 === 0 ? i : -1 - i));
  const left = table({ k: int32(keys), l: int32(keys.map((_, i) => i)) });
  const rightKeys = Array.from({ length: 5 * chunk }, (_, i) => i);
  const right = table({ k: int32(rightKeys), r: int32(rightKeys) });

  for (const how of ["inner", "left", "leftSemi", "leftAnti"] as const) {
    it(`come out in order in one batch and in many (${how})`, async () => {
      const expected = expectedRows(keys, rightKeys, how);
      for (const kernel of KERNELS) {
        for (const batchSize of [Number.POSITIVE_INFINITY, 20_000]) {
          const options: Options = { on: "k", how, kernel, batchSize, select: selectFor(how) };
          expectSame(actualRows(join(left, right, { ...options, build: "right" })), expected, `${kernel}, batchSize ${batchSize}`);
          expectSame(
            actualRows(await (await joinStream(left, right, options)).toTable()),
            expected,
            `${kernel}, batchSize ${batchSize}, streamed`,
          );
        }
      }
    });
  }
});
