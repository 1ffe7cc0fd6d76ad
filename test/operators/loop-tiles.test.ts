/**
 * Every pair tested, tile by tile: rows beyond the borders of tiles, blocks and chunks, in all kinds, against plain loops; and how much is
 * tested, in which order, in which steps, with how much memory.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it, vi } from "vitest";
import type { Kernel, Region } from "../../src/kernel/contract.ts";
import { LoopMarks } from "../../src/operators/loop-marks.ts";
import { LoopPairs } from "../../src/operators/loop-pairs.ts";
import { LoopRounds } from "../../src/operators/loop-rounds.ts";
import { LoopTiles } from "../../src/operators/loop-tiles.ts";
import { MatchMarks } from "../../src/operators/match-marks.ts";
import type { RowParts } from "../../src/operators/row-filter.ts";
import type { PairConjunct } from "../../src/spec/filter-spec.ts";
import { implementations } from "../kernel/kernels.ts";
import { random } from "../kernel/random.ts";
import { putI32 } from "../kernel/regions.ts";
import * as c from "../support/column.ts";
import { ALL_KINDS } from "../support/random.ts";
import { type How, type Metrics, runJoinWhere } from "../support/run.ts";
import { table } from "../support/table.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

interface Row {
  readonly row: number;
  readonly a: number | null;
  readonly b: number | null;
  readonly s: string | null;
  readonly f: boolean | null;
  readonly d: number | null;
}

/** Values that repeat, now and then null. */
function rowsOf(count: number, seed: number): Row[] {
  const draw = random(seed);
  const orNull = <T>(value: T, of: number) => (of > 0 && draw.below(of) === 0 ? null : value);
  return Array.from({ length: count }, (_, row) => ({
    row,
    a: orNull(draw.below(1000), seed % 2 === 0 ? 0 : 50),
    b: orNull(draw.below(20), 40),
    s: orNull("abcdefgh".slice(draw.below(4), 4 + draw.below(4)), 30),
    f: orNull(draw.below(2) === 0, 20),
    d: orNull(draw.below(500), 60),
  }));
}

const tableOf = (rows: readonly Row[], split: readonly number[]): Table =>
  table(
    {
      row: c.int32(rows.map(({ row }) => row)),
      a: c.float64(rows.map(({ a }) => a)),
      b: c.int32(rows.map(({ b }) => b)),
      s: c.utf8(rows.map(({ s }) => s)),
      f: c.bool(rows.map(({ f }) => f)),
      d: c.decimal128(10, 2)(rows.map(({ d }) => (d === null ? null : BigInt(d)))),
    },
    { split },
  );

/** Whether it is TRUE. */
type Holds = (p: Row, q: Row) => boolean;
const known = (...values: readonly unknown[]) => values.every((value) => value !== null);

