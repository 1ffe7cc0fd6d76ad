/** Refuses a product that would be too large before any of it is made: how many rows it has is known, and so are its bytes. */

import { columnBytes } from "../arrow/column-bytes.ts";
import { ArrowJoinError } from "../error.ts";
import { type JoinSpec, otherSide } from "../spec/join-spec.ts";
import type { TableInputs } from "./table-run.ts";

const MAX_ROWS = 2 ** 31 - 2;

/** Throws MEMORY_LIMIT. O(columns x batches), and a pass over the null bits of what is output. */
export function checkCross(spec: JoinSpec, inputs: TableInputs, memoryLimit: number | null): void {
  const rows = inputs.left.rows * inputs.right.rows;
  const refuse = (what: string) =>
    new ArrowJoinError(
      "MEMORY_LIMIT",
      `Each of ${inputs.left.rows} left rows with each of ${inputs.right.rows} right ones makes ${what}. Take them batch by batch with joinCrossStream.`,
    );
  if (memoryLimit === null) {
    if (rows > MAX_ROWS) throw refuse(`${rows} rows, more than the ${MAX_ROWS} that one table takes`);
    return;
  }
  const bytes = spec.output.reduce((sum, { left, right }) => {
    const side = left !== null ? "left" : "right";
    const column = (left ?? right) as number;
    const own = inputs[side].batches.reduce((total, batch) => total + columnBytes(batch.column(column)), 0);
    return sum + own * inputs[otherSide(side)].rows;
  }, 0);
  if (bytes > memoryLimit) throw refuse(`${rows} rows of ${Math.ceil(bytes)} bytes, more than memoryLimit: ${memoryLimit}`);
}
