/**
 * `FilteredState`: the closest right row of each key that passes conditions on both sides. The key's history back to T - before is kept, and each
 * left row walks outward from its time until a row passes.
 *
 *     key's rows      o ── o ── o ── o ──│── o ── o           prev and next link the rows of a key
 *                     3    2    1    0   T   0    1           candidates in the order they are tested; nearest takes whichever side is nearer
 *
 * Left rows walk side by side: a round tests one candidate of each (PairFilter, vectorised), rows that found theirs or have none left retire.
 * A row that needs right rows which have not come keeps its place. Ties: a group of equal times is walked on, to its first or last row that passes.
 *
 * Cost: a few ns a candidate beside the condition. Memory: 28 bytes and the condition's operands for each row of the history, which has no end
 * without `before`.
 */

import type { InputBatch } from "../arrow/input.ts";
import type { Horizon, TimePoint } from "../kernel/asof-contract.ts";
import { CHUNK_ROWS, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import { compareGaps, exceeds } from "../kernel/time-gaps.ts";
import type { AsofRight } from "../spec/asof-spec.ts";
import type { FilterSpec } from "../spec/filter-spec.ts";
import type { Receipt } from "./buffer-ledger.ts";
import { type CandidateViews, NO_VIEWS } from "./candidate-views.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { HeldRows } from "./held-rows.ts";
import type { InputChunk, InputState } from "./input-state.ts";
import type { IndexSwitches } from "./join-index-map.ts";
import { KernelScope } from "./kernel-scope.ts";
import { ByKey } from "./memo-store.ts";
import { PairFilter } from "./pair-filter.ts";
import { type LeftChunk, type Progress, RightState, type RightWindow } from "./right-state.ts";
import { RowParts } from "./row-filter.ts";
import { RowWindow, shiftRows } from "./row-window.ts";
import { timeAt } from "./time-loader.ts";

/** What a left row does next, instead of a candidate to test. */
const DECIDED = -1;
const WAITS = -2;
/** It was too early to look. */
const REVERTS = -3;

/** Of a left row: it is decided; its partner is ahead; its time has been reached, but not passed. */
const FINAL = 1;
const AHEAD = 2;
const EARLY = 4;

/** A batch with rows in the window. */
interface Source {
  readonly batch: InputBatch;
  readonly receipt: Receipt;
  /** Window row of its row 0. */
  first: number;
}

export class FilteredState extends RightState {
  readonly #filter: FilterSpec;
  readonly #looksBack: boolean;
  readonly #looksAhead: boolean;
  readonly #window: RowWindow;
  readonly #scope: KernelScope;
  readonly #leftParts: RowParts;
  #rightParts: RowParts | null = null;
  #pairs: PairFilter | null = null;
  #sources: Source[] = [];
  /** By key: its first and last row of the window; where its rows back begin, and the last row that is none ahead. */
  readonly #firsts: ByKey;
  readonly #tails: ByKey;
  readonly #backs: ByKey;
  readonly #anchors: ByKey;
  /** By left row: the next candidate back, the row before the next one ahead, the row found, 1 where it was found ahead, 1 where decided. */
  readonly #back: Region;
  readonly #anchor: Region;
  readonly #best: Region;
  readonly #flags: Region;
  readonly #probe: Region;
  readonly #build: Region;
  #low = 0;
  #base = 0;
  #loaded = false;
  #started = 0;
  #decided = 0;
  #tested = 0;
  #views: CandidateViews = NO_VIEWS;
  #horizon: Horizon = { major: 0, minor: 0, ended: false };

  constructor(kernel: Kernel, spec: AsofRight, input: InputState, held: HeldRows | null, switches: IndexSwitches) {
    super(kernel, spec, input, held, switches);
    this.#filter = spec.filter as FilterSpec;
    this.#looksBack = spec.direction !== "forward";
    this.#looksAhead = spec.direction !== "backward";
    this.#window = new RowWindow(kernel, 2);
    this.#scope = new KernelScope(kernel);
    this.#leftParts = new RowParts(kernel, this.#filter.left.parts, CHUNK_ROWS, false);
    [this.#firsts, this.#tails, this.#backs, this.#anchors] = [0, 1, 2, 3].map(() => new ByKey(kernel)) as [ByKey, ByKey, ByKey, ByKey];
    const rows = (count: number) => kernel.alloc(4 * count, "the rows that look for a partner");
    [this.#back, this.#anchor, this.#best, this.#flags] = [0, 1, 2, 3].map(() => rows(CHUNK_ROWS)) as [Region, Region, Region, Region];
    [this.#probe, this.#build] = [rows(TILE_ROWS), rows(TILE_ROWS)];
    this.#newParts();
  }

  get decided(): number {
    return this.#decided;
  }

  override get waitingRows(): number {
    return this.#window.end - this.#low;
  }

  override get historyRows(): number {
    return this.waitingRows;
  }

  override get pairsTested(): number {
    return this.#tested;
  }

  protected beginLeft(): void {
    this.#started = 0;
    this.#decided = 0;
    this.#loaded = false;
  }

  protected ensureKeys(keys: number): void {
    for (const list of [this.#firsts, this.#tails, this.#backs, this.#anchors]) list.ensure(keys);
  }

  // ── left rows ──────────────────────────────────────────────────────────────────────────────────

  protected match(): Progress {
    const left = this.left as LeftChunk;
    if (!this.#loaded) {
      this.#leftParts.load(left.batch, left.start, left.rows, 0);
      this.#loaded = true;
    }
    if (this.#round(left)) return "working";
    const flags = this.kernel.i32(this.#flags);
    while (this.#decided < this.#started && flags[this.#decided] & FINAL) this.#decided++;
    if (this.#decided === left.rows) return "done";
    if (!this.input.hasRows) return "starved";
    this.load();
    return "working";
  }

  #takeViews(leftTimes: Region): void {
    const { kernel } = this;
    const i32 = (region: Region) => kernel.i32(region);
    const [next, prev] = this.#window.links.map(i32);
    const [back, anchor, best, flags, refs, probe, build] = [
      this.#back,
      this.#anchor,
      this.#best,
      this.#flags,
      this.refs,
      this.#probe,
      this.#build,
    ].map(i32);
    const [times, left] = [kernel.f64(this.#window.times), kernel.f64(leftTimes)];
    const ids = this.leftIds && i32(this.leftIds);
    this.#views = { times, leftTimes: left, next, prev, firsts: this.#firsts.values, back, anchor, best, flags, refs, probe, build, ids };
  }

  /** Starts rows that can be, and tests a candidate of each that has one; false when there was none to test. */
  #round(left: LeftChunk): boolean {
    this.#horizon = this.horizon;
    this.#takeViews(left.times);
    this.#start(left.rows);
    let count = 0;
    let any = false;
    let { flags, best, refs, probe, build, ids } = this.#views;
    for (let i = this.#decided; i < this.#started; i++) {
      if (flags[i] & FINAL) continue;
      const candidate = this.#candidate(i, ids ? ids[i] : 0, best[i], flags[i]);
      if (candidate >= 0) {
        probe[count] = i;
        build[count++] = candidate;
        if (count === TILE_ROWS) {
          this.#test(count, left.times);
          ({ flags, best, refs, probe, build, ids } = this.#views);
          count = 0;
          any = true;
        }
      } else if (candidate === DECIDED) {
        flags[i] |= FINAL;
        refs[i] = best[i] === NONE ? NONE : this.#base + best[i];
      } else if (candidate === REVERTS) {
        this.#started = i;
        break;
      }
    }
    if (count > 0) this.#test(count, left.times);
    return any || count > 0;
  }

  /** Rows whose candidates back are all there begin to look; rows without a key are decided. */
  #start(rows: number): void {
    const { spec } = this;
    const { back, anchor, best, flags, refs, ids } = this.#views;
    const [backs, anchors] = [this.#backs.values, this.#anchors.values];
    const early = spec.ties === "first" && !spec.strict;
    for (let i = this.#started; i < rows; i++) {
      const key = ids ? ids[i] : 0;
      best[i] = NONE;
      refs[i] = NONE;
      flags[i] = key < 0 ? FINAL : 0;
      if (key >= 0) {
        if (this.#looksBack) {
          const passed = this.#horizon.ended || this.#isAbove(this.#horizon, i, spec.strict);
          // Of equal times the first: a row at this very time is final before all of them are there.
          if (!passed && !(early && this.#isAbove(this.#horizon, i, true))) return;
          backs[key] = this.#advance(backs[key], key, i, !spec.strict);
          back[i] = backs[key];
          if (!passed) flags[i] = EARLY;
        }
        if (this.#looksAhead) {
          anchors[key] = this.#advance(anchors[key], key, i, spec.strict || this.#looksBack);
          anchor[i] = anchors[key];
        }
      }
      this.#started = i + 1;
    }
  }

  #isAbove(time: TimePoint, i: number, orAt: boolean): boolean {
    const { leftTimes } = this.#views;
    const [major, minor] = [leftTimes[2 * i], leftTimes[2 * i + 1]];
    return time.major > major || (time.major === major && (orAt ? time.minor >= minor : time.minor > minor));
  }

  /** Whether right row r comes before left row i, or (`orAt`) at the same time. */
  #isBehind(r: number, i: number, orAt: boolean): boolean {
    const { times, leftTimes } = this.#views;
    if (times[2 * r] !== leftTimes[2 * i]) return times[2 * r] < leftTimes[2 * i];
    return orAt ? times[2 * r + 1] <= leftTimes[2 * i + 1] : times[2 * r + 1] < leftTimes[2 * i + 1];
  }

  #after(row: number, key: number): number {
    return row >= 0 ? this.#views.next[row] : this.#views.firsts[key];
  }

  /** The last row of the key, from `row` on, that is behind left row i. */
  #advance(row: number, key: number, i: number, orAt: boolean): number {
    let at = row;
    for (let next = this.#after(at, key); next >= 0 && this.#isBehind(next, i, orAt); next = this.#after(at, key)) at = next;
    return at;
  }

  // ── candidates ─────────────────────────────────────────────────────────────────────────────────

  /** The right row that left row i is to be tested with next. */
  #candidate(i: number, key: number, best: number, flags: number): number {
    const { spec } = this;
    const { back, anchor } = this.#views;
    if (best >= 0) {
      if (flags & AHEAD) {
        if (spec.ties !== "last") return DECIDED;
        const next = this.#after(anchor[i], key);
        if (next >= 0) return this.#sameTime(next, best) ? next : DECIDED;
        return this.#horizon.ended || this.#isOver(best) ? DECIDED : WAITS;
      }
      return spec.ties === "first" && back[i] >= 0 && this.#sameTime(back[i], best) ? back[i] : DECIDED;
    }
    let behind = this.#looksBack ? back[i] : NONE;
    if (behind >= 0 && this.#isBeyond(i, behind, true, spec.before)) behind = NONE;
    if (flags & EARLY) return behind >= 0 && this.#isBehind(behind, i, true) && !this.#isBehind(behind, i, false) ? behind : REVERTS;
    let ahead = NONE;
    let open = false;
    if (this.#looksAhead) {
      anchor[i] = this.#advance(anchor[i], key, i, spec.strict || this.#looksBack);
      ahead = this.#after(anchor[i], key);
      if (ahead < 0) open = !this.#horizon.ended && !this.#isOut(i);
      else if (this.#isBeyond(i, ahead, false, spec.after)) ahead = NONE;
    }
    if (behind < 0) return ahead >= 0 ? ahead : open ? WAITS : DECIDED;
    const { times } = this.#views;
    if (ahead >= 0) return this.#isAsFar(times[2 * ahead], times[2 * ahead + 1], i, behind) ? behind : ahead;
    if (!open) return behind;
    const { major, minor } = this.#horizon;
    // Rows to come are known to be at least as far ahead as this one is back.
    return this.#isAbove(this.#horizon, i, true) && this.#isAsFar(major, minor, i, behind) ? behind : WAITS;
  }

  /** Whether the right has passed the time of its row. */
  #isOver(row: number): boolean {
    const { times } = this.#views;
    const { major, minor } = this.#horizon;
    return major > times[2 * row] || (major === times[2 * row] && minor > times[2 * row + 1]);
  }

  #sameTime(a: number, b: number): boolean {
    const { times } = this.#views;
    return times[2 * a] === times[2 * b] && times[2 * a + 1] === times[2 * b + 1];
  }

  /** Whether right row r, ahead of left row i or (`back`) behind it, is farther than the bound. */
  #isBeyond(i: number, r: number, back: boolean, bound: TimePoint | null): boolean {
    if (!bound) return false;
    const { times, leftTimes } = this.#views;
    const [m, n, p, q] = [leftTimes[2 * i], leftTimes[2 * i + 1], times[2 * r], times[2 * r + 1]];
    const { base } = this.spec.time;
    return back ? exceeds(m, n, p, q, bound, base) : exceeds(p, q, m, n, bound, base);
  }

  /** Whether every right row to come is farther ahead of left row i than `after`. */
  #isOut(i: number): boolean {
    const { after, time } = this.spec;
    if (!after || !this.#isAbove(this.#horizon, i, true)) return false;
    const { major, minor } = this.#horizon;
    const { leftTimes } = this.#views;
    return exceeds(major, minor, leftTimes[2 * i], leftTimes[2 * i + 1], after, time.base);
  }

  /** Whether a time ahead of left row i is at least as far from it as right row `behind` is. */
  #isAsFar(major: number, minor: number, i: number, behind: number): boolean {
    const { times, leftTimes } = this.#views;
    const [m, n] = [leftTimes[2 * i], leftTimes[2 * i + 1]];
    return compareGaps(major, minor, m, n, times[2 * behind], times[2 * behind + 1], this.spec.time.base) >= 0;
  }

  /** Tests candidates, notes those that pass, and moves every row on. */
  #test(count: number, leftTimes: Region): void {
    const bits = this.kernel.u8((this.#pairs as PairFilter).testBits(count, this.#probe, this.#build, 0));
    this.#takeViews(leftTimes);
    const { probe, build, back, anchor, best, flags, prev } = this.#views;
    this.#tested += count;
    for (let n = 0; n < count; n++) {
      const i = probe[n];
      const row = build[n];
      const isBack = this.#looksBack && row === back[i];
      if (isBack) back[i] = prev[row];
      else anchor[i] = row;
      if (((bits[n >> 3] >> (n & 7)) & 1) === 0) continue;
      best[i] = row;
      if (!isBack) flags[i] |= AHEAD;
    }
  }

  // ── right rows ─────────────────────────────────────────────────────────────────────────────────

  protected place(rows: number): RightWindow {
    this.#purge();
    if (this.held?.isDue) this.#compact(this.held);
    const window = this.#window;
    const before = window.times;
    const shift = window.makeRoom(rows, this.#low);
    if (shift > 0 || window.times !== before) this.#moved(shift);
    return { times: window.times, at: window.end };
  }

  protected loaded(chunk: InputChunk, base: number): void {
    const { batch, start, rows } = chunk;
    const window = this.#window;
    const { end } = window;
    window.putIds(this.rightIds, rows);
    this.#base = this.held ? base - end : 0;
    if (start === 0) this.#sources.push({ batch, receipt: this.input.ledger.take(batch), first: end });
    this.#scope.run(() => this.#rightParts?.load(batch, start, rows, end));
    this.#link(end, end + rows);
    window.end += rows;
  }

  #link(from: number, to: number): void {
    const { kernel } = this;
    const ids = kernel.i32(this.#window.ids);
    const [next, prev] = this.#window.links.map((links) => kernel.i32(links));
    const [firsts, tails] = [this.#firsts.values, this.#tails.values];
    for (let row = from; row < to; row++) {
      const key = ids[row];
      next[row] = NONE;
      if (key < 0) continue;
      const last = tails[key];
      prev[row] = last;
      if (last >= 0) next[last] = row;
      else firsts[key] = row;
      tails[key] = row;
    }
  }

  /** Rows at the front that no left row to come can reach. */
  #purge(): void {
    const left = this.left;
    const { before, time } = this.spec;
    if (!left || this.#decided >= left.rows || (this.#looksBack && !before)) return;
    const { major, minor } = timeAt(this.kernel, left.times, this.#decided);
    const { end } = this.#window;
    const times = this.kernel.f64(this.#window.times);
    for (; this.#low < end; this.#low++) {
      const [m, n] = [times[2 * this.#low], times[2 * this.#low + 1]];
      if (m > major || (m === major && n >= minor) || (before && !exceeds(major, minor, m, n, before, time.base))) break;
    }
    // Nobody tests their rows any more.
    while (this.#sources.length > 0 && this.#sources[0].first + this.#sources[0].batch.length <= this.#low)
      this.input.ledger.give((this.#sources.shift() as Source).receipt);
  }

  /** Rows of the window moved to the front by `shift`, and what is computed of them is computed anew. */
  #moved(shift: number): void {
    const { kernel } = this;
    const { end, links } = this.#window;
    if (shift > 0) {
      const firsts = this.#firsts.values;
      const rows = [...links.map((link) => kernel.i32(link).subarray(0, end)), this.#backs.values, this.#anchors.values];
      const perLeft = [this.#back, this.#anchor, this.#best].map((region) => kernel.i32(region));
      for (const list of [...rows, ...perLeft, this.#tails.values]) shiftRows(list, shift);
      // Keys whose first row is gone begin with the next that is not: the first of the window that has it.
      firsts.fill(NONE);
      const ids = kernel.i32(this.#window.ids);
      for (let row = end - 1; row >= 0; row--) if (ids[row] >= 0) firsts[ids[row]] = row;
      this.#low -= shift;
      if (this.held) this.#base += shift;
      for (const source of this.#sources) source.first -= shift;
    }
    this.#newParts();
    for (const { batch, first } of this.#sources) {
      const from = Math.max(0, -first);
      const to = Math.min(batch.length, end - first);
      for (let row = from; row < to; row += CHUNK_ROWS) {
        const count = Math.min(CHUNK_ROWS, to - row);
        this.#scope.run(() => this.#rightParts?.load(batch, row, count, first + row));
      }
    }
  }

  #newParts(): void {
    this.#scope.free();
    this.#scope.run(() => {
      const { kernel } = this;
      const { conjuncts, right } = this.#filter;
      this.#rightParts = new RowParts(kernel, right.parts, this.#window.capacity, true);
      this.#pairs = new PairFilter(kernel, conjuncts, "left", this.#leftParts, this.#rightParts);
    });
  }

  #compact(held: HeldRows): void {
    const low = this.#base + this.#low;
    const boundary = held.boundary(low, this.input.midBatch);
    if (boundary > 0) this.#base += this.keep(held, boundary, low, this.#started, null);
  }
}