const PREDICATES: { readonly [name: string]: readonly [Tree, Holds] } = {
  "one comparison": [x.gt(l("a"), x.add(r("a"), 940)), (p, q) => known(p.a, q.a) && p.a! > q.a! + 940],
  "two, of which either is null now and then": [
    x.and(x.ne(l("b"), r("b")), x.ge(r("a"), x.add(l("a"), 950))),
    (p, q) => known(p.a, q.a, p.b, q.b) && p.b !== q.b && q.a! >= p.a! + 950,
  ],
  "three that together hold for few": [
    x.and(x.le(l("a"), r("a")), x.eq(l("b"), r("b")), x.lt(r("a"), x.add(l("a"), 9))),
    (p, q) => known(p.a, q.a, p.b, q.b) && p.a! <= q.a! && p.b === q.b && q.a! < p.a! + 9,
  ],
  "a comparison and what must be tested by rows": [
    x.and(x.lt(l("b"), r("b")), x.or(x.eq(l("a"), r("a")), x.isNull(x.and(l("f"), r("f"), x.eq(l("s"), r("s")))))),
    (p, q) => {
      if (!known(p.b, q.b) || p.b! >= q.b!) return false;
      if (known(p.a, q.a) && p.a === q.a) return true;
      const same = known(p.s, q.s) ? p.s === q.s : null;
      return ![p.f, q.f, same].includes(false) && [p.f, q.f, same].includes(null);
    },
  ],
  "no comparison: arithmetic": [
    x.and(x.eq(x.mod(x.add(l("row"), r("b")), 171), 0), x.ne(x.mod(x.add(l("b"), r("row")), 2), 0)),
    (p, q) => known(p.b, q.b) && (p.row + q.b!) % 171 === 0 && (p.b! + q.row) % 2 !== 0,
  ],
  "no comparison: booleans and text": [
    x.and(x.or(l("f"), r("f")), x.contains(l("s"), r("s")), x.not(x.isDistinctFrom(l("b"), r("b")))),
    (p, q) => (p.f === true || q.f === true) && known(p.s, q.s) && p.s!.includes(q.s!) && p.b === q.b,
  ],
  decimals: [
    x.and(x.eq(l("d"), r("d")), x.or(l("f"), x.eq(l("s"), r("s")))),
    (p, q) => known(p.d, q.d) && p.d === q.d && (p.f === true || (known(p.s, q.s) && p.s === q.s)),
  ],
  "no pair": [x.gt(l("a"), x.add(r("a"), 5000)), () => false],
};

/** Row numbers of the output, in order. */
function expected(how: How, left: readonly Row[], right: readonly Row[], pairs: ReadonlyMap<number, readonly number[]>): unknown[][] {
  const taken = new Set([...pairs.values()].flat());
  const partners = (row: number) => pairs.get(row) ?? [];
  const [ofLeft, ofRight] = [left.map((_, i) => i), right.map((_, i) => i)];
  const inner = ofLeft.flatMap((i) => partners(i).map((j) => [i, j]));
  const lonely = ofRight.filter((j) => !taken.has(j)).map((j) => [null, j]);
  const outer = ofLeft.flatMap((i): unknown[][] => (partners(i).length > 0 ? partners(i).map((j) => [i, j]) : [[i, null]]));
  const has = (i: number) => partners(i).length > 0;
  switch (how) {
    case "inner":
      return inner;
    case "left":
      return outer;
    case "right":
      return [...inner, ...lonely];
    case "full":
      return [...outer, ...lonely];
    case "leftSemi":
      return ofLeft.filter(has).map((i) => [i]);
    case "leftAnti":
      return ofLeft.filter((i) => !has(i)).map((i) => [i]);
    case "leftMark":
      return ofLeft.map((i) => [i, has(i)]);
    case "rightSemi":
      return ofRight.filter((j) => taken.has(j)).map((j) => [j]);
    case "rightAnti":
      return ofRight.filter((j) => !taken.has(j)).map((j) => [j]);
    case "rightMark":
      return ofRight.map((j) => [j, taken.has(j)]);
  }
}

const takeRows = (result: Table): unknown[][] => {
  const columns = result.schema.fields.map((_, i) => [...result.getChildAt(i)!]);
  return Array.from({ length: result.numRows }, (_, row) => columns.map((column) => column[row] as unknown));
};

