/**
 * Faults that other systems' joins have had (public reports, by their number in the collection's Part 1), each reduced to a small input with the right
 * answer and run over every axis: gathers, slices, buffers, streams (F, H).
 */

import { Field, FixedSizeList, Int32, makeData, Schema, Vector, vectorFromArray } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { bool, dictionary, fixedSizeBinary, fixedSizeList, int32, list, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoin } from "../support/expect-join.ts";
import { readTable } from "../support/rows.ts";
import { join, joinStream } from "../support/run.ts";
import { batchOf, table } from "../support/table.ts";

const KERNELS = ["wasm", "ts"] as const;

const ids = (values: readonly (number | null)[], split?: readonly number[]) => table({ k: int32(values) }, split && { split });

describe("F. gathers, slices, buffers", () => {
  it("60: fixed-size lists and fixed-size binary have null slots where there is no partner", async () => {
    const side = (k: number) =>
      table({
        k: int32([k, 0]),
        f: fixedSizeList(2, int32(), [
          [1, 2],
          [3, 4],
        ]),
        b: fixedSizeBinary(3)(["010203", "ffffff"]),
      });
    for (const how of ["left", "right", "full"] as const) await expectJoin(side(1), side(2), { on: "k", how });
  });

  it("61: a slice behind nulls has the validity of its own rows", async () => {
    const payload = {
      l: list(int32(), [null, null, [1], [2, 3], null, [4]]),
      d: dictionary(utf8([null, null, "a", "b", null, "c"])),
      b: bool([null, null, true, false, null, true]),
    };
    const whole = table({ k: int32([0, 1, 2, 3, 4, 5]), ...payload });
    const sliced = batchOf(
      whole.schema,
      whole.batches[0].data.children.map((child) => child.slice(2, 4)),
      4,
    );
    for (const kernel of KERNELS) {
      expect(readTable(join(ids([5, 3, 2, 4]), sliced, { on: "k", kernel, build: "right" })).rows).toEqual([
        [5, [4], "c", true],
        [3, [2, 3], "b", false],
        [2, [1], "a", true],
        [4, null, null, null],
      ]);
    }
  });

  it("63: two slices of one buffer come out as their own rows", async () => {
    const whole = table({
      k: int32([0, 1, 2, 3, 4, 5, 6]),
      s: utf8(["a", "b", "c", null, "e", "f", "g"]),
      n: list(utf8(), [["a"], [], ["c", "c"], null, ["e"], [null], ["g"]]),
    });
    const slice = (from: number) =>
      batchOf(
        whole.schema,
        whole.batches[0].data.children.map((child) => child.slice(from, 3)),
        3,
      );
    const result = join(ids([4, 3, 2, 1]), [slice(2), slice(2)], { on: "k", how: "left", build: "right" });
    expect(readTable(result).rows).toEqual([
      [4, "e", ["e"]],
      [4, "e", ["e"]],
      [3, null, null],
      [3, null, null],
      [2, "c", ["c", "c"]],
      [2, "c", ["c", "c"]],
      [1, null, null],
    ]);
  });

  it("64: null counts of inputs are recomputed, and a fixed-size list that is too short under a last null is read", async () => {
    const set = int32([1, 2, 3]).encode([1, 2, 3], []);
    set.setValid(1, false);
    const told = int32([]).encode([1, null, 3], []);
    Object.assign(told, { _nullCount: 0 });
    const typed = vectorFromArray(new Int32Array([1, 2, 3])).data[0];
    for (const [name, data, keys] of [
      ["setValid", set, [1, null, 3]],
      ["a null count of 0", told, [1, null, 3]],
      ["a typed array", typed, [1, 2, 3]],
    ] as const) {
      const schema = new Schema([new Field("k", new Int32(), true)]);
      const input = batchOf(schema, [data], 3);
      for (const kernel of KERNELS) {
        const rows = readTable(join(input, ids([3, 2, 1]), { on: "k", how: "left", kernel, coalesceKeys: false })).rows;
        expect(rows, name).toEqual(keys.map((k) => [k, k]));
        expect(readTable(join(ids([1, 2, 3]), input, { on: "k", how: "rightAnti", kernel })).rows, name).toEqual(
          keys.filter((k) => k === null).map((k) => [k]),
        );
      }
    }
    const type = new FixedSizeList(2, new Field("item", new Int32(), true));
    const child = makeData({ type: new Int32(), length: 2, data: Int32Array.of(7, 8) });
    const short = makeData({ type, length: 2, nullBitmap: Uint8Array.of(1), child });
    const input = batchOf(
      new Schema([new Field("k", new Int32(), false), new Field("f", type, true)]),
      [int32([]).encode([1, 2], []), short],
      2,
    );
    for (const kernel of KERNELS) {
      expect(readTable(join(ids([2, 1, 1]), input, { on: "k", kernel, build: "right" })).rows).toEqual([
        [2, null],
        [1, [7, 8]],
        [1, [7, 8]],
      ]);
    }
    expect(new Vector([short]).length).toBe(2);
  });

  it("66: rows outside a slice do not take part", async () => {
    const whole = table({ k: int32([1, 2, 3, null]) });
    const filtered = batchOf(
      whole.schema,
      whole.batches[0].data.children.map((child) => child.slice(1, 1)),
      1,
    );
    for (const kernel of KERNELS) {
      for (const build of ["left", "right"] as const)
        expect(readTable(join(filtered, ids([1, 2]), { on: "k", kernel, build })).rows).toEqual([[2]]);
      expect(readTable(join(filtered, ids([1, 2]), { on: "k", how: "rightAnti", kernel })).rows).toEqual([[1]]);
    }
  });
});

describe("H. streams", () => {
  it("87: an error of either input in its second batch fails the join", async () => {
    const good = ids([1, 2, 3]);
    const cause = new Error("the disk is gone");
    const failing = () => ({
      schema: good.schema,
      batches: (async function* () {
        yield good.batches[0];
        throw cause;
      })(),
    });
    for (const how of ["inner", "left", "right", "full"] as const) {
      for (const sides of [
        [failing(), good],
        [good, failing()],
      ]) {
        const stream = await joinStream(sides[0], sides[1], { on: "k", how });
        const error = await expectError(() => stream.toTable(), "SOURCE_FAILED");
        expect(error.cause).toBe(cause);
      }
    }
  });
});
