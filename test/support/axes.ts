/**
 * The ways in which one join can be run. Results may depend on none of them, but for the order of a stream that buffers the left.
 * All of them together are thousands; every case runs a set in which each two values of different axes meet (pairwise).
 */

import type { Switches } from "./run.ts";

const MODE = { mode: ["join", "stream of tables", "stream of iterables"], batchSize: [1, 2, 3, undefined] } as const;
const BUILD = { build: ["right", "left", "auto"] } as const;
const KERNEL = { kernel: ["wasm", "ts"], layout: ["as given", "every row", "pairs and holes"] } as const;
const ANY_JOIN = { ...MODE, ...BUILD, ...KERNEL } as const;

const HASHED = {
  switches: [
    "none",
    "collideHashes forceTable swiss, tiles of 3",
    "tinyTables, rangeSearch always, tiles of 2",
    "forceTable direct, rangeSearch off",
  ],
  /** How a filter is tested: sorted search where groups are large, in every group, or never; tiles of three pairs or of one. */
  filterPath: ["as chosen", "rangeSearch always tileRows 3", "rangeSearch off noEarlyExit tileRows 1"],
} as const;

const NESTED = {
  /** What answers the predicate: hash keys, a range index, or the test of every pair; in tiles of a size or of few rows. */
  path: [
    "as chosen",
    "loop",
    "loop, tiles of 3",
    "loop, noEarlyExit, tiles of 1",
    "rangeSearch always",
    "rangeSearch always, collideHashes, tiles of 2",
    "rangeSearch off",
  ],
  /** Several passes, each over so many buffered rows. */
  chunkRows: [undefined, 1, 2, 3, 7],
  /** Where what the passes share is kept. */
  store: ["none", "at once", "with promises"],
} as const;

const COPY = { copy: [false, true] } as const;

/** The axes of `join`. */
export const AXES = { ...ANY_JOIN, ...HASHED, ...COPY } as const;

/** The axes of `joinWhere` and `joinCross`. */
export const WHERE_AXES = { ...ANY_JOIN, ...NESTED, ...COPY } as const;

/** The axes of `joinAsof`: rights are laid out apart from the left, and what is decided is handed out at once or in full batches. */
export const ASOF_AXES = {
  ...MODE,
  ...KERNEL,
  rightLayout: ["as given", "every row", "pairs and holes"],
  flush: ["full", "eager"],
  switches: ["none", "collideHashes", "tinyTables", "collideHashes, tinyTables"],
  ...COPY,
} as const;

type Axes = { readonly [axis: string]: readonly unknown[] };
type ValuesOf<A extends Axes> = { readonly [axis in keyof A]: A[axis][number] };

/** One way of running a join: of the axes that only one verb has, those are there. */
export type Combination = ValuesOf<typeof MODE & typeof KERNEL & typeof COPY> &
  Partial<Omit<ValuesOf<typeof BUILD & typeof HASHED & typeof NESTED>, "switches">> &
  Partial<Pick<ValuesOf<typeof ASOF_AXES>, "rightLayout" | "flush">> & { readonly switches?: string };

/** A small linear congruential generator: sets are the same on every run. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function pairsOf(combination: Combination): string[] {
  const entries = Object.entries(combination);
  return entries.flatMap(([a, va], i) => entries.slice(i + 1).map(([b, vb]) => `${a}=${va}, ${b}=${vb}`));
}

const drawn = (axes: Axes, pick: (below: number) => number): Combination =>
  Object.fromEntries(Object.entries(axes).map(([axis, values]) => [axis, values[pick(values.length)]])) as unknown as Combination;

/** Combinations that contain every pair of values that two axes have. */
export function pairwise(seed: number, axes: Axes = AXES): Combination[] {
  const pick = random(seed);
  const names = Object.keys(axes);
  const open = new Set<string>();
  names.forEach((a, i) => {
    for (const b of names.slice(i + 1)) for (const va of axes[a]) for (const vb of axes[b]) open.add(`${a}=${va}, ${b}=${vb}`);
  });
  const chosen: Combination[] = [];
  while (open.size > 0) {
    let best: { combination: Combination; covers: number } | undefined;
    for (let tries = 0; tries < 200; tries++) {
      const combination = drawn(axes, pick);
      const covers = pairsOf(combination).filter((pair) => open.has(pair)).length;
      if (best === undefined || covers > best.covers) best = { combination, covers };
    }
    if (best === undefined || best.covers === 0) continue;
    for (const pair of pairsOf(best.combination)) open.delete(pair);
    chosen.push(best.combination);
  }
  return chosen;
}

/** Sets of combinations by axes and seed: made when a case first asks. */
const SETS = new Map<Axes, Map<number, Combination[]>>();

/** The set of combinations of a case, one of four, chosen by its text: the same on every run, different from case to case. */
export function combinationsFor(text: string, axes: Axes = AXES): readonly Combination[] {
  let hash = 0;
  for (const char of text) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
  const seed = 1 + (hash % 4);
  const sets = SETS.get(axes) ?? new Map<number, Combination[]>();
  const set = sets.get(seed) ?? pairwise(seed, axes);
  SETS.set(axes, sets.set(seed, set));
  return set;
}

/** One combination by number: for random tests. */
export const combinationOf = (seed: number, axes: Axes = AXES): Combination => drawn(axes, random(seed));

export const combinationText = (combination: Combination): string =>
  Object.entries(combination)
    .map(([axis, value]) => `${axis} ${value ?? "default"}`)
    .join(", ");

export function switchesOf({ switches = "none", filterPath = "as chosen", path = "as chosen", chunkRows }: Combination): Switches {
  return {
    ...(path.includes("loop") && { wherePath: "loop" as const }),
    ...(path.includes("rangeSearch") && { rangeSearch: path.includes("off") ? ("off" as const) : ("always" as const) }),
    ...(path.includes("noEarlyExit") && { noEarlyExit: true }),
    ...(path.includes("collideHashes") && { collideHashes: true }),
    ...(path.includes("tiles of") && { tileRows: Number(path.at(-1)) }),
    ...(chunkRows && { chunkRows }),
    ...(filterPath.includes("always") && { rangeSearch: "always", tileRows: 3 }),
    ...(filterPath.includes("off") && { rangeSearch: "off", noEarlyExit: true, tileRows: 1 }),
    ...(switches.includes("collideHashes") && { collideHashes: true }),
    ...(switches.includes("tinyTables") && { tinyTables: true, compactBytes: 0 }),
    ...(switches.includes("swiss") && { forceTable: "swiss" }),
    ...(switches.includes("direct") && { forceTable: "direct" }),
    ...(switches.includes("rangeSearch") && { rangeSearch: switches.includes("off") ? "off" : "always" }),
    ...(switches.includes("tiles of") && { tileRows: Number(switches.at(-1)) }),
  };
}
