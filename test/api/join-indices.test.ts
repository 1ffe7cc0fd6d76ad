/** `joinIndices`: the row numbers behind the rows of `join`, for every kind and every way of running it. */

import { Null, type Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { runJoinIndices } from "../../src/api/run-join.ts";
import { join, joinIndices } from "../../src/index.ts";
import { switchesOf } from "../support/axes.ts";
import { int32, nullType, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { type OracleOptions, type Origin, oracleJoin } from "../support/oracle.ts";
import { KINDS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import type { How, Options } from "../support/run.ts";
import { resplit, table } from "../support/table.ts";

const PLAIN_KINDS = KINDS.filter((how) => !how.endsWith("Mark"));
const none: Origin = { left: -1, right: -1 };

/** The arrays as rows of the result; a side that the kind does not output is empty. */
function originsOf({ left, right }: { left: Int32Array; right: Int32Array }, how: How): Origin[] {
  expect(left).toBeInstanceOf(Int32Array);
  expect(right).toBeInstanceOf(Int32Array);
  if (/^left[A-Z]/.test(how)) expect(right).toHaveLength(0);
  else if (/^right[A-Z]/.test(how)) expect(left).toHaveLength(0);
  else expect(right).toHaveLength(left.length);
  const length = Math.max(left.length, right.length);
  return Array.from({ length }, (_, i) => ({ ...none, ...(left.length && { left: left[i] }), ...(right.length && { right: right[i] }) }));
}

const text = ({ left, right }: Origin) => `${left}-${right}`;

const LAYOUTS: { readonly [name: string]: (input: Table) => Table } = {
  "as given": (input) => input,
  "every row a batch": (input) => resplit(input, 1, false),
  "pairs with empty batches between": (input) => resplit(input, 2, true),
};

const SIZES = [1, 2, undefined, 3, 1000];
let turn = 0;

function checkAll(left: Table, right: Table, options: Options): void {
  for (const layout of Object.values(LAYOUTS)) {
    const inputs = [layout(left), layout(right)] as const;
    const read = inputs.map(readTable);
    for (const order of [undefined, "left", "right", "any"] as const) {
      const oracle: OracleOptions = { ...options, order: order === "right" ? "right" : "left", unified: "right" };
      const expected = oracleJoin(read[0], read[1], oracle).origins.map(text);
      for (const build of ["left", "right", "auto"] as const)
        for (const kernel of ["wasm", "ts"] as const) {
          // Every size meets every value of the others, not every combination of them.
          const given = { ...options, order, build, kernel, batchSize: SIZES[turn++ % SIZES.length] };
          const actual = originsOf(runJoinIndices(inputs[0], inputs[1], given) as any, options.how ?? "inner").map(text);
          const where = JSON.stringify(given);
          if (order === "any") expect(actual.sort(), where).toEqual([...expected].sort());
          else expect(actual, where).toEqual(expected);
        }
    }
  }
}

describe("joinIndices gives the rows of join", () => {
  const left = table({ id: int32([1, null, 2, 2, 5, 1]), v: utf8(["a", "b", "c", "d", "e", "f"]) }, { split: [2, 4], slice: true });
  const right = table({ id: int32([2, 7, null, 1, 2]), w: int32([0, 1, 2, 3, 4]) }, { split: [3, 2] });
  const unique = table({ id: int32([1, 2, 5]) }, { split: [1, 2] });
  const empty = table({ id: int32([]) }, { split: [] });

  for (const how of PLAIN_KINDS) {
    it(`of kind ${how}`, () => {
      checkAll(left, right, { on: "id", how });
      checkAll(left, right, { on: "id", how, nullsEqual: true });
    });

    it(`of kind ${how}, where keys are unique or a side is empty`, () => {
      checkAll(left, unique, { on: "id", how });
      checkAll(unique, left, { on: "id", how });
      checkAll(left, empty, { on: "id", how });
      checkAll(empty, left, { on: "id", how });
    });
  }

  it("with collided hashes and tiny tables", () => {
    const switches = switchesOf({ switches: "collideHashes forceTable swiss" } as any);
    const expected = oracleJoin(readTable(left), readTable(right), { on: "id", how: "full", order: "left", unified: "right" });
    expect(originsOf(runJoinIndices(left, right, { on: "id", how: "full" }, switches) as any, "full")).toEqual(expected.origins);
  });

  it("of more rows than a part of a step has", () => {
    const n = 200_000;
    const ids = Array.from({ length: n }, (_, i) => (i * 7919) % n);
    const [a, b] = [table({ id: int32(ids) }, { split: [n / 2, n / 2] }), table({ id: int32(ids.slice(0, n / 2)) })];
    const found = joinIndices(a, b, { on: "id", how: "left", batchSize: 30_000 });
    expect(found.left).toHaveLength(n);
    expect(found.left.every((row, i) => row === i)).toBe(true);
    expect(found.right.every((row, i) => row === (i < n / 2 ? i : -1))).toBe(true);
    const whole = joinIndices(a, b, { on: "id", how: "left" });
    expect(whole.right.every((row, i) => row === found.right[i])).toBe(true);
  });

  it("with `multiple` and `validate`", async () => {
    checkAll(left, right, { on: "id", how: "left", multiple: "first" });
    checkAll(left, right, { on: "id", how: "right", multiple: "first" });
    expect([...joinIndices(left, right, { on: "id", how: "left", multiple: "last" } as any).right]).toEqual([3, -1, 4, 4, -1, 3]);
    await expectError(() => joinIndices(left as any, right as any, { on: "id", validate: "1:1" }), "CARDINALITY");
  });

  it("with a filter", () => {
    const filter = (l: any, r: any) => l.v.ge("c").and(r.w.lt(4));
    for (const how of ["inner", "full", "leftAnti"] as const) checkAll(left, right, { on: "id", how, filter });
    const nulls: Options = { on: "id", how: "leftAnti", nullAware: true, filter };
    expect(Array.from(joinIndices(left, right, nulls as any).left)).toEqual([0, 1]);
  });
});

describe("joinIndices", () => {
  const left = table({ id: int32([1, 2]), x: int32([1, 2]) });
  const right = table({ id: int32([2, 2]), x: int32([3, 4]) });

  it("gives arrays of its own: the inputs and the result of another call stay as they are", () => {
    const options = { on: "id", how: "full" } as const;
    const found = joinIndices(left, right, options);
    const copy = { left: [...found.left], right: [...found.right] };
    found.left.fill(9);
    found.right.fill(9);
    expect(join(left, right, { on: "id" }).toArray().map(String)).toHaveLength(2);
    const again = joinIndices(left, right, options);
    expect({ left: [...again.left], right: [...again.right] }).toEqual(copy);
    const self = joinIndices(left, left, { on: "id" });
    self.left[0] = 9;
    expect(self.right[0]).toBe(0);
  });

  it("does not mind columns whose names would clash or whose types a full join could not coalesce", () => {
    const other = table({ id: int32([2]), x: utf8(["a"]), x_right: utf8(["b"]) });
    const clashing = table({ id: int32([1]), x: int32([1]), x_right: int32([1]) });
    expect([...joinIndices(clashing, other, { on: "id", how: "full" }).right]).toEqual([-1, 0]);
  });

  it("takes the options that shape no table", async () => {
    const refused = [{ select: ["id"] }, { suffix: "_r" }, { coalesceKeys: false }, { copy: true }, { markName: "m" }];
    for (const option of refused) {
      const [name] = Object.keys(option);
      const options = { on: "id", ...option } as any;
      await expectError(() => joinIndices(left, right, options), "INVALID_OPTION", "joinIndices", name, "option of join.");
    }
    await expectError(() => joinIndices(left, right, { on: "id", how: "leftMark" as any }), "INVALID_OPTION", "leftMark", "leftSemi");
    let rows = 0;
    joinIndices(left, right, { on: "id", onMetrics: (metrics) => (rows = metrics.outRows) });
    expect(rows).toBe(2);
  });

  it("refuses rows that 32 bits do not number, before any work", async () => {
    const rows = 2 ** 31 - 1;
    // Rows without bytes, as a batch by shape: apache-arrow's own constructor would count their nulls.
    const { schema } = table({ id: nullType([]) });
    const batch = { schema, data: { length: rows, children: [{ type: new Null(), length: rows }] } };
    const input = { schema, batches: [batch] };
    await expectError(() => joinIndices(left, input as any, { on: "id" }), "INVALID_INPUT", "right input", String(rows), "2147483646");
    await expectError(() => joinIndices(input as any, left, { on: "id" }), "INVALID_INPUT", "left input");
  });
});
