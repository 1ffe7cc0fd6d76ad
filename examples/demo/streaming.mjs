/**
 * The flights as they would arrive over a network: Arrow IPC bytes in chunks that know nothing of batches, joined while they
 * come in. Only the western airports are held; of the flights never more than a batch or two.
 */

import { RecordBatchStreamWriter } from "apache-arrow";
import { joinStream } from "arrow-join";

const ROWS_PER_BATCH = 65536;
const CHUNK_BYTES = 256 * 1024;

/** @param {import("apache-arrow").Table} flights @returns {Promise<Uint8Array>} the table in Arrow's stream format */
export async function toStreamBytes(flights) {
  const writer = new RecordBatchStreamWriter();
  for (const batch of flights.batches) {
    for (let from = 0; from < batch.numRows; from += ROWS_PER_BATCH)
      writer.write(batch.slice(from, Math.min(from + ROWS_PER_BATCH, batch.numRows)));
  }
  writer.finish();
  return writer.toUint8Array();
}

async function* inChunks(bytes) {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/**
 * All flights with their western destination, counted batch by batch.
 *
 * @param {Uint8Array} bytes
 * @param {import("apache-arrow").Table} western
 * @param {(rows: number) => void} onRows
 */
export async function streamFlights(bytes, western, onRows) {
  const start = performance.now();
  const stream = await joinStream(inChunks(bytes), western, {
    on: { destination: "iata" },
    how: "left",
    select: ["left.date", "left.origin", "left.destination", "right.name", "right.state"],
  });
  let rows = 0;
  let unmatched = 0;
  let firstMs = 0;
  for await (const batch of stream) {
    if (rows === 0) firstMs = performance.now() - start;
    rows += batch.numRows;
    unmatched += batch.getChild("name").nullCount;
    onRows(rows);
  }
  return { rows, unmatched, firstMs, ms: performance.now() - start, metrics: stream.metrics(), plan: stream.explain() };
}
