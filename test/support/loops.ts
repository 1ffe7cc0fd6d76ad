/** The nested loop in one pass and in many, for cases that are written out: both kernels, with a store and without. */

import type { Table } from "apache-arrow";
import { expect } from "vitest";
import type { Cell } from "./cell.ts";
import { memoryStore } from "./memory-store.ts";
import { readTable } from "./rows.ts";
import { runJoinWhere, type Switches, type WhereOptions } from "./run.ts";
import type { Tree } from "./tree.ts";

export const KERNELS = ["wasm", "ts"] as const;

/** The nested loop in one pass, and in passes of 1, 2, 3 and 7 rows. */
export const LOOPS: readonly Switches[] = [undefined, 1, 2, 3, 7].map((chunkRows) => ({
  wherePath: "loop",
  ...(chunkRows && { chunkRows }),
}));

/** In every loop on both kernels: the rows, written out. */
export function expectLoops(left: Table, right: Table, predicate: Tree, options: WhereOptions, rows: readonly (readonly Cell[])[]): void {
  for (const kernel of KERNELS)
    for (const switches of LOOPS)
      for (const store of switches.chunkRows && kernel === "wasm" ? [undefined, memoryStore()] : [undefined]) {
        const spill = store && { spill: store };
        expect(
          readTable(runJoinWhere(left, right, predicate, { ...options, kernel, ...spill }, switches)).rows,
          `${kernel}, ${JSON.stringify(switches)}`,
        ).toEqual(rows);
        if (store) expect([store.files(), ...store.misuse]).toEqual([0]);
      }
}
