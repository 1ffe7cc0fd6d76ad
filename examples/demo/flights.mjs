/**
 * `flights-3m.parquet` as an Arrow table: one record batch per row group, airports as dictionary codes.
 *
 *     date         timestamp, µs, no zone    as in the file
 *     delay        int32, minutes            int64 in the file, where it does not need to be
 *     distance     int32, miles
 *     origin       dictionary<int16, utf8>   one dictionary for all batches and both columns
 *     destination  dictionary<int16, utf8>
 *
 * hyparquet answers plain arrays (bigint, string); turning each row group into typed arrays at once keeps the peak at one
 * group of boxed values instead of three million of them. O(rows).
 */

import {
  Dictionary,
  Field,
  Int16,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { asyncBufferFromFile, parquetScan } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { vegaFile } from "./vega-data.mjs";

/**
 * @param {(rows: number, total: number) => void} onRows called after each row group
 * @returns {Promise<Table>} 3 000 000 rows
 */
export async function readFlights(onRows) {
  const file = await asyncBufferFromFile(vegaFile("flights-3m.parquet"));
  // µs as they are: the default parser would make a Date and lose three digits.
  const scan = await parquetScan({ file, compressors, parsers: { timestampFromMicroseconds: (micros) => micros } });
  const total = Number(scan.metadata.num_rows);
  const airports = new AirportCodes();
  const groups = [];
  for (const range of scan.ranges) {
    const read = (column) => scan.readColumn({ column, ...range });
    groups.push({
      rows: range.rowEnd - range.rowStart,
      date: BigInt64Array.from(await read("date")),
      delay: Int32Array.from(await read("delay"), Number),
      distance: Int32Array.from(await read("distance"), Number),
      origin: airports.encode(await read("origin")),
      destination: airports.encode(await read("destination")),
    });
    onRows(range.rowEnd, total);
  }
  return assemble(groups, airports.values());
}

/** Numbers airports in order of appearance, across columns and row groups. */
class AirportCodes {
  #codes = new Map();

  encode(names) {
    const out = new Int16Array(names.length);
    for (let i = 0; i < names.length; i++) {
      let code = this.#codes.get(names[i]);
      if (code === undefined) {
        code = this.#codes.size;
        this.#codes.set(names[i], code);
      }
      out[i] = code;
    }
    return out;
  }

  values() {
    return vectorFromArray([...this.#codes.keys()], new Utf8());
  }
}

function assemble(groups, dictionary) {
  const airport = new Dictionary(new Utf8(), new Int16());
  const types = { date: new TimestampMicrosecond(), delay: new Int32(), distance: new Int32(), origin: airport, destination: airport };
  const schema = new Schema(Object.entries(types).map(([name, type]) => new Field(name, type, false)));
  const batches = groups.map((group) => {
    const children = schema.fields.map(({ name, type }) =>
      makeData({ type, length: group.rows, nullCount: 0, data: group[name], ...(type === airport && { dictionary }) }),
    );
    return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: group.rows, nullCount: 0, children }));
  });
  return new Table(schema, batches);
}
