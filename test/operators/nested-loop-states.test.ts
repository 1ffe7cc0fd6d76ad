/** The nested loop step by step: which states it goes through, what it asks its driver for, and that no other way is open. */

import { describe, expect, it } from "vitest";
import { readInput } from "../../src/arrow/input.ts";
import { acquireKernel, releaseKernel } from "../../src/kernel/load.ts";
import type { Step } from "../../src/operators/machine.ts";
import { NestedLoopJoinStream } from "../../src/operators/nested-loop-join-stream.ts";
import { outputSchema } from "../../src/operators/output-plan.ts";
import { plannedInput } from "../../src/run/table-run.ts";
import type { JoinKind, JoinRequest } from "../../src/spec/join-spec.ts";
import { planWhere } from "../../src/spec/plan-where.ts";
import * as c from "../support/column.ts";
import { table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

interface Case {
  readonly how: JoinKind;
  /** Rows of the buffered side (the right of the call), and how they come in batches. */
  readonly buffered: readonly number[];
  readonly streamed: readonly number[];
  readonly chunkRows?: number;
  readonly memoryLimit?: number;
  readonly stores?: boolean;
  readonly order?: "any";
  readonly batchSize?: number;
}

const column = (batches: readonly number[], from: number) => {
  const rows = batches.reduce((sum, n) => sum + n, 0);
  const values = Array.from({ length: rows }, (_, i) => from + i);
  return table({ v: c.int32(values), w: c.int32(values.map((v) => v % 3)) }, { split: batches });
};

/** Runs a machine by hand; what it went through, in order, stays without repetitions. */
function drive(kernelName: "wasm" | "ts", { how, buffered, streamed, chunkRows, memoryLimit, stores, order, batchSize = 3 }: Case) {
  const { kernel } = acquireKernel({ kernel: kernelName, hashSeed: 1 });
  const inputs = { left: readInput(column(streamed, 0), "left"), right: readInput(column(buffered, 1), "right") };
  const request: JoinRequest = {
    ...{ on: [], how, select: null, suffix: ["", "_right"], coalesceKeys: false, order: order ?? null, build: "right", batchSize },
    ...{ copy: false, flush: "full", filter: x.and(x.lt(l("v"), r("v")), x.ne(l("w"), r("w"))), nullAware: false, markName: "mark" },
    ...{ validate: "m:m", unmatched: "allow", multiple: "all" },
  };
  const spec = planWhere(plannedInput(inputs.left), plannedInput(inputs.right), request, "stream", true);
  const output = outputSchema(spec, inputs.left, inputs.right);
  const options = {
    spec,
    output,
    kernel,
    kernelReason: null,
    charged: true,
    probeRows: null,
    inputs,
    memoryLimit,
    spills: stores === true,
  };
  const machine = new NestedLoopJoinStream({ ...options, switches: { wherePath: "loop", chunkRows } });
  const states: string[] = [machine.state];
  let { state } = machine;
  Object.defineProperty(machine, "state", {
    get: () => state,
    set: (next: typeof state) => {
      state = next;
      states.push(next);
    },
  });
  const waiting = { build: [...inputs.right.batches], probe: [...inputs.left.batches] };
  const files = new Map<number, Uint8Array[]>();
  const asked: string[] = [];
  let rows = 0;
  let step: Step = machine.step();
  for (; step.kind !== "done"; step = machine.step()) {
    if (step.kind === "batch") rows += step.batch.numRows;
    if (step.kind === "need") {
      for (const input of step.inputs) {
        asked.push(input);
        const batch = waiting[input].shift();
        if (batch) machine.push(input, batch);
        else machine.end(input);
      }
    }
    if (step.kind === "store") {
      const { request: what } = step;
      asked.push(what.op);
      const blocks = files.get(what.file) ?? [];
      files.set(what.file, blocks);
      if (what.op === "append") blocks.push(what.block.slice());
      let at = 0;
      const found = what.op === "read" ? blocks.find((block) => (at += block.length) - block.length === what.offset) : null;
      machine.stored(found?.slice() ?? null);
    }
  }
  const { plan, peakBytes, spilledBytes } = machine.metrics();
  releaseKernel(kernel);
  return { states, asked, rows, plan, peakBytes, spilledBytes, left: waiting };
}

const PASS = ["preparingLeft", "fetchingRight", "probeRight", "fetchingRight", "endOfProbe", "emitLeftUnmatched"];

for (const kernel of ["wasm", "ts"] as const) {
  describe(`the nested loop, ${kernel}`, () => {
    it("reads the left to its end, then right batch by batch, then gives the left rows that are left", () => {
      const { states, asked, rows } = drive(kernel, { how: "full", buffered: [2, 2], streamed: [3] });
      expect(states).toEqual(["bufferingLeft", ...PASS, "done"]);
      expect(asked).toEqual(["build", "build", "build", "probe", "probe"]);
      expect(rows).toBe(7);
    });

    it("comes back for each right batch", () => {
      const { states } = drive(kernel, { how: "inner", buffered: [3], streamed: [1, 1, 1] });
      const batch = ["fetchingRight", "probeRight"];
      expect(states).toEqual([
        "bufferingLeft",
        "preparingLeft",
        ...batch,
        ...batch,
        ...batch,
        "fetchingRight",
        "endOfProbe",
        "emitLeftUnmatched",
        "done",
      ]);
    });

    it("takes a pass a chunk, and merges what they found while it reads right for the last time", () => {
      const { states, rows, plan } = drive(kernel, { how: "full", buffered: [4], streamed: [3], chunkRows: 2 });
      const merge = ["replayRight", "mergeRight", "replayRight", "emitDeferred", "done"];
      expect(states).toEqual(["bufferingLeft", ...PASS, "bufferingLeft", ...PASS, "bufferingLeft", ...merge]);
      expect(rows).toBe(7);
      expect(plan).toContain("passes: 2 over the left side, a chunk of the right side each");
    });

    it("sees that the left has ended exactly where a chunk did, and no earlier", () => {
      const { asked, rows } = drive(kernel, { how: "right", buffered: [2, 2], streamed: [1, 1], chunkRows: 2 });
      // The end of the left is asked for after the second pass.
      expect(asked).toEqual(["build", "probe", "probe", "probe", "build", "build"]);
      expect(rows).toBe(5);
    });

    it("puts right aside in the first pass, and reads it once more for each other and for the last time", () => {
      const { asked, spilledBytes } = drive(kernel, { how: "leftMark", buffered: [4], streamed: [2, 2], chunkRows: 2, stores: true });
      // A row of the second batch is undecided, as the last always is; all of the first are decided by one pass.
      expect(asked.filter((what) => what === "append").length).toBe(2);
      expect(asked.filter((what) => what === "read").length).toBeGreaterThanOrEqual(3);
      expect(spilledBytes).toBeGreaterThan(0);
    });

    it("emits each pass as it comes where the order is free, or left is what it gives", () => {
      for (const one of [
        { how: "inner", order: "any" },
        { how: "right", order: "any" },
      ] as const) {
        const { states } = drive(kernel, { ...one, buffered: [4], streamed: [3], chunkRows: 2 });
        expect(states).toEqual(["bufferingLeft", ...PASS, "bufferingLeft", ...PASS, "bufferingLeft", "done"]);
      }
      // All rows of a chunk are decided before right has ended.
      for (const how of ["rightSemi", "rightAnti", "rightMark"] as const) {
        const { states } = drive(kernel, { how, buffered: [4], streamed: [3], chunkRows: 2 });
        expect(states.slice(-2)).toEqual(["bufferingLeft", "done"]);
        expect(states.filter((state) => state === "preparingLeft").length).toBe(2);
        expect(states).not.toContain("replayRight");
      }
      const { states, rows } = drive(kernel, { how: "full", order: "any", buffered: [4], streamed: [3], chunkRows: 2 });
      expect(states.slice(-6)).toEqual(["bufferingLeft", "replayRight", "mergeRight", "replayRight", "emitDeferred", "done"]);
      expect(rows).toBe(7);
    });

    it("ends when every right row has its partner, whatever is left of the left", () => {
      const { left, rows } = drive(kernel, { how: "leftSemi", buffered: [2, 2, 2, 2, 2, 2], streamed: [1], chunkRows: 4 });
      expect(rows).toBe(1);
      expect(left.build.length).toBeGreaterThan(0);
    });

    it("reads nothing of right where there is no left row, and the kind gives no right row without", () => {
      for (const how of ["inner", "right", "leftSemi", "rightSemi", "rightAnti"] as const) {
        const { asked, left } = drive(kernel, { how, buffered: [0], streamed: [1, 1] });
        expect(asked.filter((what) => what === "probe").length, how).toBe(0);
        expect(left.probe.length).toBe(2);
      }
      expect(drive(kernel, { how: "left", buffered: [0], streamed: [1, 1] }).rows).toBe(2);
    });

    it("gives a pass up that does not fit, for one of fewer rows", () => {
      const big = { how: "inner", buffered: [20_000, 20_000, 20_000], streamed: [5], stores: true, batchSize: 8192 } as const;
      const free = drive(kernel, big);
      const held = drive(kernel, { ...big, memoryLimit: 2_500_000 });
      expect(held.rows).toBe(free.rows);
      expect(held.plan).toContain("passes: ");
      expect(held.peakBytes).toBeLessThanOrEqual(2_500_000 + 20_000 * 8);
      expect(() => drive(kernel, { ...big, stores: false, memoryLimit: 1_200_000 })).toThrow(
        /does not fit in memoryLimit: 1200000 bytes\. Give a spill store/,
      );
      expect(() => drive(kernel, { ...big, memoryLimit: 1000 })).toThrow(/not enough for one row of the right side/);
    });

    it("goes no other way", () => {
      const illegal = () => {
        const { kernel: own } = acquireKernel({ kernel, hashSeed: 1 });
        const inputs = { left: readInput(column([1], 0), "left"), right: readInput(column([1], 1), "right") };
        const request = {
          on: [],
          how: "inner",
          select: null,
          suffix: ["", "_right"],
          order: null,
          build: null,
          batchSize: null,
          copy: false,
        } as const;
        const more = {
          coalesceKeys: false,
          flush: "full",
          filter: x.lt(l("v"), r("v")),
          nullAware: false,
          markName: "mark",
          validate: "m:m",
        } as const;
        const rules = { unmatched: "allow", multiple: "all" } as const;
        const spec = planWhere(plannedInput(inputs.left), plannedInput(inputs.right), { ...request, ...more, ...rules }, "stream");
        const output = outputSchema(spec, inputs.left, inputs.right);
        const machine = new NestedLoopJoinStream({ spec, output, kernel: own, kernelReason: null, charged: true, probeRows: null, inputs });
        machine.push("build", inputs.right.batches[0]);
        machine.end("build");
        expect(() => machine.push("build", inputs.right.batches[0])).toThrow("The build input has ended.");
        while (machine.step().kind === "working");
        expect(machine.state).toBe("fetchingRight");
        machine.state = "emitLeftUnmatched";
        return machine.step();
      };
      expect(illegal).toThrow("A nested loop cannot go from emitLeftUnmatched to fetchingRight.");
    });
  });
}
