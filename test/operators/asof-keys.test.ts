/** The `by` keys of as-of joins: every type, types that meet, several keys, nulls; and what equal hashes must not merge. */

import { describe, expect, it } from "vitest";
import { KEYS, optionSets, SMALL, side } from "../support/asof-samples.ts";
import * as c from "../support/column.ts";
import { expectJoinAsof } from "../support/expect-asof.ts";
import { readTable } from "../support/rows.ts";
import { type AsofOptions, runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { table } from "../support/table.ts";

const TOLERANCES = [undefined, undefined, 0, 2, { before: 4, after: 1 }] as const;

let number = 0;
/** Each case runs one combination in so many, in turn. */
const turn = (parts = 20) => ({ part: [number++, parts] }) as const;

describe("an as-of join by keys", () => {
  for (const [name, [a, b]] of Object.entries(KEYS)) {
    it(`of ${name} finds the closest row of an equal key`, async () => {
      for (const options of optionSets(1 + (number % 3), TOLERANCES)) {
        const seed = number;
        const left = side(seed, SMALL[0], { name: "left", keys: [a] });
        const right = side(seed + 1, SMALL[1], { name: "right", keys: [b] });
        const types = String(a.make([]).type) === String(b.make([]).type) ? {} : { select: ["leftRow", "left.k0", "right.k0"] };
        const one = options.how?.startsWith("left") && options.how !== "left" ? {} : types;
        await expectJoinAsof(left, right, { on: "t", by: "k0", nullsEqual: seed % 2 === 0, ...options, ...one }, turn());
      }
    });
  }

  const several = [
    ["int32", "utf8"],
    ["dictionary per batch", "double", "bool"],
    ["int64", "decimal", "binary[20]"],
    ["two dictionaries", "utf8, dictionary", "timestamp"],
    ["bool", "int8"],
  ];
  for (const names of several) {
    it(`of several columns, ${names.join(" and ")}, wants all of them equal`, async () => {
      for (const options of optionSets(2, TOLERANCES)) {
        const seed = number;
        const left = side(seed, SMALL[0], { name: "left", rows: 16, keys: names.map((key) => KEYS[key][0]) });
        const right = side(seed + 1, SMALL[1], { name: "right", rows: 16, keys: names.map((key) => KEYS[key][1]) });
        const by = names.map((_, i) => ({ left: `k${i}`, right: `k${i}`, nullsEqual: (seed >> i) % 2 === 0 }));
        await expectJoinAsof(left, right, { on: "t", by, ...options }, turn());
      }
    });
  }

  it("takes null as equal to null only where it is asked to, for one key and for many", async () => {
    const left = table({ t: c.int32([1, 2, 3]), a: c.utf8([null, "x", null]), b: c.int32([null, null, 1]) });
    const right = table({ t: c.int32([0, 1, 2]), a: c.utf8([null, "x", null]), b: c.int32([null, null, 1]), r: c.int32([0, 1, 2]) });
    const rows = (by: unknown, ...partners: (number | null)[]) =>
      expectJoinAsof(left, right, { on: "t", by: by as string, select: ["right.r"] }, { rows: partners.map((r) => [r]) });
    const key = (name: string, nullsEqual: boolean) => ({ left: name, right: name, nullsEqual });
    await rows("a", null, 1, null);
    await rows([key("a", true)], 0, 1, 2);
    await rows(["a", "b"], null, null, null);
    await rows([key("a", true), key("b", true)], 0, 1, 2);
    await rows([key("a", false), key("b", true)], null, 1, null);
    await rows([key("a", true), key("b", false)], null, null, 2);
  });

  it("drops the right's key where it has the left's name, and keeps it where it has not", async () => {
    const left = table({ t: c.int32([1, 2]), k: c.int32([1, 2]), v: c.int32([0, 0]) }, { fieldMetadata: { k: { of: "left" } } });
    const right = table({ t: c.int32([0, 0]), k: c.int32([1, 3]), v: c.int32([7, 8]), j: c.int32([1, 2]) });
    const names = (by: unknown, rows: readonly (readonly (number | null)[])[]) =>
      expectJoinAsof(left, right, { on: "t", by: by as string }, { rows });
    await names("k", [
      [1, 1, 0, 7, 1],
      [2, 2, 0, null, null],
    ]);
    await names({ k: "j" }, [
      [1, 1, 0, 1, 7, 1],
      [2, 2, 0, 3, 8, 2],
    ]);
    await names({ v: "j" }, [
      [1, 1, 0, null, null, null],
      [2, 2, 0, null, null, null],
    ]);
  });

  it("of thousands of keys, more than any first table holds", async () => {
    const rows = 6000;
    const at = (i: number) => (i * 7919) % rows;
    const numbers = Array.from({ length: rows }, (_, i) => i);
    const left = table({ t: c.int32(numbers), k: c.int32(numbers.map(at)) }, { split: [2000, 4000] });
    const right = table(
      { t: c.int32(numbers), k: c.int32(numbers.map((i) => at(rows - 1 - i))), r: c.int32(numbers) },
      { split: [5000, 1000] },
    );
    for (const direction of ["backward", "forward", "nearest"] as const) {
      // Key at(i) is at time i on the left, at time rows - 1 - i on the right.
      const found = numbers.map((i) => {
        const t = rows - 1 - i;
        return direction === "nearest" || (direction === "backward" ? t <= i : t >= i) ? t : null;
      });
      await checkLarge(left, right, { on: "t", by: "k", direction }, found);
    }
  });
});

async function checkLarge(
  left: ReturnType<typeof table>,
  right: ReturnType<typeof table>,
  options: AsofOptions,
  found: readonly (number | null)[],
): Promise<void> {
  for (const kernel of ["wasm", "ts"] as const) {
    const select = ["right.r"];
    for (const switches of [{}, { tinyTables: true }]) {
      const all = { ...options, select, kernel };
      expect(readTable(runJoinAsof(left, right, all, switches)).rows.map(([r]) => r)).toEqual(found);
      const stream = await runJoinAsofStream(left, right, all, switches);
      expect(readTable(await stream.toTable()).rows.map(([r]) => r)).toEqual(found);
    }
  }
}
