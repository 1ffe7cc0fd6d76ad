/**
 * How two time columns become times that compare exactly (SEMANTICS 7.4), by the forms of the kernel contract (src/kernel/asof-contract.ts):
 *
 *     floats; integers of up to 32 bits, one unit     number          base 1
 *     one unit, 64 bits on either side                split           base 4096
 *     two units of time that differ by a factor       coarse, fine    base 2^k * factor, the largest up to 2^53
 *
 * Decided once a join, from the types alone. O(1).
 */

import { ArrowJoinError } from "../error.ts";
import { type PlainType, typeText } from "../plain-type.ts";
import type { TimeColumn } from "./asof-spec.ts";
import type { NumberLane } from "./filter-spec.ts";
import { finerOf, type Kind, kindOf, ratioOf, type Unit } from "./value-kind.ts";

export interface TimePair {
  readonly left: TimeColumn;
  readonly right: TimeColumn;
  /** What a number as a tolerance counts, and what differences are compared in; null: floats. */
  readonly leftUnit: Unit | null;
  readonly finerUnit: Unit | null;
  /** Durations have a meaning. */
  readonly temporal: boolean;
}

export interface NamedColumn {
  readonly column: number;
  readonly name: string;
  readonly type: PlainType;
}

const TIMES = /^(u?int(8|16|32|64)|float(32|64)|date(32|64)|time(32|64)|timestamp|duration)$/;
/** A power of 2 that leaves both parts of 64 bits exact as float64: 52 and 12 bits. */
const SPLIT = 4096;

/** The forms of a left and a right time column; `side` is what messages call the right. Throws UNSUPPORTED_TYPE, KEY_TYPE_MISMATCH. */
export function planTimes(left: NamedColumn, right: NamedColumn, side: string): TimePair {
  const [l, r] = [timeKind("left", left), timeKind(side, right)];
  const temporal = l.family !== "number";
  const columns = (leftForm: Form, rightForm: Form): TimePair => ({
    left: { ...left, from: l.lane as NumberLane, ...leftForm },
    right: { ...right, from: r.lane as NumberLane, ...rightForm },
    leftUnit: l.unit,
    finerUnit: l.unit && r.unit && finerOf(l.unit, r.unit),
    temporal,
  });
  if (l.family !== r.family || (l.unit === null) !== (r.unit === null)) {
    const [a, b] = [typeText(left.type), typeText(right.type)];
    throw new ArrowJoinError(
      "KEY_TYPE_MISMATCH",
      `Time types differ: left "${left.name}" is ${a}, ${side} "${right.name}" is ${b}. Cast ${side} "${right.name}" to ${a} (or left "${left.name}" to ${b}) before joining.`,
    );
  }
  if (!l.unit || !r.unit) return columns(NUMBER, NUMBER);
  const { factor, divisor } = ratioOf(l.unit, r.unit);
  if (factor === divisor) {
    const form = [l, r].some(({ lane }) => lane.endsWith("64")) ? ({ op: "split", factor: 1, base: SPLIT } as const) : NUMBER;
    return columns(form, form);
  }
  const ratio = Number(factor * divisor);
  const rest = { factor: ratio, base: ratio * 2 ** Math.floor(Math.log2(2 ** 53 / ratio)) };
  const coarse: Form = { op: "coarse", ...rest };
  const fine: Form = { op: "fine", ...rest };
  return factor > 1n ? columns(coarse, fine) : columns(fine, coarse);
}

type Form = Pick<TimeColumn, "op" | "factor" | "base">;

const NUMBER: Form = { op: "number", factor: 1, base: 1 };

function timeKind(side: string, { name, type }: NamedColumn): Kind {
  if (TIMES.test(type.name)) return kindOf(type);
  throw new ArrowJoinError(
    "UNSUPPORTED_TYPE",
    `The ${side} column "${name}" is ${typeText(type)}, which is no time: an as-of join is on integers, float32, float64, dates, timestamps, times of day or durations. Cast it to one of these, or give another column as on.`,
  );
}
