/**
 * `FilteredPairs`: output of pairs that must each be looked at: because of conditions on both sides, of `multiple`, or of what is
 * forbidden. Unmatched probe rows stand in place, where all their candidates have failed.
 *
 *     candidates left   (0,5) (0,7) | (2,1)           rows done 2 | 4
 *     inner             (0,5) (0,7)   (2,1)
 *     left              (0,5) (0,7) (1,∅) | (2,1) (3,∅)
 *     left, first       (0,5) (1,∅) | (2,1) (3,∅)
 *
 * Resumable anywhere. About 2 ns a pair where rows are settled one by one; pairs of an inner join are passed as they are.
 */

import { type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { Piece } from "./batch-coalescer.ts";
import type { PairSource } from "./candidate-pairs.ts";
import type { Cardinality } from "./cardinality.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { MatchMarks } from "./match-marks.ts";
import type { HandleChunk } from "./probe-handles.ts";

export interface PairRules {
  /** Probe rows without a partner are output. */
  readonly outer: boolean;
  /** They are an error. */
  readonly matched: boolean;
  /** Which partners of a probe row are output. */
  readonly keep: "all" | "first" | "last";
  /** Which partners of a build row are: claimed by the first, or by the one that `claims` names. */
  readonly claims: BuildClaims | null;
  /** Told of the probe rows of all pairs, those that are passed over too. */
  readonly found?: (probe: Region, count: number) => void;
}

/** Decides, pair by pair, whether a build row takes this partner. */
export interface BuildClaims {
  takes(build: number, probeRow: number): boolean;
}

export class FilteredPairs {
  readonly #kernel: Kernel;
  readonly #candidates: PairSource;
  readonly #rules: PairRules;
  readonly #marks: MatchMarks | null;
  readonly #cardinality: Cardinality;
  readonly #settles: boolean;
  readonly #probe: Region;
  readonly #build: Region;
  /** Pairs that passed, over all chunks; probe rows that have one, and those that have none (where rows are settled). */
  readonly counts = { pairs: 0, matched: 0, unmatched: 0 };
  #taken = 0;
  #row = 0;
  #rowMatched = false;
  /** The partner so far, where the last is wanted. */
  #held = NONE;
  #exhausted = true;
  #batchStart = 0;

  constructor(kernel: Kernel, candidates: PairSource, rules: PairRules, marks: MatchMarks | null, cardinality: Cardinality) {
    this.#kernel = kernel;
    this.#candidates = candidates;
    this.#rules = rules;
    this.#marks = marks;
    this.#cardinality = cardinality;
    this.#settles = rules.outer || rules.matched || rules.keep !== "all";
    this.#probe = kernel.alloc(4 * TILE_ROWS, "scratch");
    this.#build = kernel.alloc(4 * TILE_ROWS, "scratch");
  }

  /** `batchStart`: the batch's first row in the whole input. */
  begin(chunk: HandleChunk, batchStart: number): void {
    this.#candidates.begin(chunk);
    this.#taken = 0;
    this.#row = chunk.start;
    this.#rowMatched = false;
    this.#exhausted = false;
    this.#batchStart = batchStart;
  }

  get done(): boolean {
    return this.#exhausted;
  }

  /** The next piece of at most `room` rows, possibly none. Valid until the next call. */
  next(room: number): Piece {
    const candidates = this.#candidates;
    const left = candidates.count - this.#taken;
    if (left === 0 && !(this.#settles && this.#row < candidates.rowsDone)) {
      this.#advance();
      return NO_ROWS;
    }
    if (this.#settles) return this.#settle(Math.min(room, TILE_ROWS));
    const count = Math.min(room, left);
    const from = this.#taken;
    this.#taken += count;
    return {
      count,
      probe: { kind: "rows", rows: candidates.probe, from },
      build: { rows: candidates.build, from, hasNone: false },
    };
  }

  #advance(): void {
    const candidates = this.#candidates;
    this.#taken = 0;
    if (!candidates.next()) {
      this.#exhausted = true;
      return;
    }
    const { probe, build, count } = candidates;
    if (count === 0) return;
    this.counts.pairs += count;
    const rows = this.#cardinality.checkPairs(probe, build, count);
    if (!this.#settles) this.counts.matched += rows;
    this.#marks?.markRows(build, 0, count);
    this.#rules.found?.(probe, count);
    if (this.#rules.claims) candidates.count = this.#claim(this.#rules.claims, count);
  }

  /** Drops the pairs whose build row takes another partner. The probe row has matched all the same. */
  #claim(claims: BuildClaims, count: number): number {
    const probes = this.#kernel.i32(this.#candidates.probe);
    const builds = this.#kernel.i32(this.#candidates.build);
    let kept = 0;
    for (let i = 0; i < count; i++) {
      if (claims.takes(builds[i], this.#batchStart + probes[i])) {
        builds[kept] = builds[i];
        probes[kept++] = probes[i];
      } else if (this.#settles) {
        // A pair that is not output, for the row to count as matched.
        builds[kept] = PASSED_OVER;
        probes[kept++] = probes[i];
      }
    }
    return kept;
  }

  #settle(limit: number): Piece {
    const candidates = this.#candidates;
    const { outer, matched, keep } = this.#rules;
    const { counts } = this;
    const [probes, builds] = [this.#kernel.i32(candidates.probe), this.#kernel.i32(candidates.build)];
    const [outProbe, outBuild] = [this.#kernel.i32(this.#probe), this.#kernel.i32(this.#build)];
    let at = 0;
    while (at < limit) {
      const next = this.#taken < candidates.count ? probes[this.#taken] : candidates.rowsDone;
      const row = this.#row;
      if (row < next) {
        // All its candidates are known.
        if (!this.#rowMatched) {
          counts.unmatched++;
          if (matched) throw this.#cardinality.unmatchedProbe(row);
        } else counts.matched++;
        const last = keep === "last" && this.#held !== NONE;
        if (last || (outer && !this.#rowMatched)) {
          outProbe[at] = row;
          outBuild[at++] = last ? this.#held : NONE;
        }
        this.#row++;
        this.#rowMatched = false;
        this.#held = NONE;
        continue;
      }
      if (this.#taken === candidates.count) break;
      const build = builds[this.#taken++];
      const first = !this.#rowMatched;
      this.#rowMatched = true;
      if (build === PASSED_OVER) continue;
      if (keep === "last") this.#held = build;
      else if (keep === "all" || first) {
        outProbe[at] = row;
        outBuild[at++] = build;
      }
    }
    return { count: at, probe: { kind: "rows", rows: this.#probe, from: 0 }, build: { rows: this.#build, from: 0, hasNone: outer } };
  }
}

/** Among the ids of build rows: its row takes another partner. */
const PASSED_OVER = -2;

const NO_ROWS: Piece = { count: 0, probe: null, build: null };
