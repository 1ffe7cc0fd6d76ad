/** `npm run test:package`: the packed tarball in programs of its own, and what two linters say of it. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { checklist } from "./checklist.mjs";
import { installPackage, root } from "./install.mjs";

const list = checklist();
let installed;
await list.check("builds, packs and installs into a fresh folder", () => {
  installed = installPackage();
});
if (installed === undefined) {
  list.close();
  process.exit();
}
const { folder, tarball, remove } = installed;
const local = (name) => join(root, "node_modules", name);
const node = (name, script, ...args) => list.command(name, process.execPath, [local(script), ...args], folder);

try {
  const place = (file, as = file) => copyFileSync(join(root, "test/package", file), join(folder, as));
  for (const file of ["cases.mjs", "checklist.mjs", "esm.mjs", "commonjs.cjs", "types.mts"]) place(file);
  place("types.mts", "types.cts");

  list.program("Node, ES modules", "esm.mjs", folder);
  list.program("Node, CommonJS", "commonjs.cjs", folder);

  console.log("TypeScript");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2023,dom,dom.iterable,esnext.disposable"];
  for (const file of ["types.mts", "types.cts"]) {
    await node(`${file}, module nodenext`, "typescript/bin/tsc", ...options, "--module", "nodenext", file);
  }
  await node(
    "types.mts, module resolution bundler",
    "typescript/bin/tsc",
    ...options,
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "types.mts",
  );

  console.log("Linters");
  await node("publint", "publint/src/cli.js", "run", tarball, "--strict");
  // node16: resolution before `exports` existed sees only the main entry.
  await node("attw", "@arethetypeswrong/cli/dist/index.js", tarball, "--exclude-entrypoints", "./kernel.wasm", "--profile", "node16");
} finally {
  remove();
}
list.close();
