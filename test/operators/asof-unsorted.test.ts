/** Inputs out of order: an error that names side, row and both times; or, one-shot and asked for, sorted and joined as if they had come so. */

import { describe, expect, it } from "vitest";
import { type Domain, KEYS, optionSets, SMALL, side, TIMES } from "../support/asof-samples.ts";
import { ASOF_AXES, combinationsFor, random } from "../support/axes.ts";
import type { Cell } from "../support/cell.ts";
import * as c from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { source } from "../support/source.ts";
import { table } from "../support/table.ts";
import { r, x } from "../support/tree.ts";

const KERNELS = ["wasm", "ts"] as const;

type Make = (cells: readonly Cell[]) => c.Column;
const of = (cells: readonly Cell[], make: Make = c.int32, split?: readonly number[]) =>
  table({ t: make(cells), row: c.int32(cells.map((_, i) => i)) }, { split });

const sorted = of([0, 5, 9]);

describe("an input out of order is an error that names side, row and both times", () => {
  const NAN = "NaN(7ff8000000000000)";
  const cases: readonly (readonly [name: string, input: ReturnType<typeof of>, row: number, ...values: (string | RegExp)[]])[] = [
    ["in the second row", of([2, 1]), 1, /\b2\b/, /\b1\b/],
    ["in the last row", of([1, 2, 3, 4, 5, 6, 7, 3]), 7, /\b7\b/, /\b3\b/],
    ["across a border of batches", of([1, 8, 4, 9], c.int32, [2, 2]), 2, /\b8\b/, /\b4\b/],
    ["across empty batches", of([8, 4], c.int32, [1, 0, 0, 1]), 1, /\b8\b/, /\b4\b/],
    ["behind rows without a time", of([8, null, null, 4]), 3, /\b8\b/, /\b4\b/],
    ["behind NaN", of([8, NAN, NAN, 4.5], c.float64), 3, /\b8\b/, /4\.5/],
    ["at zero", of([0, -1]), 1, /\b0\b/, /-1\b/],
    ["from the largest to the smallest", of([2n ** 63n - 1n, -(2n ** 63n)], c.int64), 1, "9223372036854775807", "-9223372036854775808"],
    ["of unsigned words", of([2n ** 64n - 1n, 2n ** 63n - 1n], c.uint64), 1, "18446744073709551615", "9223372036854775807"],
    ["of integers that doubles do not tell apart", of([2n ** 53n + 1n, 2n ** 53n], c.int64), 1, "9007199254740993", "9007199254740992"],
    ["of infinities", of([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], c.float64), 1, /(^|[^-])\bInfinity/, /-Infinity/],
  ];

  for (const [name, input, row, ...values] of cases) {
    it(`${name}, on every side, in both kernels`, async () => {
      const words = [new RegExp(`\\b${row}\\b`), ...values];
      const other = table({ t: input.schema.fields[0].type.typeId === 3 ? c.float64([0, 5]) : c.int32([0, 5]) });
      for (const kernel of KERNELS) {
        const options = { on: "t", kernel };
        await expectError(() => runJoinAsof(input, other, options, {}), "UNSORTED", "left", ...words);
        await expectError(() => runJoinAsof(other, input, options, {}), "UNSORTED", /\bright\b/, ...words);
        await expectError(() => runJoinAsof(other, [{ table: other }, { table: input }], options, {}), "UNSORTED", "right1", ...words);
        for (const give of [(one: typeof input) => one, (one: typeof input) => source(one)]) {
          const stream = runJoinAsofStream(give(input), give(other), { ...options, direction: "forward" }, {}).then((all) => all.toTable());
          await expectError(() => stream, "UNSORTED", "left", ...words);
          const nearest = { ...options, direction: "nearest" as const };
          const late = table({ t: input.schema.fields[0].type.typeId === 3 ? c.float64([1e300]) : c.int64([2n ** 63n - 1n]) });
          await expectError(
            () => runJoinAsofStream(give(late), give(input), nearest, {}).then((all) => all.toTable()),
            "UNSORTED",
            "right",
            ...words,
          );
        }
      }
    });
  }

  it("and -0 behind 0, equal times, null and NaN are none", async () => {
    await expectJoinAsof(of([0, "-0", 0, NAN, null, 0], c.float64), of(["-0", 0, null, "-0"], c.float64), { on: "t" });
  });

  it("one-shot joins check every row, needed or not", async () => {
    for (const kernel of KERNELS)
      for (const direction of ["backward", "forward", "nearest"] as const)
        for (const how of ["left", "inner", "leftSemi", "leftAnti"] as const) {
          const options = { on: "t", direction, how, kernel };
          await expectError(
            () => runJoinAsof(of([5]), of([4, 9, 20, 30, 1], c.int32, [2, 2, 1]), options, {}),
            "UNSORTED",
            "right",
            /\b4\b/,
          );
          await expectError(() => runJoinAsof(of([]), of([4, 1]), options, {}), "UNSORTED", "right");
          await expectError(() => runJoinAsof(of([4, 1]), of([]), options, {}), "UNSORTED", "left");
          await expectError(
            () => runJoinAsof(of([1]), [{ table: of([1]) }, { table: of([3, 2]), suffix: "_1" }], options, {}),
            "UNSORTED",
            "right1",
          );
        }
  });

  it("a stream gives the rows before it that do not depend on it, and then the error", async () => {
    for (const kernel of KERNELS) {
      const stream = await runJoinAsofStream(
        source(of([1, 2, 6], c.int32, [1, 1, 1])),
        source(of([0, 3, 1], c.int32, [1, 1, 1])),
        { on: "t", kernel },
        {},
      );
      const batches = [];
      let error: unknown;
      try {
        for await (const batch of stream) batches.push(batch);
      } catch (thrown) {
        error = thrown;
      }
      await expectError(() => Promise.reject(error), "UNSORTED", "right", /\b2\b/, /\b3\b/, /\b1\b/);
      // Row 6 depends on what comes after 3; rows 1 and 2 were decided when 3 had come.
      expect(readBatches(stream.schema, batches).rows.length).toBeLessThan(3);
      await expectError(() => stream.next(), "UNSORTED");
    }
  });

  it("the error names the column and the remedy", async () => {
    await expectError(() => runJoinAsof(of([2, 1]), sorted, { on: "t" }, {}), "UNSORTED", '"t"', "sort");
    const stamped = of([2_000n, 1_000n], c.timestamp("ms"));
    await expectError(
      () => runJoinAsof(stamped, stamped, { on: "t" }, {}),
      "UNSORTED",
      "left",
      /\b1\b/,
      /2000|1970-01-01T00:00:02/,
      /1000|1970-01-01T00:00:01/,
    );
  });
});

