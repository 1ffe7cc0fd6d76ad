/**
 * Expected against got: every comparison of the demo, told where it is made and once more at the end if it failed.
 */

import { green, grouped, red } from "./table-print.mjs";

export class Checks {
  #all = [];

  /** Compares and answers the line to print. `what` names the count for the end, `unit` in the line. */
  count(what, unit, got, expected) {
    this.#all.push({ what, got, expected });
    return `  ${grouped(got)} ${unit}, plain loop ${grouped(expected)} ${got === expected ? green("✓") : red("✗")}`;
  }

  /** Holds or not. */
  claim(what, holds) {
    this.#all.push({ what, got: holds, expected: true });
    return `  ${what} ${holds ? green("✓") : red("✗")}`;
  }

  /** What was counted under that name. */
  got(what) {
    return this.#all.find((check) => check.what === what)?.got;
  }

  get total() {
    return this.#all.length;
  }

  failures() {
    return this.#all
      .filter(({ got, expected }) => got !== expected)
      .map(({ what, got, expected }) => `${what}: expected ${expected}, got ${got}`);
  }
}
