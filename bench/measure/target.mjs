/** A line that says whether a target was met, with the number that was measured. */

import { bold, green, red } from "../../examples/demo/table-print.mjs";

/** @param {{ what: string, measured: string, target: string, met: boolean }} line */
export function targetLine({ what, measured, target, met }) {
  return `${bold(`${what}:`)} ${measured} (target ${target}: ${met ? green("met") : red("missed")})`;
}
