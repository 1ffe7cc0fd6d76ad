/**
 * One shape of symbols: trades with the last quotes, by both kernels and by hand, side by side.
 *
 *     node --expose-gc bench/asof/case.mjs '{"shape":"int32","trades":100000,"quotes":1000000,"rounds":5}'
 */

import { joinAsof } from "arrow-join";
import { digest } from "../../examples/demo/digest.mjs";
import { answer } from "../measure/own-process.mjs";
import { interleaved } from "../measure/rounds.mjs";
import { mapMerge } from "./map-merge.mjs";
import { quotes, trades } from "./trades.mjs";

const WARM_UP_ROWS = 20_000;
const SECOND = ["open", "close"];

function tablesOf(shape, tradeRows, quoteRows) {
  const kind = shape === "two" ? "int32" : shape;
  const rights = [quotes(kind, quoteRows)];
  if (shape === "two") rights.push(quotes(kind, tradeRows, SECOND, 3));
  return { left: trades(kind, tradeRows), rights };
}

answer(({ shape, trades: tradeRows, quotes: quoteRows, rounds }) => {
  const waysOf = ({ left, rights }) => {
    const by = shape === "unkeyed" ? undefined : "sym";
    const right = shape === "two" ? rights.map((table) => ({ table })) : rights[0];
    return {
      wasm: () => joinAsof(left, right, { on: "t", by, kernel: "wasm" }),
      ts: () => joinAsof(left, right, { on: "t", by, kernel: "ts" }),
      map: () => mapMerge(left, rights, [["bid", "ask"], SECOND]),
    };
  };
  const small = waysOf(tablesOf(shape, WARM_UP_ROWS, 2 * WARM_UP_ROWS));
  const digests = Object.values(small).map((way) => digest(way()));
  for (let i = 0; i < 10; i++) for (const way of Object.values(small)) way();

  const tables = tablesOf(shape, tradeRows, quoteRows);
  const ways = waysOf(tables);
  digests.push(...Object.values(ways).map((way) => digest(way())));
  const same = new Set(digests.slice(0, 3)).size === 1 && new Set(digests.slice(3)).size === 1;
  const timed = (way) => () => {
    const start = performance.now();
    way();
    return { wallMs: performance.now() - start };
  };
  const samples = interleaved(Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, timed(way)])), rounds);
  return { samples, same, rows: tables.left.numRows + tables.rights.reduce((sum, { numRows }) => sum + numRows, 0) };
});
