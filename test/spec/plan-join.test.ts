/** What a request becomes: marks, roles of null-aware joins, cardinality, and what does not go together. */

import { describe, expect, it } from "vitest";
import { parseOptions } from "../../src/api/request.ts";
import type { PlainField } from "../../src/plain-type.ts";
import type { JoinKind } from "../../src/spec/join-spec.ts";
import { type Mode, planJoin } from "../../src/spec/plan-join.ts";
import { expectError } from "../support/errors.ts";

const fields = (...names: string[]): PlainField[] => names.map((name) => ({ name, type: { name: "int32" }, nullable: false }));
const left = { fields: fields("id", "a", "x"), rows: 10 };
const right = { fields: fields("id", "b", "x"), rows: 20 };
const plan = (options: object, mode: Mode = "table", l = left, r = right) =>
  planJoin(l, r, parseOptions(mode === "table" ? "join" : "joinStream", { on: "id", ...options }).request, mode);
const names = (options: object) => plan(options).output.map(({ name }) => name);

const PAIRS: readonly JoinKind[] = ["inner", "left", "right", "full"];
const EXISTENCE: readonly JoinKind[] = ["leftSemi", "leftAnti", "leftMark", "rightSemi", "rightAnti", "rightMark"];

describe("the mark", () => {
  it("is the last column, of neither side", () => {
    expect(names({ how: "leftMark" })).toEqual(["id", "a", "x", "mark"]);
    expect(names({ how: "rightMark", markName: "known" })).toEqual(["id", "b", "x", "known"]);
    expect(plan({ how: "rightMark" }).output[3]).toEqual({
      name: "mark",
      left: null,
      right: null,
      nullable: false,
      typeOf: "right",
      convert: "none",
    });
  });

  it("may be null only in a null-aware join", () => {
    expect(plan({ how: "leftMark", nullAware: true }).output.map(({ nullable }) => nullable)).toEqual([false, false, false, true]);
  });

  it("stands where `select` places it by its bare name, or not at all", () => {
    expect(names({ how: "leftMark", select: ["mark", "left.a"] })).toEqual(["mark", "a"]);
    expect(names({ how: "leftMark", select: { known: "mark", a: "a" } })).toEqual(["known", "a"]);
    expect(names({ how: "leftMark", select: ["a"] })).toEqual(["a"]);
    expect(names({ how: "leftMark", select: [] })).toEqual([]);
  });

  it("that clashes is refused, and is never suffixed", async () => {
    await expectError(() => plan({ how: "leftMark", markName: "x" }), "DUPLICATE_COLUMN", "leftMark", '"x"', "left input", "markName");
    await expectError(() => plan({ how: "leftMark", markName: "x", select: ["a"] }), "DUPLICATE_COLUMN");
    await expectError(() => plan({ how: "leftMark", select: ["mark", "mark"] }), "DUPLICATE_COLUMN", '"mark"');
    await expectError(() => plan({ how: "leftMark", select: ["left.mark"] }), "COLUMN_NOT_FOUND", "left.mark");
    expect(names({ how: "leftMark", markName: "b" })).toEqual(["id", "a", "x", "b"]);
    expect(names({ how: "leftMark", suffix: ["_l", "_r"], markName: "m" })).toEqual(["id", "a", "x", "m"]);
  });

  it("has no name elsewhere", () => {
    expect(names({ how: "leftSemi", markName: "x" })).toEqual(["id", "a", "x"]);
  });
});

