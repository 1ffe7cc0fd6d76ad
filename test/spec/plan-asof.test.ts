/** What a request of an as-of join becomes: keys, output columns, what is refused before any work, and the text of it. */

import { describe, expect, it } from "vitest";
import { parseAsof } from "../../src/api/asof-request.ts";
import type { AsofSpec } from "../../src/spec/asof-spec.ts";
import { type AsofExplainState, explainAsof } from "../../src/spec/explain-asof.ts";
import { planAsof } from "../../src/spec/plan-asof.ts";
import { STREAM_BATCH_ROWS, TABLE_BATCH_ROWS } from "../../src/spec/plan-join.ts";
import { expectError } from "../support/errors.ts";
import { fieldsOf } from "./fields.ts";

type Types = { readonly [name: string]: string };

const TRADES: Types = { t: "timestamp(ms)", sym: "utf8", px: "float64" };
const QUOTES: Types = { t: "timestamp(us)", sym: "utf8", bid: "float64", px: "float64" };

const input = (types: Types, nullable = false) => ({ fields: fieldsOf(types).map((field) => ({ ...field, nullable })), rows: null });

/** Entries of `rights` hold the columns of a right and its own options. */
function plan(
  rights: readonly (readonly [Types, object?])[],
  options: object,
  left = TRADES,
  mode: "table" | "stream" = "table",
): AsofSpec {
  const verb = mode === "table" ? "joinAsof" : "joinAsofStream";
  const { request } = parseAsof(
    verb,
    rights.map(([, own]) => ({ table: null, ...own })),
    options,
  );
  return planAsof(
    input(left),
    rights.map(([types]) => input(types)),
    request,
    mode,
  );
}

const one = (options: object, right = QUOTES, left = TRADES): AsofSpec => plan([[right]], options, left);
const names = ({ output }: AsofSpec) => output.map(({ name }) => name);

