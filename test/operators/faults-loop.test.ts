/**
 * Faults that other systems' joins have had (public reports, by their number in the collection's Part 1), as nested loops and as loops of many
 * passes: match bookkeeping (A). The other files have them as hash joins.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import type { Cell } from "../support/cell.ts";
import { int32 } from "../support/column.ts";
import { type ExpectOptions, expectJoinWhere } from "../support/expect-join.ts";
import { expectLoops, KERNELS, LOOPS } from "../support/loops.ts";
import { memoryStore } from "../support/memory-store.ts";
import { ALL_KINDS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { type How, joinWhere, mirrorKind, runJoinWhere, runJoinWhereStream, type WhereOptions } from "../support/run.ts";
import { resplit, table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

const ids = (values: readonly Cell[], split?: readonly number[]) => table({ k: int32(values) }, split && { split });
const valued = (rows: readonly (readonly [Cell, Cell])[], split?: readonly number[]) =>
  table({ k: int32(rows.map(([k]) => k)), v: int32(rows.map(([, v]) => v)) }, split && { split });

/** Each case runs a part of the combinations, in turn: loops, paths, chunks of every size and every store are among them. */
let number = 0;
const turn = (parts = 12): ExpectOptions => ({ part: [number++, parts] });

/** Not an equality of columns, so that no hash answers it. */
const equal = x.eq(x.sub(l("k"), r("k")), 0);

const side = (how: How) => (/^left[A-Z]/.test(how) ? "left" : /^right[A-Z]/.test(how) ? "right" : "both");