describe("a watermark", () => {
  async function* marked(input: ReturnType<typeof of>, ...marks: readonly unknown[]) {
    for (const [i, batch] of input.batches.entries()) {
      if (marks[i] !== undefined) yield { watermark: marks[i] };
      yield batch;
    }
  }
  const join = async (left: unknown, right: unknown, kernel: string) =>
    readTable(await (await runJoinAsofStream(left, right, { on: "t", kernel, select: { at: "right.t" } }, {})).toTable()).rows.flat();
  const streamed = (input: ReturnType<typeof of>, ...marks: readonly unknown[]) => ({
    schema: input.schema,
    batches: marked(input, ...marks),
  });

  it("may be a number, a bigint or a Date, and holds for the rows that come", async () => {
    const stamps = of([0n, 2_000n, 5_000n], c.timestamp("ms"), [1, 1, 1]);
    const micros = of([0n, 1_500_000n, 5_000_001n], c.timestamp("us"), [1, 1, 1]);
    for (const kernel of KERNELS) {
      expect(
        await join(streamed(stamps, undefined, new Date(2_000), 2_000), streamed(micros, 0n, new Date(1_500), 2_000_000), kernel),
      ).toEqual([0n, 1_500_000n, 1_500_000n]);
      expect(await join(streamed(of([1, 2, 3], c.int32, [1, 2]), 1, 2n), streamed(of([1, 2, 3], c.int32, [2, 1]), 0, 3), kernel)).toEqual([
        1, 2, 3,
      ]);
      expect(
        await join(streamed(of([0.5, 2], c.float64, [1, 1]), 0.5, 1), streamed(of([0.25], c.float64), Number.NEGATIVE_INFINITY), kernel),
      ).toEqual([0.25, 0.25]);
    }
  });

  it("is UNSORTED where a later row is below it, on either side", async () => {
    for (const kernel of KERNELS) {
      const good = () => streamed(of([1, 2, 30], c.int32, [2, 1]));
      await expectError(
        () => join(streamed(of([1, 4], c.int32, [1, 1]), undefined, 5), good(), kernel),
        "UNSORTED",
        "left",
        /\b1\b/,
        /\b5\b/,
        /\b4\b/,
      );
      await expectError(
        () => join(good(), streamed(of([1, 4], c.int32, [1, 1]), undefined, 5), kernel),
        "UNSORTED",
        "right",
        /\b1\b/,
        /\b5\b/,
        /\b4\b/,
      );
    }
  });

  it("below the times that have come says nothing", async () => {
    for (const kernel of KERNELS)
      expect(
        await join(streamed(of([1, 4], c.int32, [1, 1]), -5, 0), streamed(of([1, 4, 4], c.int32, [1, 1, 1]), -9, -9, 4), kernel),
      ).toEqual([1, 4]);
  });

  it("that is no time of the input's type is refused", async () => {
    for (const mark of ["soon", Number.NaN, {}, null])
      await expectError(() => join(streamed(of([1, 4], c.int32, [1, 1]), undefined, mark), of([1]), "ts"), "INVALID_INPUT", "watermark");
  });
});

