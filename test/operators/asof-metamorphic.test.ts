/** What must not change an as-of join, or must change it in a known way: the library against itself, on inputs of some hundred rows. */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { random } from "../support/axes.ts";
import type { Cell, Row } from "../support/cell.ts";
import { cellText } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { readTable } from "../support/rows.ts";
import { type AsofOptions, runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { resplit, table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

interface Rows {
  readonly t: Cell;
  readonly k: number | null;
  readonly row: number;
}

/** Sorted times with many ties, from -40 to 40; some rows have no time, or no key. */
function rowsOf(seed: number, count: number, keys: number): Rows[] {
  const pick = random(Math.imul(seed + 1, 0x9e3779b1));
  const times = Array.from({ length: count }, () => pick(81) - 40).sort((a, b) => a - b);
  return times.map((t, row) => ({ t: pick(9) === 0 ? null : t, k: pick(9) === 0 ? null : pick(keys), row }));
}

const tableOf = (rows: readonly Rows[], split?: readonly number[], slice?: boolean): Table =>
  table(
    { t: c.int32(rows.map(({ t }) => t)), k: c.int32(rows.map(({ k }) => k)), row: c.int32(rows.map(({ row }) => row)) },
    { split, slice },
  );

const VARIANTS: readonly AsofOptions[] = [
  {},
  { tolerance: 1 },
  { direction: "forward", tolerance: { after: 2 } },
  { direction: "forward", ties: "last", allowExactMatches: false },
  { direction: "nearest", tolerance: 3 },
  { direction: "nearest", ties: "first", tolerance: { before: 1, after: 4 } },
  { direction: "nearest", ties: "last", allowExactMatches: false },
  { ties: "first", allowExactMatches: false, tolerance: 5 },
];

const KERNELS = ["wasm", "ts"] as const;

/** The numbers of the rows of each pair, by both kernels, one-shot and streamed, which agree. */
async function pairs(left: Table, right: Table, options: AsofOptions): Promise<Row[]> {
  const asked = { on: "t", select: ["left.row", "right.row"], ...options };
  const results: Row[][] = [];
  for (const kernel of KERNELS) {
    results.push([...readTable(runJoinAsof(left, right, { ...asked, kernel }, {})).rows]);
    const stream = await runJoinAsofStream(resplit(left, 7, false), resplit(right, 5, true), { ...asked, kernel }, { tinyTables: true });
    results.push([...readTable(await stream.toTable()).rows]);
  }
  for (const result of results) expect(result).toEqual(results[0]);
  return results[0];
}

const left = rowsOf(1, 90, 4);
const right = rowsOf(2, 130, 5);

for (const variant of VARIANTS) {
  const name = Object.keys(variant).length ? JSON.stringify(variant) : "the defaults";
  describe(`an as-of join with ${name}`, () => {
    it("by key is, key by key, the join without keys", async () => {
      for (const nullsEqual of [false, true]) {
        const whole = await pairs(tableOf(left), tableOf(right), { ...variant, by: "k", nullsEqual });
        for (const key of [0, 1, 2, 3, null]) {
          const only = left.filter(({ k }) => k === key);
          const partners = right.filter(({ k }) => k === key && (k !== null || nullsEqual));
          const rows = new Set(only.map(({ row }) => row));
          const expected = await pairs(tableOf(only), tableOf(partners), variant);
          expect(whole.filter(([l]) => rows.has(l as number))).toEqual(expected);
        }
      }
    });

    it("is its mirror under negated times and turned rows, first and last exchanged", async () => {
      const mirrored = (rows: readonly Rows[]) =>
        [...rows].reverse().map(({ t, ...rest }) => ({ ...rest, t: t === null ? null : -(t as number) }));
      const { direction = "backward", ties = "adjacent", tolerance } = variant;
      const turned = { backward: "forward", forward: "backward" } as const;
      const exchanged = { first: "last", last: "first", adjacent: "adjacent" } as const;
      if (direction === "nearest") return;
      const bounds = typeof tolerance === "object" ? tolerance : { before: tolerance, after: tolerance };
      const mirror: AsofOptions = {
        ...variant,
        direction: turned[direction],
        ties: exchanged[ties],
        tolerance: Object.fromEntries(
          Object.entries({ before: bounds.after, after: bounds.before }).filter(([, bound]) => bound !== undefined),
        ),
      };
      for (const by of [{}, { by: "k" }]) {
        const straight = await pairs(tableOf(left), tableOf(right), { ...variant, ...by });
        const back = await pairs(tableOf(mirrored(left)), tableOf(mirrored(right)), { ...mirror, ...by });
        expect(back.reverse()).toEqual(straight);
      }
    });

    it("is the same with rows of other keys, of keys that are null, and of no time in between", async () => {
      const expected = await pairs(tableOf(left), tableOf(right), { ...variant, by: "k" });
      const pick = random(9);
      const strange = right.flatMap((one): Rows[] => {
        const others = Array.from({ length: pick(3) }, () => ({ t: one.t, k: pick(2) ? 99 : null, row: -1 }));
        return [...others, one, ...(pick(4) === 0 ? [{ t: null, k: one.k, row: -1 }] : [])];
      });
      expect(await pairs(tableOf(left), tableOf(strange), { ...variant, by: "k" })).toEqual(expected);
      const more = left.flatMap((one): Rows[] => [one, { t: one.t, k: 77, row: -1 }]);
      const found = await pairs(tableOf(more), tableOf(right), { ...variant, by: "k" });
      expect(found.filter(([l]) => l !== -1)).toEqual(expected);
      expect(found.filter(([l]) => l === -1).every(([, r]) => r === null)).toBe(true);
    });

    it("is the same of slices whose bitmaps are not aligned, and of any batches", async () => {
      const expected = await pairs(tableOf(left), tableOf(right), { ...variant, by: "k" });
      const cut = (rows: readonly Rows[]) => tableOf(rows, [13, 0, 64, rows.length - 77], true);
      expect(await pairs(cut(left), cut(right), { ...variant, by: "k" })).toEqual(expected);
      expect(await pairs(resplit(cut(left), 1, true), resplit(cut(right), 3, true), { ...variant, by: "k" })).toEqual(expected);
    });

    it("is the same under a filter that always holds, and under one that is a key", async () => {
      const expected = await pairs(tableOf(left), tableOf(right), { ...variant, by: "k" });
      const all = { ...variant, by: "k", filter: x.ge(r("row"), 0) };
      expect(await pairs(tableOf(left), tableOf(right), all)).toEqual(expected);
      expect(await pairs(tableOf(left), tableOf(right), { ...variant, filter: x.eq(l("k"), r("k")) })).toEqual(expected);
      expect(await pairs(tableOf(left), tableOf(right), { ...variant, by: "k", filter: x.ge(x.add(l("row"), r("row")), 0) })).toEqual(
        expected,
      );
    });

    it("is the same when all times move, to where only 64 bits hold them", async () => {
      const expected = await pairs(tableOf(left), tableOf(right), { ...variant, by: "k" });
      const moved = (rows: readonly Rows[], by: bigint) =>
        table({
          t: c.int64(rows.map(({ t }) => (t === null ? null : BigInt(t as number) + by))),
          k: c.int32(rows.map(({ k }) => k)),
          row: c.int32(rows.map(({ row }) => row)),
        });
      for (const by of [0n, 2n ** 62n, -(2n ** 63n) + 40n, 2n ** 63n - 41n, -(2n ** 53n)])
        expect(await pairs(moved(left, by), moved(right, by), { ...variant, by: "k" })).toEqual(expected);
    });
  });
}

describe("kinds of as-of joins", () => {
  it("are parts of the left join", async () => {
    for (const variant of VARIANTS) {
      const asked = { ...variant, by: "k" };
      const all = await pairs(tableOf(left), tableOf(right), asked);
      expect(await pairs(tableOf(left), tableOf(right), { ...asked, how: "inner" })).toEqual(all.filter(([, r]) => r !== null));
      for (const [how, matched] of [
        ["leftSemi", true],
        ["leftAnti", false],
      ] as const) {
        const rows = await pairs(tableOf(left), tableOf(right), { ...asked, how, select: ["left.row"] });
        expect(rows.flat().map(cellText)).toEqual(all.filter(([, r]) => (r !== null) === matched).map(([l]) => cellText(l)));
      }
    }
  });

  it("of several rights are the joins with each", async () => {
    const both = [
      { table: tableOf(right), by: "k" },
      { table: tableOf(rowsOf(5, 90, 4)), direction: "nearest" as const, tolerance: 2 },
    ];
    const singles = await Promise.all(both.map(({ table, ...own }) => pairs(tableOf(left), table, own)));
    for (const kernel of KERNELS) {
      const rows = readTable(
        runJoinAsof(tableOf(left), both, { on: "t", select: { l: "left.row", a: "right.row", b: "right1.row" }, kernel }, {}),
      ).rows;
      expect(rows).toEqual(singles[0].map(([l, r], i) => [l, r, singles[1][i][1]]));
    }
  });
});
