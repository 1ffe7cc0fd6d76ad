/** What a caller writes of an as-of join, to a request: rights in every form, defaults, refusals that name a way out. */

import { tableFromArrays } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { parseAsof } from "../../src/api/asof-request.ts";
import { prepareJoin } from "../../src/index.ts";
import { expectError } from "../support/errors.ts";
import { joinAsof, joinAsofStream } from "../support/run.ts";

type Verb = "joinAsof" | "joinAsofStream";

const table = tableFromArrays({ t: Int32Array.of(1, 2), k: Int32Array.of(1, 1) });
const parse = (right: unknown, options: unknown, verb: Verb = "joinAsof") => parseAsof(verb, right, options);
const request = (options: object, verb?: Verb) => parse(table, { on: "t", ...options }, verb).request;
const first = (options: object) => request(options).rights[0];

describe("the options of an as-of join", () => {
  it("have defaults", () => {
    expect(request({})).toEqual({
      how: "left",
      select: null,
      batchSize: null,
      copy: false,
      flush: "full",
      unsorted: "error",
      rights: [
        {
          on: { left: "t", right: "t" },
          by: [],
          direction: "backward",
          allowExactMatches: true,
          tolerance: undefined,
          ties: "adjacent",
          filter: undefined,
          rightTime: null,
          suffix: ["", "_right"],
        },
      ],
    });
    expect(request({}, "joinAsofStream").flush).toBe("eager");
    expect(parse(table, { on: "t" }).settings).toEqual({
      kernel: "auto",
      hashSeed: null,
      onMetrics: null,
      signal: null,
      onProgress: null,
      memoryLimit: null,
      spill: null,
    });
  });

  it("take the values they may have", () => {
    const given = { direction: "nearest", allowExactMatches: false, tolerance: "5s", ties: "last", rightTime: "at" };
    expect(first({ ...given, suffix: ["_l", "_r"] })).toMatchObject({ ...given, suffix: ["_l", "_r"] });
    expect(request({ how: "leftAnti", select: { a: "right.t" }, batchSize: 5, copy: true, unsorted: "sort" })).toMatchObject({
      how: "leftAnti",
      select: [{ name: "a", column: "right.t" }],
      batchSize: 5,
      copy: true,
      unsorted: "sort",
    });
    expect(request({ flush: "full" }, "joinAsofStream").flush).toBe("full");
    expect(parse(table, { on: "t", memoryLimit: 5, kernel: "ts", hashSeed: 3 }).settings).toMatchObject({
      memoryLimit: 5,
      kernel: "ts",
      hashSeed: 3,
    });
    for (const tolerance of [5, 5n, "5s", { before: 1, after: "2s" }, {}]) expect(first({ tolerance }).tolerance).toEqual(tolerance);
  });

  it("`on` is one pair of time columns", async () => {
    for (const on of ["t", ["t"], { t: "t" }, [{ left: "t", right: "t" }], [{ left: "t", right: "t", nullsEqual: false }]])
      expect(first({ on }).on).toEqual({ left: "t", right: "t" });
    expect(first({ on: { t: "time" } }).on).toEqual({ left: "t", right: "time" });
    for (const on of [["t", "k"], { t: "t", k: "k" }])
      await expectError(() => first({ on }), "INVALID_OPTION", "on must be one time column", "option by");
    for (const on of [[], {}, 5, null, [5], [{ left: "t" }]]) await expectError(() => first({ on }), "INVALID_OPTION", /^on /);
    await expectError(() => first({ on: [{ left: "t", right: "t", nullsEqual: true }] }), "INVALID_OPTION", "nullsEqual", "by");
    await expectError(() => parse(table, {}), "INVALID_OPTION", "on is required", "time column");
    await expectError(() => parse(table, { by: "k" }), "INVALID_OPTION", "on is required");
  });

  it("`by` has the grammar of keys", async () => {
    expect(first({ by: ["a", { left: "b", right: "c", nullsEqual: true }] }).by).toEqual([
      { left: "a", right: "a", nullsEqual: false },
      { left: "b", right: "c", nullsEqual: true },
    ]);
    expect(first({ by: { a: "b" }, nullsEqual: true }).by).toEqual([{ left: "a", right: "b", nullsEqual: true }]);
    for (const by of [[], {}, [5], 5]) await expectError(() => first({ by }), "INVALID_OPTION", /^by /, '{ leftName: "rightName" }');
  });

  it("refuse any other value, saying what it may be", async () => {
    const cases: [object, ...string[]][] = [
      [{ how: "right" }, "how", '"leftAnti"', "right"],
      [{ how: "rightSemi" }, "how", '"leftSemi"'],
      [{ direction: "next" }, "direction", '"nearest"', "next"],
      [{ ties: "any" }, "ties", '"adjacent"'],
      [{ allowExactMatches: 0 }, "allowExactMatches", "true or false"],
      [{ nullsEqual: 1 }, "nullsEqual"],
      [{ rightTime: "" }, "rightTime", "not empty"],
      [{ rightTime: true }, "rightTime"],
      [{ unsorted: "ignore" }, "unsorted", '"sort"'],
      [{ tolerance: true }, "tolerance", "bigint", '"5s"', "{ before, after }"],
      [{ tolerance: null }, "tolerance"],
      [{ tolerance: [1, 2] }, "tolerance"],
      [{ filter: "l.x < r.y" }, "filter"],
      [{ suffix: 5 }, "suffix"],
      [{ batchSize: 0 }, "batchSize"],
      [{ memoryLimit: 0 }, "memoryLimit"],
      [{ select: "t" }, "select"],
    ];
    for (const [options, ...words] of cases) await expectError(() => request(options), "INVALID_OPTION", ...words);
    await expectError(() => request({ filter: () => true }), "INVALID_EXPRESSION", "filter");
    for (const options of [undefined, null, "t", ["t"]]) await expectError(() => parse(table, options), "INVALID_OPTION", "third argument");
  });

  it("that as-of joins have not are refused with the verb that has them", async () => {
    for (const option of ["order", "build", "validate", "unmatched", "multiple", "nullAware", "coalesceKeys", "markName"])
      for (const verb of ["joinAsof", "joinAsofStream"] as const)
        await expectError(
          () => request({ [option]: true }, verb),
          "INVALID_OPTION",
          `${verb} has no option "${option}"`,
          "an option of join.",
        );
    for (const option of ["flush", "signal", "onProgress"])
      await expectError(() => request({ [option]: null }), "INVALID_OPTION", "an option of joinStream.");
    await expectError(() => request({ tolerence: 5 }), "INVALID_OPTION", '"tolerence"', "Options: on, by,", "tolerance");
    await expectError(
      () => request({ spill: { create: () => {} } }),
      "INVALID_OPTION",
      '"spill"',
      "does not spill",
      "tolerance",
      "memoryLimit",
    );
  });

  it("belong to as-of joins alone", async () => {
    const { parseOptions } = await import("../../src/api/request.ts");
    for (const option of ["tolerance", "direction", "by", "rightTime", "ties", "unsorted", "allowExactMatches"])
      await expectError(() => parseOptions("join", { on: "t", [option]: 1 }), "INVALID_OPTION", "an option of joinAsof.");
  });
});

