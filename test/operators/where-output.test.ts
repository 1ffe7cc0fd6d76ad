/**
 * The columns of `joinWhere` (SEMANTICS 2): all left ones, then all right ones, whatever the predicate says is equal; suffixes, selections, marks,
 * nullability, metadata, every payload type, dictionaries, slices. On the nested loop, the range index and hash keys alike.
 */

import type { Table } from "apache-arrow";
import { describe, expect, it } from "vitest";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoinWhere } from "../support/expect-join.ts";
import { ALL_KINDS } from "../support/random.ts";
import { readTable } from "../support/rows.ts";
import { type How, joinWhere, joinWhereStream, type Options, runJoinWhere } from "../support/run.ts";
import { EVERY_TYPE } from "../support/samples.ts";
import { table } from "../support/table.ts";
import { l, lit, r, type Tree, x } from "../support/tree.ts";

const left = table(
  {
    id: c.int32([3, 1, null, 2, 3]),
    name: c.utf8(["c", "a", "∅", "b", null]),
    "left only": c.bool([true, null, false, true, false]),
    flag: c.int32([1, 2, 3, 4, 5]),
  },
  {
    split: [2, 3],
    nullable: { id: true, name: true, "left only": true, flag: false },
    metadata: { who: "left", l: "1" },
    fieldMetadata: { id: { of: "left" }, name: { "ARROW:extension:name": "geoarrow.wkb" } },
  },
);
const right = table(
  { name: c.utf8(["x", "y", "z"]), id: c.int32([2, 3, 9]), w: c.float64([0.5, null, "-0"]) },
  {
    nullable: { name: false, id: false, w: true },
    metadata: { who: "right", r: "1" },
    fieldMetadata: { id: { of: "right" }, w: { unit: "kg" } },
  },
);

/** One for each path: keys, a range, a loop, a constant. */
const PREDICATES: readonly Tree[] = [x.eq(l("id"), r("id")), x.le(l("id"), r("id")), x.ne(x.mod(x.add(l("id"), r("id")), 2), 1), lit(true)];

const gives = { left: (how: How) => !/^right[A-Z]/.test(how), right: (how: How) => !/^left[A-Z]/.test(how) };

/** Each case runs a part of the combinations, in turn. */
let number = 0;
const turn = (parts = 24) => ({ part: [number++, parts] }) as const;

for (const how of ALL_KINDS) {
  const both = gives.left(how) && gives.right(how);

  describe(`the columns of a ${how} join on a predicate`, () => {
    it("are all of both sides: names that clash get the suffix, none is merged, metadata is kept", async () => {
      for (const predicate of PREDICATES) {
        await expectJoinWhere(left, right, predicate, { how }, turn());
        await expectJoinWhere(right, left, predicate, { how, suffix: "_2" }, turn());
        if (both) await expectJoinWhere(left, right, predicate, { how, suffix: ["_l", "_r"] }, turn());
      }
    });

    it("are those that select asks for, in its order and by its names", async () => {
      const forms: (Options["select"] | null)[] = [
        gives.left(how) ? ["left.name"] : null,
        gives.right(how) ? ["right.w", "right.id"] : null,
        both ? ["right.id", "left.id"] : null,
        both ? ["id_right", "left only", "w"] : null,
        both ? { a: "left.id", b: "right.id", c: "id_right", d: "id" } : null,
        how === "leftMark" ? ["mark", "left.flag"] : null,
        [],
        {},
      ];
      for (const select of forms) if (select !== null) await expectJoinWhere(left, right, PREDICATES[number % 4], { how, select }, turn());
    });

    it("come from batches, slices and dictionaries of any layout", async () => {
      const cells = ["x", null, "", "y", "x", "zz"];
      const dictionaries = (own: string) =>
        table(
          {
            [own]: c.int32([0, 1, 2, 3, 4, 5]),
            shared: c.dictionary(c.utf8(cells), { index: own === "a" ? "int8" : "uint16" }),
            each: c.dictionary(c.utf8(cells), { index: "int16", perBatch: true, nullValue: true, repeated: true }),
            nested: c.list(c.dictionary(c.utf8(), { perBatch: true, index: "int8" }), [["a"], null, [], ["b", null], ["a", "c"], ["d"]]),
          },
          { split: [1, 3, 2], slice: own === "b" },
        );
      for (const predicate of [x.lt(l("a"), r("b")), x.eq(l("a"), r("b")), x.eq(x.mod(x.add(l("a"), r("b")), 3), 1)])
        await expectJoinWhere(dictionaries("a"), dictionaries("b"), predicate, { how }, turn());
      await expectJoinWhere(dictionaries("a"), dictionaries("b"), x.lt(l("each"), r("shared")), { how }, turn());
    });
  });
}