describe("the output of an as-of join", () => {
  it("is the left, then the right without `by` and time columns of the left's names", () => {
    expect(names(one({ on: "t", by: "sym" }))).toEqual(["t", "sym", "px", "bid", "px_right"]);
    expect(names(one({ on: "t" }))).toEqual(["t", "sym", "px", "sym_right", "bid", "px_right"]);
  });

  it("keeps time and `by` columns of other names", () => {
    const rates = { time: "timestamp(ms)", ccy: "utf8", rate: "float64" };
    expect(names(one({ on: { t: "time" }, by: { sym: "ccy" } }, rates))).toEqual(["t", "sym", "px", "time", "ccy", "rate"]);
  });

  it("has the matched time by the name that rightTime gives", () => {
    expect(names(one({ on: "t", by: "sym", rightTime: "at" }))).toEqual(["t", "sym", "px", "at", "bid", "px_right"]);
    expect(names(one({ on: { t: "time" }, rightTime: "at" }, { time: "timestamp(s)" }))).toEqual(["t", "sym", "px", "at"]);
    expect(names(one({ on: "t", by: "sym", rightTime: "t" }))).toEqual(["t", "sym", "px", "t_right", "bid", "px_right"]);
    expect(names(one({ on: "t", by: ["sym", "t"], rightTime: "at" }, { ...QUOTES, t: TRADES.t }))).toEqual([
      "t",
      "sym",
      "px",
      "at",
      "bid",
      "px_right",
    ]);
  });

  it("tells sides, positions and nullability", () => {
    const { output } = one({ on: "t", by: "sym" });
    expect(output[2]).toEqual({ name: "px", left: 2, right: null, from: 0, nullable: false, typeOf: "left", convert: "none" });
    expect(output[4]).toEqual({ name: "px_right", left: null, right: 3, from: 0, nullable: true, typeOf: "right", convert: "none" });
    expect(one({ on: "t", how: "inner" }).output.every(({ nullable }) => !nullable)).toBe(true);
  });

  it("of semi and anti is the left alone", async () => {
    for (const how of ["leftSemi", "leftAnti"]) {
      expect(names(one({ on: "t", by: "sym", how }))).toEqual(["t", "sym", "px"]);
      await expectError(() => one({ on: "t", how, rightTime: "at" }), "INVALID_OPTION", "rightTime", '"at"', how, "only the left side");
      await expectError(() => one({ on: "t", how, select: ["right.bid"] }), "INVALID_OPTION", '"right.bid"', how);
      await expectError(() => plan([[QUOTES], [QUOTES, { rightTime: "x" }]], { on: "t", how }), "INVALID_OPTION", "rightTime");
    }
  });

  it("gives a clash the suffix of its right, whether with the left or with an earlier right", () => {
    const a = { t: "timestamp(ms)", px: "int32", a: "int32" };
    const b = { t: "timestamp(ms)", px: "int32", a: "int32", b: "int32" };
    const spec = plan(
      [
        [a, { suffix: "_a" }],
        [b, { suffix: "_b" }],
      ],
      { on: "t" },
    );
    expect(names(spec)).toEqual(["t", "sym", "px", "px_a", "a", "px_b", "a_b", "b"]);
    expect(spec.output.map(({ from }) => from)).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
    expect(names(plan([[{ t: "timestamp(ms)", a: "int32" }], [{ t: "timestamp(ms)", a: "int32" }]], { on: "t" }))).toEqual([
      "t",
      "sym",
      "px",
      "a",
      "a_right",
    ]);
  });

  it("gives left names the left suffix of a pair, that of the first right that they clash with", () => {
    expect(names(one({ on: "t", by: "sym", suffix: ["_l", "_r"] }))).toEqual(["t", "sym", "px_l", "bid", "px_r"]);
    const px = { t: "timestamp(ms)", px: "int32" };
    const spec = plan([[{ t: "timestamp(ms)" }], [px, { suffix: ["_1", "_2"] }], [px, { suffix: ["_3", "_4"] }]], { on: "t" });
    expect(names(spec)).toEqual(["t", "sym", "px_1", "px_2", "px_4"]);
  });

  it("with a clash that remains is refused", async () => {
    const same = { t: "timestamp(ms)", px: "float64" };
    await expectError(() => plan([[same], [same]], { on: "t" }), "DUPLICATE_COLUMN", '"px_right"', "suffix");
    await expectError(() => one({ on: "t", by: "sym", suffix: "" }), "DUPLICATE_COLUMN", '"px"');
    await expectError(() => one({ on: "t", by: "sym", rightTime: "bid" }), "DUPLICATE_COLUMN", '"bid_right"');
    await expectError(() => one({ on: "t", select: ["t", "left.t"] }), "DUPLICATE_COLUMN", '"t"');
  });

  it("by `select` has columns of every input, or of the default output", async () => {
    const three = (select: unknown, own = {}) =>
      names(plan([[QUOTES], [QUOTES, { suffix: "_1", ...own }], [QUOTES, { suffix: "_2" }]], { on: "t", by: "sym", select }));
    expect(three(["right2.bid", "left.px", "right1.t", "sym"])).toEqual(["bid", "px", "t", "sym"]);
    expect(three(["left.px", "right.px", "right1.px", "right2.px"])).toEqual(["px", "px_right", "px_1", "px_2"]);
    expect(three(["bid_1", "px_2", "bid"])).toEqual(["bid_1", "px_2", "bid"]);
    expect(three({ a: "right1.bid", b: "left.t", c: "at" }, { rightTime: "at" })).toEqual(["a", "b", "c"]);
    expect(three([])).toEqual([]);
    await expectError(() => three(["right3.bid"]), "COLUMN_NOT_FOUND", '"right3.bid"', '"right2.x"');
    await expectError(() => three(["right1.nope"]), "COLUMN_NOT_FOUND", "right1 input has no column", '"nope"', '"bid"');
    await expectError(() => three(["t_right"]), "COLUMN_NOT_FOUND", '"t_right"');
  });

  it("takes names with dots as they are", () => {
    const right = { t: "timestamp(ms)", "right.x": "int32", "a.b": "int32" };
    expect(names(one({ on: "t", select: ["right.right.x", "right.x", "a.b", "right.a.b"] }, right))).toEqual([
      "right.x_right",
      "right.x",
      "a.b",
      "a.b_right",
    ]);
  });
});

