/**
 * `npm run test:browser`: the packed tarball, bundled into a page, in Debian's Chromium (`apt-get install chromium`). Pages come from a
 * server on the loopback interface; one of them forbids WebAssembly.
 */

import assert from "node:assert/strict";
import { copyFileSync, existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as arrow from "apache-arrow";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { filteredMarks, largeRows, largeTables, smallRows, smallTables } from "../package/cases.mjs";
import { checklist } from "../package/checklist.mjs";
import { installPackage, root } from "../package/install.mjs";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox", // as root
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const POLICY = "default-src 'self'; script-src 'self'";
const PIECE_BYTES = 9973;
const HTML = `<!doctype html><meta charset="utf-8"><title>arrow-join</title><script type="module" src="/page.js"></script>`;

async function bundlePage() {
  const { folder, remove } = installPackage();
  try {
    copyFileSync(join(root, "test/browser/page.js"), join(folder, "page.js"));
    copyFileSync(join(root, "test/package/cases.mjs"), join(folder, "cases.mjs"));
    const { outputFiles } = await build({
      absWorkingDir: folder,
      entryPoints: ["page.js"],
      bundle: true,
      charset: "utf8",
      format: "esm",
      minify: true,
      target: "es2022",
      write: false,
    });
    return outputFiles[0].contents;
  } finally {
    remove();
  }
}

/** The tables of the cases as streams of IPC bytes, by path; the left of the large ones in several batches. */
function streams() {
  const small = smallTables(arrow);
  const large = largeTables(arrow);
  const step = 1500;
  const slices = Array.from({ length: Math.ceil(large.left.numRows / step) }, (_, piece) =>
    large.left.slice(piece * step, (piece + 1) * step),
  );
  return new Map([
    ["/small-left.arrows", arrow.tableToIPC(small.left, "stream")],
    ["/small-right.arrows", arrow.tableToIPC(small.right, "stream")],
    ["/large-left.arrows", arrow.tableToIPC(new arrow.Table(slices.flatMap(({ batches }) => batches)), "stream")],
    ["/large-right.arrows", arrow.tableToIPC(large.right, "stream")],
  ]);
}

/** Serves the pages; bytes go out in pieces whose ends fall inside messages. */
async function serve(script) {
  const files = streams();
  const server = createServer(async ({ url }, response) => {
    const bytes = files.get(url);
    if (url === "/") response.setHeader("content-type", "text/html").end(HTML);
    else if (url === "/strict") response.setHeader("content-type", "text/html").setHeader("content-security-policy", POLICY).end(HTML);
    else if (url === "/page.js") response.setHeader("content-type", "text/javascript").end(script);
    else if (bytes === undefined) response.writeHead(404).end();
    else {
      response.setHeader("content-type", "application/vnd.apache.arrow.stream");
      for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
        response.write(bytes.subarray(at, at + PIECE_BYTES));
        await sleep(2);
      }
      response.end();
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

const list = checklist();
await list.check("Chromium is installed", () => assert.ok(existsSync(CHROMIUM), "apt-get update && apt-get install -y chromium"));
let script;
await list.check("builds, packs, installs into a fresh folder and bundles", async () => {
  script = await bundlePage();
});
if (script === undefined || !existsSync(CHROMIUM)) {
  list.close();
  process.exit();
}

const server = await serve(script);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
const errors = [];

/** A page that has loaded its program. */
async function open(path) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => errors.push(`${path}: ${error.message}`));
  await page.goto(server.origin + path);
  await page.waitForFunction(() => "run" in window, undefined, { timeout: 10_000 });
  return page;
}

const call = (page, program, ...args) => page.evaluate(([name, rest]) => window.run(name, ...rest), [program, args]);

try {
  console.log(`Chromium ${browser.version()}`);
  const page = await open("/");
  for (const [kernel, named] of [
    ["auto", /wasm/i],
    ["wasm", /wasm/i],
    ["ts", /\bts\b|typescript/i],
  ]) {
    await list.check(`joins on the main thread, kernel ${kernel}`, async () => {
      const { rows, plan } = await call(page, "joinSmall", kernel);
      assert.deepEqual(rows, smallRows);
      assert.match(plan, named);
    });
  }
  for (const kernel of ["wasm", "ts"]) {
    await list.check(`tests a filter, kernel ${kernel}`, async () => {
      assert.deepEqual((await call(page, "markSmall", kernel)).marks, filteredMarks);
    });
  }
  for (const as of ["response", "body"]) {
    await list.check(`joins IPC bytes as they are fetched, given the ${as}`, async () => {
      const { rows, batches } = await call(page, "joinFetched", as);
      assert.deepEqual(rows, largeRows());
      assert.ok(batches > 0);
    });
  }

  const strict = await open("/strict");
  await list.check("under a policy without wasm-unsafe-eval falls back to TypeScript, and the plan says why", async () => {
    const { rows, plan } = await call(strict, "joinSmall", "auto");
    assert.deepEqual(rows, smallRows);
    assert.match(plan, /\bts\b|typescript/i);
    assert.match(plan, /content security policy|wasm-unsafe-eval|unsafe-eval/i);
  });
  await list.check("under that policy tests a filter", async () => {
    assert.deepEqual((await call(strict, "markSmall", "auto")).marks, filteredMarks);
  });
  await list.check('under that policy kernel "wasm" is INVALID_OPTION with the cause', async () => {
    const refused = await call(strict, "refusal");
    assert.equal(refused?.code, "INVALID_OPTION");
    assert.match(`${refused.message} ${refused.cause}`, /content security policy|unsafe-eval/i);
  });
  await list.check("under that policy joins IPC bytes as they are fetched", async () => {
    const { rows } = await call(strict, "joinFetched", "response");
    assert.deepEqual(rows, largeRows());
  });
  await list.check("no page reported an uncaught error", () => assert.deepEqual(errors, []));
} catch (error) {
  await list.check("the pages load their program", () => assert.fail(`${error.message}\n${errors.join("\n")}`));
} finally {
  await browser.close();
  server.close();
}
list.close();
