/** SEMANTICS 2: which columns come out, their names, types, nullability and metadata; and whose buffers they are (6.5). */

import type { Data, Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { bool, dictionary, fixedSizeList, int32, int64, list, struct, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoin } from "../support/expect-join.ts";
import { arrayBuffers, readTable } from "../support/rows.ts";
import { type How, join, joinStream, type Options } from "../support/run.ts";
import { table } from "../support/table.ts";

const KINDS: readonly How[] = ["inner", "left", "right", "full", "leftSemi", "leftAnti", "rightSemi", "rightAnti"];

const left = table(
  { id: int32([1, 2, null, 3]), v: utf8(["a", "b", "c", null]), a: int32([1, 2, 3, 4]) },
  { split: [1, 3], nullable: { a: false } },
);
const right = table({ v: int64([10n, null, 30n]), id: int32([3, 4, 1]), b: bool([true, false, true]) }, { split: [2, 1], slice: true });

const names = (result: Table) => result.schema.fields.map((field) => field.name);

describe("select", () => {
  const SELECTS: readonly Options["select"][] = [
    ["left.a"],
    ["right.b", "left.a"],
    ["left.v", "right.v"],
    ["right.v", "left.v"],
    ["id", "v", "v_right", "b"],
    ["b", "id"],
    ["left.id", "right.id"],
    ["id", "right.id"],
    [],
    { key: "id", mine: "left.v", theirs: "right.v" },
    { a: "right.b", b: "left.a" },
    { twice: "left.a", again: "left.a" },
    {},
  ];
  for (const select of SELECTS) {
    for (const how of ["inner", "left", "right", "full"] as const) {
      it(`${JSON.stringify(select)} picks columns of a ${how} join in the order given`, async () => {
        await expectJoin(left, right, { on: "id", how, select });
      });
    }
  }

  it("picks the columns of the only side of a kind that outputs one", async () => {
    for (const how of ["leftSemi", "leftAnti"] as const) {
      await expectJoin(left, right, { on: "id", how, select: ["left.a", "id"] });
      await expectJoin(left, right, { on: "id", how, select: [] });
    }
    for (const how of ["rightSemi", "rightAnti"] as const)
      await expectJoin(left, right, { on: "id", how, select: { x: "b", y: "right.v" } });
  });

  it("refuses columns of the side that a kind does not output", async () => {
    await expectError(() => join(left, right, { on: "id", how: "leftSemi", select: ["right.b"] }), "INVALID_OPTION", "right.b", "leftSemi");
  });

  it("splits at the first dot, and takes names with dots and spaces", async () => {
    const l = table({ id: int32([1, 2]), "a.b": int32([1, 2]), "c d": int32([3, 4]) });
    const r = table({ id: int32([2, 1]), "x.y.z": int32([5, 6]) });
    await expectJoin(l, r, { on: "id", select: ["left.a.b", "right.x.y.z", "left.c d"] });
    await expectJoin(l, r, { on: "id", select: ["c d", "id"] });
  });

  it("of nothing gives batches without columns and the right number of rows", async () => {
    const result = join(left, right, { on: "id", how: "full", select: [] });
    expect(result.numCols).toBe(0);
    expect(result.numRows).toBe(5);
    const batches = join(left, right, { on: "id", how: "full", select: [], batchSize: 2 }).batches.map((batch) => batch.numRows);
    expect(batches.reduce((sum, rows) => sum + rows, 0)).toBe(5);
    expect(Math.max(...batches)).toBe(2);
    const stream = await joinStream(left, right, { on: "id", how: "full", select: [] });
    let rows = 0;
    for await (const batch of stream) rows += batch.numRows;
    expect(rows).toBe(5);
  });

  it("of nothing counts every pair without making them", async () => {
    const many = table({ id: int32(new Array(300).fill(1)) });
    expect(join(many, many, { on: "id", select: [] }).numRows).toBe(90_000);
  });
});

describe("names that clash", () => {
  const SUFFIXES: readonly Options["suffix"][] = [undefined, "_r", "", ["", "_r"], ["_l", "_r"], ["_l", ""]];
  for (const suffix of SUFFIXES) {
    for (const coalesceKeys of [true, false]) {
      it(`get the suffix ${JSON.stringify(suffix)}, ${coalesceKeys ? "keys coalesced" : "keys apart"}`, async () => {
        const options: Options = { on: "id", how: "full", coalesceKeys, ...(suffix !== undefined && { suffix }) };
        if (suffix === "") await expectError(() => join(left, right, options), "DUPLICATE_COLUMN", "v", /suffix|select/);
        else await expectJoin(left, right, options);
      });
    }
  }

  it("do not clash where the suffix is never needed, even an empty one", async () => {
    const r = table({ id: int32([3, 1]), b: int32([1, 2]) });
    await expectJoin(left, r, { on: "id", suffix: "" });
    await expectJoin(left, right, { on: "id", how: "leftSemi", suffix: "" });
  });

  it("that still clash after the suffix are refused before any work", async () => {
    const l = table({ id: int32([1]), v: int32([1]), v_right: int32([1]) });
    const r = table({ id: int32([1]), v: int32([1]) });
    await expectError(() => join(l, r, { on: "id" }), "DUPLICATE_COLUMN", "v_right");
    await expectError(() => joinStream(l, r, { on: "id" }), "DUPLICATE_COLUMN", "v_right");
    await expectJoin(l, r, { on: "id", suffix: "_other" });
  });

  it("of a key on the right and a plain column on the left get the suffix", async () => {
    const l = table({ id: int32([1, 2]), ref: int32([7, 8]) });
    const r = table({ ref: int32([2, 1]), id: int32([5, 6]) });
    await expectJoin(l, r, { on: { id: "ref" } });
    expect(names(join(l, r, { on: { id: "ref" } }))).toEqual(["id", "ref", "ref_right", "id_right"]);
  });

  it("that select repeats are refused", async () => {
    await expectError(() => join(left, right, { on: "id", select: ["left.a", "left.a"] }), "DUPLICATE_COLUMN", "a");
  });
});

describe("coalesced keys", () => {
  for (const how of KINDS) {
    for (const coalesceKeys of [true, false]) {
      it(`of a ${how} join, coalesceKeys ${coalesceKeys}: values, place, nullability`, async () => {
        await expectJoin(left, right, { on: "id", how, coalesceKeys });
        const bare = { l: table({ k: int32([1, 2]), id: int32([1, 5]) }), r: table({ id: int32([1, 6]), w: int32([3, 4]) }) };
        await expectJoin(bare.l, bare.r, { on: "id", how, coalesceKeys });
      });
    }
  }

  it("of a full join take the value of the side that has a row, and are not null only if both inputs are", async () => {
    const l = table({ id: int32([1, 2]) });
    const r = table({ id: int32([3, 2]) });
    await expectJoin(l, r, { on: "id", how: "full" }, { rows: [[1], [2], [3]] });
    expect(join(l, r, { on: "id", how: "full" }).schema.fields[0].nullable).toBe(false);
    const nullable = table({ id: int32([3, 2]) }, { nullable: true });
    expect(join(l, nullable, { on: "id", how: "full" }).schema.fields[0].nullable).toBe(true);
    expect(join(nullable, l, { on: "id", how: "full" }).schema.fields[0].nullable).toBe(true);
  });

  it("of a full join may be strings, dictionaries or one of each", async () => {
    const cells = { l: ["a", "b", null, "long enough to matter"], r: ["c", "b", null, "d"] };
    const forms = {
      plain: (values: readonly (string | null)[]) => utf8(values),
      coded: (values: readonly (string | null)[]) => dictionary(utf8(values), { index: "int8", perBatch: true }),
      shared: (values: readonly (string | null)[]) => dictionary(utf8(values), { index: "uint16" }),
    };
    for (const l of Object.values(forms)) {
      for (const r of Object.values(forms)) {
        const sides = [
          table({ id: l(cells.l), v: int32([1, 2, 3, 4]) }, { split: [3, 1] }),
          table({ id: r(cells.r), w: int32([1, 2, 3, 4]) }, { split: [2, 2], slice: true }),
        ] as const;
        await expectJoin(sides[0], sides[1], { on: "id", how: "full" });
        await expectJoin(sides[0], sides[1], { on: "id", how: "full", nullsEqual: true });
      }
    }
  });

  it("of a full join whose two dictionaries together outgrow the left's codes keep every value", async () => {
    const words = (prefix: string) => Array.from({ length: 120 }, (_, i) => `${prefix}${i}`);
    const l = table({ id: dictionary(utf8(words("l")), { index: "int8" }) });
    const r = table({ id: dictionary(utf8(words("r")), { index: "int8" }) });
    expect(readTable(join(l, r, { on: "id", how: "full" })).rows.flat()).toEqual([...words("l"), ...words("r")]);
  });

  it("of several keys, only those whose names are equal", async () => {
    const l = table({ a: int32([1, 2]), b: int32([1, 2]) });
    const r = table({ a: int32([2, 3]), c: int32([2, 3]) });
    await expectJoin(
      l,
      r,
      { on: { a: "a", b: "c" }, how: "full" },
      {
        rows: [
          [1, 1, null],
          [2, 2, 2],
          [3, null, 3],
        ],
      },
    );
  });
});

describe("schemas", () => {
  it("keep schema and field metadata, extension types too, and the left wins a conflict", async () => {
    const extension = { "ARROW:extension:name": "geoarrow.point", "ARROW:extension:metadata": '{"crs":"EPSG:4326"}' };
    const l = table(
      { id: int32([1, 2]), p: struct({ x: int32(), y: int32() }, [{ x: 1, y: 2 }, null]) },
      { metadata: { who: "left", a: "1" }, fieldMetadata: { p: extension } },
    );
    const r = table(
      { id: int32([2, 3]), q: utf8(["x", "y"]) },
      { metadata: { who: "right", b: "2" }, fieldMetadata: { q: { unit: "m" }, id: { of: "right" } } },
    );
    for (const how of KINDS) await expectJoin(l, r, { on: "id", how });
    const result = join(l, r, { on: "id" });
    expect(Object.fromEntries(result.schema.metadata)).toEqual({ who: "left", a: "1", b: "2" });
    expect(Object.fromEntries(result.schema.fields[1].metadata)).toEqual(extension);
  });

  it("are there when the result has no rows", async () => {
    const none = table({ id: int32([8, 9]), z: dictionary(utf8(["a", "b"])) });
    const result = join(left, none, { on: "id" });
    expect(result.numRows).toBe(0);
    expect(names(result)).toEqual(["id", "v", "a", "z"]);
    const stream = await joinStream(left, none, { on: "id" });
    expect(stream.schema.fields.map((field) => field.name)).toEqual(["id", "v", "a", "z"]);
    expect((await stream.next()).done).toBe(true);
  });

  it("make the padded side nullable even where every row has a partner", () => {
    const l = table({ id: int32([1]), x: int32([1]) });
    const r = table({ id: int32([1]), y: int32([1]) });
    const nullable = (how: How) => join(l, r, { on: "id", how, coalesceKeys: false }).schema.fields.map((field) => field.nullable);
    expect(nullable("inner")).toEqual([false, false, false, false]);
    expect(nullable("left")).toEqual([false, false, true, true]);
    expect(nullable("right")).toEqual([true, true, false, false]);
    expect(nullable("full")).toEqual([true, true, true, true]);
  });

  it("keep a nullable field nullable where the column has no null", () => {
    const l = table({ id: int32([1]), x: int32([1]) }, { nullable: true });
    expect(join(l, l, { on: "id", how: "inner" }).schema.fields.every((field) => field.nullable)).toBe(true);
  });
});

describe("dictionary columns", () => {
  const coded = (rows: readonly string[], index: "int8" | "uint16") => dictionary(utf8(rows), { index, perBatch: true });
  const l = table({ id: int32([1, 2, 3, 4]), d: coded(["a", "b", "c", "d"], "int8") }, { split: [2, 2] });
  const r = table({ id: int32([4, 3, 2, 1]), e: coded(["w", "x", "y", "z"], "uint16") }, { split: [2, 2] });
  const dictionaries = (result: Table, column: string) =>
    new Set(result.batches.map((batch) => batch.getChild(column)?.data[0].dictionary));

  it("of the right share one dictionary of Int32 codes, those of the left pass through with their own", () => {
    for (const build of ["left", "right"] as const) {
      const result = join(l, r, { on: "id", batchSize: 1, build });
      expect(dictionaries(result, "e").size).toBe(1);
      expect(readTable(result).fields.map((field) => field.type)).toEqual(["int32", "dictionary<int8, utf8>", "dictionary<int32, utf8>"]);
      expect(readTable(result).rows).toEqual([
        [1, "a", "z"],
        [2, "b", "y"],
        [3, "c", "x"],
        [4, "d", "w"],
      ]);
    }
  });

  it("of the left are unified in right order", () => {
    const result = join(l, r, { on: "id", batchSize: 1, order: "right" });
    expect(dictionaries(result, "d").size).toBe(1);
    expect(readTable(result).fields.map((field) => field.type)).toEqual(["int32", "dictionary<int32, utf8>", "dictionary<uint16, utf8>"]);
  });

  it("that pass through never mix two dictionaries in a batch", () => {
    const result = join(l, r, { on: "id" });
    expect(dictionaries(result, "d").size).toBe(2);
    expect(result.batches.map((batch) => batch.numRows)).toEqual([2, 2]);
  });

  it("have ids that do not clash, whatever ids the inputs have", async () => {
    const shared = coded(["a", "b", "c", "d"], "int8");
    const l2 = table({ id: int32([1, 2, 3, 4]), d: shared });
    const r2 = table({ id: int32([1, 2, 3, 4]), d: { ...shared, cells: ["d", "c", "b", "a"] } });
    for (const how of ["inner", "full"] as const) await expectJoin(l2, r2, { on: "id", how });
    const ids = join(l2, r2, { on: "id" })
      .schema.fields.slice(1)
      .map((field) => field.type.id);
    expect(new Set(ids).size).toBe(2);
  });

  it("with nulls among the dictionary's values keep them null", async () => {
    const withNull = (rows: readonly (string | null)[]) => dictionary(utf8(rows), { index: "int8", nullValue: true, perBatch: true });
    const l2 = table({ id: int32([1, 2, 3, 4]), d: withNull([null, "a", null, "b"]) }, { split: [2, 2] });
    const r2 = table({ id: int32([4, 3, 2, 5]), e: withNull([null, null, "a", null]) }, { split: [1, 3] });
    for (const how of ["inner", "left", "right", "full"] as const) await expectJoin(l2, r2, { on: "id", how });
  });
});

describe("buffers", () => {
  const l = table(
    {
      id: int32([1, 2, 3, 4, 5, 6]),
      s: utf8(["a", null, "c", "d", "e", "f"]),
      b: bool([true, null, false, true, true, false]),
      n: list(int32(), [[1], null, [], [2, 3], [4], [5]]),
      f: fixedSizeList(2, int32(), [[1, 2], null, [3, 4], [5, 6], [7, 8], [9, 0]]),
      t: struct({ a: int64() }, [{ a: 1n }, null, { a: 2n }, { a: 3n }, { a: 4n }, { a: 5n }]),
      d: dictionary(utf8(["x", "y", null, "x", "x", "y"]), { index: "int8" }),
    },
    { split: [4, 2] },
  );
  const r = table({ id: int32([6, 5, 4, 3, 2, 1]), w: int32([6, 5, 4, 3, 2, 1]) });
  const valueBuffers = (data: Data): unknown[] =>
    [(data.values ?? data.valueOffsets)?.buffer, ...data.children.flatMap(valueBuffers)].filter(Boolean);

  it("of streamed rows that are consecutive are slices of the input's", async () => {
    for (const kernel of ["wasm", "ts"] as const) {
      for (const how of ["inner", "left", "leftSemi"] as const) {
        const oneShot = join(l, r, { on: "id", how, batchSize: 2, build: "right", kernel }).batches;
        const streamed = (await (await joinStream(l, r, { on: "id", how, batchSize: 2, kernel })).toTable()).batches;
        for (const batches of [oneShot, streamed]) {
          expect(batches.map((batch) => batch.numRows)).toEqual([2, 2, 2]);
          batches.forEach((batch, i) => {
            const input = l.batches[i < 2 ? 0 : 1];
            l.schema.fields.forEach((field, column) => {
              const [mine, theirs] = [valueBuffers(batch.data.children[column]), valueBuffers(input.data.children[column])];
              expect(
                mine.length > 0 && mine.every((buffer, k) => buffer === theirs[k]),
                `${field.name} of batch ${i} is shared (${how}, ${kernel})`,
              ).toBe(true);
            });
          });
        }
      }
    }
  });

  it("are never shared with copy: true, dictionaries and children included", async () => {
    const owned = arrayBuffers([...l.batches, ...r.batches]);
    for (const how of KINDS) {
      for (const batches of [
        join(l, r, { on: "id", how, copy: true }).batches,
        (await (await joinStream(l, r, { on: "id", how, copy: true, batchSize: 2 })).toTable()).batches,
      ]) {
        for (const buffer of arrayBuffers(batches)) expect(owned.has(buffer)).toBe(false);
      }
    }
  });

  it("of inputs are never written to", async () => {
    const bytes = () => [...arrayBuffers([...l.batches, ...r.batches])].map((buffer) => [...new Uint8Array(buffer)].join());
    const before = bytes();
    for (const how of KINDS) join(l, r, { on: "id", how });
    expect(bytes()).toEqual(before);
  });

  it("of strings hold the strings of their own batch and no more", () => {
    const words = Array.from({ length: 64 }, (_, i) => `${i}`.padStart(100, "-"));
    const wide = table({ id: int32(words.map((_, i) => i)), s: utf8(words) });
    const probe = table({ id: int32([60, 3, 41, 7]) });
    for (const batch of join(probe, wide, { on: "id", batchSize: 2, build: "right" }).batches) {
      const { values } = batch.data.children[1];
      expect((values as Uint8Array).buffer.byteLength).toBeLessThanOrEqual(2 * 200);
    }
  });
});
