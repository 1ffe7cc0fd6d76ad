/** What the tests of `prepareJoin` share: the verbs with loose types, the kernel behind a prepared side, and two tables. */

import type { RecordBatch, Table } from "apache-arrow";
import * as library from "../../src/index.ts";
import type { Kernel } from "../../src/kernel/contract.ts";
import type { PreparedRight } from "../../src/run/prepared-right.ts";
import * as c from "../support/column.ts";
import { readBatches } from "../support/rows.ts";
import type { Stream } from "../support/run.ts";
import { resplit, table } from "../support/table.ts";

export interface Prepared extends Disposable {
  readonly memoryBytes: number;
  close(): void;
}

export const prepareJoin = library.prepareJoin as unknown as (right: unknown, options: unknown) => Prepared;
export const joinIndices = library.joinIndices as unknown as (
  left: unknown,
  right: unknown,
  options?: unknown,
) => { left: Int32Array; right: Int32Array };

export const KERNELS = ["wasm", "ts"] as const;

/** The kernel that a prepared side owns: it is handed to whoever runs on it. */
export function kernelOf(prepared: Prepared): Kernel {
  const found: Kernel[] = [];
  try {
    (prepared as unknown as PreparedRight).run((kernel) => {
      found.push(kernel);
      throw null;
    });
  } catch (error) {
    if (error !== null) throw error;
  }
  return found[0];
}

export const LAYOUTS: readonly ((input: Table) => Table)[] = [
  (input) => input,
  (input) => resplit(input, 1, false),
  (input) => resplit(input, 2, true),
];
export async function readStream(opening: Promise<Stream>) {
  const stream = await opening;
  const batches: RecordBatch[] = [];
  for await (const batch of stream) batches.push(batch);
  return readBatches(stream.schema, batches);
}

export const left = table(
  { id: c.int32([1, null, 2, 2, 5, 1, 9]), v: c.int32([3, 1, 4, 1, 5, 9, null]), s: c.utf8(["a", "b", null, "d", "e", "f", "g"]) },
  { split: [2, 5], slice: true },
);
export const right = table(
  { id: c.int32([2, 7, null, 1, 2, 1]), w: c.int32([2, 7, 1, null, 2, 8]), t: c.utf8(["t", "u", "v", null, "x", "y"]) },
  { split: [3, 1, 2], slice: true, metadata: { from: "right" } },
);
