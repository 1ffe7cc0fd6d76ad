/**
 * `npm test`: everything a change must pass, from a tree that has only seen `npm ci`. Builds the kernel, lints, then runs vitest with
 * its type tests. `npm test -- join` passes what follows to vitest.
 *
 * Ends with `N passed, N failed`; fails when anything failed or when no test ran.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const report = join(root, "build/out/vitest.json");
const chosen = process.argv.slice(2);

/** Exit code of a command run in the package's folder; its output goes straight through. */
const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: "inherit" }).status ?? 1;
const node = (script, ...args) => run(process.execPath, [join(root, script), ...args]);

function close(passed, failed) {
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

if (node("build/kernel.mjs") !== 0) close(0, 1);

const lint =
  chosen.length > 0 ? null : node("node_modules/@biomejs/biome/bin/biome", "check", "--config-path=build", "--error-on-warnings");

mkdirSync(join(root, "build/out"), { recursive: true });
rmSync(report, { force: true });
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const exitCode = node("node_modules/vitest/vitest.mjs", "run", "--config=build/vitest.config.ts", "--typecheck", ...reporters, ...chosen);

if (!existsSync(report)) close(0, 1);
const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
// A file that broke before its first test has no failed test in it, and a type error in a source belongs to no file.
const brokenFiles = testResults.filter(({ status, assertionResults }) => {
  return status === "failed" && !assertionResults.some((result) => result.status === "failed");
}).length;
let failed = numFailedTests + brokenFiles;
if (failed === 0 && exitCode !== 0) failed = 1;
let passed = numPassedTests;
if (lint === 0) passed += 1;
else if (lint !== null) {
  console.log("lint: failed, see above (`npm run format` repairs most of it)");
  failed += 1;
}
// Lint alone is no test.
close(numPassedTests === 0 ? 0 : passed, failed);
