/**
 * `validate`, `unmatched` and `multiple` of `joinWhere` (SEMANTICS 4): judged on the pairs for which the predicate is true, on every path, in one
 * pass and in many. There are no keys: an error names the rows.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoinWhere } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { joinWhere, joinWhereStream, runJoinWhere, runJoinWhereStream, type WhereOptions } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const KINDS = ["inner", "left", "right", "full"] as const;

/** The row numbers tell the rows of a test of `any` apart; none of them is a value. */
const side = (values: readonly (number | null)[], own: string, split?: readonly number[]): Table =>
  table({ v: c.int32(values), [own]: c.int32(values.map((_, i) => i)) }, split && { split });

const [none, some] = [side([], "lrow"), side([110, 130, 120], "lrow", [1, 2])];
const TABLES: readonly (readonly [Table, Table])[] = [
  [some, side([120, 140, 110, 130], "rrow", [2, 2])],
  [side([110, 110, null, 150, 130], "lrow", [3, 2]), side([150, 110, null, 110, 170, 130, 150], "rrow", [1, 1, 5])],
  [side([150, 110, 120, 110, 170, 130, 150], "lrow", [4, 3]), side([130, 110, 110], "rrow")],
];

const PREDICATES: { readonly [name: string]: Tree } = {
  "an equality": x.eq(l("v"), r("v")),
  "an equality and more": x.and(x.eq(l("v"), r("v")), x.ne(l("lrow"), r("rrow"))),
  "an inequality": x.lt(l("v"), r("v")),
  "a band": x.and(x.ge(l("v"), x.sub(r("v"), 10)), x.lt(l("v"), r("v"))),
  "a remainder": x.eq(x.mod(x.add(l("v"), r("v")), 40), 0),
  "a condition on the left alone": x.gt(l("v"), 120),
  nothing: lit(false),
};

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = (parts = 38) => ({ part: [number++, parts] }) as const;

for (const how of KINDS) {
  for (const [name, predicate] of Object.entries(PREDICATES)) {
    describe(`a ${how} join where ${name} holds`, () => {
      it("is allowed or refused by validate", async () => {
        for (const [left, right] of TABLES)
          for (const validate of ["1:m", "m:1", "1:1"] as const) await expectJoinWhere(left, right, predicate, { how, validate }, turn());
      });

      it("is allowed or refused by unmatched", async () => {
        for (const [left, right] of TABLES) {
          for (const unmatched of ["error", { left: "error" }, { right: "error" }] as const)
            await expectJoinWhere(left, right, predicate, { how, unmatched }, turn());
        }
      });

      it("is limited by multiple", async () => {
        const build: WhereOptions = { build: how === "right" ? "left" : "right" };
        for (const [left, right] of TABLES) {
          await expectJoinWhere(left, right, predicate, { how, multiple: "first" }, turn());
          await expectJoinWhere(left, right, predicate, { how, multiple: "last", ...build }, turn());
          await expectJoinWhere(left, right, predicate, { how, multiple: "any" }, turn());
          await expectJoinWhere(left, right, predicate, { how, multiple: "first", order: "right" }, turn(38));
          await expectJoinWhere(left, right, predicate, { how, multiple: "first", validate: "m:1" }, turn(38));
        }
      });
    });
  }

  describe(`an empty side of a ${how} join`, () => {
    it("has or breaks the rules as any other", async () => {
      for (const predicate of [PREDICATES["an inequality"], PREDICATES["an equality"], PREDICATES["a remainder"]]) {
        for (const unmatched of ["error", { left: "error" }, { right: "error" }] as const) {
          await expectJoinWhere(none, some, predicate, { how, unmatched }, turn());
          await expectJoinWhere(some, none, predicate, { how, unmatched }, turn());
        }
        await expectJoinWhere(none, none, predicate, { how, validate: "1:1", unmatched: { left: "error", right: "error" } }, turn());
      }
    });
  });
}

describe("one row of many that breaks the rule", () => {
  const count = 70;
  const values = (but: { readonly [row: number]: number } = {}) => Array.from({ length: count }, (_, i) => but[i] ?? 1000 + 10 * i);
  /** Rows whose values are close to each other, as a band and as what nothing but a loop can answer. */
  const near: readonly Tree[] = [
    x.and(x.gt(l("v"), x.sub(r("v"), 5)), x.lt(l("v"), x.add(r("v"), 5))),
    x.and(x.eq(x.mod(x.sub(l("v"), r("v")), 10_000), 0), x.ne(l("v"), -1)),
  ];

  it("is found wherever it is", async () => {
    for (const predicate of near) {
      for (const at of [0, 40, 69]) {
        const [plain, odd] = [side(values(), "lrow", [35, 35]), side(values({ [at]: 1000 + 10 * (69 - at) }), "rrow")];
        await expectJoinWhere(plain, odd, predicate, { validate: "m:1" }, turn());
        await expectJoinWhere(odd, plain, predicate, { validate: "1:m" }, turn());
        await expectJoinWhere(plain, odd, predicate, { how: "left", unmatched: { left: "error" } }, turn());
        await expectJoinWhere(odd, plain, predicate, { how: "full", unmatched: { right: "error" } }, turn());
      }
    }
  });
});

