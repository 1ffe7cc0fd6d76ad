/** What `joinAsof` and `joinAsofStream` do, without their types. Tests come in here with switches; the verbs have none. */

import type { Table } from "apache-arrow";
import { openAsofInputs, runAsofTable, startAsof } from "../run/asof-run.ts";
import type { StreamRun } from "../run/stream-run.ts";
import { plannedInput, type RunSwitches, readLeft, readRight } from "../run/table-run.ts";
import { planAsof, rightName } from "../spec/plan-asof.ts";
import { parseAsof } from "./asof-request.ts";

/** `right`: one input, `{ table, ...options }`, or an array of these. */
export function runJoinAsof(left: unknown, right: unknown, options: unknown, switches: RunSwitches = {}): Table {
  const { tables, request, settings } = parseAsof("joinAsof", right, options);
  const l = readLeft(left);
  const rights = tables.map((table, i) => readRight(table, rightName(i)));
  const spec = planAsof(plannedInput(l), rights.map(plannedInput), request, "table");
  return runAsofTable(spec, [l, ...rights], settings, switches);
}

export async function runJoinAsofStream(
  left: unknown,
  right: unknown,
  options: unknown,
  switches: RunSwitches = {},
): Promise<StreamRun<number>> {
  const { tables, request, settings } = parseAsof("joinAsofStream", right, options);
  const inputs = await openAsofInputs(left, tables, settings.signal);
  try {
    const [l, ...rights] = inputs.map(plannedInput);
    return startAsof(planAsof(l, rights, request, "stream"), inputs, settings, switches);
  } catch (error) {
    for (const input of inputs) input.cancel(error);
    throw error;
  }
}
