/** Every example that a user can read runs, and prints what it says it prints. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { docstringExamples, markdownExamples, runExample } from "../support/example.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, "utf8");

describe("the README", () => {
  const examples = markdownExamples(read("README.md"));

  it("has examples", () => expect(examples.length).toBeGreaterThan(3));

  it.each(examples.map((source, i) => [i + 1, source] as const))("prints in example %i what it promises", async (_, source) => {
    const { printed, promised } = await runExample(source);
    expect(promised.length).toBeGreaterThan(0);
    expect(printed).toEqual(promised);
  });

  it("names every option of the verbs, and no other", () => {
    const table = read("README.md").split("## Options")[1].split("##")[0];
    const named = [...table.matchAll(/^\| (`[^|]+`) *\|/gm)].flatMap((row) => [...row[1].matchAll(/`(\w+)`/g)].map((name) => name[1]));
    const known = [...read("src/api/options.ts").matchAll(/^ {2}readonly (\w+)\??:/gm)].map((member) => member[1]);
    for (const name of named) expect(known).toContain(name);
    for (const name of ["on", "how", "select", "order", "build", "batchSize", "kernel", "flush", "signal", "onProgress", "onMetrics"])
      expect(named).toContain(name);
  });
});

describe("docstrings", () => {
  const files = [...readdirSync(`${root}src/api`).map((name) => `src/api/${name}`), "src/error.ts", "src/node/file-spill-store.ts"];
  const examples = files
    .flatMap((file) => docstringExamples(read(file)).map((source) => [file, source] as const))
    .filter(([, source]) => /(join\w*|fileSpillStore)\(/.test(source));

  it("of the verbs have an example each", () => {
    const having = examples.map(([file]) => file);
    for (const file of ["src/api/join.ts", "src/api/join-stream.ts", "src/api/join-asof.ts", "src/node/file-spill-store.ts"])
      expect(having).toContain(file);
  });

  it.each(examples)("of %s print what they promise", async (_, source) => {
    const { printed, promised } = await runExample(source);
    expect(promised.length).toBeGreaterThan(0);
    expect(printed).toEqual(promised);
  });
});
