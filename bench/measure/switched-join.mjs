/**
 * A join through `arrow-join/operators` with test switches, which no option of a verb sets: the same kernels and machines without a
 * short cut. A driver of a few lines, as the entry's readers would write it.
 */

import {
  acquireKernel,
  joinMachine,
  outputSchema,
  planJoin,
  plannedInput,
  planWhere,
  readInput,
  releaseKernel,
} from "arrow-join/operators";

/**
 * @param {import("apache-arrow").Table} left
 * @param {import("apache-arrow").Table} right
 * @param {{ on?: string, how: string, filter?: unknown, build?: "left" | "right", select?: string[], kernel: "wasm" | "ts" }} options `filter` as JSON; without `on` it is the predicate
 * @param {import("arrow-join/operators").JoinSwitches} switches
 */
export function switchedJoin(left, right, { on, how, filter, build = null, select, kernel: name }, switches) {
  const inputs = { left: readInput(left, "left"), right: readInput(right, "right") };
  const request = {
    on: on === undefined ? [] : [{ left: on, right: on, nullsEqual: false }],
    how,
    select: select?.map((column) => ({ name: null, column })) ?? null,
    suffix: ["", "_right"],
    coalesceKeys: true,
    order: null,
    build,
    batchSize: null,
    copy: false,
    flush: "full",
    filter,
    nullAware: false,
    markName: "mark",
    validate: "m:m",
    unmatched: "allow",
    multiple: "all",
  };
  const plan = on === undefined ? planWhere : planJoin;
  const loop = switches.wherePath === "loop";
  const spec = plan(plannedInput(inputs.left), plannedInput(inputs.right), request, "table", loop);
  const output = outputSchema(spec, inputs.left, inputs.right);
  const { kernel, reason } = acquireKernel({ kernel: name, hashSeed: 1, switches });
  try {
    const { rows: probeRows, batches: probeBatches } = inputs[spec.probe];
    const machine = joinMachine({ inputs, spec, output, kernel, kernelReason: reason, charged: false, probeRows, probeBatches, switches });
    const batches = runToEnd(machine, { build: inputs[spec.build].batches.slice(), probe: probeBatches.slice() });
    return { table: output.makeTable(batches), metrics: machine.metrics() };
  } finally {
    releaseKernel(kernel);
  }
}

function runToEnd(machine, inputs) {
  const result = [];
  for (;;) {
    const step = machine.step();
    if (step.kind === "done") return result;
    if (step.kind === "batch") result.push(step.batch);
    if (step.kind !== "need") continue;
    for (const input of step.inputs) {
      const batch = inputs[input].shift();
      if (batch) machine.push(input, batch);
      else machine.end(input);
    }
  }
}
