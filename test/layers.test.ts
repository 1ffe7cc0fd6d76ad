import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findBreaches } from "./layers.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The sources of the package, without what is installed or generated. */
function readTree(): Map<string, string> {
  const tree = new Map<string, string>();
  for (const folder of ["src", "assembly", "bench", "examples", "test", "build"]) {
    if (!existsSync(join(root, folder))) continue;
    for (const entry of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      const path = `${folder}/${entry.replaceAll("\\", "/")}`;
      const generated = path.includes("node_modules/") || path.startsWith("build/out/") || path === "src/kernel/wasm/bytes.ts";
      if (!generated && /\.[cm]?[jt]s$/.test(path)) tree.set(path, readFileSync(join(root, path), "utf8"));
    }
  }
  return tree;
}

/** The breaches of a tree of these files. */
const check = (files: Record<string, string>) => findBreaches(new Map(Object.entries(files)));

describe("the layers of this package", () => {
  it("hold", () => {
    const tree = readTree();
    expect(tree.size).toBeGreaterThan(0);
    expect(findBreaches(tree)).toEqual([]);
  });
});

describe("the layer checker", () => {
  it("passes a tree that keeps to the layers", () => {
    const breaches = check({
      "src/index.ts": `export { join } from "./api/join.ts"; export type { Schema } from "apache-arrow";`,
      "src/operators.ts": `export { Probe } from "./operators/probe.ts"; export { load } from "./kernel/load.ts";`,
      "src/api/join.ts": `import { drive } from "../run/sync.ts"; import type { Spec } from "../spec/spec.ts"; import type { Table } from "apache-arrow";`,
      "src/run/sync.ts": `import { Probe } from "../operators/probe.ts"; import { load } from "../kernel/load.ts"; import { ArrowJoinError } from "../error.ts";`,
      "src/operators/probe.ts": `import { view } from "../arrow/view.ts"; import { groups } from "../kernel/groups.ts"; import type { Spec } from "../spec/spec.ts";`,
      "src/arrow/view.ts": `import { Data } from "apache-arrow"; import type { Bitmap } from "../kernel/contract.ts";`,
      "src/kernel/groups.ts": `import type { Kernel } from "./contract.ts";`,
      "src/kernel/load.ts": `import { wasm } from "./wasm/kernel.ts"; import { twin } from "./ts/kernel.ts";`,
      "src/kernel/wasm/kernel.ts": `import type { Kernel } from "../contract.ts"; export const wasm = () => new WebAssembly.Module(bytes);`,
      "src/kernel/ts/kernel.ts": `import { ArrowJoinError } from "../../error.ts";`,
      "src/kernel/contract.ts": "export interface Kernel {}",
      "src/spec/spec.ts": `import { ArrowJoinError } from "../error.ts"; // not WebAssembly, not import "apache-arrow"`,
      "src/error.ts": "export class ArrowJoinError extends Error {}",
      "assembly/index.ts": `export { hash } from "./hash";`,
      "bench/join.ts": `import { join } from "arrow-join"; import { flights } from "./data.ts"; import { readFileSync } from "node:fs";`,
      "bench/kernels/swiss.ts": `import { wasm } from "../../src/kernel/wasm/kernel.ts";`,
    });
    expect(breaches).toEqual([]);
  });

  it.each([
    ["a value", `import { drive } from "../run/sync.ts";`],
    ["a type", `import type { Drive } from "../run/sync.ts";`],
    ["a re-export", `export * from "../run/sync.ts";`],
    ["a side effect", `import "../run/sync.ts";`],
    ["a dynamic import", `const later = () => import("../run/sync.ts");`],
    ["an import type", `type Drive = typeof import("../run/sync.ts");`],
    ["a require", `const drive = require("../run/sync.ts");`],
    ["an extension of the output", `import { drive } from "../run/sync.js";`],
  ])("sees a layer import one above it by %s", (_, text) => {
    expect(check({ "src/operators/probe.ts": text })).toEqual([
      expect.stringMatching(/probe\.ts:1 imports .*: operators may not import run/),
    ]);
  });

  it.each([
    ["src/error.ts", "./spec/spec.ts", "error may not import spec"],
    ["src/spec/spec.ts", "../arrow/view.ts", "spec may not import arrow"],
    ["src/kernel/groups.ts", "../arrow/view.ts", "kernel may not import arrow"],
    ["src/kernel/ts/kernel.ts", "../wasm/kernel.ts", "kernel/ts may not import kernel/wasm"],
    ["src/arrow/view.ts", "../spec/spec.ts", "arrow may not import spec"],
    ["src/arrow/view.ts", "../kernel/groups.ts", "arrow may not import kernel"],
    ["src/operators/probe.ts", "../kernel/wasm/kernel.ts", "operators may not import kernel/wasm"],
    ["src/run/sync.ts", "../kernel/ts/kernel.ts", "run may not import kernel/ts"],
    ["src/api/join.ts", "../operators/probe.ts", "api may not import operators"],
    ["src/api/join.ts", "../arrow/view.ts", "api may not import arrow"],
    ["src/run/sync.ts", "../api/join.ts", "run may not import api"],
    ["src/index.ts", "./operators/probe.ts", "the main entry may not import operators"],
    ["src/api/join.ts", "../../test/layers.ts", "src/ imports only src/"],
  ])("refuses %s importing %s", (path, specifier, why) => {
    expect(check({ [path]: `import { x } from "${specifier}";` })).toEqual([expect.stringContaining(why)]);
  });

  it("tells a kernel file that chooses a backend from one written over the contract", () => {
    const files = {
      "src/kernel/choose.ts": `export { load } from "./load.ts";`,
      "src/kernel/load.ts": `export { wasm } from "./wasm/kernel.ts";`,
      "src/kernel/groups.ts": `import type { Kernel } from "./contract.ts";`,
    };
    const importing = (specifier: string) => check({ ...files, "src/operators/probe.ts": `import "../kernel/${specifier}";` });
    expect(importing("groups.ts")).toEqual([]);
    expect(importing("choose.ts")).toEqual([expect.stringContaining("operators may not import kernel/load")]);
  });

  it("refuses a folder of src/ that is no layer", () => {
    expect(check({ "src/misc/thing.ts": "" })).toEqual([expect.stringContaining("no layer")]);
  });

  it("keeps apache-arrow to src/arrow, except in type positions", () => {
    const inApi = (text: string) => check({ "src/api/join.ts": text });
    expect(inApi(`import type { Table } from "apache-arrow"; type S = import("apache-arrow").Schema;`)).toEqual([]);
    expect(inApi(`import { Table } from "apache-arrow";`)).toHaveLength(1);
    expect(inApi(`import { type Table } from "apache-arrow";`)).toHaveLength(1);
    expect(inApi(`export { Table } from "apache-arrow";`)).toHaveLength(1);
    expect(inApi(`const arrow = await import("apache-arrow");`)).toHaveLength(1);
  });

  it("allows no other dependency", () => {
    expect(check({ "src/run/sync.ts": `import type { X } from "tslib";` })).toEqual([expect.stringContaining("no dependency")]);
  });

  it("keeps WebAssembly to src/kernel", () => {
    expect(check({ "src/run/sync.ts": "\nexport const canCompile = typeof WebAssembly === 'object';" })).toEqual([
      "src/run/sync.ts:2 WebAssembly outside src/kernel",
    ]);
  });

  it("keeps node: to the Node entry and the command; elsewhere at most a dynamic import of that entry", () => {
    const text = `import { readFile } from "node:fs/promises";`;
    expect(check({ "src/node.ts": text, "src/node/spill.ts": text, "src/cli/main.ts": text, "bench/join.ts": text })).toEqual([]);
    expect(check({ "src/run/async.ts": text })).toHaveLength(1);
    expect(check({ "src/run/async.ts": `import { Readable } from "stream";` })).toHaveLength(1);
    expect(check({ "src/run/async.ts": `const node = () => import("../node.ts");`, "src/node.ts": `import "./run/async.ts";` })).toEqual(
      [],
    );
    expect(check({ "src/run/async.ts": `import "../node.ts";` })).toHaveLength(1);
    const files = { "src/node/spill.ts": text };
    expect(check({ ...files, "src/node.ts": `export * from "./node/spill.ts";` })).toEqual([]);
    expect(check({ ...files, "src/operators.ts": `export * from "./node/spill.ts";` })).toHaveLength(1);
  });

  it("finds a cycle of files, through types too", () => {
    const breaches = check({
      "src/spec/a.ts": `import { b } from "./b.ts";`,
      "src/spec/b.ts": `export * from "./c.ts";`,
      "src/spec/c.ts": `import type { A } from "./a.ts";`,
    });
    expect(breaches).toEqual(["cycle: src/spec/a.ts -> src/spec/b.ts -> src/spec/c.ts -> src/spec/a.ts"]);
  });

  it("holds bench/ and examples/ to the built package", () => {
    expect(check({ "bench/join.ts": `import { join } from "../src/index.ts";` })).toHaveLength(1);
    expect(check({ "bench/join.ts": `import { digest } from "../examples/demo/digest.mjs";` })).toEqual([]);
    expect(check({ "examples/a/main.mjs": `import { join } from "../../dist/index.js";` })).toHaveLength(1);
  });

  it("holds assembly/ to itself", () => {
    expect(check({ "assembly/index.ts": `import { NONE } from "../src/kernel/contract";` })).toHaveLength(1);
    expect(check({ "assembly/index.ts": `import { x } from "env";` })).toHaveLength(1);
  });

  it("refuses long files, and names that say nothing", () => {
    expect(check({ "src/spec/long.ts": "\n".repeat(450) })).toEqual([]);
    expect(check({ "src/spec/long.ts": "\n".repeat(451) })).toEqual(["src/spec/long.ts: 451 lines, at most 450"]);
    expect(check({ "src/spec/utils.ts": "" })).toHaveLength(1);
    expect(check({ "test/helpers/table.ts": "" })).toHaveLength(1);
    expect(check({ "src/spec/common.ts": "" })).toHaveLength(1);
  });

  it("refuses default exports and enums", () => {
    const inSpec = (text: string) => check({ "src/spec/a.ts": text });
    expect(inSpec("export default 1;")).toHaveLength(1);
    expect(inSpec("export default function f() {}")).toHaveLength(1);
    expect(inSpec("const a = 1; export { a as default };")).toHaveLength(1);
    expect(inSpec(`export { default } from "./b.ts";`)).toHaveLength(1);
    expect(inSpec("export enum Kind { Inner }")).toHaveLength(1);
    expect(inSpec("export function f(x: number) { switch (x) { default: return 1; } }")).toEqual([]);
  });
});
