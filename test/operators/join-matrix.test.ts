/**
 * Every kind x nulls x shape of the inputs x number of keys, through every axis of the asserter (kernel, batch size, build side, one-shot
 * and stream, layout of the batches, forced collisions, tiny tables, copies).
 */

import type { Table } from "apache-arrow";
import { describe, it } from "vitest";
import type { Cell } from "../support/cell.ts";
import { bool, type Column, dictionary, float64, int16, int32, int64, utf8 } from "../support/column.ts";
import { expectJoin } from "../support/expect-join.ts";
import type { How, On, Options } from "../support/run.ts";
import { type TableOptions, table } from "../support/table.ts";

const KINDS: readonly How[] = ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"];

/** A key by number; "∅": every column null, "∅x": the first column null, "x∅": the last column null, the others as of key 1. */
type KeyCode = number | "∅" | "∅x" | "x∅";

/** Columns of several keys share parts between different keys, so that no column alone decides. */
const KEY_SETS: {
  readonly [name: string]: { readonly on: On; readonly columns: (codes: readonly KeyCode[]) => { [name: string]: Column } };
} = {
  "one key": {
    on: "id",
    columns: (codes) => ({ id: int32(codes.map((code) => (typeof code === "number" ? code : null))) }),
  },
  "two keys": {
    on: ["a", "b"],
    columns: (codes) => ({
      a: utf8(part(codes, "first", (k) => (k % 2 ? "odd" : ""))),
      b: int64(part(codes, "last", (k) => BigInt(k >> 1))),
    }),
  },
  "three keys": {
    on: ["a", "b", "c"],
    columns: (codes) => ({
      a: dictionary(utf8(part(codes, "first", (k) => (k % 2 ? "odd" : "even"))), { index: "int8", perBatch: true }),
      b: int16(part(codes, "middle", (k) => (k >> 1) % 2)),
      c: float64(part(codes, "last", (k) => (k >> 2) / 2)),
    }),
  },
};

function part(codes: readonly KeyCode[], place: "first" | "middle" | "last", cell: (k: number) => Cell): Cell[] {
  const isNull = (code: KeyCode) => code === "∅" || (code === "∅x" && place === "first") || (code === "x∅" && place === "last");
  return codes.map((code) => (isNull(code) ? null : cell(typeof code === "number" ? code : 1)));
}

interface Shape {
  readonly left: readonly KeyCode[];
  readonly right: readonly KeyCode[];
  readonly splits?: { readonly left: readonly number[]; readonly right: readonly number[] };
}

const SHAPES: { readonly [name: string]: Shape } = {
  "unique keys": { left: [3, 1, 4, 7, 5, 9, 2], right: [5, 3, 8, 1, 0, 2], splits: { left: [3, 4], right: [5, 1] } },
  "duplicate keys": { left: [1, 2, 1, 3, 2, 1, 4], right: [2, 1, 1, 5, 2, 6, 1], splits: { left: [1, 2, 4], right: [4, 3] } },
  "an empty left": { left: [], right: [1, 2, 2, 3], splits: { left: [0], right: [2, 2] } },
  "an empty right": { left: [1, 2, 2, 3], right: [], splits: { left: [3, 1], right: [] } },
  "both sides empty": { left: [], right: [], splits: { left: [], right: [0, 0] } },
  "empty batches between": { left: [4, 1, 4, 2], right: [4, 2, 2, 4, 8], splits: { left: [0, 1, 0, 0, 3, 0], right: [0, 2, 0, 3] } },
};

/** Null keys go to the front, into the middle and to the end of a side that has rows. */
function withNulls(codes: readonly KeyCode[]): KeyCode[] {
  if (codes.length === 0) return [];
  return ["∅x", ...codes.slice(0, 2), "∅", ...codes.slice(2), "x∅", "∅"];
}

const NULLS: { readonly [name: string]: { readonly nulls: boolean; readonly options: Partial<Options> } } = {
  "no nulls": { nulls: false, options: {} },
  "null keys": { nulls: true, options: {} },
  "null keys that equal each other": { nulls: true, options: { nullsEqual: true } },
};

