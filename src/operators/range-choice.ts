/**
 * Whether a join searches a `RangeIndex` instead of testing pairs, and what it then needs. O(conjuncts).
 *
 *     pairs   probe rows × rows of a group
 *     index   rows × 250  +  probe rows × 100            in pairs: a pair takes 0.2 to 0.5 ns, sorting a row 40 to 80, searching for one 40 and more
 */

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
const SORT_PAIRS = 250;
const SEARCH_PAIRS = 100;
/** A candidate is listed and put in order at about 3 ns, a pair of a walk is tested at 0.4: of more than an eighth of a group, all are. */
const FEW_SHIFT = 3;
const SAMPLED_GROUPS = 16384;

export interface ChosenRange {
  readonly index: RangeIndex;
  readonly search: RangeProbe;
  /** Tests the conditions that are not searched; null: there is none. */
  readonly rest: PairFilter | null;
  readonly text: string;
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
  const cheaper = size >= LARGE_GROUP && size > SEARCH_PAIRS + (probeRows === null ? 0 : (SORT_PAIRS * members) / probeRows);
  if (!always && !(fits && cheaper)) return null;
  const index = new RangeIndex(kernel, groups, groupCount, members, shape, buildParts, buildRows);
  const room = tileRows ? 8 * tileRows : LIST_PAIRS;
  const search = new RangeProbe(kernel, index, shape, probeParts, always ? 2 : LARGE_GROUP, always ? 0 : FEW_SHIFT, room);
  const rest = shape.rest.length > 0 ? new PairFilter(kernel, shape.rest, spec.probe, probeParts, buildParts) : null;
  const restText = rest ? `; rest: ${shape.rest.map(({ text }) => text).join(" and ")}` : "";
  return { index, search, rest, text: `by range index on ${shape.text}${restText}` };
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
