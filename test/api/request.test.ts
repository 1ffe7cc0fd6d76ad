/** Options as a caller writes them, to a request: values, defaults, refusals. */

import { describe, expect, it } from "vitest";
import { parseOptions } from "../../src/api/request.ts";
import type { Verb } from "../../src/api/rules.ts";
import { expectError } from "../support/errors.ts";

const request = (options: object, verb: Verb = "join") => parseOptions(verb, { on: "id", ...options }).request;

describe("the options of a join", () => {
  it("have defaults", () => {
    expect(request({})).toMatchObject({
      filter: undefined,
      nullAware: false,
      markName: "mark",
      validate: "m:m",
      unmatched: "allow",
      multiple: "all",
    });
  });

  it("take the values they may have", () => {
    expect(request({ nullAware: true, markName: "m", validate: "1:m", unmatched: "error", multiple: "last" })).toMatchObject({
      nullAware: true,
      markName: "m",
      validate: "1:m",
      unmatched: "error",
      multiple: "last",
    });
    expect(request({ unmatched: { left: "error" } }).unmatched).toEqual({ left: "error", right: "allow" });
    expect(request({ unmatched: { right: undefined } }).unmatched).toEqual({ left: "allow", right: "allow" });
  });

  it("hold the tree of a filter", () => {
    expect(request({ filter: (l: any, r: any) => l.x.lt(r.y) }).filter).toEqual({
      op: "lt",
      args: [
        { side: "left", column: "x" },
        { side: "right", column: "y" },
      ],
    });
  });

  it("refuse any other value, saying what it may be", async () => {
    const cases: [object, ...string[]][] = [
      [{ nullAware: 1 }, "nullAware", "true or false"],
      [{ markName: "" }, "markName", "not empty"],
      [{ markName: 5 }, "markName"],
      [{ validate: "n:1" }, "validate", '"m:1"', "n:1"],
      [{ unmatched: "drop" }, "unmatched", '{ left: "error" }', "drop"],
      [{ unmatched: { left: "drop" } }, "unmatched"],
      [{ unmatched: { both: "error" } }, "unmatched"],
      [{ unmatched: ["error"] }, "unmatched"],
      [{ unmatched: null }, "unmatched"],
      [{ multiple: "one" }, "multiple", '"any"'],
      [{ filter: true }, "filter", "l.price.gt(r.limit)", "true"],
      [{ filter: null }, "filter"],
      [{ filter: "l.x < r.y" }, "filter"],
    ];
    for (const [options, ...words] of cases) await expectError(() => request(options), "INVALID_OPTION", ...words);
    await expectError(() => request({ filter: {} }), "INVALID_EXPRESSION", "filter", "it is an Object");
    await expectError(() => request({ filter: () => false }), "INVALID_EXPRESSION", "filter", "returned false");
  });

  it("of joinIndices are those that shape no table", async () => {
    request({ how: "full", build: "left", batchSize: 5, validate: "m:1" }, "joinIndices");
    for (const options of [{ select: [] }, { suffix: "" }, { coalesceKeys: true }, { copy: true }, { markName: "m" }])
      await expectError(() => request(options, "joinIndices"), "INVALID_OPTION", "joinIndices has no option", "an option of join.");
    await expectError(() => request({ flush: "eager" }, "joinIndices"), "INVALID_OPTION", "an option of joinStream.");
    await expectError(() => request({ flush: "eager" }), "INVALID_OPTION", "an option of joinStream.");
    await expectError(() => request({ nope: 1 }), "INVALID_OPTION", '"nope"', "Options: on,");
  });
});
