/**
 * What the verbs do, without their types: options to a request, inputs to schemas, both to a spec, the spec to a driver. Tests come in here
 * with switches; the verbs have none.
 */

import type { Table } from "apache-arrow";
import { checkCross } from "../run/cross-size.ts";
import { type Indices, runIndices } from "../run/index-run.ts";
import { cancelInputs, openInputs, startStream } from "../run/open-stream.ts";
import { PreparedRight } from "../run/prepared-right.ts";
import type { StreamRun } from "../run/stream-run.ts";
import { plannedInput, type RunSwitches, readInputs, readLeft, readRight, runTable, type TableInputs } from "../run/table-run.ts";
import type { JoinSpec } from "../spec/join-spec.ts";
import { planIndices } from "../spec/plan-indices.ts";
import { type Mode, planJoin, planPrepared } from "../spec/plan-join.ts";
import { planCross, planWhere } from "../spec/plan-where.ts";
import { type ParsedOptions, parseKeyless, parseOptions, parsePreparedOptions } from "./request.ts";
import type { Verb } from "./rules.ts";

export function runJoin(left: unknown, right: unknown, options: unknown, switches: RunSwitches = {}): Table {
  const { request, settings, inputs, prepared } = readAll("join", left, right, options);
  const spec = planJoin(plannedInput(inputs.left), plannedInput(inputs.right), request, "table");
  return runTable(spec, inputs, settings, switches, prepared);
}

export function runJoinIndices(left: unknown, right: unknown, options: unknown, switches: RunSwitches = {}): Indices {
  const { request, settings, inputs, prepared } = readAll("joinIndices", left, right, options);
  const spec = planIndices(plannedInput(inputs.left), plannedInput(inputs.right), request);
  return runIndices(spec, inputs, settings, switches, prepared);
}

export async function runJoinStream(left: unknown, right: unknown, options: unknown, switches: RunSwitches = {}): Promise<StreamRun> {
  const prepared = right instanceof PreparedRight ? right : null;
  return stream(left, right, parse("joinStream", prepared, options), planJoin, switches, prepared);
}

export function runJoinWhere(left: unknown, right: unknown, predicate: unknown, options?: unknown, switches: RunSwitches = {}): Table {
  return keyless(left, right, parseKeyless("joinWhere", options, [predicate]), planWhereWith(switches), switches);
}

export async function runJoinWhereStream(
  left: unknown,
  right: unknown,
  predicate: unknown,
  options?: unknown,
  switches: RunSwitches = {},
): Promise<StreamRun> {
  return stream(left, right, parseKeyless("joinWhereStream", options, [predicate]), planWhereWith(switches), switches);
}

export function runJoinCross(left: unknown, right: unknown, options?: unknown, switches: RunSwitches = {}): Table {
  const parsed = parseKeyless("joinCross", options);
  return keyless(left, right, parsed, planCross, switches, (spec, inputs) => checkCross(spec, inputs, parsed.settings.memoryLimit));
}

export async function runJoinCrossStream(left: unknown, right: unknown, options?: unknown, switches: RunSwitches = {}): Promise<StreamRun> {
  return stream(left, right, parseKeyless("joinCrossStream", options), planCross, switches);
}

type Plan = (...parameters: Parameters<typeof planJoin>) => JoinSpec;

const planWhereWith =
  ({ wherePath }: RunSwitches): Plan =>
  (left, right, request, mode: Mode) =>
    planWhere(left, right, request, mode, wherePath === "loop");

function keyless(
  left: unknown,
  right: unknown,
  { request, settings }: ParsedOptions,
  plan: Plan,
  switches: RunSwitches,
  check?: (spec: JoinSpec, inputs: TableInputs) => void,
): Table {
  const inputs = readInputs(left, right);
  const spec = plan(plannedInput(inputs.left), plannedInput(inputs.right), request, "table");
  check?.(spec, inputs);
  return runTable(spec, inputs, settings, switches);
}

async function stream(
  left: unknown,
  right: unknown,
  { request, settings }: ParsedOptions,
  plan: Plan,
  switches: RunSwitches,
  prepared: PreparedRight | null = null,
): Promise<StreamRun> {
  const inputs = await openInputs(left, right, settings.signal);
  try {
    const spec = plan(plannedInput(inputs.left), plannedInput(inputs.right), request, "stream");
    return startStream(spec, inputs, settings, switches, prepared);
  } catch (error) {
    cancelInputs(inputs, error);
    throw error;
  }
}

export function runPrepareJoin(right: unknown, options: unknown, switches: RunSwitches = {}): PreparedRight {
  const { request, settings } = parseOptions("prepareJoin", options);
  const input = readRight(right);
  return new PreparedRight(
    input,
    planPrepared(plannedInput(input), request.on),
    request.on,
    { ...(options as object) },
    settings,
    switches,
  );
}

const parse = (verb: Verb, prepared: PreparedRight | null, options: unknown): ParsedOptions =>
  prepared ? parsePreparedOptions(verb, options, prepared) : parseOptions(verb, options);

function readAll(verb: Verb, left: unknown, right: unknown, options: unknown) {
  const prepared = right instanceof PreparedRight ? right : null;
  const parsed = parse(verb, prepared, options);
  return { ...parsed, prepared, inputs: prepared ? { left: readLeft(left), right: prepared.input } : readInputs(left, right) };
}

export { runJoinAsof, runJoinAsofStream } from "./run-asof.ts";
