/** `unsorted: "sort"`: inputs in any order give what they would in order, in the left's own order, and are not touched. */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { ASOF_AXES, type Combination, pairwise, random } from "../support/axes.ts";
import type { Cell } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { type AsofEntry, checkAsof, expectJoinAsof, textOf } from "../support/expect-asof.ts";
import { readTable } from "../support/rows.ts";
import { type AsofOptions, joinAsof } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

const SORT = { unsorted: "sort" } as const;
/** Streams are refused. */
const COMBINATIONS = pairwise(1, { ...ASOF_AXES, mode: ["join"] }) as readonly Combination[];
const check = (left: Table, right: Table | readonly AsofEntry[], options: AsofOptions, rows?: readonly (readonly Cell[])[]) =>
  expectJoinAsof(left, right, { ...options, ...SORT }, { combinations: COMBINATIONS, ...(rows && { rows }) });

describe("inputs out of order", () => {
  it("on the left come out as they came", async () => {
    const left = table({ t: c.int32([3, 1]) });
    await check(left, table({ t: c.int32([1, 3]), v: c.utf8(["a", "b"]) }), { on: "t" }, [
      [3, "b"],
      [1, "a"],
    ]);
  });

  it("on the right are met in order", async () => {
    await check(table({ t: c.int32([5]) }), table({ u: c.int32([3, 1, 2]) }), { on: { t: "u" } }, [[5, 3]]);
  });

  it("keep the order of rows of one time", async () => {
    const left = table({ t: c.int64([7n, 4n]) }, { split: [1, 1] });
    const right = table({ t: c.int64([9n, 4n, 4n, 0n, 4n]), v: c.int32([0, 1, 2, 3, 4]) }, { split: [2, 3] });
    await check(left, right, { on: "t" }, [
      [7n, 4],
      [4n, 4],
    ]);
    await check(left, right, { on: "t", ties: "first" }, [
      [7n, 1],
      [4n, 1],
    ]);
    await check(left, right, { on: "t", direction: "forward" }, [
      [7n, 0],
      [4n, 1],
    ]);
  });

  it("may have rows without a time anywhere", async () => {
    const left = table({ t: c.float64([null, 2, Number.NaN, 1, null, 3]), row: c.int32([0, 1, 2, 3, 4, 5]) }, { split: [4, 2] });
    const right = table({ t: c.float64([3, null, 1, Number.NaN, 2, null]), v: c.int32([0, 1, 2, 3, 4, 5]) }, { split: [1, 0, 5] });
    for (const direction of ["backward", "forward", "nearest"] as const) await check(left, right, { on: "t", direction });
    await check(left, table({ t: c.float64([null, Number.NaN, null]), v: c.int32([1, 2, 3]) }), { on: "t" });
  });

  it("may have dictionaries that differ between batches, as keys and as what comes out", async () => {
    const words = (cells: readonly (string | null)[]) => c.dictionary(c.utf8(cells), { index: "int8", perBatch: true });
    const left = table({ t: c.int32([9, 2, 5, 7, 1]), k: words(["b", "a", "c", null, "b"]) }, { split: [2, 3] });
    const right = table(
      { t: c.int32([6, 1, 4, 0, 8, 3]), k: words(["a", "b", "b", "a", null, "c"]), w: words(["u", "v", null, "x", "y", "u"]) },
      { split: [1, 2, 3] },
    );
    for (const nullsEqual of [false, true]) await check(left, right, { on: "t", by: "k", nullsEqual });
    await check(left, right, { on: "t", by: "k", filter: x.ne(l("k"), r("w")) });
    await check(left, right, { on: "t", filter: x.lt(l("k"), r("w")), how: "inner" });
  });

  it("are fine where there is no row", async () => {
    const some = table({ t: c.int32([2, 1]) });
    const none = table({ t: c.int32([]), v: c.int32([]) });
    await check(some, none, { on: "t" });
    await check(none, some, { on: "t", how: "inner" });
    await check(some, none, { on: "t", select: [] });
  });

  it("may be longer than a chunk, in batches of any length", async () => {
    const pick = random(5);
    const cells = (rows: number, below: number) => Array.from({ length: rows }, () => pick(below));
    const long = (rows: number, split: number[]) =>
      table({ t: c.int32(cells(rows, 1 << 30)), k: c.int32(cells(rows, 50)), v: c.int32(cells(rows, 100)) }, { split });
    const left = long(40_000, [17_000, 3, 22_997]);
    const right = long(50_000, [50_000]);
    const result = joinAsof(left, right, { on: "t", by: "k", ...SORT, batchSize: 5000 });
    const ordered = (input: Table, row: boolean) => {
      const rows = readTable(input).rows.map((cells, i) => [...cells, i] as number[]);
      rows.sort((a, b) => a[0] - b[0] || a[3] - b[3]);
      const column = (i: number) => c.int32(rows.map((cells) => cells[i]));
      return table({ t: column(0), k: column(1), v: column(2), ...(row && { row: column(3) }) });
    };
    const expected = readTable(joinAsof(ordered(left, true), ordered(right, false), { on: "t", by: "k" })).rows as number[][];
    const inPlace = [...expected].sort((a, b) => a[3] - b[3]).map(([t, k, v, , w]) => [t, k, v, w]);
    expect(readTable(result).rows).toEqual(inPlace);
    expect(result.batches.map((batch) => batch.numRows)).toEqual([5000, 5000, 5000, 2000, 3, 5000, 5000, 5000, 5000, 2997]);
  });
});

