/**
 * `npm run bench -- <name> [--quick] [options of the bench]`: runs one bench of this folder; without a known name lists them.
 * A bench is a file `bench/<name>.mjs` that exports `about` (one line) and `run(options)`, which answers whether all results agreed.
 */

import { readdir } from "node:fs/promises";
import { parseArgs } from "node:util";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, keys: { type: "string" }, rows: { type: "string" } },
});

const names = (await readdir(new URL(".", import.meta.url)))
  .filter((file) => file.endsWith(".mjs") && file !== "run.mjs")
  .map((file) => file.slice(0, -4));

const [name] = positionals;
if (name !== undefined && names.includes(name)) {
  const { run } = await import(`./${name}.mjs`);
  process.exitCode = (await run({ ...values, rows: values.rows && Number(values.rows) })) ? 0 : 1;
} else {
  console.log(name === undefined ? "which bench?" : `no bench is called ${name}; there are:`);
  for (const known of names) console.log(`  npm run bench -- ${known}   ${(await import(`./${known}.mjs`)).about}`);
  process.exitCode = name === undefined ? 0 : 1;
}