describe("the rights of an as-of join", () => {
  const rights = (right: unknown, options: object = { on: "t" }) => parse(right, options).request.rights;

  it("are one table, batches, or anything else that is an input", () => {
    for (const right of [table, table.batches, table.batches[0], new Uint8Array(8), { schema: table.schema, batches: [] }])
      expect(parse(right, { on: "t" }).tables).toEqual([right]);
  });

  it("may have options of their own, one right or several", () => {
    expect(parse({ table, tolerance: 5 }, { on: "t" }).tables).toEqual([table]);
    expect(rights({ table, tolerance: 5 })).toMatchObject([{ tolerance: 5 }]);
    const own = {
      on: { t: "u" },
      by: "k",
      direction: "forward",
      allowExactMatches: false,
      tolerance: 1n,
      ties: "first",
      rightTime: "at",
      suffix: "_2",
    };
    expect(rights([{ table }, { table, ...own }], { on: "t", by: "j", tolerance: 9, suffix: "_1" })).toMatchObject([
      { on: { right: "t" }, by: [{ left: "j" }], direction: "backward", tolerance: 9, suffix: ["", "_1"], rightTime: null },
      { ...own, on: { left: "t", right: "u" }, by: [{ left: "k", right: "k" }], suffix: ["", "_2"] },
    ]);
  });

  it("take what is undefined from the whole join, and its keys with their own nullsEqual", () => {
    expect(rights([{ table, tolerance: undefined, by: undefined }], { on: "t", tolerance: 3, by: "k" })[0]).toMatchObject({
      tolerance: 3,
      by: [{ left: "k" }],
    });
    expect(rights([{ table, nullsEqual: true }, { table }], { on: "t", by: "k" }).map(({ by }) => by[0].nullsEqual)).toEqual([true, false]);
  });

  it("need `on` once", async () => {
    expect(
      rights(
        [
          { table, on: "t" },
          { table, on: { t: "u" } },
        ],
        {},
      ).map(({ on }) => on.right),
    ).toEqual(["t", "u"]);
    await expectError(() => rights([{ table, on: "t" }, { table }], {}), "INVALID_OPTION", "on is required");
  });

  it("are at least one, all of one form", async () => {
    await expectError(() => rights([]), "INVALID_INPUT", "give at least one right", "{ table");
    await expectError(() => rights([{ table }, table]), "INVALID_INPUT", "right1 input", "{ table");
    await expectError(() => rights([{ table }, null]), "INVALID_INPUT", "right1");
    await expectError(() => rights([table, table]), "INVALID_INPUT", "array of tables", "{ table");
  });

  it("have no options of the whole join, and none that there are not", async () => {
    for (const option of ["how", "select", "unsorted", "batchSize", "memoryLimit", "kernel", "copy", "flush"])
      await expectError(
        () => rights([{ table }, { table, [option]: 1 }]),
        "INVALID_OPTION",
        "right1",
        `"${option}"`,
        "the whole join",
        "third argument",
      );
    await expectError(() => rights({ table, tolerence: 1 }), "INVALID_OPTION", "right has no option", '"tolerence"', "tolerance");
    await expectError(() => rights([{ table, ties: "none" }]), "INVALID_OPTION", "ties");
  });
});

