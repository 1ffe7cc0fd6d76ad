/** A stream never holds the side it streams: batches that were read and handed out are free, while the stream goes on. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { runJoinStream } from "../../src/api/run-join.ts";
import { int32 } from "../support/column.ts";
import { table } from "../support/table.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

it("forgets streamed batches while it runs", async () => {
  const right = table({ id: int32([2]), w: int32([20]) });
  const read: WeakRef<object>[] = [];
  const { schema } = table({ id: int32([1]) });
  const batches = (async function* () {
    for (;;) {
      const [batch] = table({ id: int32([1, 2, 3]) }).batches;
      read.push(new WeakRef(batch.data.children[0]));
      yield batch;
    }
  })();
  const stream = await runJoinStream({ schema, batches }, right, { on: "id", how: "left", batchSize: 3 });
  for (let i = 0; i < 50; i++) {
    await stream.next();
    await new Promise((resolve) => setImmediate(resolve));
  }
  collectGarbage();
  const alive = read.filter((batch) => batch.deref() !== undefined).length;
  await stream.cancel();
  expect(read.length).toBeGreaterThanOrEqual(50);
  expect(alive).toBeLessThan(10);
});
