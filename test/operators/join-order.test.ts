/** SEMANTICS 5: what order rows come in, for every kind, build side and way of running. */

import { describe, expect, it } from "vitest";
import { rowText } from "../support/cell.ts";
import { int32 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoin } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { type How, join, joinStream, type Options, runJoin } from "../support/run.ts";
import { table } from "../support/table.ts";

const left = table({ k: int32([3, 1, 9, 2, 1, null]), l: int32([0, 1, 2, 3, 4, 5]) }, { split: [2, 4] });
const right = table({ k: int32([2, 8, 1, 3, null, 1, 7]), r: int32([0, 1, 2, 3, 4, 5, 6]) }, { split: [3, 4], slice: true });

const rows = (options: Partial<Options>) => readTable(join(left, right, { on: "k", select: ["left.l", "right.r"], ...options })).rows;

describe("left order", () => {
  it("has left rows in order, their partners in right order, and unmatched right rows last in right order", () => {
    const expected = [
      [0, 3],
      [1, 2],
      [1, 5],
      [2, null],
      [3, 0],
      [4, 2],
      [4, 5],
      [5, null],
      [null, 1],
      [null, 4],
      [null, 6],
    ];
    expect(rows({ how: "full" })).toEqual(expected);
    for (const build of ["left", "right", "auto"] as const) expect(rows({ how: "full", order: "left", build })).toEqual(expected);
  });

  it("leaves the unmatched rows of the other side out where the kind does", () => {
    expect(rows({ how: "right" }).slice(-3)).toEqual([
      [null, 1],
      [null, 4],
      [null, 6],
    ]);
    expect(rows({ how: "left" }).at(-1)).toEqual([5, null]);
  });
});

describe("right order", () => {
  it("is the mirror", () => {
    const expected = [
      [3, 0],
      [null, 1],
      [1, 2],
      [4, 2],
      [0, 3],
      [null, 4],
      [1, 5],
      [4, 5],
      [null, 6],
      [2, null],
      [5, null],
    ];
    for (const build of ["left", "right", "auto", undefined] as const)
      expect(rows({ how: "full", order: "right", ...(build && { build }) })).toEqual(expected);
  });
});

describe("every order asked of every kind", () => {
  for (const how of ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"] as readonly How[]) {
    for (const order of ["left", "right", "any"] as const) {
      it(`${how} with order ${order} agrees with comparing every pair`, async () => {
        await expectJoin(left, right, { on: "k", how, order });
      });
    }
  }

  it("does not touch the order of kinds that output one side", () => {
    for (const order of ["left", "right"] as const) {
      const one = (how: How) => readTable(join(left, right, { on: "k", how, order })).rows.map((row) => row[1]);
      expect(one("leftSemi")).toEqual([0, 1, 3, 4]);
      expect(one("leftAnti")).toEqual([2, 5]);
      expect(one("rightSemi")).toEqual([0, 2, 3, 5]);
      expect(one("rightAnti")).toEqual([1, 4, 6]);
    }
  });
});

describe("order any", () => {
  it("is the same on every run and for every seed", () => {
    for (const kernel of ["wasm", "ts"] as const) {
      for (const how of ["inner", "full"] as const) {
        const run = (seed: object, switches = {}) =>
          readTable(runJoin(left, right, { on: "k", how, order: "any", kernel, ...seed }, switches)).rows.map(rowText);
        const first = run({});
        expect(first.length).toBe(how === "inner" ? 6 : 11);
        expect(run({})).toEqual(first);
        for (const hashSeed of [0, 1, 4294967295]) expect(run({ hashSeed })).toEqual(first);
        expect(run({}, { collideHashes: true })).toEqual(first);
      }
    }
  });
});

describe("streams", () => {
  const streamed = async (options: Partial<Options>) =>
    readTable(await (await joinStream(left, right, { on: "k", how: "full", select: ["left.l", "right.r"], ...options })).toTable()).rows;

  it("buffer the right side and give left order by default", async () => {
    expect(await streamed({})).toEqual(rows({ how: "full" }));
    expect(await streamed({ build: "auto" })).toEqual(rows({ how: "full" }));
  });

  it("give right order when they buffer the left", async () => {
    expect(await streamed({ build: "left" })).toEqual(rows({ how: "full", order: "right" }));
    expect(await streamed({ order: "right" })).toEqual(rows({ how: "full", order: "right" }));
  });

  it("take an order that agrees with the build side", async () => {
    expect(await streamed({ order: "left", build: "right" })).toEqual(rows({ how: "full" }));
    expect(await streamed({ order: "right", build: "left" })).toEqual(rows({ how: "full", order: "right" }));
  });

  it("refuse an order that contradicts the build side, naming both", async () => {
    await expectError(() => joinStream(left, right, { on: "k", order: "left", build: "left" }), "INVALID_OPTION", /order/, /build/);
    await expectError(() => joinStream(left, right, { on: "k", order: "right", build: "right" }), "INVALID_OPTION", /order/, /build/);
  });

  it("take every build with order any", async () => {
    for (const build of ["left", "right", "auto"] as const) {
      const texts = (await streamed({ order: "any", build })).map(rowText).sort();
      expect(texts).toEqual(rows({ how: "full" }).map(rowText).sort());
    }
  });
});
