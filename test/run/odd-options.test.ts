/** Options of odd shapes are refused with a sentence, like any other. */

import { describe, expect, it } from "vitest";
import { runJoin, runJoinStream } from "../../src/api/run-join.ts";
import { int32 } from "../support/column.ts";
import { table } from "../support/table.ts";

const some = table({ id: int32([1, 2, 3]) });

describe("options of odd shapes", () => {
  it("arrays with holes name no column", () => {
    // biome-ignore lint/suspicious/noSparseArray: the case
    for (const on of [[, "id"], ["id", ,], new Array(2)])
      expect(() => runJoin(some, some, { on })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    // biome-ignore lint/suspicious/noSparseArray: the case
    for (const select of [[, "id"], new Array(2), new Set(["id"]), new Map([["id", "id"]])])
      expect(() => runJoin(some, some, { on: "id", select })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    // biome-ignore lint/suspicious/noSparseArray: the case
    for (const suffix of [[, "_r"], new Array(2)])
      expect(() => runJoin(some, some, { on: "id", suffix })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  });

  it("a signal that lacks what a signal has is none", async () => {
    const signal = { aborted: false, addEventListener() {}, removeEventListener() {} };
    await expect(runJoinStream(some, some, { on: "id", signal })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
