/** `validate` and `unmatched` (SEMANTICS 4.1, 4.2): judged after the filter, on every axis, with an error that names the row and its key. */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoin } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { join, joinStream, type Options } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const KINDS = ["inner", "left", "right", "full"] as const;
const VALIDATE = ["m:m", "1:m", "m:1", "1:1"] as const;

const side = (keys: readonly (number | null)[], values: readonly (number | null)[], split?: readonly number[]): Table =>
  table({ k: int32(keys), v: int32(values), name: utf8(keys.map((_, i) => `n${i}`)) }, split && { split });

/** Keys 10, 20, ... so that a key is no row number. */
const TABLES: { readonly [name: string]: readonly [Table, Table] } = {
  "unique on both sides": [side([10, 20, 30], [1, 2, 3], [2, 1]), side([30, 10, 40], [5, 1, 0])],
  "duplicates on the left": [side([10, 20, 20, 30], [1, 2, 3, 4]), side([20, 40, 10], [2, 2, 2], [1, 2])],
  "duplicates on the right": [side([20, 40, 10], [2, 2, 2]), side([10, 20, 50, 20], [1, 2, 3, 4], [3, 1])],
  "duplicates on both sides": [side([10, 10, 20], [1, 5, 2]), side([20, 10, 10], [1, 4, 0], [1, 1, 1])],
  "duplicates without a partner": [side([10, 10, 30], [1, 2, 3]), side([20, 20, 30], [1, 2, 3])],
  "null keys": [side([null, null, 30], [1, 2, 3]), side([null, 30, null], [1, 2, 3])],
};

const FILTERS: { readonly [name: string]: Tree | undefined } = {
  "no filter": undefined,
  "a filter that leaves some pairs": x.le(l("v"), r("v")),
  "a filter that leaves equal values": x.eq(l("v"), r("v")),
  "a filter on one side": x.gt(r("v"), 1),
  "a filter that leaves nothing": lit(false),
};

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = () => ({ part: [number++, 7] }) as const;

for (const how of KINDS) {
  describe(`validate in a ${how} join`, () => {
    for (const [tables, [left, right]] of Object.entries(TABLES)) {
      for (const [filterName, filter] of Object.entries(FILTERS)) {
        it(`allows or refuses ${tables}, with ${filterName}`, async () => {
          for (const validate of VALIDATE) {
            await expectJoin(left, right, { on: "k", how, validate, ...(filter && { filter }) }, turn());
            await expectJoin(left, right, { on: "k", how, validate, nullsEqual: true, ...(filter && { filter }) }, turn());
          }
        });
      }
    }

    it("counts the matches that multiple passes over", async () => {
      const [left, right] = TABLES["duplicates on both sides"];
      for (const multiple of ["first", "any"] as const) {
        for (const validate of VALIDATE) await expectJoin(left, right, { on: "k", how, validate, multiple });
        await expectJoin(left, right, { on: "k", how, validate: "1:1", multiple, filter: x.gt(l("v"), r("v")) });
      }
    });

    it("finds one row of many that breaks the rule, wherever it is", async () => {
      for (const at of [0, 40, 79]) {
        const keys = Array.from({ length: 80 }, (_, i) => 1000 + i);
        const twice = [...keys.slice(0, at), 1079 - at, ...keys.slice(at)];
        await expectJoin(side(twice, twice), side(keys, keys), { on: "k", how, validate: "1:m" });
        await expectJoin(side(keys, keys), side(twice, twice), { on: "k", how, validate: "m:1" });
        await expectJoin(side(keys, keys), side(twice, twice), { on: "k", how, validate: "1:m" });
      }
    });
  });

  describe(`unmatched in a ${how} join`, () => {
    const forms: readonly Options["unmatched"][] = [
      "allow",
      "error",
      {},
      { left: "error" },
      { right: "error" },
      { left: "error", right: "error" },
    ];

    for (const [filterName, filter] of Object.entries(FILTERS)) {
      it(`allows or refuses rows without a partner, with ${filterName}`, async () => {
        for (const [left, right] of Object.values(TABLES)) {
          for (const unmatched of forms) await expectJoin(left, right, { on: "k", how, unmatched, ...(filter && { filter }) }, turn());
        }
      });
    }

    it("is content where every row has a partner", async () => {
      const left = side([10, 20, 10], [1, 2, 3], [1, 2]);
      const right = side([20, 10, 10], [5, 9, 0]);
      await expectJoin(left, right, { on: "k", how, unmatched: "error" });
      await expectJoin(left, right, { on: "k", how, unmatched: { left: "error", right: "error" } });
      await expectJoin(left, right, { on: "k", how, unmatched: { left: "error", right: "error" }, filter: x.lt(l("v"), r("v")) });
    });

    it("takes no notice of what multiple passes over", async () => {
      const left = side([10, 20], [1, 2]);
      const right = side([20, 10, 10], [5, 9, 7]);
      await expectJoin(left, right, { on: "k", how, unmatched: { left: "error", right: "error" }, multiple: "first" });
    });

    it("judges an empty side", async () => {
      const some = side([10, 20], [1, 2]);
      const none = side([], []);
      for (const unmatched of forms) {
        await expectJoin(some, none, { on: "k", how, unmatched });
        await expectJoin(none, some, { on: "k", how, unmatched });
        await expectJoin(none, none, { on: "k", how, unmatched });
      }
    });
  });
}

