/** Every type that may be a key, alone and beside another key, with the values that naive code confuses. */

import { Table } from "apache-arrow";
import { describe, it } from "vitest";
import type { Column, IndexType } from "../support/column.ts";
import { dictionary, float32, float64, int32, int64, uint64, utf8 } from "../support/column.ts";
import { expectJoin } from "../support/expect-join.ts";
import type { How } from "../support/run.ts";
import { KEY_TYPES } from "../support/samples.ts";
import { table } from "../support/table.ts";

const KINDS: readonly How[] = ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"];

const numbers = (count: number): Column => int32(Array.from({ length: count }, (_, i) => i));
const withCells = (column: Column, cells: Column["cells"]): Column => ({ ...column, cells });

/** The cells of a type for either side: each has a value that the other has not, in another order. */
function sides(column: Column): { left: Column; right: Column } {
  const { cells } = column;
  return { left: withCells(column, cells.slice(0, -1)), right: withCells(column, [...cells.slice(2), null, cells[0]].reverse().slice(1)) };
}

for (const [name, column] of Object.entries(KEY_TYPES)) {
  describe(`a key of type ${name}`, () => {
    const { left, right } = sides(column);
    const l = table({ k: left, l: numbers(left.cells.length) }, { split: [2, left.cells.length - 2], slice: true });
    const r = table({ r: numbers(right.cells.length), k: right }, { split: [right.cells.length - 1, 1] });

    for (const how of KINDS) {
      it(`joins by value (${how})`, async () => {
        await expectJoin(l, r, { on: "k", how });
      });
    }
    for (const how of ["inner", "full", "leftAnti", "rightSemi"] as const) {
      it(`joins null with null when asked (${how})`, async () => {
        await expectJoin(l, r, { on: "k", how, nullsEqual: true, coalesceKeys: false });
      });
    }

    it("joins beside a second key", async () => {
      const second = (cells: number) => int32(Array.from({ length: cells }, (_, i) => (i % 4 === 3 ? null : i % 2)));
      const both = {
        l: table({ k: left, n: second(left.cells.length) }),
        r: table({ n: second(right.cells.length), k: right }, { slice: true }),
      };
      await expectJoin(both.l, both.r, { on: ["k", "n"], how: "full" });
      await expectJoin(both.l, both.r, { on: ["n", "k"], how: "left", nullsEqual: true });
      await expectJoin(both.l, both.r, { on: ["k", "n"], how: "rightAnti", nullsEqual: true });
    });

    it("matches itself row by row", async () => {
      await expectJoin(l, l, { on: "k", how: "full", nullsEqual: true });
    });
  });
}

describe("dictionary keys", () => {
  const WIDTHS: readonly IndexType[] = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"];
  const words = { left: ["b", "a", null, "c", "a", "only left"], right: ["a", null, "b", "b", "only right"] };

  for (const index of WIDTHS) {
    it(`with ${index} codes meet plain strings, either way`, async () => {
      const coded = table({ k: dictionary(utf8(words.left), { index, perBatch: true }), l: numbers(6) }, { split: [2, 4] });
      const plain = table({ k: utf8(words.right), r: numbers(5) }, { split: [3, 2], slice: true });
      for (const how of ["inner", "full", "leftAnti"] as const) await expectJoin(coded, plain, { on: "k", how });
      for (const how of ["left", "full", "rightSemi"] as const) await expectJoin(plain, coded, { on: "k", how, nullsEqual: true });
    });

    it(`with ${index} codes meet dictionaries of another width and order`, async () => {
      const other = index === "int32" ? "uint8" : "int32";
      const l = table(
        { k: dictionary(utf8(words.left), { index, perBatch: true, nullValue: true }), l: numbers(6) },
        { split: [3, 3], slice: true },
      );
      const r = table(
        { k: dictionary(utf8(words.right), { index: other, repeated: true, nullValue: true }), r: numbers(5) },
        { split: [1, 4] },
      );
      for (const how of ["inner", "right", "leftSemi"] as const) await expectJoin(l, r, { on: "k", how, coalesceKeys: false });
      for (const how of ["full", "rightAnti"] as const) await expectJoin(l, r, { on: "k", how, nullsEqual: true });
    });
  }

  it("with values twice in the dictionary are one key", async () => {
    const coded = table({ k: dictionary(utf8(["a", "a", "b", "a"]), { repeated: true }) });
    await expectJoin(
      coded,
      table({ k: utf8(["a", "b"]) }),
      { on: "k", how: "inner", select: ["right.k"] },
      { rows: [["a"], ["a"], ["b"], ["a"]] },
    );
    await expectJoin(
      table({ k: utf8(["a", "b"]), v: int32([1, 2]) }),
      coded,
      { on: "k", how: "leftSemi" },
      {
        rows: [
          ["a", 1],
          ["b", 2],
        ],
      },
    );
  });

  it("of many dictionaries, a new one with every batch and old ones again, match by value", async () => {
    const values = (shift: number) => Array.from({ length: 24 }, (_, i) => (i % 7 === 6 ? null : `v${(i * 5 + shift) % 17}`));
    const split = new Array<number>(12).fill(2);
    const first = table({ k: dictionary(utf8(values(0)), { perBatch: true, index: "int8" }), l: numbers(24) }, { split });
    const again = new Table(first.schema, [...first.batches, ...first.batches.toReversed()]);
    const right = table({ k: dictionary(utf8(values(3)), { perBatch: true }), n: int32(values(0).map((_, i) => i % 2)) }, { split });
    await expectJoin(again, right, { on: "k", how: "full" });
    await expectJoin(right, again, { on: { k: "k", n: "l" }, how: "left" });
  });

  it("of one vector on both sides match by value", async () => {
    const shared = dictionary(utf8(["a", "b", null, "a"]), { index: "int8" });
    await expectJoin(table({ k: shared, l: numbers(4) }, { split: [2, 2] }), table({ k: shared, r: numbers(4) }), { on: "k", how: "full" });
  });

  it("whose dictionary is empty match nothing", async () => {
    const empty = table({ k: dictionary(utf8([null, null]), { index: "int8" }), l: numbers(2) });
    await expectJoin(empty, table({ k: utf8(["a", null]), r: numbers(2) }), { on: "k", how: "full" });
    await expectJoin(empty, table({ k: utf8(["a", null]), r: numbers(2) }), { on: "k", how: "full", nullsEqual: true });
  });
});

