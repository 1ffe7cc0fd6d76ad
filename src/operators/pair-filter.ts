/**
 * `PairFilter`: the conditions of a residual filter that read both sides, tested for many pairs at once.
 *
 * A pair's operands come from the parts of its rows (row-filter.ts), in one of two ways:
 *
 *     walk    candidates as the handles list them: a group is a fill (its probe row) and a contiguous copy (its build rows, which were
 *             brought into group order once)                                        0.3 ns a value, no id is looked at
 *     rows    pairs of row ids: gathers                                             1 ns a value and the cache misses
 *     search  where the first condition is one comparison of two numbers: walked without a copy, as ordinals      0.5 ns a pair
 *
 * The first condition, the cheapest, is walked; the others only see the pairs that are left, by rows.
 */

import { CHUNK_ROWS, type ExpandCursor, type Groups, type Kernel, type Region } from "../kernel/contract.ts";
import type { CompareOp } from "../kernel/loop-contract.ts";
import { MIRRORED, type NumberLane, type PairConjunct } from "../spec/filter-spec.ts";
import { otherSide, type Side } from "../spec/join-spec.ts";
import { laneBytes } from "./column-loader.ts";
import { Evaluator, type Register, TILE_ROWS } from "./evaluator.ts";
import type { RowParts } from "./row-filter.ts";

/** Candidates of handles, from one cursor to another. */
export interface Walk {
  readonly handles: Region;
  /** Handle i is that of row i + base of the probe parts. */
  readonly base: number;
  readonly start: ExpandCursor;
  readonly end: ExpandCursor;
}

/** Pairs of rows: ids of probe rows (row + base of the probe parts) and of build rows. */
interface Rows {
  readonly probe: Region;
  readonly build: Region;
  readonly base: number;
}

/** Values in the order of the groups' rows. */
interface Ordered {
  readonly values: Region;
  valid: Region | null;
}

/** One comparison of a build part with a probe part: `build op probe`. */
export interface Comparison {
  readonly op: CompareOp;
  readonly lane: NumberLane;
  readonly probe: number;
  readonly build: number;
}

/** The condition as one comparison, if that is what it is. */
export function comparisonOf({ program: { steps }, range }: PairConjunct, probeSide: Side): Comparison | null {
  const build = otherSide(probeSide);
  if (range)
    return { op: probeSide === "right" ? range.op : MIRRORED[range.op], lane: range.lane, probe: range[probeSide], build: range[build] };
  const [a, b, eq, not] = steps;
  if (steps.length > 4 || a?.op !== "part" || b?.op !== "part" || eq?.op !== "eq" || (not && not.op !== "not")) return null;
  const { lane } = eq;
  if (a.side === b.side || lane === "wide" || lane === "text" || lane === "bits") return null;
  const [probe, other] = a.side === probeSide ? [a, b] : [b, a];
  return { op: not ? "ne" : "eq", lane, probe: probe.part, build: other.part };
}

/** Ordinals of the first condition, where it is searched. */
interface Ordinals {
  readonly width: 4 | 8;
  readonly probe: Region;
  readonly byRow: Region;
  readonly byGroup: Region | null;
}

/** Candidates of one search: a fraction of a millisecond. */
const SEARCH_PAIRS = 1 << 17;

export class PairFilter {
  readonly #kernel: Kernel;
  readonly #probeSide: Side;
  readonly #probe: RowParts;
  readonly #build: RowParts;
  readonly #evaluators: readonly Evaluator[];
  readonly #bytes: Region;
  /** Build parts of the first condition. */
  readonly #first: readonly number[];
  #ordered: Map<number, Ordered> | null = null;
  #orderedRows = 0;
  #groups: Groups | null = null;
  readonly #comparison: Comparison | null;
  #ordinals: Ordinals | null = null;
  #scratch: Region | null = null;
  #searched = 0;
  #walk: Walk | null = null;
  #rows: Rows = { probe: null as unknown as Region, build: null as unknown as Region, base: 0 };

