/**
 * Builds the package unless dist/ is newer than everything it is made from. What uses the built package by name (the demo, the
 * benches) runs this first, so that a clean clone needs one command and an edit is never measured through yesterday's build.
 */

import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
/** Written last but for the declarations; what the demo and the benches load. */
const product = "dist/index.js";
/** The build writes src/kernel/wasm/bytes.ts too, before `product`. */
const sources = ["assembly/", "src/", "package.json", "build/build.mjs", "build/kernel.mjs"];

function modified(path) {
  const stat = statSync(new URL(path, root), { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return readdirSync(new URL(path, root), { withFileTypes: true }).reduce(
    (latest, entry) => Math.max(latest, modified(`${path}${entry.name}${entry.isDirectory() ? "/" : ""}`)),
    stat.mtimeMs,
  );
}

const built = modified(product);
const latest = sources.reduce((time, path) => Math.max(time, modified(path)), 0);
if (built < latest) {
  console.log(built === 0 ? "dist/ is missing: building the package" : "dist/ is older than its sources: building the package");
  const start = performance.now();
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL("build/build.mjs", root))], {
    cwd: fileURLToPath(root),
    stdio: "inherit",
  });
  if (status !== 0) {
    console.error("the build failed; nothing was run");
    process.exit(1);
  }
  console.log(`built in ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}
