/**
 * `npm run sizes`: what a page pays. Builds, then measures the kernel, each entry, and a bundle that imports only `join`, all minified
 * and with apache-arrow left out. Fails above the limits.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const kB = 1000;

if (spawnSync(process.execPath, [join(root, "build/build.mjs")], { cwd: root, stdio: "inherit" }).status !== 0) process.exit(1);

/** Bytes of a program that is only this import, as a bundler would ship it. */
async function shipped(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "dist"), sourcefile: "page.js" },
    bundle: true,
    charset: "utf8",
    external: ["apache-arrow", "node:*"],
    format: "esm",
    legalComments: "none",
    // An entry imports every chunk that it shares, also those of which it uses nothing: these are left out.
    logOverride: { "ignored-bare-import": "silent" },
    minify: true,
    platform: "browser",
    target: "es2022",
    write: false,
  });
  return outputFiles[0].contents;
}

const measured = [
  { name: "kernel.wasm", bytes: readFileSync(join(root, "dist/kernel.wasm")), limit: { raw: 40 * kB } },
  { name: 'import { join } from "arrow-join"', bytes: await shipped('export { join } from "./index.js"'), limit: {} },
  { name: "arrow-join", bytes: await shipped('export * from "./index.js"'), limit: { gzipped: 60 * kB } },
  { name: "arrow-join/operators", bytes: await shipped('export * from "./operators.js"'), limit: {} },
  { name: "arrow-join/node", bytes: await shipped('export * from "./node.js"'), limit: {} },
];

const format = (bytes) => `${(bytes / kB).toFixed(1)} kB`.padStart(9);
let above = 0;
for (const { name, bytes, limit } of measured) {
  const sizes = { raw: bytes.byteLength, gzipped: gzipSync(bytes, { level: 9 }).byteLength };
  const verdicts = Object.entries(limit).map(([kind, most]) => {
    if (sizes[kind] > most) above += 1;
    return `${sizes[kind] > most ? "ABOVE" : "within"} the limit of ${most / kB} kB ${kind}`;
  });
  console.log(`${name.padEnd(36)} ${format(sizes.raw)} raw ${format(sizes.gzipped)} gzipped  ${verdicts.join(", ")}`.trimEnd());
}
process.exit(above > 0 ? 1 : 0);