describe("every type of column", () => {
  for (const [name, column] of Object.entries(EVERY_TYPE)) {
    it(`is carried along as it is: ${name}`, async () => {
      const rows = column.cells.length;
      const numbered = (own: string, slice: boolean) =>
        table({ [own]: c.int32(Array.from({ length: rows }, (_, i) => i)), p: column }, { split: [2, rows - 2], slice });
      const kinds = [ALL_KINDS[number % 10], "full"] as const;
      for (const how of kinds)
        await expectJoinWhere(numbered("a", false), numbered("b", true), x.eq(x.mod(x.add(l("a"), r("b")), 3), 1), { how }, turn(19));
      await expectJoinWhere(numbered("a", true), numbered("b", false), x.lt(x.add(l("a"), 2), r("b")), { how: "full" }, turn(19));
    });
  }
});

describe("nullability", () => {
  const [a, b] = [table({ x: c.int32([1, 2]) }), table({ y: c.int32([1, 2]) })];
  const nullable = (how: How, predicate: Tree) => readTable(joinWhere(a, b, predicate, { how })).fields.map((field) => field.nullable);

  it("of a column follows the kind, not the rows", () => {
    for (const predicate of [lit(true), x.eq(l("x"), r("y")), x.lt(l("x"), r("y"))]) {
      expect(nullable("inner", predicate)).toEqual([false, false]);
      expect(nullable("left", predicate)).toEqual([false, true]);
      expect(nullable("right", predicate)).toEqual([true, false]);
      expect(nullable("full", predicate)).toEqual([true, true]);
      expect(nullable("leftSemi", predicate)).toEqual([false]);
      expect(nullable("rightMark", predicate)).toEqual([false, false]);
    }
  });
});

describe("marks of joinWhere", () => {
  it("take the name and the place that are asked for", async () => {
    for (const predicate of PREDICATES) {
      await expectJoinWhere(left, right, predicate, { how: "leftMark", markName: "found", select: ["found", "left.id"] }, turn());
      await expectJoinWhere(left, right, predicate, { how: "rightMark", markName: "found" }, turn());
      await expectJoinWhere(left, right, predicate, { how: "leftMark", markName: "m", select: { hit: "m", mark: "left.flag" } }, turn());
    }
  });
});

describe("names of joinWhere", () => {
  it("that clash in spite of the suffix are refused before any work", async () => {
    const clash = table({ id: c.int32([1]), id_right: c.int32([1]) });
    const predicate = x.lt(l("id"), r("id"));
    await expectError(() => joinWhere(clash, clash, predicate), "DUPLICATE_COLUMN", "id_right");
    await expectError(() => joinWhereStream(clash, clash, predicate), "DUPLICATE_COLUMN", "id_right");
    await expectError(() => joinWhere(left, right, predicate, { suffix: "" }), "DUPLICATE_COLUMN", "name");
    await expectError(() => joinWhere(left, right, predicate, { select: ["left.id", "id"] }), "DUPLICATE_COLUMN", "id");
    await expectError(() => joinWhere(left, right, predicate, { select: ["left.nope"] }), "COLUMN_NOT_FOUND", "nope");
  });
});

describe("what only the predicate reads", () => {
  it("is read and not output, and what nothing needs is never read", () => {
    const broken: Table = table({ v: c.int32([1, 2]), bad: c.utf8(["x", "y"]) });
    (broken.batches[0].data.children[1].valueOffsets as Int32Array)[1] = 1_000_000;
    const other = table({ w: c.int32([2, 0]), n: c.int32([7, 8]) });
    for (const kernel of ["wasm", "ts"]) {
      for (const switches of [{}, { wherePath: "loop" }, { rangeSearch: "always" }, { chunkRows: 1 }] as const) {
        const options = { select: ["n"], kernel };
        expect(readTable(runJoinWhere(broken, other, x.lt(l("v"), r("w")), options, switches)).rows).toEqual([[7]]);
        expect(runJoinWhere(broken, other, x.ge(l("v"), r("w")), { ...options, select: [] }, switches).numRows).toBe(3);
      }
    }
  });
});