describe("bad input of joinAsof and joinAsofStream is refused before any work", () => {
  const quotes = tableFromArrays({ t: Int32Array.of(1), k: Int32Array.of(1), v: Int32Array.of(7) });
  const cases: [string, unknown, object, Parameters<typeof expectError>[1], ...string[]][] = [
    ["zero rights", [], { on: "t" }, "INVALID_INPUT", "at least one right"],
    ["no table", [{ table: 5 }], { on: "t" }, "INVALID_INPUT", "right input"],
    ["a missing time column", quotes, { on: "time" }, "COLUMN_NOT_FOUND", "left input", '"time"'],
    ["a missing `by` on one side", quotes, { on: "t", by: "v" }, "COLUMN_NOT_FOUND", "left input", '"v"'],
    ["times that cannot meet", tableFromArrays({ t: Float64Array.of(1) }), { on: "t" }, "KEY_TYPE_MISMATCH", "int32", "float64", "Cast"],
    ["a negative tolerance", quotes, { on: "t", tolerance: -1 }, "INVALID_OPTION", "tolerance is -1"],
    ["a tolerance of the wrong kind", quotes, { on: "t", tolerance: "5s" }, "INVALID_OPTION", '"5s"', "int32"],
    ["duplicate output names", quotes, { on: "t", suffix: "" }, "DUPLICATE_COLUMN", '"k"'],
    ["no options", quotes, {}, "INVALID_OPTION", "on is required"],
  ];

  it("a prepared right side", async () => {
    using prepared = prepareJoin(quotes, { on: "k" });
    for (const right of [prepared, { table: prepared }]) {
      await expectError(() => joinAsof(table, right, { on: "t" }), "INVALID_INPUT", "prepared", "right side of join");
      await expectError(() => joinAsofStream(table, right, { on: "t" }), "INVALID_INPUT", "prepared", "right side of join");
    }
  });

  it.each(cases)("%s", async (_, right, options, code, ...words) => {
    await expectError(() => joinAsof(table, right, options), code, ...words);
    await expectError(() => joinAsofStream(table, right, options), code, ...words);
  });
});
