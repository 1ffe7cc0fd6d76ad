/**
 * The ways in which one join can be run. Results may depend on none of them, but for the order of a stream that buffers the left.
 * All of them together are thousands; every case runs a set in which each two values of different axes meet (pairwise).
 */

import type { Switches } from "./run.ts";

export const AXES = {
  mode: ["join", "stream of tables", "stream of iterables"],
  batchSize: [1, 2, 3, undefined],
  build: ["right", "left", "auto"],
  kernel: ["wasm", "ts"],
  layout: ["as given", "every row", "pairs and holes"],
  switches: [
    "none",
    "collideHashes forceTable swiss, tiles of 3",
    "tinyTables, rangeSearch always, tiles of 2",
    "forceTable direct, rangeSearch off",
  ],
  /** How a filter is tested: sorted search where groups are large, in every group, or never; tiles of three pairs or of one. */
  filterPath: ["as chosen", "rangeSearch always tileRows 3", "rangeSearch off noEarlyExit tileRows 1"],
  copy: [false, true],
} as const;

export type Combination = { readonly [axis in keyof typeof AXES]: (typeof AXES)[axis][number] };

type Axis = keyof typeof AXES;
const names = Object.keys(AXES) as Axis[];

/** A small linear congruential generator: sets are the same on every run. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pairsOf = (combination: Combination): string[] =>
  names.flatMap((a, i) => names.slice(i + 1).map((b) => `${a}=${combination[a]}, ${b}=${combination[b]}`));

/** Combinations that contain every pair of values that two axes have. */
export function pairwise(seed: number): Combination[] {
  const pick = random(seed);
  const open = new Set<string>();
  names.forEach((a, i) => {
    for (const b of names.slice(i + 1)) for (const va of AXES[a]) for (const vb of AXES[b]) open.add(`${a}=${va}, ${b}=${vb}`);
  });
  const chosen: Combination[] = [];
  while (open.size > 0) {
    let best: { combination: Combination; covers: number } | undefined;
    for (let tries = 0; tries < 200; tries++) {
      const combination = Object.fromEntries(names.map((axis) => [axis, AXES[axis][pick(AXES[axis].length)]])) as unknown as Combination;
      const covers = pairsOf(combination).filter((pair) => open.has(pair)).length;
      if (best === undefined || covers > best.covers) best = { combination, covers };
    }
    if (best === undefined || best.covers === 0) continue;
    for (const pair of pairsOf(best.combination)) open.delete(pair);
    chosen.push(best.combination);
  }
  return chosen;
}

const SETS = [1, 2, 3, 4].map(pairwise);

/** The set of combinations of a case, chosen by its text: the same on every run, different from case to case. */
export function combinationsFor(text: string): readonly Combination[] {
  let hash = 0;
  for (const char of text) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
  return SETS[hash % SETS.length];
}

/** One combination by number: for random tests. */
export function combinationOf(seed: number): Combination {
  const pick = random(seed);
  return Object.fromEntries(names.map((axis) => [axis, AXES[axis][pick(AXES[axis].length)]])) as unknown as Combination;
}

export const combinationText = (combination: Combination): string =>
  names.map((axis) => `${axis} ${combination[axis] ?? "default"}`).join(", ");

export function switchesOf({ switches, filterPath = "as chosen" }: Combination): Switches {
  return {
    ...(filterPath.includes("always") && { rangeSearch: "always", tileRows: 3 }),
    ...(filterPath.includes("off") && { rangeSearch: "off", noEarlyExit: true, tileRows: 1 }),
    ...(switches.includes("collideHashes") && { collideHashes: true }),
    ...(switches.includes("tinyTables") && { tinyTables: true }),
    ...(switches.includes("swiss") && { forceTable: "swiss" }),
    ...(switches.includes("direct") && { forceTable: "direct" }),
    ...(switches.includes("rangeSearch") && { rangeSearch: switches.includes("off") ? "off" : "always" }),
    ...(switches.includes("tiles of") && { tileRows: Number(switches.at(-1)) }),
  };
}
