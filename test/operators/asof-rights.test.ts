/** As-of joins with several rights, each with options of its own; and the columns of the result: names, order, types, nullability, metadata. */

import { describe, expect, it } from "vitest";
import { KEYS, optionSets, SMALL, side, TIMES } from "../support/asof-samples.ts";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { type AsofEntry, expectJoinAsof } from "../support/expect-asof.ts";
import { readTable } from "../support/rows.ts";
import { type AsofOptions, runJoinAsof } from "../support/run.ts";
import { EVERY_TYPE } from "../support/samples.ts";
import { table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

const TOLERANCES = [undefined, undefined, 0, 2, { before: 4, after: 1 }] as const;

let number = 0;
const turn = (parts = 20) => ({ part: [number++, parts] }) as const;

describe("an as-of join with several rights", () => {
  for (const count of [1, 2, 3]) {
    it(`finds the closest row of each of ${count}, by what each asks`, async () => {
      for (const options of optionSets(count, TOLERANCES)) {
        const seed = number;
        const others = optionSets(count + 1, TOLERANCES);
        const keys = [KEYS.utf8[0], KEYS.int8[0]];
        const rights = Array.from({ length: count }, (_, i): AsofEntry => {
          const { how, ...own } = i === 0 ? options : others[(seed + i) % others.length];
          const by = [{}, { by: "k0" }, { by: ["k0", "k1"], nullsEqual: true }][(seed + i) % 3];
          const filter = (seed + i) % 5 === 0 ? { filter: x.le(r("v"), l("v")) } : {};
          return { table: side(seed + i + 1, SMALL[1], { name: i ? "other" : "right", keys }), ...own, ...by, ...filter, suffix: `_${i}` };
        });
        await expectJoinAsof(side(seed, SMALL[0], { name: "left", keys }), rights, { on: "t", how: options.how }, turn());
      }
    });
  }

  it("each on time columns of another unit", async () => {
    for (const how of ["left", "inner", "leftAnti"] as const) {
      const left = side(3, TIMES["timestamp s, ns"][0], { name: "left" });
      const rights = (["timestamp s, ns", "timestamp s"] as const).map(
        (name, i): AsofEntry => ({
          table: side(4 + i, TIMES[name][1], { name: "right" }),
          suffix: `_${i}`,
          tolerance: i ? "30s" : 2,
          direction: i ? "nearest" : "backward",
        }),
      );
      await expectJoinAsof(left, rights, { on: "t", how }, turn(4));
    }
  });

  const left = table({ t: c.int32([1, 3]), k: c.int32([1, 2]) });
  const a = table({ t: c.int32([0, 2]), k: c.int32([2, 1]), a: c.int32([10, 11]) });
  const b = table({ u: c.int32([3]), b: c.int32([20]) });

  it("takes what an entry does not say from the options of the join", async () => {
    await expectJoinAsof(
      left,
      [{ table: a }, { table: a, direction: "forward", suffix: "_next" }],
      { on: "t", by: "k" },
      {
        rows: [
          [1, 1, null, 11],
          [3, 2, 10, null],
        ],
      },
    );
    await expectJoinAsof(
      left,
      [{ table: a }, { table: b, on: { t: "u" } }],
      { on: "t", select: ["a", "b"] },
      {
        rows: [
          [10, null],
          [11, 20],
        ],
      },
    );
  });

  it("wants a match in every one for inner and leftSemi, and drops none of those for leftAnti", async () => {
    const rights = [{ table: a }, { table: b, on: { t: "u" } }];
    await expectJoinAsof(left, rights, { on: "t", how: "inner", select: ["t", "a", "b"] }, { rows: [[3, 11, 20]] });
    await expectJoinAsof(left, rights, { on: "t", how: "leftSemi", select: ["t"] }, { rows: [[3]] });
    await expectJoinAsof(left, rights, { on: "t", how: "leftAnti", select: ["t"] }, { rows: [[1]] });
  });

  it("calls the columns of the rights right, right1, right2", async () => {
    const rights = [{ table: a }, { table: b, on: { t: "u" } }, { table: a }];
    await expectJoinAsof(
      left,
      rights,
      { on: "t", select: ["right2.a", "right1.b", "right.t", "left.k"] },
      {
        rows: [
          [10, null, 0, 1],
          [11, 20, 2, 2],
        ],
      },
    );
    await expectJoinAsof(
      left,
      rights,
      { on: "t", select: { x: "right2.a", y: "right1.u" } },
      {
        rows: [
          [10, null],
          [11, 3],
        ],
      },
    );
  });

  it("refuses names that still clash", async () => {
    await expectError(() => runJoinAsof(left, [{ table: a }, { table: a }], { on: "t", by: "k", suffix: "" }, {}), "DUPLICATE_COLUMN", "a");
    await expectError(() => runJoinAsof(left, a, { on: "t", suffix: "" }, {}), "DUPLICATE_COLUMN", "k");
  });
});

describe("the columns of an as-of join", () => {
  const left = table(
    { t: c.int32([1, 2]), k: c.int32([1, 2]), v: c.int32([5, 6]) },
    { metadata: { who: "left", l: "1" }, fieldMetadata: { v: { f: "left" } }, nullable: { v: true } },
  );
  const right = table(
    { v: c.utf8(["a", "b"]), t: c.int32([0, 1]), k: c.int32([2, 1]), w: c.int32([7, 8]) },
    { metadata: { who: "right", r: "2" }, fieldMetadata: { w: { f: "right" }, v: { g: "right" } } },
  );

  const cases: readonly AsofOptions[] = [
    {},
    { by: "k" },
    { by: { k: "k" }, rightTime: "at" },
    { by: { v: "k" } },
    { on: { v: "t" } },
    { on: { t: "w" }, rightTime: "key" },
    { suffix: ["_l", "_r"] },
    { by: "k", suffix: ["_l", ""] },
    { select: ["right.w", "left.v", "right.v"] },
    { by: "k", select: ["right.k", "left.k", "right.t"] },
    { select: { one: "right.w", two: "left.t", three: "right.t" } },
    { by: "k", select: ["w", "v_right", "t"] },
    { rightTime: "at", select: ["at"] },
    { select: [] },
  ];
  for (const options of cases) {
    it(`are named, ordered and nullable as they are to be, with ${JSON.stringify(options)}`, async () => {
      for (const how of ["left", "inner"] as const) await expectJoinAsof(left, right, { on: "t", how, ...options }, turn(3));
    });
  }

  it("are the left's alone in semi and anti joins", async () => {
    for (const how of ["leftSemi", "leftAnti"] as const) {
      await expectJoinAsof(left, right, { on: "t", by: "k", how }, turn(3));
      await expectJoinAsof(left, right, { on: "t", how, select: ["v"] }, turn(3));
      await expectJoinAsof(left, right, { on: "t", how, select: [] }, turn(3));
    }
  });

  it("with none selected have the number of rows", () => {
    expect(runJoinAsof(left, right, { on: "t", select: [] }, {}).numRows).toBe(2);
    expect(runJoinAsof(left, right, { on: "t", by: "k", how: "inner", tolerance: 1, select: [] }, {}).numRows).toBe(1);
  });

  for (const [name, column] of Object.entries(EVERY_TYPE)) {
    it(`of ${name} come through from either side`, async () => {
      const rows = column.cells.length;
      const times = c.int32(Array.from({ length: rows }, (_, i) => i));
      const sparse = c.int32(Array.from({ length: rows }, (_, i) => 2 * i + 1));
      for (const options of [{ split: [2, rows - 2], slice: true }, { split: [1, 0, rows - 1] }]) {
        for (const direction of ["backward", "forward"] as const)
          await expectJoinAsof(
            table({ t: times, l: column }, options),
            table({ t: sparse, r: column }, options),
            { on: "t", direction },
            turn(9),
          );
        await expectJoinAsof(
          table({ t: times, l: column }, options),
          table({ t: sparse, r: column }, options),
          { on: "t", how: "inner", tolerance: 0 },
          turn(9),
        );
      }
    });
  }

  it("with dictionaries of the right have one object for all batches of a result, with Int32 codes", () => {
    const dictionary = c.dictionary(c.utf8(["a", "b", null, "c"]), { index: "int8", perBatch: true, repeated: true });
    const times = c.int32([0, 1, 2, 3]);
    const right = table({ t: times, d: dictionary }, { split: [1, 1, 2] });
    const result = runJoinAsof(table({ t: times }, { split: [2, 2] }), right, { on: "t" }, {});
    expect(readTable(result).fields[1].type).toBe("dictionary<int32, utf8>");
    expect(readTable(result).rows.map(([, d]) => d)).toEqual(["a", "b", null, "c"]);
    expect(new Set(result.batches.map((batch) => batch.data.children[1].dictionary)).size).toBe(1);
  });
});
