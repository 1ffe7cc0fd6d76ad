/**
 * What `join`, `joinIndices` and `joinStream` do, without their types: options to a request, inputs to schemas, both to a spec, the spec to a driver.
 * Tests come in here with switches; the verbs have none.
 */

import type { Table } from "apache-arrow";
import { type Indices, runIndices } from "../run/index-run.ts";
import { cancelInputs, openInputs, startStream } from "../run/open-stream.ts";
import type { StreamRun } from "../run/stream-run.ts";
import { plannedInput, type RunSwitches, readInputs, runTable } from "../run/table-run.ts";
import { planIndices } from "../spec/plan-indices.ts";
import { planJoin } from "../spec/plan-join.ts";
import { parseOptions } from "./request.ts";

export function runJoin(left: unknown, right: unknown, options: unknown, switches: RunSwitches = {}): Table {
  const { request, settings } = parseOptions("join", options);
  const inputs = readInputs(left, right);
  const spec = planJoin(plannedInput(inputs.left), plannedInput(inputs.right), request, "table");
  return runTable(spec, inputs, settings, switches);
}

export function runJoinIndices(left: unknown, right: unknown, options: unknown, switches: RunSwitches = {}): Indices {
  const { request, settings } = parseOptions("joinIndices", options);
  const inputs = readInputs(left, right);
  const spec = planIndices(plannedInput(inputs.left), plannedInput(inputs.right), request);
  return runIndices(spec, inputs, settings, switches);
}

export async function runJoinStream(left: unknown, right: unknown, options: unknown, switches: RunSwitches = {}): Promise<StreamRun> {
  const { request, settings } = parseOptions("joinStream", options);
  const inputs = await openInputs(left, right, settings.signal);
  try {
    const spec = planJoin(plannedInput(inputs.left), plannedInput(inputs.right), request, "stream");
    return startStream(spec, inputs, settings, switches);
  } catch (error) {
    cancelInputs(inputs, error);
    throw error;
  }
}