describe("a broken rule", () => {
  const left = table({ a: int32([100, 200, 300]), b: utf8(["p", "q", "r"]) });
  const right = table({ a: int32([900, 200, 800, 200]), b: utf8(["s", "q", "t", "q"]) }, { split: [2, 2] });

  it("names the side, the row, its key and its partners", async () => {
    const one = await expectError(() => join(left, right, { on: ["a", "b"], validate: "m:1" }), "CARDINALITY", "left", "200", "q", "m:1");
    for (const row of ["1", "3"]) expect(one.message.split(/\W+/)).toContain(row);
    await expectError(() => join(right, left, { on: ["a", "b"], validate: "1:1" }), "CARDINALITY", "right", "200", "q");
  });

  it("names the side, the row and the key without a partner", async () => {
    const one = await expectError(
      () => join(left, right, { on: ["a", "b"], how: "left", unmatched: { left: "error" } }),
      "UNMATCHED",
      "left",
      "100",
      "p",
    );
    expect(one.message.split(/\W+/)).toContain("0");
  });

  it("advises the kind that keeps what was asked for, and the rows without a partner", async () => {
    for (const [how, side, advice] of [
      ["inner", "left", "left"],
      ["inner", "right", "right"],
      ["left", "left", "left"],
      ["left", "right", "full"],
      ["right", "left", "full"],
      ["full", "right", "full"],
    ] as const)
      await expectError(
        () => join(left, right, { on: ["a", "b"], how, unmatched: { [side]: "error" } }),
        "UNMATCHED",
        `how: "${advice}" and unmatched: "allow"`,
      );
  });

  it("names null as null", async () => {
    const nulls = table({ a: int32([7, null]) });
    await expectError(() => join(nulls, table({ a: int32([7]) }), { on: "a", unmatched: { left: "error" } }), "UNMATCHED", "left", "null");
  });

  it("leaves what a stream has already given, and is the error of every later call", async () => {
    const many = side(
      Array.from({ length: 40 }, (_, i) => (i === 39 ? 999 : 10 + i)),
      Array.from({ length: 40 }, (_, i) => i),
      Array.from({ length: 8 }, () => 5),
    );
    const keys = side(
      Array.from({ length: 40 }, (_, i) => 10 + i),
      Array.from({ length: 40 }, (_, i) => i),
    );
    const stream = await joinStream(many, keys, { on: "k", how: "left", unmatched: { left: "error" }, batchSize: 4 });
    let rows = 0;
    const drain = async () => {
      for await (const batch of { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }) rows += batch.numRows;
    };
    const first = await expectError(drain, "UNMATCHED", "999", "39");
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(40);
    for (let i = 0; i < 3; i++) await expect(stream.next()).rejects.toBe(first);
  });

  it("is found early in a stream: the rest of the input is not read", async () => {
    const batch = side([10, 10], [1, 2]).batches[0];
    let pulled = 0;
    const endless = {
      schema: batch.schema,
      batches: (async function* () {
        while (pulled++ < 1000) yield batch;
      })(),
    };
    const stream = await joinStream(endless, side([10, 10], [1, 2]), { on: "k", validate: "m:1" });
    await expectError(() => stream.toTable(), "CARDINALITY", "10");
    expect(pulled).toBeLessThan(20);
  });
});

describe("validate and unmatched", () => {
  const [left, right] = TABLES["unique on both sides"];

  it("are refused for kinds of one side, by name", async () => {
    for (const how of ["leftSemi", "leftAnti", "leftMark", "rightSemi", "rightAnti", "rightMark"] as const) {
      for (const options of [{ validate: "1:1" }, { unmatched: "error" }, { unmatched: { left: "error" } }, { multiple: "first" }]) {
        const [name] = Object.keys(options);
        await expectError(() => join(left, right, { on: "k", how, ...options }), "INVALID_OPTION", name, how);
        await expectError(() => joinStream(left, right, { on: "k", how, ...options }), "INVALID_OPTION", name, how);
      }
    }
  });

  it("take no other values", async () => {
    for (const validate of ["1:n", "", null, 1, "M:1"])
      await expectError(() => join(left, right, { on: "k", validate }), "INVALID_OPTION", "validate");
    for (const unmatched of ["warn", "", null, true, { left: "warn" }, { up: "error" }, ["error"]])
      await expectError(() => join(left, right, { on: "k", unmatched }), "INVALID_OPTION", "unmatched");
  });

  it("change nothing where nothing breaks them", () => {
    const plain = readTable(join(left, right, { on: "k", how: "full" }));
    expect(readTable(join(left, right, { on: "k", how: "full", validate: "1:1", unmatched: "allow" }))).toEqual(plain);
  });
});