describe("the plan of an as-of join", () => {
  it("keeps what each right says for itself", () => {
    const spec = plan(
      [
        [QUOTES, { direction: "forward", tolerance: "5s" }],
        [QUOTES, { allowExactMatches: false, ties: "last", by: [{ left: "sym", right: "sym", nullsEqual: true }], suffix: "_1" }],
      ],
      { on: "t", by: "sym", how: "inner", ties: "first" },
    );
    expect(spec.kind).toBe("inner");
    expect(spec.rights.map(({ name }) => name)).toEqual(["right", "right1"]);
    expect(spec.rights[0]).toMatchObject({ direction: "forward", strict: false, ties: "first", before: null, tolerance: "5s" });
    expect(spec.rights[0].after).toEqual({ major: 0, minor: 5_000_000 });
    expect(spec.rights[1]).toMatchObject({ direction: "backward", strict: true, ties: "last", before: null, after: null, tolerance: null });
    expect(spec.rights.map(({ keys }) => keys.map(({ nullsEqual }) => nullsEqual))).toEqual([[false], [true]]);
  });

  it("has the left time in the form that each right needs", () => {
    const spec = plan([[QUOTES], [{ t: "timestamp(ms)", x: "int32" }]], { on: "t" });
    expect(spec.rights.map(({ leftTime }) => leftTime.op)).toEqual(["coarse", "split"]);
    expect(spec.rights.map(({ leftTime, time }) => leftTime.base === time.base)).toEqual([true, true]);
  });

  it("has `by` keys of every key type, dictionaries for their values", async () => {
    const types = { t: "int32", k: "dictionary(int8, utf8)" };
    const { keys } = one({ on: "t", by: "k" }, { ...types, k: "utf8" }, types).rights[0];
    expect(keys[0]).toMatchObject({ left: 1, right: 1, leftName: "k", nullsEqual: false });
    expect(one({ on: "t", by: "k", nullsEqual: true }, types, types).rights[0].keys[0].nullsEqual).toBe(true);
    const words = ["KEY_TYPE_MISMATCH", 'left "sym" is utf8', 'right1 "sym" is int32', 'Cast right1 "sym" to utf8'] as const;
    await expectError(() => plan([[QUOTES], [{ t: "timestamp(ms)", sym: "int32" }]], { on: "t", by: "sym" }), ...words);
  });

  it("names the input and the column that it has not", async () => {
    await expectError(() => one({ on: "time" }), "COLUMN_NOT_FOUND", "left input", '"time"', '"t", "sym", "px"');
    await expectError(() => one({ on: { t: "time" } }), "COLUMN_NOT_FOUND", "right input", '"time"', '"bid"');
    await expectError(() => one({ on: "t", by: "bid" }), "COLUMN_NOT_FOUND", "left input", '"bid"');
    await expectError(() => one({ on: "t", by: { sym: "nope" } }), "COLUMN_NOT_FOUND", "right input", '"nope"');
    await expectError(() => plan([[QUOTES], [QUOTES, { on: { t: "u" } }]], { on: "t" }), "COLUMN_NOT_FOUND", "right1 input", '"u"');
  });

  it("has one left time", async () => {
    const left = { t: "int32", u: "int32" };
    const right = { t: "int32" };
    await expectError(
      () => plan([[right], [right, { on: { u: "t" } }]], { on: "t" }, left),
      "INVALID_OPTION",
      'left "t"',
      "right1",
      'left "u"',
    );
  });

  it("has a filter for each right", async () => {
    const filter = (l: any, r: any) => r.bid.gt(l.px);
    const spec = plan([[QUOTES, { filter }], [{ t: "timestamp(ms)", x: "int32" }]], { on: "t" });
    expect(spec.rights.map((right) => right.filter?.text)).toEqual(["right.bid > left.px", undefined]);
    await expectError(
      () => plan([[QUOTES], [{ t: "timestamp(ms)" }]], { on: "t", filter }),
      "INVALID_EXPRESSION",
      "filter of right1",
      '"bid"',
    );
    await expectError(() => one({ on: "t", filter: (_: any, r: any) => r.sym.gt(1) }), "INVALID_EXPRESSION");
  });

  it("has batches as every join, eager in streams", () => {
    expect(one({ on: "t" })).toMatchObject({ batchSize: TABLE_BATCH_ROWS, flush: "full", probe: "left", build: "right", unified: "right" });
    expect(plan([[QUOTES]], { on: "t" }, TRADES, "stream")).toMatchObject({
      batchSize: STREAM_BATCH_ROWS,
      flush: "eager",
      unsorted: "error",
    });
    expect(plan([[QUOTES]], { on: "t", batchSize: 3, flush: "full", copy: true }, TRADES, "stream")).toMatchObject({
      batchSize: 3,
      flush: "full",
      copy: true,
    });
  });

  it("does not sort streams", async () => {
    expect(one({ on: "t", unsorted: "sort" }).unsorted).toBe("sort");
    await expectError(
      () => plan([[QUOTES]], { on: "t", unsorted: "sort" }, TRADES, "stream"),
      "INVALID_OPTION",
      '"sort"',
      "stream",
      "joinAsof",
    );
  });
});

