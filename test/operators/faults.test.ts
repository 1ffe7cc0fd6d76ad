/** The list of faults that other systems' joins have had: each entry has a test in a file beside this one, or a reason why not yet. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Entries that have nothing to test yet, with what they wait for. */
const NOT_YET: { readonly [entry: number]: string } = {
  22: "charged against allocated bytes: comes with memoryLimit",
  31: "offsets beyond 4 GiB cannot be made in a test; the bound on gathered bytes is tested at the kernels",
};

/** Entries of Part 1, sections A to H. */
const ENTRIES = [
  1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24, 25, 27, 28, 30, 31, 33, 34, 36, 37, 39, 40, 42, 43, 45, 46, 48, 49, 51, 52, 54,
  55, 57, 58, 60, 61, 63, 64, 66, 67, 69, 70, 72, 73, 75, 76, 87,
];

/** Those of sections A, B and G that a nested loop can have. */
const OF_LOOPS = [1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 24, 25, 67, 69, 70, 72, 73, 75, 76];

/** The numbers of the tests in a file beside this one. */
const testsIn = (name: string): number[] =>
  [...readFileSync(`${import.meta.dirname}/${name}`, "utf8").matchAll(/\bit\(\s*"(\d+): /g)].map((match) => Number(match[1]));

describe("the list of faults", () => {
  it("is complete: every entry has a test, named by its number, or a reason", () => {
    const files = readdirSync(import.meta.dirname).filter((name) => /^faults-.*\.test\.ts$/.test(name));
    const here = new Set([...files.flatMap(testsIn), ...Object.keys(NOT_YET).map(Number)]);
    expect([...here].sort((a, b) => a - b)).toEqual(ENTRIES);
  });

  it("is complete for nested loops: they have a test of their own for every entry that they can have", () => {
    expect(["faults-loop.test.ts", "faults-loop-columns.test.ts"].flatMap(testsIn)).toEqual(OF_LOOPS);
  });
});
