/** `multiple` (SEMANTICS 4.1): one partner for each left row, or for each right row of a right join; a row passed over has still matched. */

import { describe, expect, it } from "vitest";
import { rowText } from "../support/cell.ts";
import { dictionary, int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoin } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { join, joinStream, runJoin, runJoinStream } from "../support/run.ts";
import { resplit, table } from "../support/table.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

const KINDS = ["inner", "left", "right", "full"] as const;
const MULTIPLE = ["first", "last", "any"] as const;

const left = table(
  { k: int32([1, 2, 1, 4, null, 2, 1, 3]), v: int32([3, 1, 2, 9, 4, null, 0, 3]), lrow: int32([0, 1, 2, 3, 4, 5, 6, 7]) },
  { split: [3, 5] },
);
const right = table(
  {
    rrow: int32([0, 1, 2, 3, 4, 5, 6, 7]),
    k: int32([2, 1, 1, null, 2, 1, 5, 3]),
    v: int32([0, 2, 3, 4, 5, 3, 1, 3]),
    word: dictionary(utf8(["a", "b", null, "a", "c", "b", "a", "c"]), { index: "int8", perBatch: true }),
  },
  { split: [2, 6], slice: true },
);

const FILTERS: { readonly [name: string]: Tree | undefined } = {
  "no filter": undefined,
  "a filter between the sides": x.le(l("v"), r("v")),
  "a filter that few pairs pass": x.eq(l("v"), r("v")),
  "a filter on the left alone": x.ge(l("v"), 1),
  "a filter on the right alone": x.ne(r("word"), "b"),
  "arithmetic and an or": x.or(x.gt(x.mod(x.add(l("v"), r("v")), 2), 0), x.isNull(r("word"))),
};

/** Of a stream, `last` needs the limited side to be the one that streams. */
const streamed = (how: string) => (how === "right" ? "left" : "right");

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = () => ({ part: [number++, 2] }) as const;

for (const how of KINDS) {
  for (const multiple of MULTIPLE) {
    describe(`multiple: ${multiple} in a ${how} join`, () => {
      const build = multiple === "last" ? ({ build: streamed(how) } as const) : {};

      for (const [name, filter] of Object.entries(FILTERS)) {
        it(`gives each row of the limited side one partner, with ${name}`, async () => {
          await expectJoin(left, right, { on: "k", how, multiple, ...build, ...(filter && { filter }) }, turn());
          await expectJoin(left, right, { on: "k", how, multiple, ...build, nullsEqual: true, ...(filter && { filter }) }, turn());
        });
      }

      it("in groups of 100 rows", async () => {
        const rows = Array.from({ length: 120 }, (_, i) => i);
        const many = table(
          { k: int32(rows.map((i) => (i % 6 === 5 ? i : 1))), v: int32(rows.map((i) => (i * 53) % 97)), many: int32(rows) },
          { split: [70, 50] },
        );
        const few = table({ k: int32([1, 1, 5, 7]), v: int32([50, 3, 9, 9]), few: int32([0, 1, 2, 3]) });
        for (const [a, b] of [
          [many, few],
          [few, many],
        ]) {
          await expectJoin(a, b, { on: "k", how, multiple, ...build }, turn());
          await expectJoin(a, b, { on: "k", how, multiple, ...build, filter: x.lt(l("v"), r("v")) }, turn());
          await expectJoin(a, b, { on: "k", how, multiple, ...build, filter: x.eq(x.mod(x.add(l("v"), r("v")), 5), 2) });
        }
      });

      it("with several keys, in the right's order and in any", async () => {
        const options = { on: "k", how, multiple, filter: x.le(l("v"), r("v")) } as const;
        if (multiple !== "last") {
          await expectJoin(left, right, { ...options, order: "right" });
          await expectJoin(left, right, { ...options, on: ["k", "v"], filter: x.ne(l("lrow"), r("rrow")) });
        }
        await expectJoin(left, right, { ...options, ...build, order: "any" });
      });
    });
  }
}

describe("multiple", () => {
  it("first and last are the ends of the other side's row order", async () => {
    const select = ["lrow", "rrow"];
    await expectJoin(
      left,
      right,
      { on: "k", multiple: "first", select },
      {
        rows: [
          [0, 1],
          [1, 0],
          [2, 1],
          [5, 0],
          [6, 1],
          [7, 7],
        ],
      },
    );
    await expectJoin(
      left,
      right,
      { on: "k", multiple: "last", build: "right", select },
      {
        rows: [
          [0, 5],
          [1, 4],
          [2, 5],
          [5, 4],
          [6, 5],
          [7, 7],
        ],
      },
    );
  });

  it("a row that was passed over is not unmatched", async () => {
    await expectJoin(
      table({ k: int32([1]) }),
      table({ k: int32([1, 1, 2]), row: int32([0, 1, 2]) }),
      { on: "k", how: "full", multiple: "first" },
      {
        rows: [
          [1, 0],
          [2, 2],
        ],
      },
    );
  });

  it("any is the same on every run: for every seed, batching, kernel and kind of table", async () => {
    const inputs = [left, right].map((input) => [input, resplit(input, 1, false), resplit(input, 3, true)]);
    const filters = [{}, { filter: x.le(l("v"), r("v")) }];
    for (const how of KINDS) {
      for (const build of ["left", "right"] as const) {
        for (const filter of filters) {
          const seen = { join: new Set<string>(), stream: new Set<string>() };
          for (const kernel of ["wasm", "ts"] as const) {
            for (const [at, batchSize] of [1, 3, 8192].entries()) {
              const switches = [{}, { collideHashes: true }, { tinyTables: true }][at];
              const options = { on: "k", how, multiple: "any", build, kernel, batchSize, hashSeed: at, ...filter };
              seen.join.add(
                readTable(runJoin(inputs[0][at], inputs[1][at], options, switches))
                  .rows.map(rowText)
                  .join("\n"),
              );
              const stream = await runJoinStream(inputs[0][at], inputs[1][at], options, switches);
              seen.stream.add(
                readTable(await stream.toTable())
                  .rows.map(rowText)
                  .join("\n"),
              );
            }
          }
          expect({ join: seen.join.size, stream: seen.stream.size }, `${how}, build ${build}`).toEqual({ join: 1, stream: 1 });
        }
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
      const message = new RegExp(`build[^.]*${works}`);
      await expectError(() => joinStream(left, right, { on: "k", how, multiple: "last", build }), "INVALID_OPTION", "last", message);
      const stream = await joinStream(left, right, { on: "k", how, multiple: "last", build: works });
      expect((await stream.toTable()).numRows).toBeGreaterThan(0);
      expect(join(left, right, { on: "k", how, multiple: "last", build }).numRows).toBeGreaterThan(0);
    }
    await expectError(() => joinStream(left, right, { on: "k", how: "right", multiple: "last" }), "INVALID_OPTION", "last", /left/);
    await expectError(() => joinStream(left, right, { on: "k", multiple: "last", order: "right" }), "INVALID_OPTION", "last");
  });

  it("takes no other values", async () => {
    for (const multiple of ["one", "", null, 1, true, "First"])
      await expectError(() => join(left, right, { on: "k", multiple }), "INVALID_OPTION", "multiple");
  });
});
