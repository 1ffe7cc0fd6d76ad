/**
 * One step of a program on constants, exactly as kernels do it on rows. Undefined where a kernel would fail the row: in a constant that is
 * an error. Nulls do not come here. Cost: O(digits).
 */

import { floorOf, ofDouble } from "./exact-number.ts";
import type { Lane, Step } from "./filter-spec.ts";
import { type Constant, fits } from "./literal.ts";

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;

/** A step but for its operands. */
export type Head = Without<Step, "args">;

type Value = NonNullable<Constant>;

export function foldStep(head: Head, [a, b]: readonly Value[]): Value | undefined {
  switch (head.op) {
    case "eq":
      return order(a, b) === 0;
    case "lt":
      return order(a, b) < 0;
    case "startsWith":
    case "endsWith":
      return (a as string)[head.op](b as string);
    case "contains":
      return (a as string).includes(b as string);
    case "convert":
      return converted(a, head.to);
    case "widen":
      return (a as bigint) * BigInt(head.factor);
    case "unscale":
      return Number(`${a}e${-head.scale}`);
    case "floorDivide":
      return floorOf({ n: a as bigint, d: BigInt(head.divisor) });
    case "mixed":
      return foldStep({ op: head.of, lane: "i64" }, [a, b]);
    case "add":
    case "sub":
    case "mul":
    case "div":
    case "mod":
    case "neg":
    case "abs": {
      if ((head.op === "div" || head.op === "mod") && Number(b) === 0) return undefined;
      const result = calculate(head.op, a as number, b as number);
      return typeof result !== "bigint" || fits(result, head.lane) ? result : undefined;
    }
  }
  return undefined;
}

/** Of two numbers or of two bigints, typed as the former. */
function calculate(op: "add" | "sub" | "mul" | "div" | "mod" | "neg" | "abs", a: number, b: number): number | bigint {
  switch (op) {
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "mul":
      return a * b;
    case "div":
      return a / b;
    case "mod":
      return a % b;
    case "neg":
      return -a;
    case "abs":
      return a < 0 ? -a : a;
  }
}

function converted(value: Value, to: Lane): number | bigint | undefined {
  if (to === "f64") return Number(value);
  if (to === "f32") return Math.fround(Number(value));
  const whole = typeof value === "bigint" ? value : ofDouble(Math.trunc(value as number));
  const result = typeof whole === "object" ? whole.n : whole;
  return typeof result === "bigint" && fits(result, to) ? result : undefined;
}

/** Negative, 0 or positive, of two values of one lane: NaN is above everything, texts go by their bytes. */
function order(a: Value, b: Value): number {
  if (typeof a === "string") return orderOfBytes(a, b as string);
  if (a === b) return 0;
  return Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(a)) - Number(Number.isNaN(b)) : a < b ? -1 : 1;
}

function orderOfBytes(a: string, b: string): number {
  const [p, q] = [a, b].map((text) => new TextEncoder().encode(text));
  const at = p.findIndex((byte, i) => byte !== q[i]);
  return at < 0 ? p.length - q.length : at >= q.length ? 1 : p[at] - q[at];
}
