/**
 * One configuration for every test: `vitest run -c build/vitest.config.ts [file]`, with `--typecheck` for `*.test-d.ts`.
 * `arrow-join` resolves to the source, so an example in a test reads as a user would write it and needs no build.
 */

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^arrow-join$/, replacement: `${root}src/index.ts` },
      { find: /^arrow-join\/operators$/, replacement: `${root}src/operators.ts` },
      { find: /^arrow-join\/node$/, replacement: `${root}src/node.ts` },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Left alone it takes one worker less than there are cores.
    maxWorkers: "100%",
    typecheck: { include: ["test/**/*.test-d.ts"], tsconfig: `${root}build/tsconfig.test.json` },
  },
});
