/**
 * Faults that other systems' joins have had (public reports, by their number in the collection's Part 1), each reduced to a small input with the right
 * answer and run over every axis: null keys, collisions, equality (D, E).
 */

import { describe, expect, it } from "vitest";
import { bool, dictionary, fixedSizeBinary, fixedSizeList, float64, int32, list, nullType, struct, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoin } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { type How, join, runJoin, runJoinStream } from "../support/run.ts";
import { table } from "../support/table.ts";

const KINDS: readonly How[] = ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"];
const KERNELS = ["wasm", "ts"] as const;

const ids = (values: readonly (number | null)[], split?: readonly number[]) => table({ k: int32(values) }, split && { split });

describe("D. null keys", () => {
  it("36: ten thousand null keys on either side cost nothing", () => {
    const nulls = table({ k: int32(new Array<null>(10_000).fill(null)), v: int32(new Array<number>(10_000).fill(1)) });
    const texts = table({ k: utf8(new Array<null>(10_000).fill(null)) });
    for (const kernel of KERNELS) {
      join(nulls, nulls, { on: "k", kernel });
      const start = performance.now();
      expect(join(nulls, nulls, { on: "k", kernel }).numRows).toBe(0);
      expect(join(nulls, nulls, { on: "k", kernel, how: "left" }).numRows).toBe(10_000);
      expect(join(nulls, nulls, { on: "k", kernel, how: "full" }).numRows).toBe(20_000);
      expect(join(texts, texts, { on: "k", kernel, how: "leftAnti" }).numRows).toBe(10_000);
      expect(performance.now() - start).toBeLessThan(1000);
    }
  });

  it("37: a null finds its null when nulls are equal", async () => {
    await expectJoin(ids([null]), ids([null, 1]), { on: "k", nullsEqual: true, coalesceKeys: false }, { rows: [[null, null]] });
  });

  it("39: a null among a dictionary's values is a null key, though the column shows no null", async () => {
    const coded = table({ k: dictionary(utf8([null, "7"]), { nullValue: true }) });
    expect(coded.getChild("k")?.data[0].nullCount).toBe(0);
    await expectJoin(
      coded,
      coded,
      { on: "k", coalesceKeys: false, nullsEqual: true },
      {
        rows: [
          [null, null],
          ["7", "7"],
        ],
      },
    );
    await expectJoin(coded, coded, { on: "k", coalesceKeys: false }, { rows: [["7", "7"]] });
    for (const how of KINDS) await expectJoin(coded, table({ k: utf8([null, "7", "8"]) }), { on: "k", how, nullsEqual: true });
  });

  it("40: nested keys are refused by name until they can be compared", async () => {
    const nested = {
      list: list(int32(), [[1], null]),
      "fixed-size list": fixedSizeList(1, int32(), [[1], null]),
      struct: struct({ a: int32() }, [{ a: 1 }, null]),
    };
    for (const column of Object.values(nested)) {
      const side = table({ k: column });
      await expectError(() => join(side, side, { on: "k" }), "UNSUPPORTED_TYPE", "k");
    }
  });

  it("48: a join leaves no validity behind for the next one", async () => {
    const padded = () =>
      join(table({ k: int32([1, 2, 3, 4]) }), table({ k: int32([9]), v: int32([9]), b: bool([true]) }), { on: "k", how: "left" });
    const whole = table({ k: int32([1, 2, 3, 4]), v: int32([1, 2, 3, 4]), b: bool([true, true, false, true]) });
    for (const kernel of KERNELS) {
      padded();
      const result = join(ids([4, 3, 2, 1]), whole, { on: "k", how: "left", kernel, build: "right" });
      expect(readTable(result).rows).toEqual([
        [4, 4, true],
        [3, 3, false],
        [2, 2, true],
        [1, 1, true],
      ]);
    }
    await expectJoin(table({ k: int32([9, 9, 9, 1, 1, 1]) }, { split: [3, 3] }), table({ k: int32([1]), v: utf8(["x"]) }), {
      on: "k",
      how: "left",
      batchSize: 3,
    });
  });

  it("49: many keys with nulls among them stay apart when all hashes collide", async () => {
    const cells = Array.from({ length: 60 }, (_, i) => (i % 7 === 3 ? null : (i * 31) % 41));
    for (const how of KINDS) {
      await expectJoin(
        table({ k: int32(cells), v: int32(cells.map((_, i) => i)) }),
        table({ k: int32([...cells].reverse()) }, { split: [20, 40] }),
        { on: "k", how },
      );
    }
    const texts = table({ k: utf8(cells.map((k) => (k === null ? null : "k".repeat(k)))) });
    await expectJoin(texts, texts, { on: "k", how: "full", nullsEqual: true });
  }, 20_000);

  it("51: keys of type Null are refused by name, they do not fail inside", async () => {
    const nulls = table({ k: nullType([null]) });
    await expectError(() => join(nulls, nulls, { on: "k" }), "UNSUPPORTED_TYPE", "k");
  });
});

