/** A Node program of ES modules that uses the installed package. Runs in the folder that install.mjs makes. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import * as arrow from "apache-arrow";
import { ArrowJoinError, join, joinIndices, joinStream, prepareJoin } from "arrow-join";
import { fileSpillStore } from "arrow-join/node";
import * as operators from "arrow-join/operators";
import { filteredMarks, largeRows, largeTables, rowsOf, smallFilter, smallRows, smallTables } from "./cases.mjs";
import { checklist } from "./checklist.mjs";

const list = checklist();

for (const kernel of ["auto", "wasm", "ts"]) {
  await list.check(`joins two tables, kernel ${kernel}`, () => {
    const { left, right } = smallTables(arrow);
    const result = join(left, right, { on: "id", how: "left", kernel });
    assert.ok(result instanceof arrow.Table);
    assert.deepEqual(rowsOf(result), smallRows);
  });
}

await list.check("joins a stream of IPC bytes with a table", async () => {
  const { left, right } = largeTables(arrow);
  const stream = await joinStream([arrow.tableToIPC(left, "stream")], right, { on: "id" });
  assert.deepEqual(rowsOf(await stream.toTable()), largeRows());
});

for (const kernel of ["wasm", "ts"]) {
  await list.check(`joins with a filter, kernel ${kernel}`, () => {
    const { left, right } = smallTables(arrow);
    const result = join(left, right, { on: "id", how: "leftMark", filter: smallFilter, kernel });
    assert.deepEqual([...result.getChild("mark")], filteredMarks);
  });
}

await list.check("joins with a prepared right side, and gives row numbers", async () => {
  const { left, right } = smallTables(arrow);
  const prepared = prepareJoin(right, { on: "id" });
  assert.deepEqual(rowsOf(join(left, prepared, { how: "left" })), smallRows);
  assert.deepEqual(rowsOf(await (await joinStream(left, prepared, { how: "left" })).toTable()), smallRows);
  assert.deepEqual([...joinIndices(left, prepared).right], [1, 0, 3, 0, 3]);
  prepared.close();
});

await list.check("tells the plan and the kernel", () => {
  const { left, right } = smallTables(arrow);
  let plan = "";
  join(left, right, { on: "id", kernel: "wasm", onMetrics: (metrics) => (plan = metrics.plan) });
  assert.match(plan, /wasm/i);
});

await list.check("throws its own error class", () => {
  const { left, right } = smallTables(arrow);
  assert.throws(
    () => join(left, right, { on: "nope" }),
    (error) => error instanceof ArrowJoinError && error.code === "COLUMN_NOT_FOUND" && /nope/.test(error.message),
  );
});

await list.check("has the operators entry", () => assert.ok(Object.keys(operators).length > 0));

for (const sync of [false, true]) {
  await list.check(`spills to files, sync: ${sync}`, async () => {
    const file = await fileSpillStore({ sync }).create("rows");
    await file.append(Uint8Array.of(1, 2, 3));
    assert.deepEqual(await file.read(1, 2), Uint8Array.of(2, 3));
    await file.remove();
  });
}

await list.check("has the kernel as a file that compiles and imports nothing", () => {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve("arrow-join/kernel.wasm")));
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
});

await list.check("has its package.json", () => {
  assert.equal(createRequire(import.meta.url)("arrow-join/package.json").name, "arrow-join");
});

list.close();