describe("A. match bookkeeping across batches and passes", () => {
  it("1: unmatched rows are judged over all batches of the other side, and exist when it is empty", async () => {
    const padded = [
      [1, null],
      [2, null],
    ];
    for (const predicate of [equal, x.le(l("k"), r("k")), x.eq(l("k"), r("k"))]) {
      await expectJoinWhere(ids([1, 2]), ids([1, 2], [1, 1]), predicate, { how: "left" }, turn());
      for (const split of [[0], [], [0, 0]]) {
        expectLoops(ids([1, 2]), ids([], split), predicate, { how: "left" }, padded);
        await expectJoinWhere(ids([1, 2]), ids([], split), predicate, { how: "left" }, { rows: padded, ...turn() });
      }
    }
    expectLoops(ids([1, 2]), ids([1, 2], [1, 1]), equal, { how: "left" }, [
      [1, 1],
      [2, 2],
    ]);
  });

  it("3: padded rows come once, whatever the batches of either side", async () => {
    const left = ids([1, 2, 3, 4, 5]);
    const right = ids([10, 20, 30], [1, 1, 1]);
    const never = x.gt(l("k"), r("k"));
    for (const batchSize of [1, 2, 3]) {
      expectLoops(
        left,
        right,
        never,
        { how: "left", batchSize },
        [1, 2, 3, 4, 5].map((k) => [k, null]),
      );
      for (const build of ["left", "right"] as const) await expectJoinWhere(left, right, never, { how: "left", batchSize, build }, turn());
    }
    await expectJoinWhere(left, right, never, { how: "full" }, turn(3));
    await expectJoinWhere(left, right, x.and(never, x.ne(x.add(l("k"), r("k")), 0)), { how: "full" }, turn(3));
  });

  it("4: unmatched rows that waited are there when the buffered side ends at the border of a chunk", async () => {
    const right = ids([0, 9]);
    const rows = [
      [1, 9],
      [2, 9],
      [3, 9],
      [4, 9],
      [null, 0],
    ];
    const less = x.lt(l("k"), r("k"));
    for (const count of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const left = ids(Array.from({ length: count }, (_, i) => i + 1));
      const own = rows
        .slice(0, 4)
        .slice(0, count)
        .concat(Array.from({ length: Math.max(0, count - 4) }, (_, i) => [i + 5, 9]));
      for (const build of ["left", "right"] as const) expectLoops(left, right, less, { how: "right", build }, [...own, [null, 0]]);
    }
    await expectJoinWhere(ids([1, 2, 3, 4], [2, 2]), right, less, { how: "right" }, { rows, ...turn(1) });
    for (const how of ALL_KINDS) {
      await expectJoinWhere(ids([1, 2, 3, 4], [2, 2]), ids([0, 9, 2, 9]), less, { how, build: "left" }, turn());
      await expectJoinWhere(ids([0, 9, 2, 9]), ids([1, 2, 3, 4, 5, 6, 7]), x.gt(l("k"), r("k")), { how, build: "right" }, turn());
    }
  });

  it("6: inputs that can be read once are read once, however many passes there are", async () => {
    const numbers = (rows: number, step: number) => int32(Array.from({ length: rows }, (_, i) => (i * step) % 101));
    const left = table({ k: numbers(90, 37), lrow: numbers(90, 1) });
    const right = table({ k: numbers(40, 29), rrow: numbers(40, 1) });
    const predicate = x.eq(x.mod(x.add(l("k"), r("k")), 7), 2);
    for (const [at, how] of ALL_KINDS.entries()) {
      for (const chunkRows of [undefined, 7, 13]) {
        const opened = [0, 0];
        const batchesRead = [0, 0];
        const once = (input: Table, side: 0 | 1) => ({
          schema: input.schema,
          batches: {
            async *[Symbol.asyncIterator]() {
              opened[side]++;
              for (const batch of resplit(input, 6, false).batches) {
                batchesRead[side]++;
                yield batch;
              }
            },
          },
        });
        const store = memoryStore({ answers: at % 2 ? "now" : "later" });
        const build = at % 3 === 0 ? "left" : "right";
        const options: WhereOptions = { how, batchSize: 16, build, ...(chunkRows && { spill: store }) };
        const stream = await runJoinWhereStream(once(left, 0), once(right, 1), predicate, options, {
          wherePath: "loop",
          ...(chunkRows && { chunkRows }),
        });
        const order = build === "left" && side(how) === "both" ? "right" : "left";
        expect(readTable(await stream.toTable()).rows).toEqual(readTable(joinWhere(left, right, predicate, { how, order })).rows);
        expect(opened.every((count) => count <= 1)).toBe(true);
        expect(batchesRead[0] <= 15 && batchesRead[1] <= 7).toBe(true);
        expect([store.files(), ...store.misuse]).toEqual([0]);
      }
    }
  });

  it("7: rows in a batch that arrives later match as those before it", async () => {
    for (const how of ["leftSemi", "leftAnti", "rightSemi", "rightAnti", "inner"] as const) {
      await expectJoinWhere(ids([5, 5], [1, 1]), ids([5]), equal, { how }, turn());
      await expectJoinWhere(ids([5]), ids([5, 5], [1, 1]), x.le(l("k"), r("k")), { how }, turn());
    }
    for (const build of ["left", "right"] as const) {
      expectLoops(ids([5, 5], [1, 1]), ids([5]), equal, { how: "leftSemi", build }, [[5], [5]]);
      expectLoops(ids([5, 5], [1, 1]), ids([5]), equal, { how: "leftAnti", build }, []);
    }
  });

  it("9: semi and anti joins look at every batch of the other side", async () => {
    const left = valued([[1, 5]]);
    const right = valued(
      [
        [1, 1],
        [1, 9],
      ],
      [1, 1],
    );
    for (const predicate of [x.and(equal, x.lt(l("v"), r("v"))), x.lt(l("v"), r("v"))]) {
      for (const batchSize of [1, 2, 3]) {
        for (const build of ["left", "right"] as const) {
          expectLoops(left, right, predicate, { how: "leftSemi", batchSize, build }, [[1, 5]]);
          expectLoops(left, right, predicate, { how: "leftAnti", batchSize, build }, []);
        }
      }
      for (const how of ALL_KINDS) await expectJoinWhere(left, right, predicate, { how }, turn());
    }
  });

  it("10: an anti join whose predicate no pair passes keeps the row, at batches of one row too", async () => {
    const t1 = valued([[11, 12]]);
    const t2 = valued(
      [
        [11, 13],
        [11, 14],
      ],
      [1, 1],
    );
    const predicate = x.and(equal, x.lt(r("v"), l("v")));
    for (const batchSize of [1, 2, 8192]) expectLoops(t1, t2, predicate, { how: "leftAnti", batchSize }, [[11, 12]]);
    expectLoops(t1, t2, predicate, { how: "leftMark" }, [[11, 12, false]]);
    await expectJoinWhere(t2, t1, x.lt(l("v"), r("v")), { how: "rightAnti" }, { rows: [[11, 12]], ...turn() });
  });

  it("12: semi and anti kinds agree with the rows that inner and left joins match, and the loop with the other paths", () => {
    const cells = (count: number, salt: number) =>
      int32(Array.from({ length: count }, (_, i) => ((i * salt) % 11 === 5 ? null : (i * salt) % 23)));
    const left = table({
      other: int32(Array.from({ length: 60 }, () => 7)),
      k: cells(60, 7),
      row: int32(Array.from({ length: 60 }, (_, i) => i)),
    });
    const right = table({ k: cells(45, 13), row: int32(Array.from({ length: 45 }, (_, i) => i)) });
    const predicate = x.and(x.gt(l("k"), x.add(r("k"), 14)), x.ne(r("row"), l("other")));
    for (const kernel of KERNELS) {
      for (const switches of [...LOOPS, {}, { rangeSearch: "always" as const }, { rangeSearch: "off" as const }]) {
        const rowsOf = (how: How, name: string) =>
          readTable(runJoinWhere(left, right, predicate, { how, select: [name], kernel }, switches)).rows.flat();
        const ascending = (rows: readonly Cell[]) => [...new Set(rows)].sort((a, b) => Number(a) - Number(b));
        const matched = ascending(rowsOf("inner", "left.row"));
        expect(matched.length).toBeGreaterThan(5);
        expect(rowsOf("leftSemi", "left.row")).toEqual(matched);
        expect(rowsOf("leftAnti", "left.row")).toEqual(Array.from({ length: 60 }, (_, i) => i).filter((i) => !matched.includes(i)));
        const others = ascending(rowsOf("inner", "right.row"));
        expect(rowsOf("rightSemi", "right.row")).toEqual(others);
        expect(rowsOf("rightAnti", "right.row")).toEqual(Array.from({ length: 45 }, (_, i) => i).filter((i) => !others.includes(i)));
      }
    }
  });

  it("13: a full join gives unmatched buffered rows once, not once a batch or pass", async () => {
    const rows = [
      [1, 1],
      [2, 2],
    ];
    expectLoops(ids([1, 2]), ids([1, 2], [1, 1]), equal, { how: "full" }, rows);
    for (const build of ["left", "right"] as const)
      expectLoops(ids([1, 2, 3]), ids([1, 9, 8], [1, 1, 1]), equal, { how: "full", build }, [
        [1, 1],
        [2, null],
        [3, null],
        [null, 9],
        [null, 8],
      ]);
    await expectJoinWhere(ids([1, 2, 3]), ids([1, 9, 8], [1, 1, 1]), equal, { how: "full" }, turn(1));
  });

  it("15: a right anti join against nothing keeps every row, the null too", async () => {
    const right = ids([null, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    const { rows } = readTable(right);
    const less = x.lt(l("k"), r("k"));
    for (const split of [[0], []]) {
      expectLoops(ids([], split), right, less, { how: "rightAnti", batchSize: 3 }, rows);
      await expectJoinWhere(ids([], split), right, less, { how: "rightAnti" }, { rows, ...turn() });
    }
    for (const build of ["left", "right"] as const)
      expectLoops(ids([null, 20]), right, less, { how: "rightAnti", batchSize: 3, build }, rows);
  });

  it("16: matches that do not fill the last tile, chunk or word of a bitmap are there", () => {
    for (const rows of [31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2049]) {
      const many = ids(Array.from({ length: rows }, (_, i) => i + 1));
      const few = ids([0, 5, 0]);
      for (const kernel of KERNELS) {
        for (const switches of [...LOOPS.slice(0, rows < 100 ? 5 : 1), { wherePath: "loop", chunkRows: 64 } as const]) {
          const total = (a: Table, b: Table, how: How) =>
            runJoinWhere(a, b, x.gt(x.add(l("k"), r("k")), 0), { how, select: [], kernel }, switches).numRows;
          expect(total(many, few, "inner")).toBe(3 * rows);
          expect(total(few, many, "inner")).toBe(3 * rows);
          expect(total(many, few, "leftSemi")).toBe(rows);
          expect(total(few, many, "rightSemi")).toBe(rows);
          expect(total(few, many, "rightAnti")).toBe(0);
        }
      }
    }
  });

  it("18: the same join written two ways gives the same rows", () => {
    const left = table({ k: int32([1, 2, null, 2, 5]), v: int32([1, 2, 3, 4, 5]) });
    const right = table({ k: int32([2, 2, 6, null, 1]), w: int32([1, 2, 3, 4, 5]) });
    for (const how of ALL_KINDS) {
      const mark = how.endsWith("Mark") ? ["mark"] : [];
      const select = { left: ["left.v", ...mark], right: ["right.w", ...mark], both: ["left.v", "right.w"] }[side(how)];
      const swapped = select.map((name) => (name === "left.v" ? "right.v" : name === "right.w" ? "left.w" : name));
      for (const switches of LOOPS) {
        const there = readTable(runJoinWhere(left, right, x.le(l("k"), r("k")), { how, select }, switches)).rows;
        const options = { how: mirrorKind(how), select: swapped, order: "right" };
        expect(readTable(runJoinWhere(right, left, x.ge(l("k"), r("k")), options, switches)).rows).toEqual(there);
        expect(readTable(joinWhere(right, left, x.not(x.lt(l("k"), r("k"))), options)).rows).toEqual(there);
      }
    }
  });
});
