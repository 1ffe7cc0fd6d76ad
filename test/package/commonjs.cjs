/**
 * A CommonJS program that uses the installed package. The result must be of the apache-arrow that `require` loads: that copy's
 * `tableToIPC` writes tables of the other copy wrongly, without an error. Runs in the folder that install.mjs makes.
 */

const assert = require("node:assert/strict");
const arrow = require("apache-arrow");
const { ArrowJoinError, join, joinStream } = require("arrow-join");
const { fileSpillStore } = require("arrow-join/node");
const operators = require("arrow-join/operators");

async function main() {
  const { checklist } = await import("./checklist.mjs");
  const { largeRows, largeTables, rowsOf, smallRows, smallTables } = await import("./cases.mjs");
  const list = checklist();

  for (const kernel of ["auto", "wasm", "ts"]) {
    await list.check(`joins into a Table of this program's apache-arrow, kernel ${kernel}`, () => {
      const { left, right } = smallTables(arrow);
      const result = join(left, right, { on: "id", how: "left", kernel });
      assert.ok(result instanceof arrow.Table);
      assert.ok(result.batches.every((batch) => batch instanceof arrow.RecordBatch));
      assert.deepEqual(rowsOf(result), smallRows);
    });
  }

  for (const format of ["stream", "file"]) {
    await list.check(`its result survives this program's tableToIPC (${format}) and tableFromIPC`, () => {
      const { left, right } = smallTables(arrow);
      const result = join(left, right, { on: "id", how: "left" });
      const read = arrow.tableFromIPC(arrow.tableToIPC(result, format));
      assert.deepEqual(rowsOf(read), smallRows);
      assert.deepEqual(read.schema.fields.map(String), result.schema.fields.map(String));
      assert.ok(arrow.DataType.isDictionary(read.schema.fields.find(({ name }) => name === "zone").type));
    });
  }

  await list.check("a streamed result survives this program's tableToIPC and tableFromIPC", async () => {
    const { left, right } = largeTables(arrow);
    const stream = await joinStream(left, right, { on: "id" });
    const result = await stream.toTable();
    assert.ok(result instanceof arrow.Table);
    assert.deepEqual(rowsOf(arrow.tableFromIPC(arrow.tableToIPC(result))), largeRows());
  });

  await list.check("throws its own error class", () => {
    const { left, right } = smallTables(arrow);
    assert.throws(
      () => join(left, right, { on: "nope" }),
      (error) => error instanceof ArrowJoinError && error.code === "COLUMN_NOT_FOUND",
    );
  });

  await list.check("has the operators entry", () => assert.ok(Object.keys(operators).length > 0));

  await list.check("has the Node entry, which throws the same error class", async () => {
    const file = fileSpillStore({ sync: true }).create("rows");
    file.append(Uint8Array.of(1, 2, 3));
    assert.deepEqual(file.read(0, 3), Uint8Array.of(1, 2, 3));
    file.remove();
    assert.throws(() => fileSpillStore({ sync: 1 }), ArrowJoinError);
  });

  list.close();
}

main();