type Draw = (below: number) => number;

const MIN = -(2n ** 63n);
const TIMES: { readonly [name: string]: { readonly make: (cells: readonly Cell[]) => c.Column; readonly values: readonly Cell[] } } = {
  int8: { make: c.int8, values: [-128, -1, 0, 1, 127] },
  uint16: { make: c.uint16, values: [0, 1, 255, 256, 65_535] },
  int32: { make: c.int32, values: [-(2 ** 31), -256, -1, 0, 1, 2 ** 31 - 1] },
  uint32: { make: c.uint32, values: [0, 1, 2 ** 31, 2 ** 32 - 1] },
  int64: { make: c.int64, values: [MIN, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n, 2n ** 53n + 1n, -MIN - 1n] },
  uint64: { make: c.uint64, values: [0n, 1n, 2n ** 63n, 2n ** 64n - 1n] },
  float32: { make: c.float32, values: [Number.NEGATIVE_INFINITY, -1.5, "-0", 0, 2, Number.POSITIVE_INFINITY] },
  float64: { make: c.float64, values: [-1e300, "-0", 0, 5e-324, 1, "NaN(7ff8000000000000)", Number.POSITIVE_INFINITY] },
  date32: { make: c.date32, values: [-2147483648, -1, 0, 1, 19_000] },
  timestamp: { make: c.timestamp("us"), values: [MIN, -1_000_001n, -1n, 0n, 1n, 2_000_000n] },
  time32: { make: c.time32("ms"), values: [0, 1, 86_399_999] },
  duration: { make: c.duration("ns"), values: [-1n, 0n, 1n, 5_000_000_000n] },
};

/** Rows in any order, or in order, in batches of any length. */
function side(pick: Draw, name: string, time: (typeof TIMES)[string]): Table {
  const rows = pick(12);
  const list = <T>(draw: () => T) => Array.from({ length: rows }, draw);
  const numbers = list(() => pick(time.values.length));
  if (pick(3) === 0) numbers.sort((a, b) => a - b);
  const split: number[] = [];
  for (let left = rows; left > 0; left -= split[split.length - 1]) split.push(Math.min(left, pick(5)));
  return table(
    {
      t: time.make(numbers.map((n) => (pick(6) === 0 ? null : time.values[n]))),
      k: c.utf8(list(() => ["a", "b", "", null][pick(4)])),
      s: c.dictionary(c.utf8(list(() => ["a", "b", "c", null][pick(4)])), { index: "uint8", perBatch: true }),
      v: c.int32(list(() => pick(20))),
      [`row${name}`]: c.int32(list(() => pick(100))),
    },
    { split, slice: pick(3) === 0 },
  );
}