describe("every pair is tested where rows pass the borders of tiles, blocks and chunks", () => {
  const shapes = { "70 x 4200": [rowsOf(70, 2), rowsOf(4200, 3)], "16500 x 130": [rowsOf(16_500, 4), rowsOf(130, 5)] } as const;
  for (const [shape, [left, right]] of Object.entries(shapes)) {
    const [lefts, rights] = [tableOf(left, [left.length - 40, 0, 40]), tableOf(right, [63, right.length - 63])];
    for (const [name, [predicate, holds]] of Object.entries(PREDICATES)) {
      it(`${shape} rows, ${name}`, () => {
        const pairs = new Map<number, number[]>();
        for (const p of left) {
          const found = right.filter((q) => holds(p, q)).map((q) => q.row);
          if (found.length > 0) pairs.set(p.row, found);
        }
        const sides = (how: How) => /^(left|right)./.exec(how)?.slice(1) ?? ["left", "right"];
        for (const [i, how] of ALL_KINDS.entries()) {
          const select = [...sides(how).map((side) => `${side}.row`), ...(how.endsWith("Mark") ? ["mark"] : [])];
          const wanted = JSON.stringify(expected(how, left, right, pairs));
          // Each kind in both kernels for the one shape, in either for the other.
          for (const kernel of left.length < 100 ? (["wasm", "ts"] as const) : [i % 2 === 0 ? ("wasm" as const) : ("ts" as const)]) {
            for (const build of sides(how).length === 1 ? (["left", "right"] as const) : (["right"] as const)) {
              const result = runJoinWhere(lefts, rights, predicate, { how, select, kernel, build, order: "left" }, { wherePath: "loop" });
              const found = JSON.stringify(takeRows(result));
              if (found !== wanted) expect(JSON.parse(found), `${how} ${kernel}, ${build} buffered`).toEqual(JSON.parse(wanted));
              expect(result.numRows).toBe(JSON.parse(wanted).length);
            }
          }
        }
      });
    }
  }
});

describe("a row that is decided is not tested again", () => {
  const [few, many] = [500, 20_000];
  const numbers = (count: number) => table({ v: c.int32(Array.from({ length: count }, (_, i) => i)) });
  const tested = (left: number, right: number, predicate: Tree, how: How, kernel: "wasm" | "ts"): number => {
    let pairs = 0;
    const onMetrics = (metrics: Metrics) => {
      pairs = (metrics as unknown as { pairsTested: number }).pairsTested;
    };
    runJoinWhere(numbers(left), numbers(right), predicate, { how, kernel, build: "right", onMetrics } as never, { wherePath: "loop" });
    return pairs;
  };

  for (const kernel of ["wasm", "ts"] as const) {
    it(`of the probed side, ${kernel}: the first rows decide`, () => {
      const always = x.ne(l("v"), x.sub(r("v"), 100_000));
      for (const how of ["leftSemi", "leftAnti", "leftMark"] as const) expect(tested(few, many, always, how, kernel)).toBe(few * 64);
    });

    it(`of the probed side, ${kernel}: tiles grow until a row is decided, at most twice what is needed and a tile more`, () => {
      // Row i has its first partner at 40 * i.
      const first = x.ge(r("v"), x.mul(l("v"), 40));
      const needed = Array.from({ length: few }, (_, i) => Math.min(many, 40 * i + 1)).reduce((sum, n) => sum + n, 0);
      const count = tested(few, many, first, "leftSemi", kernel);
      expect(count).toBeGreaterThanOrEqual(needed);
      expect(count).toBeLessThanOrEqual(2 * needed + 64 * few);
    });

    it(`of the buffered side, ${kernel}: four probe rows decide all`, () => {
      const always = x.ne(l("v"), x.sub(r("v"), 100_000));
      for (const how of ["rightSemi", "rightAnti", "rightMark"] as const) expect(tested(few, many, always, how, kernel)).toBe(4 * many);
    });

    it(`of the buffered side, ${kernel}: those that stay undecided are tested with every row, the others with few`, () => {
      // One of a hundred has no partner, the others have the first row.
      const most = x.ne(x.mod(r("v"), 100), x.mul(l("v"), 0));
      const count = tested(few, many, most, "rightAnti", kernel);
      expect(count).toBeGreaterThanOrEqual((few * many) / 100);
      expect(count).toBeLessThanOrEqual((few * many) / 100 + 5 * many);
    });

    it(`nothing is tested with nulls, ${kernel}`, () => {
      const nulls = table({ v: c.int32(Array.from({ length: 100 }, (_, i) => (i % 10 === 0 ? i : null))) });
      let pairs = -1;
      const onMetrics = (metrics: Metrics) => {
        pairs = (metrics as unknown as { pairsTested: number }).pairsTested;
      };
      runJoinWhere(nulls, nulls, x.lt(l("v"), r("v")), { kernel, onMetrics } as never, { wherePath: "loop" });
      expect(pairs).toBe(100);
    });
  }
});

