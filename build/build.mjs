/**
 * `npm run build`: dist/ from src/ and assembly/, about 15 s.
 *
 *     kernel.mjs ─▶ build/out/kernel.wasm ──────────────▶ dist/kernel.wasm
 *                 └▶ src/kernel/wasm/bytes.ts ─┬ esbuild ▶ dist/*.js, dist/chunks/*.js   ESM; the entries share chunks
 *                                              │             └ esbuild ▶ the same files as .cjs
 *                                              └ tsc ────▶ dist/**.d.ts ─▶ the same files as .d.cts
 *
 * The CommonJS files are the ESM files one by one, so that there too the entries share every class (`instanceof ArrowJoinError` holds
 * whichever entry threw), and so that the only difference between the two builds is how apache-arrow is loaded.
 */

import { spawn } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const entries = ["src/index.ts", "src/operators.ts", "src/node.ts"];

/** Runs a Node script of this package to its end; rejects when it fails. */
function node(script, args = []) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${relative(root, script)} exited with ${code}`))));
  });
}

async function filesOf(folder, extension) {
  const found = await readdir(folder, { recursive: true });
  return found.filter((file) => file.endsWith(extension)).map((file) => join(folder, file));
}

const shared = {
  absWorkingDir: root,
  bundle: true,
  charset: "utf8",
  // What Node brings is imported by the entry `./node` alone, which the test of the layers sees to.
  external: ["apache-arrow", "node:*"],
  legalComments: "none",
  logLevel: "warning",
  outdir: dist,
  target: "es2022",
};

/** Every import of a sibling stays an import, of its CommonJS twin. */
const siblingsAsCommonJS = {
  name: "siblings-as-commonjs",
  setup(context) {
    context.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path }) =>
      kind === "entry-point" ? undefined : { path: path.replace(/\.js$/, ".cjs"), external: true },
    );
  },
};

async function bundle() {
  await build({
    ...shared,
    entryPoints: entries,
    format: "esm",
    platform: "neutral",
    splitting: true,
    outbase: "src",
    chunkNames: "chunks/[name]-[hash]",
  });
  await build({
    ...shared,
    entryPoints: await filesOf(dist, ".js"),
    format: "cjs",
    platform: "node",
    outbase: "dist",
    outExtension: { ".js": ".cjs" },
    plugins: [siblingsAsCommonJS],
  });
}

/** tsc leaves `.ts` in the specifiers of siblings; the two kinds of declaration name the two kinds of file. */
async function declare() {
  await node(join(root, "node_modules/typescript/bin/tsc"), ["-p", "build/tsconfig.build.json"]);
  const files = await filesOf(dist, ".d.ts");
  await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, "utf8");
      const naming = (extension) => text.replace(/(\b(?:from|import)\b *\(?)"(\.{1,2}\/[^"]+)\.ts"/g, `$1"$2${extension}"`);
      await writeFile(file, naming(".js"));
      await writeFile(file.replace(/\.d\.ts$/, ".d.cts"), naming(".cjs"));
    }),
  );
}

const started = performance.now();
await node(join(root, "build/kernel.mjs"));
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const results = await Promise.allSettled([bundle(), declare(), copyFile(join(root, "build/out/kernel.wasm"), join(dist, "kernel.wasm"))]);
const failures = results.filter((result) => result.status === "rejected");
for (const { reason } of failures) console.error(`build: ${reason.message}`);
if (failures.length > 0) process.exit(1);
console.log(`build: dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s`);
