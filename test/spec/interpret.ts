/**
 * Runs the programs of a `FilterSpec` for one pair of rows, step by step as `filter-spec.ts` describes them: bigints for integers, numbers
 * for floats, strings, booleans. It checks what operators rely on: operands of the right lane, no step on constants alone, plain JSON.
 */

import { isDeepStrictEqual } from "node:util";
import type { FilterSpec, Lane, Program, SideFilter, Step } from "../../src/spec/filter-spec.ts";
import { compareValues, type Type, type Value } from "../support/exact.ts";

export type Values = readonly Value[];

/** Whether the pair matches. */
export function matches(spec: FilterSpec, left: Values, right: Values): boolean {
  if (spec.never) return false;
  const sides = { left, right };
  const parts = { left: [] as Value[], right: [] as Value[] };
  let truth = true;
  for (const side of ["left", "right"] as const) {
    const { conjuncts, parts: own } = spec[side];
    for (const program of conjuncts) truth = run(program, sides[side]) === true && truth;
    parts[side] = own.map(({ program }) => run(program, sides[side]));
  }
  for (const { program, range } of spec.conjuncts) {
    const result = run(program, [], parts);
    if (range) {
      const [a, b] = [parts.left[range.left], parts.right[range.right]];
      const c = a === null || b === null ? null : order(range.lane, a, b);
      if ((c === null ? null : HOLDS[range.op](c)) !== result) throw new Error(`the range says otherwise: ${spec.text}`);
    }
    truth = result === true && truth;
  }
  return truth;
}

const HOLDS = {
  lt: (x: number) => x < 0,
  le: (x: number) => x <= 0,
  gt: (x: number) => x > 0,
  ge: (x: number) => x >= 0,
  eq: (x: number) => x === 0,
};

/** Plain throws: vitest's `expect` would take most of the time of the random tests. */
function check(holds: boolean, what: unknown): void {
  if (!holds) throw new Error(`a FilterSpec with ${JSON.stringify(what)}`);
}

/** The invariants of `FilterSpec`. */
export function checkSpec(spec: FilterSpec): void {
  check(isDeepStrictEqual(JSON.parse(JSON.stringify(spec)), spec), spec);
  const used = { left: new Set<number>(), right: new Set<number>() };
  for (const { program } of spec.conjuncts) {
    check(lanesOf(program).at(-1) === "bits", program);
    const sides = program.steps.map((step): string => (step.op === "part" ? step.side : ""));
    program.steps.forEach((step, i) => {
      if (step.op === "column") throw new Error("a pair program reads a column");
      if (step.op === "part") used[step.side].add(step.part);
      if (step.op === "part") check(spec[step.side].parts[step.part].lane === step.lane, step);
      if (!("args" in step)) return;
      sides[i] = [...new Set(step.args.flatMap((arg) => sides[arg].split("+")))].filter((side) => side !== "").join("+");
      check(sides[i].includes("+"), { shouldBePart: step });
    });
  }
  for (const side of ["left", "right"] as const) {
    const { conjuncts, parts, columns } = spec[side] as SideFilter;
    check(used[side].size === parts.length, parts);
    for (const program of conjuncts) check(lanesOf(program).at(-1) === "bits", program);
    for (const { program, lane } of parts) check(lanesOf(program).at(-1) === lane, program);
    const programs = [...conjuncts, ...parts.map(({ program }) => program)];
    const read = new Set(programs.flatMap(({ steps }) => steps.flatMap((step) => (step.op === "column" ? [step.column] : []))));
    check(String(columns) === String([...read].sort((a, b) => a - b)), columns);
  }
}

function lanesOf({ steps }: Program): Lane[] {
  const lanes: Lane[] = [];
  for (const step of steps) {
    const own = ("args" in step ? step.args : []).map((arg) => lanes[arg]);
    check(
      own.every((lane) => lane !== undefined),
      step,
    );
    const [lane, operands] = signature(step);
    if (operands) check(String([...own].sort()) === String([...operands].sort()), step);
    if ("args" in step)
      check(
        step.args.some((arg) => steps[arg].op !== "constant"),
        step,
      );
    lanes.push(lane);
  }
  return lanes;
}

/** The lane of the result, those of the operands. */
function signature(step: Step): [Lane, Lane[] | null] {
  switch (step.op) {
    case "column":
    case "part":
    case "constant":
      return [step.lane, []];
    case "eq":
    case "lt":
      return ["bits", [step.lane, step.lane]];
    case "among":
      return ["bits", [step.lane]];
    case "eqScaled":
    case "ltScaled":
      check(step.scale >= -76 && step.scale <= 76, step);
      return ["bits", ["f64", "wide"]];
    case "and":
    case "or":
      return ["bits", step.args.map(() => "bits")];
    case "not":
    case "isTrue":
      return ["bits", ["bits"]];
    case "isNull":
      return ["bits", null];
    case "mixed":
      return ["i64", ["i64", "u64"]];
    case "neg":
    case "abs":
      return [step.lane, [step.lane]];
    case "convert":
      check(step.from !== step.to, step);
      return [step.to, [step.from]];
    case "widen":
      check(BigInt(step.factor) > 0n, step);
      return ["wide", [step.from]];
    case "unscale":
      check(step.scale >= -76, step);
      return ["f64", ["wide"]];
    case "floorDivide":
      check(BigInt(step.divisor) > 0n, step);
      return ["i64", ["i64"]];
    case "startsWith":
    case "endsWith":
    case "contains":
      return ["bits", ["text", "text"]];
    default:
      return [step.lane, [step.lane, step.lane]];
  }
}