describe("keys that naive code confuses", () => {
  it("stay apart at the ends of 64 bits", async () => {
    const ends = [-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 2n ** 32n, -(2n ** 32n), 4294967295n, 2n ** 53n, 2n ** 53n + 1n];
    await expectJoin(table({ k: int64(ends), l: numbers(9) }), table({ k: int64([...ends].reverse()), r: numbers(9) }), {
      on: "k",
      how: "full",
    });
    const unsigned = ends.map((value) => BigInt.asUintN(64, value));
    await expectJoin(table({ k: uint64(unsigned), l: numbers(9) }), table({ k: uint64([...unsigned].reverse()), r: numbers(9) }), {
      on: "k",
      how: "full",
    });
  });

  it("are outside a dense range of built keys on every side of it", async () => {
    const dense = table({ k: int32([10, 11, 12, 13, 14, 15, 16]), r: numbers(7) });
    const probes = table({ k: int32([9, 10, 16, 17, -2147483648, 2147483647, -10, 13]), l: numbers(8) });
    for (const how of ["inner", "left", "full", "leftAnti", "rightAnti"] as const) await expectJoin(probes, dense, { on: "k", how });
  });

  it("are floats of one value with different bits, each side's own bits in the result", async () => {
    const l = table({ k: float64(["-0", "NaN(fff8000000000001)", 1]) });
    const r = table({ k: float64(["NaN(7ff8000000000000)", 0]) });
    await expectJoin(
      l,
      r,
      { on: "k", coalesceKeys: false },
      {
        rows: [
          ["-0", 0],
          ["NaN(fff8000000000001)", "NaN(7ff8000000000000)"],
        ],
      },
    );
    await expectJoin(l, r, { on: "k", how: "full" }, { rows: [["-0"], ["NaN(fff8000000000001)"], [1]] });
    await expectJoin(l, r, { on: "k", how: "right" }, { rows: [[0], ["NaN(7ff8000000000000)"]] });
    await expectJoin(
      table({ k: float32(["-0", "NaN(ffc00001)"]) }),
      table({ k: float32([0, "NaN(7fc00000)"]) }),
      { on: "k", how: "leftAnti" },
      { rows: [] },
    );
  });

  it("are strings that are prefixes of each other, hold zero bytes, or split differently over two columns", async () => {
    const l = table({ a: utf8(["ab", "a", "", "a\u0000"]), b: utf8(["c", "bc", "abc", ""]), v: numbers(4) });
    const r = table({ a: utf8(["a", "ab", "a", ""]), b: utf8(["bc", "c", "\u0000", "ab"]), w: numbers(4) });
    await expectJoin(
      l,
      r,
      { on: ["a", "b"] },
      {
        rows: [
          ["ab", "c", 0, 1],
          ["a", "bc", 1, 0],
        ],
      },
    );
    await expectJoin(l, r, { on: ["a", "b"], how: "full" });
  });

  it("are null beside a value that is the same as what lies under the null", async () => {
    await expectJoin(
      table({ k: int32([5, null, 6]) }),
      table({ k: int32([null, 5]) }),
      { on: "k", coalesceKeys: false, nullsEqual: true },
      {
        rows: [
          [5, 5],
          [null, null],
        ],
      },
    );
    await expectJoin(
      table({ k: utf8(["", null]) }),
      table({ k: utf8([null, ""]) }),
      { on: "k", coalesceKeys: false },
      { rows: [["", ""]] },
    );
  });

  it("are zero and null beside each other in two keys", async () => {
    const l = table({ a: int32([0, null, 0, null]), b: int32([0, 0, null, null]), v: numbers(4) });
    for (const how of KINDS) await expectJoin(l, l, { on: ["a", "b"], how, nullsEqual: true });
  });

  it("are many: more than a table of the smallest size holds, with duplicates and nulls", async () => {
    const cells = Array.from({ length: 150 }, (_, i) => (i % 13 === 0 ? null : (i * 7919) % 97));
    const l = table({ k: int32(cells), l: numbers(150) }, { split: [70, 80] });
    const r = table(
      { k: int32([...cells].reverse().map((k) => (k === null ? null : k + 40))), r: numbers(150) },
      { split: [100, 50], slice: true },
    );
    await expectJoin(l, r, { on: "k", how: "full" });
    const texts = table({ k: utf8(cells.map((k) => (k === null ? null : `key ${k}`))), r: numbers(150) });
    await expectJoin(texts, texts, { on: "k", how: "full" });
  }, 20_000);
});