/** The added null rows belong to the first and the last batch. */
function splitFor(split: readonly number[] | undefined, rows: number): readonly number[] | undefined {
  if (split === undefined || split.length === 0) return split;
  const added = rows - split.reduce((sum, n) => sum + n, 0);
  if (added === 0) return split;
  const front = Math.min(added, 1);
  return split.map((n, i) => n + (i === 0 ? front : 0) + (i === split.length - 1 ? added - front : 0));
}

function sides(
  shape: Shape,
  nulls: boolean,
  columns: (codes: readonly KeyCode[]) => { [name: string]: Column },
  slices: number,
): [Table, Table] {
  const left = nulls ? withNulls(shape.left) : shape.left;
  const right = nulls ? withNulls(shape.right) : shape.right;
  const options = (side: "left" | "right", rows: number, bit: number): TableOptions => ({
    split: splitFor(shape.splits?.[side], rows),
    slice: (slices & bit) > 0,
  });
  return [
    table(
      {
        ...columns(left),
        v: int32(left.map((_, i) => i)),
        w: utf8(left.map((_, i) => (i % 3 === 1 ? null : `w${"x".repeat(i)}`))),
      },
      options("left", left.length, 1),
    ),
    table(
      {
        v: int64(right.map((_, i) => BigInt(i) << 33n)),
        ...columns(right),
        x: bool(right.map((_, i) => (i % 3 === 2 ? null : i % 2 === 0))),
      },
      options("right", right.length, 2),
    ),
  ];
}

let number = 0;
for (const how of KINDS) {
  describe(`a ${how} join gives what comparing every pair gives`, () => {
    for (const [nullsName, { nulls, options }] of Object.entries(NULLS)) {
      for (const [keysName, { on, columns }] of Object.entries(KEY_SETS)) {
        for (const [shapeName, shape] of Object.entries(SHAPES)) {
          const slices = number++ % 4;
          it(`of ${shapeName} with ${nullsName} on ${keysName}`, async () => {
            const [left, right] = sides(shape, nulls, columns, slices);
            await expectJoin(left, right, { on, how, ...options });
          });
        }
      }
    }

    it("where one key of two takes nulls as equal and the other does not", async () => {
      const codes = { left: [1, "∅x", "x∅", "∅", 2], right: ["∅x", 1, "∅", "x∅", "x∅"] } as const;
      const [left, right] = sides(codes, false, KEY_SETS["two keys"].columns, 1);
      await expectJoin(left, right, {
        on: [
          { left: "a", right: "a", nullsEqual: true },
          { left: "b", right: "b" },
        ],
        how,
      });
    });

    it("where every key is null", async () => {
      const [left, right] = sides({ left: ["∅", "∅", "∅"], right: ["∅", "∅"] }, false, KEY_SETS["one key"].columns, 2);
      await expectJoin(left, right, { on: "id", how });
      await expectJoin(left, right, { on: "id", how, nullsEqual: true });
    });

    it("where keys have different names", async () => {
      const left = table({ id: int32([1, 2, 2, null]), v: int32([10, 20, 21, 30]) }, { split: [3, 1] });
      const right = table({ ref: int32([2, null, 3, 2]), v: int32([1, 2, 3, 4]) }, { split: [1, 3], slice: true });
      await expectJoin(left, right, { on: { id: "ref" }, how });
      await expectJoin(left, right, { on: [{ left: "id", right: "ref" }], how, nullsEqual: true });
    });

    it("where the sides have no column but the key", async () => {
      await expectJoin(table({ id: int32([1, 2, 3, 1]) }, { split: [1, 3] }), table({ id: int32([1, 4, 3]) }, { split: [2, 1] }), {
        on: "id",
        how,
      });
    });

    it("where one key has more partners than a batch has rows, and others none", async () => {
      const left = table({ id: int32([9, 1, 1, 8, 1]), l: int32([0, 1, 2, 3, 4]) }, { split: [2, 3] });
      const right = table({ id: int32([7, 1, 1, 1, 1, 1, 1, 1, 6]), r: int32([0, 1, 2, 3, 4, 5, 6, 7, 8]) }, { split: [4, 5] });
      await expectJoin(left, right, { on: "id", how });
    });

    it("of a table with itself", async () => {
      const self = table({ id: int32([1, null, 2, 1]), v: utf8(["a", "b", null, "d"]) }, { split: [2, 2], slice: true });
      await expectJoin(self, self, { on: "id", how });
      await expectJoin(self, self, { on: "id", how, nullsEqual: true });
    });
  });
}
