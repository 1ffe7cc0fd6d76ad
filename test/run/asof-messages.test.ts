/** What errors of as-of joins name: the limit that was given, the row before the one that is out of order. */

import { expect, it } from "vitest";
import { int32 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { runJoinAsof, runJoinAsofStream } from "../support/run.ts";
import { endless, source } from "../support/source.ts";
import { table } from "../support/table.ts";

it("MEMORY_LIMIT names the limit", async () => {
  const rows = (t: number, k: number, count: number) => table({ t: int32(Array(count).fill(t)), k: int32(Array(count).fill(k)) });
  for (const kernel of ["wasm", "ts"] as const) {
    const right = endless(rows(7, 2, 10_000).batches[0]);
    const options = { on: "t", by: "k", direction: "forward", memoryLimit: 8_000_000, kernel };
    const stream = await runJoinAsofStream(source(rows(5, 1, 1)), right, options, {});
    await expectError(() => stream.toTable(), "MEMORY_LIMIT", "8000000");
  }
});

it("UNSORTED names the row before, and a watermark only where there was one", async () => {
  const times = (...values: number[]) => table({ t: int32(values) });
  const within = await expectError(async () => runJoinAsof(times(1, 9, 5), times(1), { on: "t" }, {}), "UNSORTED", "row 2 has 5, after 9");
  expect(within.message).not.toContain("watermark");
  const [batch] = times(5).batches;
  const marked = { schema: batch.schema, batches: [batch, { watermark: 8 }, times(7).batches[0]] };
  const stream = await runJoinAsofStream(marked, times(1), { on: "t" }, {});
  await expectError(() => stream.toTable(), "UNSORTED", "row 1 has 7, after a watermark of 8");
});

it("a tolerance of a class that has no members is refused, not taken for none", async () => {
  const one = table({ t: int32([1]) });
  for (const tolerance of [new Date(5), new Map([["before", 5]]), [5]])
    await expectError(async () => runJoinAsof(one, one, { on: "t", tolerance } as never, {}), "INVALID_OPTION", "tolerance");
});
