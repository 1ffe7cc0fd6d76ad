/** Opening the inputs of a stream, and callbacks that interfere. */

import type { RecordBatch } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { runJoinStream } from "../../src/api/run-join.ts";
import { int32 } from "../support/column.ts";
import { table } from "../support/table.ts";

const some = table({ id: int32([1, 2, 3]) });

/** An input whose first batch never comes; says whether it was told to stop. */
function silent() {
  const input = {
    stopped: false,
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<RecordBatch>>(() => {}),
      return: async () => {
        input.stopped = true;
        return { done: true as const, value: undefined };
      },
    }),
  };
  return input;
}

describe("opening a stream", () => {
  it("does not wait for one input when the other cannot be opened", async () => {
    for (const swap of [false, true]) {
      const waits = silent();
      const inputs: [unknown, unknown] = swap ? [waits, "no table"] : ["no table", waits];
      await expect(runJoinStream(...inputs, { on: "id" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
      await Promise.resolve();
      expect(waits.stopped).toBe(true);
    }
  });

  it("ends with the reason of a signal that is aborted meanwhile, and tells both inputs", async () => {
    const controller = new AbortController();
    const [left, right] = [silent(), silent()];
    const opening = runJoinStream(left, right, { on: "id", signal: controller.signal });
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(opening).rejects.toBe(reason);
    expect([left.stopped, right.stopped]).toEqual([true, true]);
  });

  it("cancels both inputs when the join itself is refused", async () => {
    const closed: string[] = [];
    const input = async function* (name: string) {
      try {
        yield* some.batches;
      } finally {
        closed.push(name);
      }
    };
    await expect(runJoinStream(input("left"), input("right"), { on: "nope" })).rejects.toMatchObject({ code: "COLUMN_NOT_FOUND" });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(closed.sort()).toEqual(["left", "right"]);
  });
});

describe("a callback that cancels", () => {
  it("ends the stream at once: the pull under way is done", async () => {
    const stream = await runJoinStream(some, some, { on: "id", onProgress: () => void stream.cancel() });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});

describe("onProgress", () => {
  it("has all rows in its last call", async () => {
    const calls: unknown[] = [];
    const stream = await runJoinStream(some, some, { on: "id", onProgress: (now: unknown) => calls.push(now) });
    await stream.toTable();
    expect(calls.at(-1)).toEqual({ phase: "drain", leftRows: 3, rightRows: 3, outRows: 3 });
  });
});
