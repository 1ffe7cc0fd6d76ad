/**
 * Random as-of joins of small inputs by number, for the interleaving property: one to three rights with options of their own, ties, rows
 * without a time or key, batches of any size, watermarks that hold; and now and then one row, or one watermark, that breaks the order.
 */

import type { Table } from "apache-arrow";
import { type Time, timeOf } from "./asof-oracle.ts";
import { random } from "./axes.ts";
import type { Cell } from "./cell.ts";
import * as c from "./column.ts";
import { parseType } from "./exact.ts";
import type { AsofEntry } from "./expect-asof.ts";
import { readTable } from "./rows.ts";
import type { AsofOptions, AsofRightOptions, Switches } from "./run.ts";
import type { Planned } from "./scheduled.ts";
import { table } from "./table.ts";
import { l, r, type Tree, x } from "./tree.ts";

type Draw = (below: number) => number;

/** Times of both sides, from small numbers. */
interface Clock {
  readonly left: (cells: readonly Cell[]) => c.Column;
  readonly right: (cells: readonly Cell[]) => c.Column;
  readonly leftCell: (n: number) => Cell;
  readonly rightCell: (n: number) => Cell;
  readonly floats?: true;
}

const CLOCKS: readonly Clock[] = [
  { left: c.int32, right: c.int32, leftCell: (n) => n - 4, rightCell: (n) => n - 4 },
  { left: c.int64, right: c.int16, leftCell: (n) => BigInt(n - 4), rightCell: (n) => n - 4 },
  { left: c.float64, right: c.float64, leftCell: (n) => (n === 4 ? "-0" : n - 4), rightCell: (n) => n - 4, floats: true },
  {
    left: c.timestamp("ms"),
    right: c.timestamp("us"),
    leftCell: (n) => BigInt(n - 4),
    rightCell: (n) => BigInt(n - 4) * 1000n + BigInt(n % 3),
  },
];

export interface AsofCase {
  readonly left: Table;
  readonly rights: readonly AsofEntry[];
  readonly options: AsofOptions;
  readonly switches: Switches;
  /** What each input yields: the left, then the rights. */
  readonly plans: readonly (readonly Planned[])[];
  /** The first row that breaks the order or a watermark before it, and what comes before it. */
  readonly broken: { readonly input: number; readonly row: number; readonly before: Time; readonly value: Time } | null;
  /** The consumer takes a batch now and then, not at once. */
  readonly lazy: boolean;
  /** Times are numbers, which messages show as they are. */
  readonly plain: boolean;
}

export function asofCase(seed: number): AsofCase {
  const pick = random(Math.imul(seed + 1, 0x9e3779b1));
  const one = <T>(...values: readonly T[]): T => values[pick(values.length)];
  const clock = CLOCKS[pick(CLOCKS.length)];
  const keyed = pick(3) > 0;
  const count = 1 + pick(3);
  const breaks = pick(6) === 0 ? pick(count + 1) : -1;

  const left = input(pick, clock, "left", keyed, breaks === 0);
  const inputs = Array.from({ length: count }, (_, i) => input(pick, clock, `${i}`, keyed, breaks === i + 1));
  const rights = inputs.map(({ table }): AsofEntry => ({ table, ...rightOptions(pick, keyed) }));
  const options: AsofOptions = {
    on: "t",
    how: one("left", "left", "left", "inner", "leftSemi", "leftAnti"),
    flush: pick(8) === 0 ? "full" : "eager",
    kernel: one("wasm", "ts"),
    batchSize: one(1, 2, 3, 8192),
  };
  const broken = [left, ...inputs].flatMap(({ broken }, i) => (broken ? [{ input: i, ...broken }] : []))[0] ?? null;
  return {
    left: left.table,
    rights,
    options,
    switches: {
      ...(pick(4) === 0 && { collideHashes: true }),
      ...(pick(4) === 0 && { tinyTables: true }),
      ...(pick(2) === 0 && { compactBytes: 0 }),
    },
    plans: [left, ...inputs].map(({ plan }) => plan),
    broken,
    lazy: pick(4) === 0,
    plain: clock !== CLOCKS[3],
  };
}