// ── the tiles themselves ─────────────────────────────────────────────────────────────────────────

/** Parts of int32 without nulls. */
function partsOf(kernel: Kernel, columns: readonly (readonly number[])[]): RowParts & { readonly freed: number[] } {
  const freed: number[] = [];
  const parts = columns.map((values, part) => {
    const region = kernel.alloc(4 * values.length + 64, "test");
    kernel.i32(region).set(values);
    const release = () => {
      kernel.free(region);
      freed.push(part);
    };
    return { lane: "i32", width: 4, values: region, valid: null, data: null, release };
  });
  return { columns: parts, freed } as never;
}

const compared = (op: "lt" | "eq", part: number): PairConjunct => ({
  program: {
    steps: [
      { op: "part", side: "left", part, lane: "i32" },
      { op: "part", side: "right", part, lane: "i32" },
      { op, lane: "i32", args: [0, 1] },
    ],
  },
  range: { op, left: part, right: part, lane: "i32", texts: { left: "", right: "" } },
  text: "",
});

function scene(
  kernel: Kernel,
  probe: readonly (readonly number[])[],
  build: readonly (readonly number[])[],
  conjuncts: readonly PairConjunct[],
) {
  const rows = build[0].length;
  const members = Array.from({ length: rows }, (_, i) => i);
  const groups = { offsets: putI32(kernel, [0, rows]), rows: putI32(kernel, members) };
  const [probes, builds] = [partsOf(kernel, probe), partsOf(kernel, build)];
  const before = kernel.usedBytes;
  const tiles = new LoopTiles(kernel, groups, conjuncts, "left", probes, builds);
  const handles = putI32(kernel, Array(probe[0].length).fill(-2));
  return { tiles, builds, before, chunk: { handles, from: 0, start: 0, rows: probe[0].length, keyed: null } };
}

const prepareAll = (tiles: LoopTiles | LoopPairs): number => {
  let steps = 1;
  for (; !tiles.prepare(); steps++);
  return steps;
};