describe("cardinality", () => {
  it("m:1 forbids a left row two partners, 1:m a right row, 1:1 both", () => {
    const single = (validate: string) => plan({ validate }).single;
    expect(single("m:m")).toEqual({ left: false, right: false });
    expect(single("m:1")).toEqual({ left: true, right: false });
    expect(single("1:m")).toEqual({ left: false, right: true });
    expect(single("1:1")).toEqual({ left: true, right: true });
  });

  it('unmatched: "error" means the sides whose unmatched rows the kind drops', () => {
    const matched = (how: JoinKind, unmatched: unknown) => plan({ how, unmatched }).matched;
    expect(matched("inner", "error")).toEqual({ left: true, right: true });
    expect(matched("left", "error")).toEqual({ left: false, right: true });
    expect(matched("right", "error")).toEqual({ left: true, right: false });
    expect(matched("full", "error")).toEqual({ left: false, right: false });
    expect(matched("inner", "allow")).toEqual({ left: false, right: false });
    expect(matched("full", { left: "error" })).toEqual({ left: true, right: false });
    expect(matched("inner", { left: "allow", right: "error" })).toEqual({ left: false, right: true });
    expect(matched("inner", {})).toEqual({ left: false, right: false });
  });

  it("`multiple` limits left rows, of kind right the right ones", () => {
    expect(PAIRS.map((how) => plan({ how, multiple: "first" }).limited)).toEqual(["left", "left", "right", "left"]);
    expect(plan({}).multiple).toBe("all");
    expect(plan({ multiple: "any" }).multiple).toBe("any");
  });

  it("is refused where only existence is asked for", async () => {
    for (const how of EXISTENCE) {
      await expectError(() => plan({ how, validate: "m:1" }), "INVALID_OPTION", 'validate: "m:1"', how, "inner");
      await expectError(() => plan({ how, multiple: "any" }), "INVALID_OPTION", 'multiple: "any"', how, "inner");
      await expectError(() => plan({ how, unmatched: "error" }), "INVALID_OPTION", "unmatched", how, "inner");
      await expectError(() => plan({ how, unmatched: { right: "error" } }), "INVALID_OPTION", "unmatched", how);
      plan({ how, validate: "m:m", multiple: "all", unmatched: { left: "allow" } });
    }
  });

  it("the last partner of buffered rows is refused in a stream", async () => {
    const last = { multiple: "last" };
    await expectError(() => plan({ ...last, build: "left" }, "stream"), "INVALID_OPTION", 'multiple: "last"', 'build: "right"');
    await expectError(() => plan({ ...last, order: "right" }, "stream"), "INVALID_OPTION", 'build: "right" and order: "left"');
    await expectError(() => plan({ ...last, how: "right" }, "stream"), "INVALID_OPTION", 'build: "left"');
    plan(last, "stream");
    plan({ ...last, how: "right", build: "left" }, "stream");
    plan({ ...last, how: "right", order: "right" }, "stream");
    plan({ multiple: "first", build: "left" }, "stream");
    for (const how of PAIRS) for (const build of ["left", "right"]) plan({ ...last, how, build });
  });
});

describe("a null-aware join", () => {
  it("is an anti or a mark join", async () => {
    for (const how of [...PAIRS, "leftSemi", "rightSemi"])
      await expectError(() => plan({ how, nullAware: true }), "INVALID_OPTION", "nullAware", how, "leftAnti");
    for (const how of ["leftAnti", "rightAnti", "leftMark", "rightMark"]) expect(plan({ how, nullAware: true }).kind).toBe(how);
  });

  it("probes with its output side unless `build` says otherwise", () => {
    for (const side of ["left", "right"] as const) {
      const other = side === "left" ? "right" : "left";
      for (const kind of ["Anti", "Mark"])
        for (const order of ["left", "right", "any"])
          for (const build of ["left", "right", "auto"]) {
            const built = build === "auto" ? other : build;
            expect(plan({ how: `${side}${kind}`, nullAware: true, build, order })).toMatchObject({
              probe: built === "left" ? "right" : "left",
              build: built,
              hashed: built,
              unified: order === "right" ? "left" : "right",
            });
          }
      expect(plan({ how: `${side}Anti`, nullAware: true, build: side }, "stream")).toMatchObject({ probe: other, build: side });
    }
  });
});