function rightOptions(pick: Draw, keyed: boolean): AsofRightOptions {
  const one = <T>(...values: readonly T[]): T => values[pick(values.length)];
  const tolerance = one<AsofRightOptions["tolerance"]>(
    undefined,
    undefined,
    0,
    1,
    3n,
    { before: 2 },
    { after: 2 },
    { before: 1, after: 4 },
  );
  const filter = one<Tree | undefined>(...Array(5).fill(undefined), x.lt(r("v"), 70), x.le(r("v"), l("v")), x.gt(l("v"), 20));
  return {
    ...(keyed && pick(5) > 0 && { by: one<string | string[]>("k", "k", ["k", "s"]), nullsEqual: pick(3) === 0 }),
    direction: one("backward", "forward", "nearest"),
    ...(pick(3) === 0 && { allowExactMatches: false }),
    ...(tolerance !== undefined && { tolerance }),
    ties: one("adjacent", "adjacent", "first", "last"),
    ...(filter && { filter }),
    suffix: `_${pick(1 << 20)}`,
  };
}

interface Input {
  readonly table: Table;
  readonly plan: readonly Planned[];
  readonly broken: { readonly row: number; readonly before: Time; readonly value: Time } | null;
}

function input(pick: Draw, clock: Clock, name: string, keyed: boolean, breaks: boolean): Input {
  const isLeft = name === "left";
  const rows = pick(9);
  const numbers = Array.from({ length: rows }, () => pick(10)).sort((a, b) => a - b);
  if (breaks && rows > 1) numbers[1 + pick(rows - 1)] = 0;
  const cell = isLeft ? clock.leftCell : clock.rightCell;
  const missing = () => (clock.floats && pick(2) === 0 ? "NaN(7ff8000000000000)" : null);
  const times = numbers.map((n) => (pick(8) === 0 ? missing() : cell(n)));
  const split = splitOf(pick, rows);
  const keys = numbers.map(() => pick(4));
  const made = table(
    {
      t: (isLeft ? clock.left : clock.right)(times),
      [isLeft ? "row" : `row${name}`]: c.int32(numbers.map((_, i) => i)),
      v: c.int32(numbers.map(() => pick(100))),
      ...(keyed && {
        k: c.int32(keys.map((key) => (key === 3 ? null : key))),
        s: c.dictionary(c.utf8(keys.map((key) => "abc"[key % 3])), { index: "int8", perBatch: true }),
      }),
    },
    { split, slice: pick(3) === 0 },
  );
  return { table: made, ...planOf(pick, made, breaks) };
}

/** Batches of any size, empty ones too. */
function splitOf(pick: Draw, rows: number): number[] {
  const split: number[] = [];
  for (let left = rows; left > 0; ) {
    const length = Math.min(left, pick(4));
    split.push(length);
    left -= length;
  }
  return split.length === 0 && pick(2) === 0 ? [0] : split;
}

/** Between batches now and then a watermark: no row behind it is below, but for one of an input that breaks the order. */
function planOf(pick: Draw, made: Table, breaks: boolean): Omit<Input, "table"> {
  const { rows, fields } = readTable(made);
  const type = parseType(fields[0].type);
  const times = rows.map(([cell]) => timeOf(cell, type));
  const plan: Planned[] = [];
  let broken: Input["broken"] = null;
  /** The highest of the times and watermarks so far. */
  let highest: Time | null = null;
  let at = 0;
  for (const batch of made.batches) {
    const later = times.slice(at).filter((time) => time !== null);
    if (pick(3) === 0 && later.length > 0) {
      const mark = later.reduce((a, b) => ((breaks ? b > a : b < a) ? b : a));
      const cell = typeof mark === "number" ? mark : mark / (type.unit ?? 1n);
      plan.push({ item: { watermark: pick(2) === 0 ? Number(cell) : cell }, cell });
      if (highest === null || mark > highest) highest = mark;
    }
    plan.push({ item: batch, cell: null });
    for (const end = at + batch.numRows; at < end; at++) {
      const time = times[at];
      if (time === null) continue;
      if (broken === null && highest !== null && time < highest) broken = { row: at, before: highest, value: time };
      if (highest === null || time > highest) highest = time;
    }
  }
  return { plan, broken };
}