const RANGE: { [lane: string]: readonly [bigint, bigint] } = Object.fromEntries(
  [8n, 16n, 32n, 64n].flatMap((bits) => [
    [`u${bits}`, [0n, 2n ** bits - 1n]],
    [`i${bits}`, [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]],
  ]),
);
RANGE.wide = [-(2n ** 255n), 2n ** 255n - 1n];

const within = (value: bigint, lane: string): bigint | null => (value >= RANGE[lane][0] && value <= RANGE[lane][1] ? value : null);

const typeOfLane = (lane: Lane): Type =>
  lane === "text" ? { kind: "text" } : lane === "bits" ? { kind: "bool" } : lane[0] === "f" ? { kind: "float" } : { kind: "int" };

const order = (lane: Lane, a: Value, b: Value): number => compareValues(a, typeOfLane(lane), b, typeOfLane(lane));

export function run({ steps }: Program, columns: Values, parts: { left: Values; right: Values } = { left: [], right: [] }): Value {
  const values: Value[] = [];
  for (const step of steps) values.push(runStep(step, "args" in step ? step.args.map((arg) => values[arg]) : [], columns, parts));
  return values[values.length - 1];
}

function runStep(step: Step, args: readonly Value[], columns: Values, parts: { left: Values; right: Values }): Value {
  switch (step.op) {
    case "column":
      return columns[step.column];
    case "part":
      return parts[step.side][step.part];
    case "constant": {
      if (step.value === null || step.lane === "bits" || step.lane === "text") return step.value;
      if (step.lane === "f64" || step.lane === "f32") return Number(step.value);
      const value = within(BigInt(step.value as string), step.lane);
      if (value === null) throw new Error(`${step.value} is no ${step.lane}`);
      return value;
    }
    case "and":
      return args.includes(false) ? false : args.includes(null) ? null : true;
    case "or":
      return args.includes(true) ? true : args.includes(null) ? null : false;
    case "isNull":
      return args[0] === null;
    case "isTrue":
      return args[0] === true;
  }
  return args.includes(null) ? null : runStrict(step, args as readonly Exclude<Value, null>[]);
}

function runStrict(step: Step, [a, b]: readonly Exclude<Value, null>[]): Value {
  const [p, q] = [a as bigint, b as bigint];
  switch (step.op) {
    case "not":
      return !a;
    case "eq":
      return order(step.lane, a, b) === 0;
    case "lt":
      return order(step.lane, a, b) < 0;
    case "among": {
      const { lane } = step;
      const value = (text: string | number) =>
        (lane === "text" ? text : lane[0] === "f" ? Number(text) : BigInt(text)) as Exclude<Value, null>;
      return step.values.some((text) => order(lane, a, value(text)) === 0);
    }
    case "eqScaled":
    case "ltScaled": {
      const decimal: Type = { kind: "decimal", scale: step.scale };
      const [s, t] = [a, b].map((value): Type => (typeof value === "bigint" ? decimal : { kind: "float" }));
      const c = compareValues(a, s, b, t);
      return step.op === "eqScaled" ? c === 0 : c < 0;
    }
    case "convert": {
      if (step.to === "f64") return Number(a);
      if (step.to === "f32") return Math.fround(Number(a));
      if (typeof a === "number" && !Number.isFinite(a)) return null;
      return within(typeof a === "number" ? BigInt(Math.trunc(a)) : p, step.to);
    }
    case "widen": {
      const value = p * BigInt(step.factor);
      return within(value, "wide") ?? RANGE.wide[value < 0n ? 0 : 1];
    }
    case "unscale":
      return Number(`${a}e${-step.scale}`);
    case "floorDivide": {
      const divisor = BigInt(step.divisor);
      return p / divisor - (p % divisor < 0n ? 1n : 0n);
    }
    case "startsWith":
    case "endsWith":
      return (a as string)[step.op](b as string);
    case "contains":
      return (a as string).includes(b as string);
    case "mixed":
      if (step.of === "mod" && q === 0n) return null;
      return within({ add: () => p + q, sub: () => p - q, mul: () => p * q, mod: () => p % q }[step.of](), "i64");
    case "add":
    case "sub":
    case "mul":
    case "div":
    case "mod":
    case "neg":
    case "abs": {
      if ((step.op === "div" || step.op === "mod") && Number(b) === 0) return null;
      if (step.lane === "f64") {
        const [x, y] = [a as number, b as number];
        return { add: x + y, sub: x - y, mul: x * y, div: x / y, mod: x % y, neg: -x, abs: Math.abs(x) }[step.op];
      }
      switch (step.op) {
        case "add":
          return within(p + q, step.lane);
        case "sub":
          return within(p - q, step.lane);
        case "mul":
          return within(p * q, step.lane);
        case "mod":
          return within(p % q, step.lane);
        case "neg":
          return within(-p, step.lane);
        case "abs":
          return within(p < 0n ? -p : p, step.lane);
      }
    }
  }
  throw new Error(`no such step: ${JSON.stringify(step)}`);
}