function rightOf(pick: Draw, name: string, time: (typeof TIMES)[string]): AsofEntry {
  const one = <T>(...values: readonly T[]): T => values[pick(values.length)];
  const by = one<string | string[] | undefined>(undefined, undefined, "k", ["k", "s"]);
  const filter = one<Tree | undefined>(undefined, undefined, x.lt(r("v"), 15), x.le(r("v"), l("v")), x.gt(l("v"), 4));
  return {
    table: side(pick, name, time),
    direction: one("backward", "forward", "nearest"),
    ties: one("adjacent", "first", "last"),
    allowExactMatches: pick(4) > 0,
    suffix: `_${name}`,
    ...(by && { by, nullsEqual: pick(2) === 0 }),
    ...(filter && { filter }),
    ...(pick(3) === 0 && { tolerance: 1 }),
  };
}

describe("random inputs in any order", () => {
  for (const [name, time] of Object.entries(TIMES)) {
    it(`with times of ${name} give what the oracle says`, async () => {
      for (let seed = 0; seed < 40; seed++) {
        const pick = random(Math.imul(seed + 1, 0x9e3779b1));
        const left = side(pick, "", time);
        const rights = Array.from({ length: 1 + pick(3) }, (_, i) => rightOf(pick, `${i}`, time));
        const how = (["left", "inner", "leftSemi", "leftAnti"] as const)[pick(4)];
        const combination = COMBINATIONS[pick(COMBINATIONS.length)];
        const options = { on: "t", how, ...SORT };
        try {
          await checkAsof(left, rights, options, combination);
        } catch (error) {
          throw new Error(`seed ${seed}, ${textOf({ how, rights: rights.map(({ table, ...own }) => own), combination })}: ${error}`);
        }
      }
    });
  }
});

describe("sorting", () => {
  const mixed = table({ t: c.int32(Array.from({ length: 1000 }, (_, i) => (i * 7) % 1000)) });
  const ordered = table({ t: c.int32(Array.from({ length: 1000 }, (_, i) => i)), w: c.int32(Array(1000).fill(1)) });

  it("is asked for: without it the error names it", async () => {
    await expectError(() => joinAsof(mixed, ordered, { on: "t" }), "UNSORTED", "left", 'unsorted: "sort"');
  });

  it("holds no more than memoryLimit, and says what needs more", async () => {
    for (const kernel of ["wasm", "ts"])
      await expectError(() => joinAsof(mixed, ordered, { on: "t", ...SORT, memoryLimit: 20_000, kernel }), "MEMORY_LIMIT", /sorting/);
    const rows = (memoryLimit: number) => joinAsof(mixed, ordered, { on: "t", ...SORT, memoryLimit }).numRows;
    expect(rows(8 << 20)).toBe(1000);
  });

  it("counts what it copies, and of inputs in order nothing", () => {
    const heldOf = (right: Table) => {
      let held = -1;
      const onMetrics = (metrics: { asof?: { inputs: readonly { heldBytes: number }[] } }) => {
        held = metrics.asof?.inputs[1].heldBytes ?? -1;
      };
      joinAsof(mixed, right, { on: "t", direction: "forward", ...SORT, onMetrics });
      return held;
    };
    expect(heldOf(mixed)).toBeGreaterThanOrEqual(4000);
    expect(heldOf(ordered)).toBe(0);
  });

  it("is in the metrics, which count rows as they came", () => {
    for (const how of ["left", "leftAnti"] as const) {
      let told: { plan: string } | undefined;
      const onMetrics = (metrics: { plan: string }) => {
        told = metrics;
      };
      joinAsof(mixed, ordered, { on: "t", how, ...SORT, onMetrics });
      const outRows = how === "left" ? 1000 : 0;
      expect(told).toMatchObject({ leftRows: 1000, rightRows: 1000, outRows, candidatePairs: 1000, leftUnmatched: 0, hitRate: 1 });
      expect(told?.plan).toContain(`AsofJoin ${how}`);
      expect(told?.plan).toContain(`${outRows} rows out`);
      expect(told?.plan).toContain(`output: ${how === "left" ? 2 : 1} columns`);
    }
  });
});
