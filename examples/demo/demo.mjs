/**
 * `npm run demo`: three million flights joined with the airports they fly between, from the files of `vega-datasets` on disk.
 *
 *     read ─▶ count with a plain loop ─▶ join and preview ─▶ race ─▶ stream ─▶ verdict
 *
 * Every count is compared with the plain loop's of the same run; a difference ends the process with status 1.
 */

import { join } from "arrow-join";
import { readAirports, WESTERN_LONGITUDE } from "./airports.mjs";
import { Checks } from "./checks.mjs";
import { readFlights } from "./flights.mjs";
import { callText, joinOptions, QUESTIONS } from "./joins.mjs";
import { countByHand } from "./plain-loop.mjs";
import { progress } from "./progress.mjs";
import { race } from "./race.mjs";
import { streamFlights, toStreamBytes } from "./streaming.mjs";
import { bold, dim, duration, formatTable, green, grouped, megabytes, preview, red } from "./table-print.mjs";

const PREVIEW_ROWS = 4;
const ROUNDS = 3;

const started = performance.now();
const checks = new Checks();
const say = (text = "") => console.log(text);
const heading = (text, note) => say(`\n${bold(text)}${note ? dim(`  ${note}`) : ""}`);
const quoted = (text) => dim(text.trimEnd().replace(/^/gm, "  │ "));

async function read() {
  heading("Reading", "vega-datasets, no network");
  const bar = progress("flights-3m.parquet", 3_000_000);
  const flights = await readFlights(bar.update);
  bar.done(`${flights.batches.length} row groups, as many record batches`);
  const { airports, western } = await readAirports();
  say(`  airports.csv: ${grouped(airports.numRows)} rows`);
  say(`  western airports: ${grouped(western.numRows)} ${dim(`· longitude below ${WESTERN_LONGITUDE}`)}`);
  const counts = countByHand(flights, airports, western);
  say(`  plain loop: ${grouped(counts.fromWest)} flights start in the west, ${grouped(counts.toWest)} end there`);
  return { flights, airports, western, counts };
}

function answer({ flights, counts, ...rights }) {
  heading("Joining", "each count beside that of a plain loop over the same rows");
  for (const question of QUESTIONS) {
    let plan = "";
    const onMetrics = (metrics) => {
      plan = metrics.plan;
    };
    const start = performance.now();
    const result = join(flights, rights[question.right], { ...joinOptions(question), onMetrics });
    const time = duration(performance.now() - start);
    say(`\n  ${bold(question.title)} ${dim(`· ${time}`)}\n  ${dim(callText(question))}`);
    say(checks.count(question.title, "rows", result.numRows, counts[question.expected]));
    if (question.how === "inner") say(checks.count("miles", "miles flown", sum(result.getChild("distance")), counts.milesFromWest));
    if (question.how === "left") say(checks.count("unmatched", "without a partner", result.getChild("name").nullCount, counts.notToWest));
    say(preview(result, PREVIEW_ROWS));
    if (question === QUESTIONS[0]) say(quoted(plan));
  }
}

function sum(vector) {
  return vector.toArray().reduce((total, value) => total + value, 0);
}

function compareWays({ flights, ...rights }) {
  heading("Racing", `Arrow tables in, Arrow table out; medians of ${ROUNDS} interleaved runs`);
  let same = true;
  const rows = [];
  for (const question of QUESTIONS.filter(({ race }) => race)) {
    const result = race(flights, rights[question.right], question, ROUNDS);
    same &&= result.same;
    const row = { "": `${question.how} ${question.keys[0]}` };
    for (const [way, ms] of Object.entries(result.ms))
      row[way] = `${ms.toFixed(0).padStart(4)} ms ${rate(flights.numRows, ms).padStart(6)}`;
    row["WASM : Map"] = `${(result.ms["Map loop"] / result.ms.WASM).toFixed(1)} ×`;
    rows.push(row);
  }
  say(formatTable(rows));
  say(dim("  M/s: million flights read per second"));
  say(checks.claim("all three ways give the same rows in the same order", same));
}

function rate(rows, ms) {
  const millions = rows / ms / 1000;
  return `${millions.toFixed(millions < 100 ? 1 : 0)} M/s`;
}

async function stream({ flights, western, counts }) {
  heading("Streaming", "the same flights as Arrow IPC bytes, batch by batch through joinStream");
  const bytes = await toStreamBytes(flights);
  const bar = progress("all flights with their western destination", flights.numRows);
  const { rows, unmatched, firstMs, ms, metrics, plan } = await streamFlights(bytes, western, bar.update);
  bar.done(`${rate(rows, ms)}, first batch after ${duration(firstMs)}`);
  say(`  ${megabytes(bytes.length)} of IPC: ${grouped(metrics.leftBatches)} batches in, ${grouped(metrics.outBatches)} batches out`);
  say(`  the join held ${megabytes(metrics.peakBytes)} at most`);
  say(checks.count("streamed", "rows", rows, counts.flights));
  say(checks.count("streamed, unmatched", "without a partner", unmatched, counts.notToWest));
  say(quoted(plan));
}

function verdict({ counts }) {
  heading("Verdict");
  const [inner, , anti, without, departed] = QUESTIONS.map(({ title }) => checks.got(title));
  say(checks.count("inner + anti", `= ${grouped(inner)} from the west + ${grouped(anti)} from elsewhere`, inner + anti, counts.flights));
  say(`  ${grouped(departed)} airports with departures, ${grouped(without)} without`);
  const failures = checks.failures();
  for (const failure of failures) say(red(`  ✗ ${failure}`));
  say(failures.length === 0 ? green(`  all ${checks.total} checks agree`) : red(`  ${failures.length} of ${checks.total} checks disagree`));
  say(dim(`  ${duration(performance.now() - started)}, at most ${megabytes(process.resourceUsage().maxRSS * 1024)} resident`));
  process.exitCode = failures.length === 0 ? 0 : 1;
}

const data = await read();
answer(data);
compareWays(data);
await stream(data);
verdict(data);