  constructor(kernel: Kernel, conjuncts: readonly PairConjunct[], probeSide: Side, probe: RowParts, build: RowParts) {
    this.#kernel = kernel;
    this.#probeSide = probeSide;
    this.#probe = probe;
    this.#build = build;
    this.#bytes = kernel.alloc(TILE_ROWS + 64, "scratch");
    this.#evaluators = conjuncts.map(
      ({ program }) =>
        new Evaluator(kernel, program, (step, register, count) => {
          if (step.op === "part") this.#load(step.side, step.part, register, count);
        }),
    );
    this.#comparison = comparisonOf(conjuncts[0], probeSide);
    const steps = conjuncts[0].program.steps;
    this.#first = [...new Set(steps.flatMap((step) => (step.op === "part" && step.side !== probeSide ? [step.part] : [])))];
  }

  /**
   * Brings what the first condition reads into the order of the groups, a bounded piece a call; true when done. Only then, or where there
   * are no groups, pairs can be walked. `members`: rows in groups.
   */
  order(groups: Groups | null, members: number): boolean {
    const kernel = this.#kernel;
    if (!groups || members === 0) {
      this.#ordered ??= new Map();
      return true;
    }
    if (!this.#ordered) {
      const columns = this.#first.map((part) => [part, this.#build.columns[part]] as const);
      this.#groups = groups;
      this.#ordered = new Map(
        columns.map(([part, { width, valid }]) => [
          part,
          {
            values: kernel.alloc(width * members + 64, "the filter"),
            valid: valid && kernel.alloc(members + 64, "the filter"),
          },
        ]),
      );
    }
    const count = Math.min(CHUNK_ROWS, members - this.#orderedRows);
    for (const [part, to] of this.#ordered) {
      const { width, values, valid } = this.#build.columns[part];
      kernel.takeRows(values, width, groups.rows, this.#orderedRows, count, 0, to.values, this.#orderedRows);
      if (valid && to.valid) kernel.takeRows(valid, 1, groups.rows, this.#orderedRows, count, 0, to.valid, this.#orderedRows);
    }
    this.#orderedRows += count;
    return this.#orderedRows === members;
  }

  /** As `order`, for `search`; true at once where the first condition is not one comparison of numbers, or its build values have nulls. */
  orderSearch(groups: Groups | null, members: number, buildRows: number): boolean {
    const comparison = this.#comparison;
    const column = comparison && this.#build.columns[comparison.build];
    if (!column || column.valid) return true;
    const kernel = this.#kernel;
    const part = "the filter";
    const width = laneBytes(comparison.lane) <= 4 ? 4 : 8;
    this.#groups = groups;
    this.#ordinals ??= {
      width,
      probe: kernel.alloc(width * CHUNK_ROWS + 64, "scratch"),
      byRow: kernel.alloc(width * buildRows + 64, part),
      byGroup: groups && members > 0 ? kernel.alloc(width * members + 256, part) : null,
    };
    const { byRow, byGroup } = this.#ordinals;
    const at = this.#searched;
    // First by row, then by group.
    if (at < buildRows) {
      const count = Math.min(CHUNK_ROWS, buildRows - at);
      this.#scratch ??= kernel.alloc(8 * CHUNK_ROWS + 64, "scratch");
      kernel.copy(this.#scratch, 0, column.values, column.width * at, column.width * count);
      kernel.ordinals(comparison.lane, this.#scratch, count, byRow, at);
      this.#searched += count;
    } else if (groups && byGroup && at < buildRows + members) {
      const count = Math.min(CHUNK_ROWS, buildRows + members - at);
      kernel.takeRows(byRow, width, groups.rows, at - buildRows, count, 0, byGroup, at - buildRows);
      this.#searched += count;
    }
    return this.#searched >= buildRows + (byGroup ? members : 0);
  }

  /** Whether candidates of the probe rows that are loaded can be searched; `rows` of them. */
  beginSearch(rows: number): boolean {
    const comparison = this.#comparison;
    if (!this.#ordinals || !comparison) return false;
    const { values, valid } = this.#probe.columns[comparison.probe];
    if (valid) return false;
    this.#kernel.ordinals(comparison.lane, values, rows, this.#ordinals.probe, 0);
    return true;
  }

  /**
   * Tests candidates from `cursor` on until row `to` or a bound, as `testWalk`. `tested` is how many; after that the conditions that are left
   * have seen those that passed the first.
   */
  search(
    handles: Region,
    base: number,
    cursor: ExpandCursor,
    to: number,
    probeBase: number,
    probe: Region,
    build: Region,
    room: number,
  ): { tested: number; kept: number } {
    const { width, probe: ordinals, byRow, byGroup } = this.#ordinals as Ordinals;
    const { op } = this.#comparison as Comparison;
    const budget = Math.min(SEARCH_PAIRS, 64 * room);
    const found = this.#kernel.searchPairs(
      op,
      width,
      ordinals,
      base,
      byRow,
      byGroup,
      handles,
      cursor,
      to,
      this.#groups,
      probeBase,
      probe,
      build,
      room,
      budget,
    );
    return { tested: found.tested, kept: this.#testRows(1, found.kept, probe, build, base - probeBase) };
  }

  /** Whether candidates can be walked. */
  get walks(): boolean {
    return this.#ordered !== null;
  }

  /**
   * Tests `count` candidates (at most TILE_ROWS) and writes those that fulfil all conditions as pairs of ids: probe row in handles plus
   * `probeBase`, build row. Returns how many.
   */
  testWalk(walk: Walk, count: number, probeBase: number, probe: Region, build: Region): number {
    const kernel = this.#kernel;
    this.#walk = walk;
    const { values } = this.#evaluators[0].run(count);
    const kept = kernel.selectPairs(values, walk.handles, walk.start, walk.end, this.#groups, probeBase, probe, build);
    this.#walk = null;
    return this.#testRows(1, kept, probe, build, walk.base - probeBase);
  }

  /** Keeps, of `count` pairs (at most TILE_ROWS), those that fulfil all conditions, in place. Probe ids plus `base` are rows of the parts. */
  testRows(count: number, probe: Region, build: Region, base: number): number {
    return this.#testRows(0, count, probe, build, base);
  }

  #testRows(first: number, count: number, probe: Region, build: Region, base: number): number {
    this.#rows = { probe, build, base };
    let left = count;
    for (let i = first; i < this.#evaluators.length && left > 0; i++) {
      left = this.#kernel.keepRows(this.#evaluators[i].run(left).values, left, probe, build);
    }
    return left;
  }

  /** Bits of pairs that fulfil all conditions; the pairs stay as they are. Valid until the next call. */
  testBits(count: number, probe: Region, build: Region, base: number): Region {
    this.#rows = { probe, build, base };
    const [first, ...others] = this.#evaluators;
    const result = first.run(count).values;
    for (const evaluator of others) this.#kernel.bitwise("and", result, evaluator.run(count).values, count, result);
    return result;
  }

  /** A part of the pairs' rows into a register. */
  #load(side: Side, part: number, register: Register, count: number): void {
    const kernel = this.#kernel;
    const isProbe = side === this.#probeSide;
    const column = (isProbe ? this.#probe : this.#build).columns[part];
    const ordered = isProbe ? undefined : this.#ordered?.get(part);
    register.data = column.data;
    const bits = column.lane === "bits";
    this.#take(isProbe, column.values, ordered?.values ?? null, column.width, bits ? this.#bytes : register.values, count);
    if (bits) kernel.bytesToBits(this.#bytes, count, register.values);
    register.valid = null;
    if (!column.valid) return;
    this.#take(isProbe, column.valid, ordered?.valid ?? null, 1, this.#bytes, count);
    kernel.bytesToBits(this.#bytes, count, register.bitmap);
    register.valid = register.bitmap;
    if (bits) kernel.bitwise("and", register.values, register.bitmap, count, register.values);
  }

  #take(isProbe: boolean, source: Region, ordered: Region | null, width: number, to: Region, count: number): void {
    const kernel = this.#kernel;
    const walk = this.#walk;
    if (!walk) {
      const { probe, build, base } = this.#rows;
      kernel.takeRows(source, width, isProbe ? probe : build, 0, count, isProbe ? base : 0, to, 0);
    } else if (isProbe) kernel.takeProbe(source, width, walk.base, walk.handles, walk.start, walk.end, this.#groups, to);
    else kernel.takeBuild(source, ordered, width, walk.handles, walk.start, walk.end, this.#groups, to);
  }
}