describe.each(implementations)("the nested loop works in steps ($name)", ({ make }) => {
  const count = 300_000;
  const up = Array.from({ length: count }, (_, i) => i);

  it("ordinals are made a chunk of rows at a time, and the values they are made of let go", () => {
    const kernel = make();
    const { tiles, builds, before } = scene(kernel, [[1], [2]], [up, up], [compared("lt", 0), compared("eq", 1)]);
    const held = kernel.usedBytes - before;
    const steps = prepareAll(tiles);
    expect(steps).toBeGreaterThan((2 * count) / 16_384);
    expect(builds.freed).toEqual([0, 1]);
    expect(kernel.usedBytes - before).toBeLessThan(held - 7 * count);
    kernel.close();
  });

  it("pairs: about a million a call, then as many as are listed", () => {
    const kernel = make();
    const probe = Array.from({ length: 40 }, (_, i) => 1000 * i);
    const { tiles, chunk } = scene(kernel, [probe], [up], [compared("lt", 0)]);
    const pairs = new LoopPairs(kernel, tiles);
    prepareAll(pairs);
    pairs.begin(chunk);
    let [before, listed, calls] = [0, 0, 0];
    for (; pairs.next(); calls++) {
      expect(pairs.tested - before).toBeLessThanOrEqual((1 << 20) + 64 * 2048);
      expect(pairs.count).toBeLessThanOrEqual(2048);
      before = pairs.tested;
      listed += pairs.count;
    }
    // The condition as the left sees it: its value is less.
    expect(listed).toBe(probe.reduce((sum, value) => sum + count - 1 - value, 0));
    expect(pairs.tested).toBe(40 * count);
    expect(pairs.rowsDone).toBe(40);
    expect(calls).toBeGreaterThan(40);
    kernel.close();
  });

  it("existence of either side: about a million pairs a call", () => {
    const kernel = make();
    const probe = Array.from({ length: 100 }, () => count + 5);
    const one = scene(kernel, [probe], [up], [compared("lt", 0)]);
    prepareAll(one.tiles);
    const rounds = new LoopRounds(kernel, one.tiles);
    const other = scene(kernel, [probe], [up], [compared("lt", 0)]);
    prepareAll(other.tiles);
    const marks = new MatchMarks(kernel, count, null, 0);
    for (const [matcher, { chunk }] of [
      [rounds, one],
      [new LoopMarks(kernel, other.tiles, marks), other],
    ] as const) {
      matcher.begin(chunk);
      let before = 0;
      for (let done = false; !done; before = matcher.tested) {
        done = matcher.step();
        expect(matcher.tested - before).toBeLessThanOrEqual((1 << 20) + 64 * 2048);
      }
      expect(matcher.tested).toBe(100 * count);
    }
    expect(kernel.i32(one.chunk.handles).subarray(0, 100)).toEqual(new Int32Array(100).fill(-1));
    expect(marks.matchedRows).toBe(0);
    kernel.close();
  });

  it("the comparison that leaves the fewest pairs comes first, whichever is written first, and again where that changes", () => {
    const kernel = make();
    // In the first half of the build rows all pairs pass the one and few the other; in the second none and all.
    const half = count / 2;
    const rare = up.map((i) => (i >= half || i % 1000 === 0 ? 7 : -1));
    const { tiles, chunk } = scene(
      kernel,
      [Array(64).fill(0), Array(64).fill(7)],
      [up.map((i) => Number(i < half)), rare],
      [compared("lt", 0), compared("eq", 1)],
    );
    const calls = vi.spyOn(kernel, "compareTile");
    const pairs = new LoopPairs(kernel, tiles);
    prepareAll(pairs);
    pairs.begin(chunk);
    let listed = 0;
    while (pairs.next()) listed += pairs.count;
    expect(listed).toBe((64 * half) / 1000);
    const ops = calls.mock.calls.map((parameters) => ({ op: parameters[0], both: parameters[10] as boolean }));
    // One tile is measured of each comparison; after that equality is the first of all, and the other sees its bits.
    const [measured, tested] = [ops.slice(0, 2), ops.slice(2, 100)];
    expect(measured.map(({ op, both }) => [op, both])).toEqual([
      ["gt", false],
      ["eq", false],
    ]);
    const firsts = tested.filter(({ both }) => !both).map(({ op }) => op);
    expect(new Set(firsts)).toEqual(new Set(["eq"]));
    expect(new Set(tested.filter(({ both }) => both).map(({ op }) => op))).toEqual(new Set(["gt"]));
    expect(new Set(ops.slice(-10).map(({ op }) => op))).toEqual(new Set(["gt"]));
    kernel.close();
  });

  it("the rows of a tile that are decided leave it, those of others stay in order", () => {
    const kernel = make();
    const { tiles, chunk } = scene(kernel, [[100_000]], [up], [compared("lt", 0)]);
    prepareAll(tiles);
    const marks = new MatchMarks(kernel, count, null, 0);
    const matcher = new LoopMarks(kernel, tiles, marks);
    matcher.begin(chunk);
    while (!matcher.step());
    expect(marks.matchedRows).toBe(count - 100_001);
    expect(tiles.count).toBe(100_001);
    const left: Region = tiles.members;
    expect(kernel.i32(left).subarray(0, tiles.count)).toEqual(Int32Array.from({ length: 100_001 }, (_, i) => i));
    matcher.begin({ ...chunk });
    while (!matcher.step());
    expect(matcher.tested).toBe(count + 100_001);
    expect(matcher.decided).toBe(false);
    kernel.close();
  });
});