describe("E. collisions and equality of keys", () => {
  it("52: different keys of equal hash give no extra rows", async () => {
    await expectJoin(
      ids([4, 5]),
      ids([4, 5, 6]),
      { on: "k", how: "right", coalesceKeys: false },
      {
        rows: [
          [4, 4],
          [5, 5],
          [null, 6],
        ],
      },
    );
    for (const kernel of KERNELS) {
      for (const how of KINDS) {
        for (const side of [
          { l: ids([4, 5, 7, 4]), r: ids([4, 5, 6]) },
          { l: table({ k: utf8(["a", "b", "aa"]) }), r: table({ k: utf8(["b", "a", "c"]) }) },
          {
            l: table({ k: fixedSizeBinary(20)(["00".repeat(20), "01".repeat(20)]) }),
            r: table({ k: fixedSizeBinary(20)(["01".repeat(20), "02".repeat(20)]) }),
          },
        ]) {
          const apart = readTable(runJoin(side.l, side.r, { on: "k", how, kernel }, {})).rows;
          expect(readTable(runJoin(side.l, side.r, { on: "k", how, kernel }, { collideHashes: true })).rows).toEqual(apart);
          const stream = await runJoinStream(side.l, side.r, { on: "k", how, kernel }, { collideHashes: true, tinyTables: true });
          expect(readTable(await stream.toTable()).rows).toEqual(apart);
        }
      }
    }
  });

  it("54: NaN equals NaN in every kind, for every width and both kernels", async () => {
    const nan = table({ k: float64(["NaN(7ff8000000000000)", "NaN(7ff8000000000001)"]) });
    await expectJoin(nan, nan, { on: "k", select: [] }, { rows: [[], [], [], []] });
    for (const how of KINDS) await expectJoin(nan, table({ k: float64(["NaN(fff8000000000000)", 1]) }), { on: "k", how });
  });

  it("55: negative and positive zero are one key", async () => {
    await expectJoin(table({ k: float64(["-0"]) }), table({ k: float64([0]) }), { on: "k", coalesceKeys: false }, { rows: [["-0", 0]] });
  });

  it("57: dictionary keys meet plain strings", async () => {
    const coded = table({ k: dictionary(utf8(["a", "b"])) });
    await expectJoin(coded, table({ k: utf8(["b", "c"]) }), { on: "k" }, { rows: [["b"]] });
    await expectJoin(table({ k: utf8(["b", "c"]) }), coded, { on: "k" }, { rows: [["b"]] });
  });

  it("58: a payload of nulls only, in two chunks, plain and dictionary", async () => {
    for (const column of [
      utf8([null, null]),
      dictionary(utf8([null, null]), { perBatch: true }),
      int32([null, null]),
      nullType([null, null]),
    ]) {
      await expectJoin(
        ids([1, 2, 3]),
        table({ k: int32([1, 2]), x: column }, { split: [1, 1] }),
        { on: "k", how: "left" },
        {
          rows: [
            [1, null],
            [2, null],
            [3, null],
          ],
        },
      );
    }
  });
});
