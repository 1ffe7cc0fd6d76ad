/**
 * `RowMatcher`: whether rows have a partner, by testing pairs until each row is decided.
 *
 *     output side is      probed                                      built
 *     keys                ExistenceRounds: ends at the first hit      UndecidedRows: decided rows are not tested again
 *     none                LoopRounds: the same, in tiles              LoopMarks: the same, in tiles
 */

import type { FilterSpec } from "../spec/filter-spec.ts";
import { ExistenceRounds } from "./existence-rounds.ts";
import type { HashJoinOptions } from "./join-options.ts";
import { LoopMarks } from "./loop-marks.ts";
import { LoopRounds } from "./loop-rounds.ts";
import { chooseLoop } from "./loop-tiles.ts";
import type { MatchMarks } from "./match-marks.ts";
import type { PairFilter } from "./pair-filter.ts";
import type { Prepared } from "./prepared.ts";
import type { HandleChunk, ProbeHandles } from "./probe-handles.ts";
import type { ChosenRange } from "./range-choice.ts";
import type { RowParts } from "./row-filter.ts";
import { UndecidedRows } from "./undecided-rows.ts";

/** Decides the rows of a chunk, a bounded piece a call: of probe rows without a partner the handles become NONE, or build rows are marked. */
export interface RowMatcher {
  begin(chunk: HandleChunk): void;
  /** True when the chunk's rows are done. */
  step(): boolean;
  /** Pairs tested, over all chunks. */
  readonly tested: number;
  /** No build row is undecided that may have a partner. */
  readonly decided?: boolean;
}

/**
 * `marks`: of build rows; null: the probed side is output. `order`: brings what pairs are compared by into the order of the groups. `range`:
 * what is searched before.
 */
export function matchRows(
  options: HashJoinOptions,
  filter: FilterSpec | null,
  { groups, groupCount }: ProbeHandles,
  pairs: PairFilter,
  marks: MatchMarks | null,
  buildParts: RowParts | null,
  probeParts: RowParts | null,
  order: () => boolean,
  range: ChosenRange | null,
): Prepared<RowMatcher> {
  const { kernel, switches } = options;
  const tile = switches?.tileRows;
  const { rest = null, modest = false } = range ?? {};
  const tiles = modest ? null : chooseLoop(options, filter, groups, buildParts, probeParts, rest !== null);
  if (tiles) {
    const value = marks ? new LoopMarks(kernel, tiles, marks, tile) : new LoopRounds(kernel, tiles, tile);
    return { value, prepare: () => tiles.prepare() };
  }
  if (!marks) return { value: new ExistenceRounds(kernel, groups, pairs, tile), prepare: modest ? () => true : order };
  const undecided = new UndecidedRows(kernel, groups, groupCount, pairs, marks, tile);
  return { value: undecided, prepare: () => undecided.prepare() };
}
