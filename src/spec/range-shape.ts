/**
 * What sorted search answers of a filter: one build part sorted, and what a probe row asks of it.
 *
 *     r.y = l.x + 1                          a stretch of equal values            low and high by one probe part
 *     r.x >= l.lo and r.x < l.hi             a stretch of the sorted x            low lo, high hi
 *     r.lo <= l.x and l.x < r.hi             of a prefix of the sorted lo,        high x;  second: hi against x
 *     l.start < r.end and r.start < l.end    those whose second value passes      low start;  second: start against end
 *     l.x < r.y                              a suffix                             low x
 *
 * In this order, the most selective first; what is not indexed is the rest, tested on the candidates. O(conjuncts).
 */

import { type Inequality, MIRRORED, type NumberLane, type PairConjunct, type RangeConjunct } from "./filter-spec.ts";
import type { Side } from "./side.ts";

/** Where the stretch of a probe row begins or ends: at the values that equal its part, or after them. */
export interface Bound {
  readonly probe: number;
  readonly after: boolean;
}

export interface RangeShape {
  /** The build part that is sorted. */
  readonly part: number;
  readonly lane: NumberLane;
  readonly low: Bound | null;
  readonly high: Bound | null;
  /** `build part op probe part` must hold in the stretch too. */
  readonly second: { readonly op: Inequality; readonly part: number; readonly probe: number; readonly lane: NumberLane } | null;
  /** The build parts as people read them. */
  readonly text: string;
  readonly rest: readonly PairConjunct[];
}

/** An inequality or equality as the build side sees it. */
interface Seen {
  readonly op: RangeConjunct["op"];
  readonly build: number;
  readonly probe: number;
  readonly range: RangeConjunct;
}

/** Null: nothing can be searched. */
export function rangeShapeOf(conjuncts: readonly PairConjunct[], build: Side): RangeShape | null {
  const seen = conjuncts.flatMap(({ range }): Seen[] => {
    if (!range) return [];
    const { op, left, right } = range;
    return [build === "left" ? { op, build: left, probe: right, range } : { op: MIRRORED[op], build: right, probe: left, range }];
  });
  const used = usedOf(seen);
  if (used.length === 0) return null;
  const [{ build: part, range }, other] = used;
  const second = other && other.build !== part ? other : null;
  const bounds = used.filter((one) => one.build === part);
  const texts = used.map((one) => one.range.texts[build]);
  return {
    part,
    lane: range.lane,
    low: boundOf(bounds, "gt", "ge"),
    high: boundOf(bounds, "le", "lt"),
    second: second && { op: second.op as Inequality, part: second.build, probe: second.probe, lane: second.range.lane },
    text: [...new Set(texts)].join(", "),
    rest: conjuncts.filter((conjunct) => !used.some((one) => one.range === conjunct.range)),
  };
}

/** The most selective of what can be searched: of one part an equality, or bounds on either side; else two parts, or one. */
function usedOf(seen: readonly Seen[]): readonly Seen[] {
  const equal = seen.find(({ op }) => op === "eq");
  if (equal) return [equal];
  for (const one of seen) {
    const opposite = seen.find((other) => other.build === one.build && isLow(other) !== isLow(one));
    if (opposite) return [one, opposite];
  }
  const second = seen.find(({ build }) => build !== seen[0].build);
  return second ? [seen[0], second] : seen.slice(0, 1);
}

const isLow = ({ op }: Seen): boolean => op === "gt" || op === "ge";

/** `after`: the operator for which the stretch begins, or ends, after the equal values. */
function boundOf(bounds: readonly Seen[], after: Inequality, at: Inequality): Bound | null {
  const bound = bounds.find(({ op }) => op === after || op === at || op === "eq");
  return bound ? { probe: bound.probe, after: bound.op === after || (bound.op === "eq" && after === "le") } : null;
}
