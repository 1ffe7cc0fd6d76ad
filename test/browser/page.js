/**
 * The program of every page: run.mjs bundles it with the installed package, loads it, and calls what it leaves on `window.programs`.
 * Each takes and returns plain data. Tables come from the server: apache-arrow's builders evaluate text, which a strict policy forbids.
 */

import * as arrow from "apache-arrow";
import { join, joinStream } from "arrow-join";
import { rowsOf, smallFilter } from "./cases.mjs";

const fetchTable = async (path) => arrow.tableFromIPC(await (await fetch(path)).arrayBuffer());

/** One join of the two small tables: its rows and the text of its plan. */
async function joinSmall(kernel) {
  const left = await fetchTable("/small-left.arrows");
  const right = await fetchTable("/small-right.arrows");
  let plan = "";
  const onMetrics = (metrics) => {
    plan = metrics.plan;
  };
  const result = join(left, right, { on: "id", how: "left", kernel, onMetrics });
  return { rows: rowsOf(result), plan };
}

/** The marks of the two small tables under a filter, and the text of the plan. */
async function markSmall(kernel) {
  const left = await fetchTable("/small-left.arrows");
  const right = await fetchTable("/small-right.arrows");
  let plan = "";
  const onMetrics = (metrics) => {
    plan = metrics.plan;
  };
  const result = join(left, right, { on: "id", how: "leftMark", filter: smallFilter, kernel, onMetrics });
  return { marks: [...result.getChild("mark")], plan };
}

/** What a join with kernel "wasm" is refused with, if it is. */
async function refusal() {
  try {
    await joinSmall("wasm");
    return null;
  } catch (error) {
    return { code: error.code, message: error.message, cause: String(error.cause) };
  }
}

/** Joins IPC bytes that the server sends in pieces with a table held here. */
async function joinFetched(as) {
  const right = await fetchTable("/large-right.arrows");
  const response = await fetch("/large-left.arrows");
  const stream = await joinStream(as === "body" ? response.body : response, right, { on: "id" });
  const rows = [];
  let batches = 0;
  for await (const batch of stream) {
    batches += 1;
    rows.push(...rowsOf(new arrow.Table([batch])));
  }
  return { rows, batches };
}

const programs = { joinSmall, markSmall, refusal, joinFetched };

/** A debugger may evaluate text where the page may not, so a program starts in a task of the page's own. */
window.run = (name, ...args) =>
  new Promise((resolve, reject) => {
    setTimeout(() => programs[name](...args).then(resolve, reject));
  });
