/** The list of faults that other systems' as-of joins have had (Part 2 of the collection): each entry has a test in a file beside this one. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Entries of Part 2 by system; those of section F, which have no number, by what they are about. */
const ENTRIES: { readonly [system: string]: readonly string[] } = {
  Acero: ["35838", "36482", "39803", "40675", "41706", "44526", "46421", "36651", "44485", "17653"],
  pandas: ["13695", "13709", "25059", "28870", "48709", "55453"],
  Polars: [...["5718", "5740", "10264", "10462", "11966", "18014, 20882", "21276", "23583", "25468", "27165", "27526", "27619", "23834"]],
  DuckDB: ["9183, 19027", "10867", "13899", "17046", "18303", "23933", "24672", "21244", "25631"],
  ClickHouse: ["112514", "12958"],
  QuestDB: ["tie-straddle", "7635", "5610", "3301"],
  RisingWave: ["25223"],
  Feldera: ["6829"],
  Spark: ["58950"],
  "SPARK-59529": [""],
  Tempo: ["115"],
  ibis: ["3295"],
  "pyarrow 25.0.1,": ["negative time", "key 0", "null time", "ties", "nullability", "unsorted tail"],
  "duckdb 1.5.6,": ["ties"],
};

/**
 * Entries that speak of what arrow-join has not, with what is tested in their place:
 *
 *     Acero 44526    a plan that fails beside the node's thread     what cannot be is refused before any input is read
 *     Polars 23583   LIMIT pushed into a side                       a consumer that takes one row
 *     DuckDB 24672   EXCEPT ALL below the join                      a left that is the result of another join
 *     DuckDB 21244   LIMIT above the join                           a consumer that takes the first rows
 *     DuckDB 25631   the planner's estimate of rows                 300,000 rows are merged in linear time
 *     Spark 58950    a planner without state for a streaming right  a right that comes in batches is known in all of them
 */
describe("the list of faults of as-of joins", () => {
  it("is complete: every entry has a test, named by its number", () => {
    const files = readdirSync(import.meta.dirname).filter((name) => /^asof-faults-.*\.test\.ts$/.test(name));
    const titles = files.flatMap((name) =>
      [...readFileSync(`${import.meta.dirname}/${name}`, "utf8").matchAll(/\bit\(\s*["']([^:]+): /g)].map((match) => match[1]),
    );
    const entries = Object.entries(ENTRIES).flatMap(([system, names]) => names.map((name) => `${system} ${name}`.trim()));
    expect(titles.sort()).toEqual(entries.sort());
  });
});
