/**
 * `airports.csv` as Arrow tables. Commas inside quotes are csv-parse's job; the text "NA" stands for a city or state that
 * nobody filled in, and becomes null.
 *
 *     iata       utf8, unique
 *     name       utf8
 *     city       utf8, nullable
 *     state      dictionary<int32, utf8>, nullable
 *     country    dictionary<int32, utf8>
 *     latitude   float64
 *     longitude  float64
 */

import { readFile } from "node:fs/promises";
import { Dictionary, Float64, Int32, Table, Utf8, vectorFromArray } from "apache-arrow";
import { parse } from "csv-parse/sync";
import { vegaFile } from "./vega-data.mjs";

/** West of this meridian is "western": roughly the line where the plains turn dry. */
export const WESTERN_LONGITUDE = -100;

/** @returns {Promise<{ airports: Table, western: Table }>} all 3376 airports, and the western ones among them */
export async function readAirports() {
  const rows = parse(await readFile(vegaFile("airports.csv")), {
    columns: true,
    cast: (text, { column }) => (column === "latitude" || column === "longitude" ? Number(text) : text),
  });
  for (const row of rows) {
    if (row.city === "NA") row.city = null;
    if (row.state === "NA") row.state = null;
  }
  return { airports: tableOf(rows), western: tableOf(rows.filter((row) => row.longitude < WESTERN_LONGITUDE)) };
}

function tableOf(rows) {
  const column = (name, type) =>
    vectorFromArray(
      rows.map((row) => row[name]),
      type,
    );
  return new Table({
    iata: column("iata", new Utf8()),
    name: column("name", new Utf8()),
    city: column("city", new Utf8()),
    state: column("state", new Dictionary(new Utf8(), new Int32())),
    country: column("country", new Dictionary(new Utf8(), new Int32())),
    latitude: column("latitude", new Float64()),
    longitude: column("longitude", new Float64()),
  });
}
