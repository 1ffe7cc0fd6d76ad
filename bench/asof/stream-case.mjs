/**
 * The shape of Arrow C++'s public as-of benchmark, streamed: 20 float64 columns a side, 500 ids, batches of 4096 rows. The batches are made before,
 * so that the join alone is measured.
 *
 *     node --expose-gc bench/asof/stream-case.mjs '{"kernel":"wasm","rows":400000,"rounds":3}'
 */

import { Table } from "apache-arrow";
import { joinAsofStream } from "arrow-join";
import { float64, int32, int64 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";
import { random } from "../measure/random.mjs";
import { collectGarbage, median } from "../measure/rounds.mjs";

const BATCH_ROWS = 4096;
const IDS = 500;
const COLUMNS = 20;

function batchesOf(rows, side, seed) {
  const next = random(seed);
  const batches = [];
  // The same values in every batch: what they are does not matter, where they lie does.
  for (let from = 0; from < rows; from += BATCH_ROWS) {
    const count = Math.min(BATCH_ROWS, rows - from);
    const columns = { t: int64(BigInt64Array.from({ length: count }, (_, i) => BigInt(from + i))) };
    columns.id = int32(Int32Array.from({ length: count }, () => next(IDS)));
    for (let c = 0; c < COLUMNS; c++) columns[`${side}${c}`] = float64(new Float64Array(count).fill(from + c));
    batches.push(new Table(columns).batches[0]);
  }
  return batches;
}

await answer(async ({ kernel, rows, rounds }) => {
  const [left, right] = [batchesOf(rows, "l", 1), batchesOf(rows, "r", 2)];
  const source = (batches) => ({
    schema: batches[0].schema,
    batches: (async function* () {
      yield* batches;
    })(),
  });
  const walls = [];
  let matched = 0;
  for (let round = 0; round <= rounds; round++) {
    collectGarbage();
    const start = performance.now();
    const stream = await joinAsofStream(source(left), source(right), { on: "t", by: "id", tolerance: 100_000, kernel });
    let out = 0;
    for await (const batch of stream) out += batch.numRows;
    if (out !== rows) throw new Error(`${out} rows instead of ${rows}`);
    matched = stream.metrics().pairsPassed;
    // The first round compiles.
    if (round > 0) walls.push(performance.now() - start);
  }
  return { wallMs: median(walls), matched };
});