describe("with unsorted: sort, a one-shot join of inputs in any order", () => {
  const shuffled = (seed: number, time: Domain, name: "left" | "right", keys: readonly Domain[]) => {
    const read = readTable(side(seed, time, { name, keys, rows: 14 }));
    const pick = random(seed);
    const rows = [...read.rows];
    for (let i = rows.length - 1; i > 0; i--) {
      const j = pick(i + 1);
      [rows[i], rows[j]] = [rows[j], rows[i]];
    }
    const makes = [c.int32, time.make, ...keys.map((key) => key.make), c.int32];
    return table(Object.fromEntries(read.fields.map((field, i) => [field.name, makes[i](rows.map((row) => row[i]))])), {
      split: [5, 0, 9],
    });
  };

  let number = 0;
  it("gives each left row, in its place, what it would have found", async () => {
    for (const times of [SMALL, TIMES.int64, TIMES.float64, TIMES["timestamp s, ns"]]) {
      for (const options of optionSets(1 + (number % 4), [undefined, undefined, 0, 1, { before: 2, after: 1 }])) {
        const seed = number++;
        const [left, right] = [shuffled(seed, times[0], "left", [KEYS.utf8[0]]), shuffled(seed + 1, times[1], "right", [KEYS.utf8[1]])];
        const combinations = combinationsFor(`${seed}`, ASOF_AXES).filter(({ mode }) => mode === "join");
        const filter = seed % 5 === 0 ? { filter: x.lt(r("v"), 12) } : {};
        const by = seed % 3 ? { by: "k0", nullsEqual: seed % 2 === 0 } : {};
        await expectJoinAsof(left, right, { on: "t", ...by, ...options, ...filter, unsorted: "sort" }, { combinations, part: [seed, 4] });
      }
    }
  });

  it("is stable: of rows of one time the right's own order decides", async () => {
    const right = of([5, 1, 5, 1, 5]);
    const combinations = combinationsFor("", ASOF_AXES).filter(({ mode }) => mode === "join");
    for (const [options, ...rows] of [
      [{}, 4, 3, null],
      [{ ties: "first" }, 0, 1, null],
      [{ direction: "forward" }, 0, 1, 1],
      [{ direction: "forward", ties: "last" }, 4, 3, 3],
    ] as const)
      await expectJoinAsof(
        of([5, 1, 0]),
        right,
        { on: "t", unsorted: "sort", select: ["right.row"], ...options },
        { rows: rows.map((row) => [row]), combinations },
      );
  });

  it("leaves the inputs as they are, and is refused by a stream", async () => {
    const right = of([3, 1]);
    runJoinAsof(right, right, { on: "t", unsorted: "sort" }, {});
    expect(readTable(right).rows).toEqual([
      [3, 0],
      [1, 1],
    ]);
    await expectError(() => runJoinAsofStream(right, right, { on: "t", unsorted: "sort" }, {}), "INVALID_OPTION", "unsorted", "sort");
  });
});
