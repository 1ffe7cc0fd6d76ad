/**
 * The same 45 joins on predicates give identical rows and order at 14 batchings each, on both kernels: neither batches nor passes nor the path
 * show (SEMANTICS 5.3, 6.1).
 */

import type { RecordBatch, Table } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Row, rowText } from "../support/cell.ts";
import { matchRows } from "../support/matches.ts";
import { memoryStore } from "../support/memory-store.ts";
import { oracleJoin } from "../support/oracle.ts";
import { ALL_KINDS } from "../support/random.ts";
import { GRAMMAR, predicate, sideSpec, tableOf } from "../support/random-tree.ts";
import { readBatches, readTable } from "../support/rows.ts";
import { type Options, type Switches, WHERE, withoutKeys } from "../support/run.ts";
import { resplit } from "../support/table.ts";
import { l, r, type Tree, x } from "../support/tree.ts";

interface Specification {
  readonly left: Table;
  readonly right: Table;
  readonly options: Options;
}

/** Fixed, so that a failure has a number. */
const SEED = 16996;

const RANGES: readonly Tree[] = [
  x.lt(l("i"), r("j")),
  x.ge(l("f"), r("f")),
  x.between(l("j"), r("i"), r("j")),
  x.and(x.lt(l("i"), r("j")), x.lt(r("i"), l("j"))),
  x.and(x.ge(l("i"), x.sub(r("i"), 1)), x.le(l("i"), x.add(r("i"), 1))),
  x.eq(l("k"), r("k")),
];

const specifications: Specification[] = fc
  .sample(
    fc.record({
      left: sideSpec(13),
      right: sideSpec(13),
      tree: fc.oneof(
        predicate(GRAMMAR, 2),
        fc.constantFrom(...RANGES),
        fc.tuple(fc.constantFrom(...RANGES), predicate(GRAMMAR, 1)).map(([range, rest]) => x.and(rest, range)),
      ),
      how: fc.constantFrom(...ALL_KINDS),
      multiple: fc.constantFrom("all" as const, "all" as const, "first" as const, "last" as const),
    }),
    { seed: SEED, numRuns: 45 },
  )
  .map(({ left, right, tree, how, multiple }) => ({
    left: tableOf(left, "left"),
    right: tableOf(right, "right"),
    options: withoutKeys({ how, ...(!/^(left|right)[A-Z]/.test(how) && { multiple }) }, tree),
  }));

interface Batching {
  readonly rows: number;
  readonly holes: boolean;
  readonly batchSize: number;
  readonly stream?: boolean;
  readonly store?: "now" | "later";
  readonly flush?: "eager";
  readonly switches?: Switches;
}

/** Rows of an input batch, rows of an output batch. 0: as the tables are. */
const BATCHINGS: readonly Batching[] = [
  { rows: 0, holes: false, batchSize: 8192 },
  { rows: 1, holes: false, batchSize: 1, switches: { wherePath: "loop" } },
  { rows: 2, holes: true, batchSize: 2, switches: { wherePath: "loop", chunkRows: 2 } },
  { rows: 3, holes: false, batchSize: 3, switches: { rangeSearch: "always", tileRows: 3 } },
  { rows: 5, holes: true, batchSize: 1, switches: { collideHashes: true, chunkRows: 3 } },
  { rows: 1, holes: true, batchSize: 7, store: "now", switches: { wherePath: "loop", chunkRows: 7, tileRows: 2 } },
  { rows: 0, holes: false, batchSize: 8192, stream: true },
  { rows: 1, holes: false, batchSize: 1, stream: true, switches: { rangeSearch: "always" } },
  { rows: 2, holes: true, batchSize: 3, stream: true, switches: { rangeSearch: "off", noEarlyExit: true, tileRows: 1 } },
  { rows: 7, holes: false, batchSize: 2, stream: true, store: "later", switches: { wherePath: "loop", chunkRows: 1 } },
  { rows: 1, holes: true, batchSize: 8192, stream: true, flush: "eager", switches: { wherePath: "loop" } },
  { rows: 4, holes: false, batchSize: 5, stream: true, store: "later", switches: { chunkRows: 2, rangeSearch: "always" } },
  { rows: 3, holes: true, batchSize: 4, stream: true, store: "now", flush: "eager", switches: { wherePath: "loop", chunkRows: 3 } },
  { rows: 0, holes: false, batchSize: 6, stream: true, switches: { chunkRows: 7 } },
];

async function rowsOf({ left, right, options }: Specification, batching: Batching, kernel: "wasm" | "ts"): Promise<readonly Row[]> {
  const { rows, holes, batchSize, stream, store, flush, switches = {} } = batching;
  const split = (input: Table) => (rows === 0 ? input : resplit(input, rows, holes));
  // A stream can limit the rows of the side that streams only.
  const build = options.multiple === "last" && options.how === "right" ? "left" : "right";
  const spill = store && memoryStore({ answers: store });
  const given = { ...options, batchSize, kernel, hashSeed: batchSize, ...(spill && { spill }) };
  if (!stream) return readTable(WHERE.now(split(left), split(right), given, switches)).rows;
  const result = await WHERE.later(split(left), split(right), { ...given, build, ...(flush && { flush }) }, switches);
  const batches: RecordBatch[] = [];
  for await (const batch of result) batches.push(batch);
  if (spill) expect([spill.files(), ...spill.misuse]).toEqual([0]);
  return readBatches(result.schema, batches).rows;
}

const text = (rows: readonly Row[]): string => rows.map(rowText).join("\n");

/** What the rules say, in either order. */
function expectedOf({ left, right, options }: Specification): { readonly left: string; readonly right: string } {
  const [lr, rr] = [readTable(left), readTable(right)];
  const matches = matchRows(lr, rr, [], options);
  const inOrder = (order: "left" | "right") => text(oracleJoin(lr, rr, { ...options, order, unified: "right", matches }).rows);
  return { left: inOrder("left"), right: inOrder("right") };
}

describe("45 random joins on predicates", () => {
  const expected = specifications.map(expectedOf);

  for (const kernel of ["wasm", "ts"] as const) {
    it(`give identical rows and order at 14 batchings each (${kernel})`, async () => {
      for (const [number, one] of specifications.entries()) {
        const turned = one.options.multiple === "last" && one.options.how === "right";
        for (const [at, batching] of BATCHINGS.entries()) {
          const actual = text(await rowsOf(one, batching, kernel));
          const wanted = expected[number][turned && batching.stream ? "right" : "left"];
          if (actual !== wanted)
            expect(actual, `join ${number}, batching ${at}, ${JSON.stringify(batching)}: ${JSON.stringify(one.options)}`).toBe(wanted);
        }
      }
    }, 60_000);
  }

  it("are of every kind, and most have rows", () => {
    expect(new Set(specifications.map(({ options }) => options.how)).size).toBe(10);
    expect(expected.filter(({ left }) => left !== "").length).toBeGreaterThan(30);
  });
});
