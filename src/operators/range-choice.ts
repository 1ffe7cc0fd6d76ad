/**
 * Whether a join searches a `RangeIndex` instead of testing pairs, and what it then needs. O(conjuncts).
 *
 *     pairs   probe rows × rows of a group
 *     index   rows × sort  +  probe rows × search        in pairs: one takes 0.5 ns in the group of a key, 0.15 in tiles, sorting a row 50 to 80,
 *                                                        a probe row 50 and more (bench/kernels/range.mjs)
 */

import { CHUNK_ROWS } from "../kernel/contract.ts";
import type { FilterSpec } from "../spec/filter-spec.ts";
import { rangeShapeOf } from "../spec/range-shape.ts";
import type { HashJoinOptions } from "./join-options.ts";
import { PairFilter } from "./pair-filter.ts";
import type { ProbeHandles } from "./probe-handles.ts";
import { RangeIndex } from "./range-index.ts";
import { LIST_PAIRS, RangeProbe } from "./range-probe.ts";
import type { RowParts } from "./row-filter.ts";

/** Rows of a group from which a search pays. */
const LARGE_GROUP = 128;
/**
 * A row with more candidates than 1 / 2^shift of its group is left to who tests pairs. Where nothing else is tested its candidates are
 * results, which cost most of all; else one that is listed and tested costs 10 ns, by a tree 25, and a pair 0.5 in the group of a key, 0.15
 * in tiles.
 */
const FEW_SHIFT = 3;
const COSTS = { keys: { sort: 150, search: 100, fewShift: 4 }, none: { sort: 400, search: 400, fewShift: 6 } };
const SAMPLED_GROUPS = 16384;
/** What testing pairs fast holds of a build row. */
const TEST_BYTES = 24;

export interface ChosenRange {
  readonly index: RangeIndex;
  readonly search: RangeProbe;
  /** Tests the conditions that are not searched; null: there is none. */
  readonly rest: PairFilter | null;
  readonly text: string;
  /** Little memory is left under the limit: pairs are tested without what makes that fast. */
  readonly modest: boolean;
}

/** Null: nothing can be searched, or testing pairs costs less. Prepared joins are not: an index would be sorted anew for each run. */
export function chooseRange(
  { spec, kernel, built, probeRows, pass, switches = {} }: HashJoinOptions,
  filter: FilterSpec | null,
  { groups, groupCount }: ProbeHandles,
  buildParts: RowParts | null,
  probeParts: RowParts | null,
  buildRows: number,
): ChosenRange | null {
  const { rangeSearch, wherePath, tileRows } = switches;
  if (!groups || !filter || !buildParts || !probeParts || built || spec.hashed === spec.probe) return null;
  const shape = rangeShapeOf(filter.conjuncts, spec.build);
  const members = kernel.i32(groups.offsets)[groupCount];
  if (!shape || members === 0 || rangeSearch === "off" || wherePath === "loop") return null;
  const always = rangeSearch === "always";
  // What takes more than half of what is left may be tested pair by pair, where fewer rows cannot be had.
  const fits = pass?.splits || 2 * RangeIndex.bytesOf(shape, members) <= kernel.limitBytes - kernel.usedBytes;
  const size = sizeOfGroups(kernel.i32(groups.offsets), groupCount);
  const { sort, search: each, fewShift } = COSTS[spec.keys.length > 0 ? "keys" : "none"];
  const cheaper = size >= LARGE_GROUP && size > each + (probeRows === null ? 0 : (sort * members) / probeRows);
  if (!always && !(fits && cheaper)) return null;
  const index = new RangeIndex(kernel, groups, groupCount, members, shape, buildParts, buildRows);
  const room = tileRows ? 8 * tileRows : LIST_PAIRS;
  const shift = shape.rest.length > 0 ? fewShift + Number(shape.second !== null) : FEW_SHIFT;
  const search = new RangeProbe(kernel, index, shape, probeParts, always ? 2 : LARGE_GROUP, always ? 0 : shift, room);
  const rest = shape.rest.length > 0 ? new PairFilter(kernel, shape.rest, spec.probe, probeParts, buildParts) : null;
  const restText = rest ? `; rest: ${shape.rest.map(({ text }) => text).join(" and ")}` : "";
  const modest = kernel.limitBytes - kernel.usedBytes < 2 * (TEST_BYTES * members + 64 * CHUNK_ROWS);
  return { index, search, rest, text: `by range index on ${shape.text}${restText}`, modest };
}

/** Rows of the group of an average row: as many candidates has a probe row whose keys are distributed alike. */
function sizeOfGroups(offsets: Int32Array, groupCount: number): number {
  const step = Math.ceil(groupCount / SAMPLED_GROUPS);
  let rows = 0;
  let squares = 0;
  for (let group = 0; group < groupCount; group += step) {
    const size = offsets[group + 1] - offsets[group];
    rows += size;
    squares += size * size;
  }
  return squares / rows;
}