describe("explain", () => {
  const now: AsofExplainState = {
    state: "merging",
    kernel: "wasm",
    kernelReason: null,
    leftRows: 10,
    outRows: 7,
    outBatches: 2,
    rights: [
      { rows: 40, keys: 3, heldRows: 12, heldBytes: 960 },
      { rows: 5, keys: 1, heldRows: 0, heldBytes: 0 },
    ],
  };

  it("says what is joined with what, and how far it is", () => {
    const spec = plan(
      [
        [QUOTES, { tolerance: "5s" }],
        [
          QUOTES,
          {
            direction: "nearest",
            allowExactMatches: false,
            by: undefined,
            ties: "last",
            suffix: "_1",
            filter: (_: any, r: any) => r.bid.gt(1),
          },
        ],
      ],
      { on: "t", by: "sym" },
      TRADES,
      "stream",
    );
    expect(explainAsof(spec, now)).toBe(
      [
        "AsofJoin left backward on left.t >= right.t by left.sym = right.sym (utf8), tolerance 5s",
        "  and nearest on left.t ~ right1.t by left.sym = right1.sym (utf8), not at the same time, ties last, where right.bid > 1",
        "  left: 10 rows",
        "  right: 40 rows, 3 keys; holds 12 rows, 960 bytes",
        "  right1: 5 rows, 1 keys; holds 0 rows, 0 bytes",
        "  output: 7 columns, batches of at most 8192 rows, emitted eagerly",
        "  kernel: wasm",
        "  state: merging; 7 rows out in 2 batches",
      ].join("\n"),
    );
  });

  it("tells a strict comparison, null keys, sorting, and a kernel's reason", () => {
    const spec = one({
      on: "t",
      by: "sym",
      nullsEqual: true,
      allowExactMatches: false,
      direction: "forward",
      unsorted: "sort",
      tolerance: { after: 3 },
    });
    const text = explainAsof(spec, { ...now, kernel: "ts", kernelReason: "refused", rights: now.rights.slice(0, 1) });
    for (const part of [
      "forward on left.t < right.t by left.sym is not distinct from right.sym",
      "tolerance 3 after",
      "sorted",
      "ts (refused)",
    ])
      expect(text).toContain(part);
  });
});
