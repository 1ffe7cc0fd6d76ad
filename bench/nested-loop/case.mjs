/**
 * One case of the nested-loop bench: a joinWhere of one kind, with every pair tested, in both kernels, and the loop by hand.
 *
 *     node --expose-gc bench/nested-loop/case.mjs '{"condition":"lessAndNot","how":"inner","leftRows":10000,"rightRows":100000,"rounds":5}'
 *
 * Output is the number of each row of either side. Build side as the planner chooses. `exchanged`: no loop by hand, but the kernels once more
 * with as many left rows as there were right ones, and the other way round.
 */

import { Table } from "apache-arrow";
import { float64, int32 } from "../measure/columns.mjs";
import { answer } from "../measure/own-process.mjs";
import { random } from "../measure/random.mjs";
import { interleaved } from "../measure/rounds.mjs";
import { switchedJoin } from "../measure/switched-join.mjs";
import { lessAndNot, remainder } from "./loops.mjs";

const KERNELS = { WASM: "wasm", TypeScript: "ts" };
const column = (side, name) => ({ side, column: name });
const FINE = 2 ** 31;

const CONDITIONS = {
  /** One pair of `every` passes; which do is spread over all left rows. */
  lessAndNot: {
    loops: lessAndNot,
    filter: {
      op: "and",
      args: [
        { op: "lt", args: [column("left", "x"), column("right", "y")] },
        { op: "ne", args: [column("left", "z"), column("right", "w")] },
      ],
    },
    make(draw, leftRows, rightRows, every = 1e5) {
      const left = [
        Float64Array.from({ length: leftRows }, () => 1 - (2 * draw(FINE)) / FINE / every),
        Int32Array.from({ length: leftRows }, () => draw(1e6)),
      ];
      const right = [
        Float64Array.from({ length: rightRows }, () => draw(FINE) / FINE),
        Int32Array.from({ length: rightRows }, () => draw(1e6)),
      ];
      return { left, right, tables: [tableOf(leftRows, { x: left[0], z: left[1] }), tableOf(rightRows, { y: right[0], w: right[1] })] };
    },
  },
  remainder: {
    loops: remainder,
    filter: {
      op: "eq",
      args: [
        {
          op: "mod",
          args: [
            { op: "add", args: [column("left", "x"), column("right", "y")] },
            { type: "int64", value: "1000" },
          ],
        },
        { type: "int64", value: "0" },
      ],
    },
    make(draw, leftRows, rightRows) {
      const left = [Int32Array.from({ length: leftRows }, () => draw(1e6))];
      const right = [Int32Array.from({ length: rightRows }, () => draw(1e6))];
      return { left, right, tables: [tableOf(leftRows, { x: left[0] }), tableOf(rightRows, { y: right[0] })] };
    },
  },
};

function tableOf(rows, columns) {
  const vectors = Object.entries(columns).map(([name, data]) => [name, data instanceof Float64Array ? float64(data) : int32(data)]);
  return new Table({ row: int32(Int32Array.from({ length: rows }, (_, row) => row)), ...Object.fromEntries(vectors) });
}

/** As the join gives them: null where there is no partner. */
function tableOfIds({ left, right }) {
  const ids = (rows) => rows.map((row) => (row < 0 ? null : row));
  return right ? [ids(left), ids(right)] : [ids(left)];
}

answer(({ condition, how, leftRows, rightRows, every, rounds, exchanged = false }) => {
  const { filter, make, loops } = CONDITIONS[condition];
  const select = /Semi|Anti/.test(how) ? ["left.row"] : ["left.row", "right.row"];
  const timed = (run) => () => {
    const start = performance.now();
    const result = run();
    return { ...result, wallMs: performance.now() - start };
  };
  const joinsOf = ({ tables }, suffix = "") =>
    Object.fromEntries(
      Object.entries(KERNELS).map(([name, kernel]) => [
        name + suffix,
        timed(() => switchedJoin(...tables, { how, filter, build: "auto", select, kernel }, { wherePath: "loop" })),
      ]),
    );
  const waysOf = (made) => ({ ...joinsOf(made), loop: timed(() => ({ found: loops[how](made.left, made.right) })) });
  const small = waysOf(make(random(2), Math.min(leftRows, 2000), Math.min(rightRows, 2000), every && every / 10));
  for (let i = 0; i < 5; i++) for (const run of Object.values(small)) run();

  const made = make(random(1), leftRows, rightRows, every);
  // The ways of a set must give the same rows.
  const sets = exchanged ? [joinsOf(made), joinsOf(make(random(1), rightRows, leftRows, every), ", exchanged")] : [waysOf(made)];
  const rows = {};
  let same = true;
  for (const ways of sets) {
    const results = new Set();
    for (const [name, run] of Object.entries(ways)) {
      const { table, found } = run();
      const columns = found ? tableOfIds(found) : table.schema.fields.map((_, i) => [...table.getChildAt(i)]);
      rows[name] = columns[0].length;
      results.add(JSON.stringify(columns));
    }
    same &&= results.size === 1;
  }
  const measured = sets
    .flatMap((ways) => Object.entries(ways))
    .map(([name, run]) => [
      name,
      () => {
        const { wallMs, metrics, found } = run();
        return { wallMs, pairs: metrics ? metrics.pairsTested : found.pairs };
      },
    ]);
  return { same, rows, samples: interleaved(Object.fromEntries(measured), rounds, { collect: false }) };
});
