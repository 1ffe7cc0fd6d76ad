/** Reads the metrics of an as-of join off its inputs. */

import type { AsofRight } from "../spec/asof-spec.ts";
import type { AsofInputMetrics, AsofMetrics } from "./asof-metrics.ts";
import type { InputState } from "./input-state.ts";
import type { RightState } from "./right-state.ts";
import { NO_TIME, timeValue } from "./time-loader.ts";

/** `underWay`: left rows that are read and have not been handed on. */
export function asofMetrics(left: InputState, underWay: number, rights: readonly RightState[]): AsofMetrics {
  const leftMetrics: AsofInputMetrics = {
    ...inputMetrics(left),
    heldRows: left.queuedRows + underWay,
    heldBytes: left.ledger.bytes,
    keys: 0,
    purgedRows: 0,
    compactedRows: 0,
    historyRows: 0,
    lag: null,
  };
  const own = rights.map((right): AsofInputMetrics => {
    const { input, held, keyCount, historyRows } = right;
    return {
      ...inputMetrics(input),
      ...heldOf(right),
      keys: keyCount,
      purgedRows: held?.purgedRows ?? 0,
      compactedRows: held?.compactedRows ?? 0,
      historyRows,
      lag: lagOf(left, right),
    };
  });
  return { inputs: [leftMetrics, ...own] };
}

const inputMetrics = ({ name, rows, batches, queuedBatches }: InputState) => ({ name, rows, batches, queuedBatches });

/** Rows and bytes that a right holds. */
export const heldOf = ({ input, held, waitingRows }: RightState): Pick<AsofInputMetrics, "heldRows" | "heldBytes"> => ({
  heldRows: input.queuedRows + (held ? held.rows : waitingRows),
  heldBytes: input.ledger.bytes + (held?.copiedBytes ?? 0),
});

function lagOf({ latest, form }: InputState, { input, spec }: RightState): number | null {
  if (latest === NO_TIME || input.latest === NO_TIME) return null;
  return Number(timeValue(form, latest)) - inLeftUnit(spec, Number(timeValue(spec.time, input.latest)));
}

/** A right of another unit counts in the left's. */
const inLeftUnit = ({ leftTime, time }: AsofRight, value: number): number =>
  leftTime.op === "coarse" ? value / leftTime.factor : time.op === "coarse" ? value * time.factor : value;
