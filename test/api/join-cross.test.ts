/** `joinCross` and `joinCrossStream` as a caller meets them: options that they have not, inputs, and results that no memory holds. */

import { describe, expect, it } from "vitest";
import type { ArrowJoinErrorCode } from "../../src/error.ts";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readTable } from "../support/rows.ts";
import { joinCross, joinCrossStream } from "../support/run.ts";
import { source } from "../support/source.ts";
import { table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

const left = table({ id: int32([1, 2, 3]), v: utf8(["a", "b", "c"]) });
const right = table({ id: int32([3, 2]), w: int32([1, 2]) });

/** Both verbs refuse it in the same words, and no input is read. */
async function refused(options: unknown, code: ArrowJoinErrorCode, ...words: readonly (string | RegExp)[]): Promise<void> {
  await expectError(() => joinCross(left, right, options), code, ...words);
  const inputs = [source(left), source(right)];
  await expectError(() => joinCrossStream(inputs[0], inputs[1], options), code, ...words);
  expect(inputs.map((input) => input.pulls())).toEqual([0, 0]);
}

describe("the options of joinCross", () => {
  it("are none where none are given", async () => {
    const expected = readTable(joinCross(left, right, {}));
    expect(readTable(joinCross(left, right))).toEqual(expected);
    expect(readTable(await (await joinCrossStream(left, right)).toTable()).rows).toEqual(expected.rows);
    expect(expected.fields.map(({ name }) => name)).toEqual(["id", "v", "id_right", "w"]);
  });

  it("have no kind, no keys and no rules for matches: these are refused by name", async () => {
    const given = {
      how: "inner",
      on: "id",
      filter: x.lt(l("id"), r("w")),
      nullsEqual: true,
      nullAware: true,
      coalesceKeys: true,
      validate: "m:m",
      unmatched: "allow",
      multiple: "all",
      markName: "mark",
      predicate: x.lt(l("id"), r("w")),
    };
    for (const [name, value] of Object.entries(given)) await refused({ [name]: value }, "INVALID_OPTION", name, "joinCross");
  });

  it("are refused where they are unknown, of the stream alone, or no object", async () => {
    for (const name of ["batchsize", "switches", "chunkRows"]) await refused({ [name]: 1 }, "INVALID_OPTION", name);
    for (const [name, value] of Object.entries({ flush: "full", signal: new AbortController().signal, onProgress: () => {} }))
      await expectError(() => joinCross(left, right, { [name]: value }), "INVALID_OPTION", name);
    for (const options of [null, 5, "left", []]) await refused(options, "INVALID_OPTION", /options/);
    // A predicate in their place.
    await refused((a: Record<string, { lt(other: unknown): unknown }>) => a.id.lt(1), "INVALID_OPTION", /options/);
  });

  const values: { readonly [option: string]: readonly unknown[] } = {
    select: ["id", 5, [5], [null], { x: 5 }],
    suffix: [5, null, ["_a"], {}],
    order: ["up", "", null, 1],
    build: ["middle", "", null, true],
    batchSize: [0, -1, 1.5, Number.NaN, "8192", null, 8192n],
    copy: ["no", 1, null],
    kernel: ["gpu", "", null],
    hashSeed: ["x", 1n, null, Number.NaN],
    onMetrics: ["log", {}, 1],
    memoryLimit: [0, -1, Number.NaN, "32MB", null, 5n],
    spill: [{}, null, "/tmp", { create: 1 }],
  };
  for (const [option, wrong] of Object.entries(values)) {
    it(`${option} with a value that it has not is refused by name`, async () => {
      for (const value of wrong) await refused({ [option]: value }, "INVALID_OPTION", option);
    });
  }

  it("contradict each other where order and build of a stream do", async () => {
    await expectError(() => joinCrossStream(left, right, { order: "left", build: "left" }), "INVALID_OPTION", "order", "build");
    await expectError(() => joinCrossStream(left, right, { order: "right", build: "right" }), "INVALID_OPTION", "order", "build");
  });

  it("refuse columns that are missing or of one name before any work", async () => {
    await refused({ select: ["right.v"] }, "COLUMN_NOT_FOUND", "v", /right/);
    await refused({ suffix: "" }, "DUPLICATE_COLUMN", "id");
  });
});

describe("the inputs of joinCross", () => {
  it("are Arrow's: anything else is refused with its side", async () => {
    for (const wrong of [undefined, null, 5, "x", {}, [], [5]]) {
      await expectError(() => joinCross(wrong, right), "INVALID_INPUT", /left/);
      await expectError(() => joinCross(left, wrong), "INVALID_INPUT", /right/);
    }
  });
});

describe("a one-shot joinCross", () => {
  const numbered = (name: string, rows: number) => table({ [name]: int32(new Array<number>(rows).fill(7)) });

  it("of more rows than a table can have is refused before any work, naming the stream", async () => {
    const [a, b] = [numbered("a", 50_000), numbered("b", 50_000)];
    const start = performance.now();
    await expectError(() => joinCross(a, b), "MEMORY_LIMIT", "joinCrossStream", /2.?500.?000.?000/);
    await expectError(() => joinCross(a, b, { order: "right" }), "MEMORY_LIMIT", "joinCrossStream");
    await expectError(() => joinCross(a, b, { select: ["left.a"] }), "MEMORY_LIMIT", "joinCrossStream");
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it("whose result takes more than memoryLimit is refused before any work, naming the stream", async () => {
    const [a, b] = [numbered("a", 1000), numbered("b", 1000)];
    const start = performance.now();
    await expectError(() => joinCross(a, b, { memoryLimit: 4_000_000 }), "MEMORY_LIMIT", "joinCrossStream", /4.?000.?000/);
    expect(performance.now() - start).toBeLessThan(1000);
    await expectError(() => joinCross(numbered("a", 3), numbered("b", 2), { memoryLimit: 1 }), "MEMORY_LIMIT", "joinCrossStream");
    expect(joinCross(a, b, { memoryLimit: 64e6 }).numRows).toBe(1_000_000);
  });

  it("is content with a side that is empty, however small the limit is set to the result", () => {
    const none = numbered("b", 0);
    expect(joinCross(numbered("a", 50_000), none).numRows).toBe(0);
  });
});
