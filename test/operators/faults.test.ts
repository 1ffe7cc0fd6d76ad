/** The list of faults that other systems' joins have had: each entry has a test in a file beside this one, or a reason why not yet. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Entries that have nothing to test yet, with what they wait for. */
const NOT_YET: { readonly [entry: number]: string } = {
  4: "a nested loop in chunks under a memory limit: comes with joinWhere and memoryLimit",
  22: "charged against allocated bytes: comes with memoryLimit",
  31: "offsets beyond 4 GiB cannot be made in a test; the bound on gathered bytes is tested at the kernels",
};

/** Entries of Part 1, sections A to H. */
const ENTRIES = [
  1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24, 25, 27, 28, 30, 31, 33, 34, 36, 37, 39, 40, 42, 43, 45, 46, 48, 49, 51, 52, 54,
  55, 57, 58, 60, 61, 63, 64, 66, 67, 69, 70, 72, 73, 75, 76, 87,
];

describe("the list of faults", () => {
  it("is complete: every entry has one test, named by its number, or a reason", () => {
    const files = readdirSync(import.meta.dirname).filter((name) => /^faults-.*\.test\.ts$/.test(name));
    const tests = files.flatMap((name) => [...readFileSync(`${import.meta.dirname}/${name}`, "utf8").matchAll(/\bit\(\s*"(\d+): /g)]);
    const here = [...tests.map((match) => Number(match[1])), ...Object.keys(NOT_YET).map(Number)].sort((a, b) => a - b);
    expect(here).toEqual(ENTRIES);
  });
});