describe("a broken rule", () => {
  const left = side([100, 200, 300], "lrow");
  const right = side([900, 210, 800, 220], "rrow", [2, 2]);
  const close = x.and(x.gt(r("v"), l("v")), x.le(r("v"), x.add(l("v"), 50)));

  for (const wherePath of ["loop", undefined] as const) {
    const run = (a: Table, b: Table, predicate: Tree, options: WhereOptions) =>
      runJoinWhere(a, b, predicate, options, wherePath ? { wherePath } : {});

    it(`names the side, the row and its partners (${wherePath ?? "as chosen"})`, async () => {
      const one = await expectError(() => run(left, right, close, { validate: "m:1" }), "CARDINALITY", "left", "m:1");
      for (const row of ["1", "3"]) expect(one.message.split(/\W+/)).toContain(row);
      const back = x.and(x.gt(l("v"), r("v")), x.le(l("v"), x.add(r("v"), 50)));
      const other = await expectError(() => run(right, left, back, { validate: "1:1" }), "CARDINALITY", "right", "1:1");
      for (const row of ["1", "3"]) expect(other.message.split(/\W+/)).toContain(row);
    });

    it(`names the side and the row without a partner, and what to write instead (${wherePath ?? "as chosen"})`, async () => {
      for (const [how, which, advice] of [
        ["inner", "left", "left"],
        ["inner", "right", "right"],
        ["left", "left", "left"],
        ["full", "right", "full"],
      ] as const) {
        const error = await expectError(
          () => run(left, right, close, { how, unmatched: { [which]: "error" } }),
          "UNMATCHED",
          which,
          `how: "${advice}" and unmatched: "allow"`,
        );
        expect(error.message.split(/\W+/)).toContain("0");
        expect(error.message).not.toMatch(/undefined|NaN|\bkeys? \(?\)?\s*[,.;:]/);
      }
    });
  }

  it("leaves what a stream has already given, and is the error of every later call", async () => {
    const many = side(
      Array.from({ length: 40 }, (_, i) => (i === 39 ? 5000 : 10 * i)),
      "lrow",
      [8, 8, 8, 8, 8],
    );
    const bands = side(
      Array.from({ length: 40 }, (_, i) => 10 * i + 1),
      "rrow",
    );
    const stream = await runJoinWhereStream(
      many,
      bands,
      x.eq(x.sub(r("v"), l("v")), 1),
      { how: "left", unmatched: { left: "error" }, batchSize: 4 },
      { wherePath: "loop" },
    );
    let rows = 0;
    const drain = async () => {
      for await (const batch of { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }) rows += batch.numRows;
    };
    const first = await expectError(drain, "UNMATCHED", "39");
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(40);
    for (let i = 0; i < 3; i++) await expect(stream.next()).rejects.toBe(first);
  });

  it("is found early in a stream: the rest of the input is not read", async () => {
    const batch = side([10, 20], "lrow").batches[0];
    let pulled = 0;
    const endless = {
      schema: batch.schema,
      batches: (async function* () {
        while (pulled++ < 1000) yield batch;
      })(),
    };
    const stream = await joinWhereStream(endless, side([10, 11], "rrow"), x.le(x.abs(x.sub(l("v"), r("v"))), 1), { validate: "m:1" });
    await expectError(() => stream.toTable(), "CARDINALITY", "m:1");
    expect(pulled).toBeLessThan(20);
  });
});

describe("validate, unmatched and multiple of joinWhere", () => {
  const [left, right] = TABLES[0];
  const predicate = PREDICATES["an inequality"];

  it("are refused for kinds of one side, by name", async () => {
    for (const how of ["leftSemi", "leftAnti", "leftMark", "rightSemi", "rightAnti", "rightMark"] as const) {
      for (const options of [{ validate: "1:1" }, { unmatched: "error" }, { unmatched: { left: "error" } }, { multiple: "first" }]) {
        const [name] = Object.keys(options);
        await expectError(() => joinWhere(left, right, predicate, { how, ...options }), "INVALID_OPTION", name, how);
        await expectError(() => joinWhereStream(left, right, predicate, { how, ...options }), "INVALID_OPTION", name, how);
      }
    }
  });

  it("last is refused where the limited rows are the buffered ones of a stream, with the build that works", async () => {
    for (const [how, build] of [
      ["inner", "left"],
      ["left", "left"],
      ["full", "left"],
      ["right", "right"],
    ] as const) {
      const works = build === "left" ? "right" : "left";
      const options = { how, multiple: "last" };
      await expectError(
        () => joinWhereStream(left, right, predicate, { ...options, build }),
        "INVALID_OPTION",
        "last",
        new RegExp(`build[^.]*${works}`),
      );
      const stream = await joinWhereStream(left, right, predicate, { ...options, build: works });
      expect((await stream.toTable()).numRows).toBeGreaterThan(0);
    }
  });

  it("any is the same on every run: for every seed, batching, kernel and number of passes", async () => {
    for (const how of KINDS) {
      for (const predicate of [PREDICATES["a band"], PREDICATES["a remainder"]]) {
        const seen = new Set<string>();
        for (const kernel of ["wasm", "ts"] as const) {
          for (const [at, chunkRows] of [undefined, 1, 2].entries()) {
            const options = { how, multiple: "any", kernel, hashSeed: at, batchSize: [1, 3, 8192][at] };
            const result = runJoinWhere(...TABLES[1], predicate, options, chunkRows ? { chunkRows } : {});
            seen.add(JSON.stringify(readTable(result).rows));
          }
        }
        expect(seen.size, how).toBe(1);
      }
    }
  });
});
