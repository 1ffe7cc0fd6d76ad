/** What the compiler says about `joinIndices`. Checked, never run. */

import type { Float64, Int32, Table, Utf8 } from "apache-arrow";
import { expectTypeOf, test } from "vitest";
import type { ColumnExprs } from "../../src/api/expr-types.ts";
import type { JoinIndices, joinIndices as joinIndicesVerb } from "../../src/index.ts";

declare const joinIndices: typeof joinIndicesVerb;

type Left = { id: Int32; price: Float64 };
declare const left: Table<Left>;
declare const right: Table<{ id: Int32; key: Utf8 }>;
declare const untyped: Table;

test("two arrays come out, whatever the kind", () => {
  expectTypeOf(joinIndices(left, right, { on: "id" })).toEqualTypeOf<JoinIndices>();
  expectTypeOf(joinIndices(left, right, { on: { id: "id" }, how: "leftAnti", nullAware: true }).left).toExtend<Int32Array>();
  joinIndices(untyped, right, { on: "id", order: "right", build: "left", batchSize: 5, kernel: "ts", validate: "m:1", multiple: "first" });
  joinIndices(left, right, {
    on: [{ left: "id", right: "id", nullsEqual: true }],
    filter: (l, r) => {
      expectTypeOf(l).toEqualTypeOf<ColumnExprs<Left>>();
      return l.price.gt(1).and(r.key.ne("x"));
    },
    onMetrics: ({ outRows }) => expectTypeOf(outRows).toBeNumber(),
  });
});

test("what it does not take does not compile", () => {
  // @ts-expect-error
  joinIndices(left, right, { on: "nope" });
  // @ts-expect-error
  joinIndices(left, right, { on: "key" });
  // @ts-expect-error
  joinIndices(left, right, { how: "left" });
  // @ts-expect-error
  joinIndices(left, right, { on: "id", filter: (l) => l.nope.isNull() });
  // @ts-expect-error no row numbers in a mark
  joinIndices(left, right, { on: "id", how: "leftMark" });
  // @ts-expect-error
  joinIndices(left, right, { on: "id", select: ["id"] });
  // @ts-expect-error
  joinIndices(left, right, { on: "id", copy: true });
  // @ts-expect-error
  joinIndices(left, right, { on: "id", hwo: "left" });
  // @ts-expect-error
  joinIndices(left, right, { on: "id", unmatched: { both: "error" } });
  // @ts-expect-error
  joinIndices(null, right, { on: "id" });
});
