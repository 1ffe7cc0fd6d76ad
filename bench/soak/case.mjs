/**
 * Two generated streams, joined as of time by key; nothing of them is kept. The right falls behind the left and catches up again: a gate lets the
 * right on only so far.
 *
 *     node --expose-gc bench/soak/case.mjs '{"kernel":"wasm","rows":2000000}'
 */

import { makeData, makeVector, Table, TimestampMicrosecond } from "apache-arrow";
import { joinAsofStream } from "arrow-join";
import { float64, int32 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";
import { mix32 } from "../measure/random.mjs";

/** Eight of them, which an input may have waiting, are more than the lag. */
const BATCH_ROWS = 16_384;
const KEYS = 5000;
/** Rows that the right may be behind. */
const LAG = 100_000;
/** Ten rows a microsecond's hundred: 100 000 rows a second. */
const MICROSECONDS = 10;
const WARM_UP_ROWS = 2_000_000;

const timestamps = (data) => makeVector(makeData({ type: new TimestampMicrosecond(), nullCount: 0, data }));

/** Batch `number` of a side: rows every 10 us, keys as if at random. */
function batchOf(from, count, value, seed) {
  const time = new Int32Array(2 * count);
  const key = new Int32Array(count);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const at = (from + i) * MICROSECONDS + seed;
    time[2 * i] = at | 0;
    time[2 * i + 1] = Math.floor(at / 4294967296);
    key[i] = (mix32(from + i + seed) >>> 0) % KEYS;
    values[i] = from + i;
  }
  const t = timestamps(new BigInt64Array(time.buffer));
  return new Table({ t, key: int32(key), [value]: float64(values) }).batches[0];
}

/** What both sides have made so far; a side that is too far ahead waits for the other. */
class Gate {
  made = { left: 0, right: 0 };
  #waiting = [];

  move(side, rows) {
    this.made[side] = rows;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The right lags by an amount that goes up and down, but is let on at the left's end. */
  async pass(side, rows, end) {
    const lag = () => Math.floor((LAG - BATCH_ROWS) * (0.5 + 0.5 * Math.sin(this.made.left / 1e6)));
    while (side === "right" && this.made.left < end && rows > this.made.left - lag())
      await new Promise((resolve) => this.#waiting.push(resolve));
  }
}

async function joinOnce(kernel, rows) {
  const gate = new Gate();
  let generateMs = 0;
  const side = (name, value, seed) => {
    const batches = (async function* () {
      for (let from = 0; from < rows; from += BATCH_ROWS) {
        const count = Math.min(BATCH_ROWS, rows - from);
        await gate.pass(name, from + count, rows);
        const start = performance.now();
        const batch = batchOf(from, count, value, seed);
        generateMs += performance.now() - start;
        gate.move(name, from + count);
        yield batch;
      }
    })();
    return { schema: batchOf(0, 1, value, seed).schema, batches };
  };
  const started = performance.now();
  const stream = await joinAsofStream(side("left", "a", 5), side("right", "b", 0), { on: "t", by: "key", tolerance: "1s", kernel });
  let outRows = 0;
  let mostHeld = 0;
  let batches = 0;
  for await (const batch of stream) {
    outRows += batch.numRows;
    if (++batches % 64 === 0) mostHeld = Math.max(mostHeld, stream.metrics().asof.inputs[1].heldRows);
  }
  const { peakBytes, pairsPassed } = stream.metrics();
  return { wallMs: performance.now() - started, outRows, matched: pairsPassed, peakBytes, mostHeld, generateMs };
}

function settle() {
  for (let i = 0; i < 3; i++) globalThis.gc();
  return process.memoryUsage().rss;
}

await answer(async ({ kernel, rows }) => {
  await joinOnce(kernel, Math.min(rows, WARM_UP_ROWS));
  const before = settle();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 50);
  const result = await joinOnce(kernel, rows);
  clearInterval(watch);
  return { ...result, grownBytes: Math.max(most, process.memoryUsage().rss) - before };
});
