/** The same 300 join specifications give identical rows and order at 12 batchings each, on both kernels: batching never shows (SEMANTICS 6.1). */

import type { RecordBatch, Table } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Row, rowText } from "../support/cell.ts";
import { matchRows } from "../support/matches.ts";
import { keysOf, oracleJoin } from "../support/oracle.ts";
import { ALL_KINDS } from "../support/random.ts";
import { GRAMMAR, predicate, sideSpec, tableOf } from "../support/random-tree.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { type Options, runJoin, runJoinStream, type Switches } from "../support/run.ts";
import { resplit } from "../support/table.ts";

interface Specification {
  readonly left: Table;
  readonly right: Table;
  readonly options: Options;
}

/** Fixed, so that a failure has a number. */
const SEED = 27398;

const specifications: Specification[] = fc
  .sample(
    fc.record({
      left: sideSpec(14),
      right: sideSpec(14),
      filter: fc.option(predicate(GRAMMAR, 2), { freq: 8, nil: undefined }),
      how: fc.constantFrom(...ALL_KINDS),
      on: fc.constantFrom<Options["on"]>("k", "k", "same", "m", ["k", "m"]),
      nullsEqual: fc.boolean(),
      nullAware: fc.boolean(),
      multiple: fc.constantFrom("all" as const, "all" as const, "first" as const, "last" as const),
      coalesceKeys: fc.boolean(),
    }),
    { seed: SEED, numRuns: 300 },
  )
  .map(({ left, right, filter, how, on, nullsEqual, nullAware, multiple, coalesceKeys }) => {
    const both = !/^(left|right)[A-Z]/.test(how);
    return {
      left: tableOf(left, "left", ["i", "j", "f", "s", "d", "b", "t", "u", "n", "e"]),
      right: tableOf(right, "right"),
      options: {
        on,
        how,
        nullsEqual,
        ...(filter && { filter }),
        ...(both && { coalesceKeys, multiple }),
        ...(nullAware && /Anti|Mark/.test(how) && { nullAware }),
      },
    };
  });

interface Batching {
  readonly rows: number;
  readonly holes: boolean;
  readonly batchSize: number;
  readonly stream?: boolean;
  readonly switches?: Switches;
}

/** Rows of an input batch, rows of an output batch. 0: as the tables are. */
const BATCHINGS: readonly Batching[] = [
  { rows: 0, holes: false, batchSize: 8192 },
  { rows: 1, holes: false, batchSize: 1 },
  { rows: 2, holes: true, batchSize: 2 },
  { rows: 3, holes: false, batchSize: 3, switches: { rangeSearch: "always", tileRows: 3 } },
  { rows: 5, holes: true, batchSize: 1, switches: { collideHashes: true } },
  { rows: 1, holes: true, batchSize: 7, switches: { tinyTables: true } },
  { rows: 0, holes: false, batchSize: 8192, stream: true },
  { rows: 1, holes: false, batchSize: 1, stream: true, switches: { rangeSearch: "always" } },
  { rows: 2, holes: true, batchSize: 3, stream: true, switches: { rangeSearch: "off", noEarlyExit: true, tileRows: 1 } },
  { rows: 7, holes: false, batchSize: 2, stream: true, switches: { forceTable: "swiss" } },
  { rows: 1, holes: true, batchSize: 8192, stream: true },
  { rows: 4, holes: false, batchSize: 5, stream: true, switches: { collideHashes: true } },
];

async function rowsOf({ left, right, options }: Specification, batching: Batching, kernel: "wasm" | "ts"): Promise<readonly Row[]> {
  const { rows, holes, batchSize, stream, switches = {} } = batching;
  const split = (input: Table) => (rows === 0 ? input : resplit(input, rows, holes));
  // A stream can limit the rows of the side that streams only.
  const build = stream && { build: options.multiple === "last" && options.how === "right" ? "left" : "right" };
  const given = { ...options, ...build, batchSize, kernel, hashSeed: batchSize };
  if (!stream) return readTable(runJoin(split(left), split(right), given, switches)).rows;
  const result = await runJoinStream(split(left), split(right), given, switches);
  const batches: RecordBatch[] = [];
  for await (const batch of result) batches.push(batch);
  return readBatches(result.schema, batches).rows;
}

const text = (rows: readonly Row[]): string => rows.map(rowText).join("\n");

/** What the rules say, in the order that the run has. */
function expected({ left, right, options }: Specification, order: "left" | "right"): string {
  const [l, r] = [readTable(left), readTable(right)];
  return text(oracleJoin(l, r, { ...options, order, unified: "right", matches: matchRows(l, r, keysOf(options), options) }).rows);
}

describe("300 random join specifications", () => {
  for (const kernel of ["wasm", "ts"] as const) {
    it(`give identical rows and order at 12 batchings each (${kernel})`, async () => {
      for (const [number, one] of specifications.entries()) {
        const turned = one.options.multiple === "last" && one.options.how === "right";
        const [inLeftOrder, inRightOrder] = [expected(one, "left"), turned ? expected(one, "right") : ""];
        for (const [at, batching] of BATCHINGS.entries()) {
          const rows = await rowsOf(one, batching, kernel);
          const what = `specification ${number}, batching ${at}: ${JSON.stringify(one.options)}`;
          if (text(rows) !== (turned && batching.stream ? inRightOrder : inLeftOrder))
            expect(text(rows), what).toBe(turned && batching.stream ? inRightOrder : inLeftOrder);
        }
      }
    }, 60_000);
  }

  it("are of every kind, with and without a filter, and most have rows", () => {
    const kinds = new Set(specifications.map(({ options }) => options.how));
    expect([...kinds].sort()).toEqual([...ALL_KINDS].sort());
    expect(specifications.filter(({ options }) => options.filter === undefined).length).toBeGreaterThan(10);
    expect(specifications.filter((one) => expected(one, "left") !== "").length).toBeGreaterThan(200);
  });
});
