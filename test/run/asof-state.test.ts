/**
 * What an as-of join holds, asserted whenever nothing more can happen: the last row of each key, what one input is ahead of the other, and
 * the rows within the tolerance; never a batch for a row of it. Inputs are long, and come in any order.
 */

import { describe, expect, it } from "vitest";
import { decidedRows, type Known } from "../support/asof-oracle.ts";
import { random } from "../support/axes.ts";
import * as c from "../support/column.ts";
import { must } from "../support/compare.ts";
import { oracleOf } from "../support/expect-asof.ts";
import { type AsofOptions, runJoinAsofStream } from "../support/run.ts";
import { quiet, Scheduled } from "../support/scheduled.ts";
import { inTime } from "../support/source.ts";
import { table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

const KEYS = 5;
const ROWS = 400;
const LONGEST = 20;

interface Bound {
  readonly options: AsofOptions;
  /** Right rows so much before the left may be needed, beside the last of each key. */
  readonly back: number;
  /** And so much after. */
  readonly ahead: number;
}

const BOUNDS: { readonly [name: string]: Bound } = {
  "backward: the last row of each key": { options: { by: "k" }, back: 0, ahead: 0 },
  "backward, within a tolerance": { options: { by: "k", tolerance: 9, ties: "first" }, back: 0, ahead: 0 },
  "backward, without keys": { options: { allowExactMatches: false }, back: 0, ahead: 0 },
  "backward, of rows that pass": { options: { by: "k", filter: x.gt(r("v"), 20) }, back: 0, ahead: 0 },
  "backward, with a history of each key": { options: { by: "k", tolerance: 30, filter: x.ne(r("v"), l("v")) }, back: 30, ahead: 0 },
  "forward, the rows within after": { options: { by: "k", direction: "forward", tolerance: 25 }, back: 0, ahead: 25 },
  "forward, without keys": { options: { direction: "forward" }, back: 0, ahead: 0 },
  "nearest, the rows within both": { options: { by: "k", direction: "nearest", tolerance: 25 }, back: 0, ahead: 25 },
};

function inputOf(seed: number, name: string) {
  const pick = random(Math.imul(seed + 1, 0x9e3779b1));
  let now = 0;
  const times = Array.from({ length: ROWS }, () => {
    now += pick(3);
    return now;
  });
  const split: number[] = [];
  for (let rows = ROWS; rows > 0; rows -= split[split.length - 1]) split.push(Math.min(rows, 1 + pick(LONGEST)));
  const made = table(
    {
      t: c.int32(times),
      k: c.int32(times.map(() => pick(KEYS))),
      v: c.int32(times.map(() => pick(100))),
      [name]: c.int32(times.map((_, i) => i)),
    },
    { split },
  );
  return {
    times,
    made,
    input: new Scheduled(
      made.schema,
      made.batches.map((item) => ({ item, cell: null })),
    ),
  };
}

describe("an as-of join holds", () => {
  let seed = 0;
  for (const [name, { options, back, ahead }] of Object.entries(BOUNDS)) {
    it(`${name}, and what one input is ahead`, async () => {
      for (const kernel of ["wasm", "ts"] as const) {
        const pick = random(seed * 7 + 1);
        const [left, right] = [inputOf(seed++, "l"), inputOf(seed++, "r")];
        const asked = { on: "t", ...options, kernel };
        const expected = oracleOf(left.made, right.made, asked);
        const stream = await runJoinAsofStream(left.input, right.input, asked, { compactBytes: 0 });
        let rows = 0;
        let before = 0;
        /** Moments at which the bound was below what had come. */
        let tight = 0;
        let ended = false;
        const all = (async () => {
          for await (const batch of stream) rows += batch.numRows;
          ended = true;
        })();
        const settled = () => quiet(() => `${rows} ${left.input.pulls} ${right.input.pulls} ${ended}`);
        const check = () => {
          const known: Known = { ...right.input.known };
          const decided = decidedRows(expected, left.input.known.rows, [known], before).most;
          before = decided;
          must(rows === decided, () => `${rows} rows came of ${decided}`);
          const [ofLeft, ofRight] = stream.metrics().asof?.inputs ?? [];
          const waiting = left.input.known.rows - decided;
          must(ofLeft.heldRows <= waiting + LONGEST, () => `${ofLeft.heldRows} left rows are held, of which ${waiting} wait`);
          const now = left.times[Math.min(decided, Math.max(0, left.input.known.rows - 1))] ?? 0;
          const read = right.times.slice(0, known.rows);
          const needed = read.filter((t) => t >= now - back).length + KEYS + read.filter((t) => t < now && now - t <= ahead).length;
          // Rows are let go once they are as many as those of use, and no batch that is being read.
          const most = 2 * needed + 2 * LONGEST;
          if (most < known.rows) tight++;
          must(ofRight.heldRows <= most, () => `${ofRight.heldRows} right rows are held, where ${needed} are of use (${known.rows} came)`);
        };
        await settled();
        while (!ended) {
          const ready = [left.input, right.input].filter((input) => input.waits);
          must(ready.length > 0, () => "no input is asked for");
          ready[pick(ready.length)].deliver();
          await settled();
          if (!ended) check();
        }
        await all;
        expect(rows).toBe(ROWS);
        expect(tight).toBeGreaterThan(10);
      }
    });
  }

  it("no batch for the sake of one of its rows", async () => {
    const [batches, rows] = [60, 1000];
    const payload = "x".repeat(200);
    const right = table(
      {
        t: c.int32(Array.from({ length: batches * rows }, (_, i) => i)),
        k: c.int32(Array.from({ length: batches * rows }, (_, i) => (i % rows === 0 ? i : 1))),
        p: c.utf8(Array.from({ length: batches * rows }, (_, i) => payload + (i % 1000))),
      },
      { split: Array(batches).fill(rows) },
    );
    const left = table(
      { t: c.int32(Array.from({ length: batches + 1 }, (_, i) => i * rows)), k: c.int32(Array(batches + 1).fill(0)) },
      { split: Array(batches + 1).fill(1) },
    );
    for (const kernel of ["wasm", "ts"] as const) {
      const stream = await runJoinAsofStream(left, right, { on: "t", by: "k", kernel, select: ["t", "p"] }, {});
      let most = 0;
      let found = 0;
      for (;;) {
        const { done, value } = await inTime(stream.next(), "a batch");
        if (done) break;
        found += value.numRows - value.data.children[1].nullCount;
        most = Math.max(most, stream.metrics().asof?.inputs[1].heldBytes ?? 0);
      }
      expect(found).toBe(batches + 1);
      // Each batch has 200 kB; of each one row is of use.
      expect(most).toBeLessThan(8 * 210_000);
    }
  });
});
