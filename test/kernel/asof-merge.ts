/**
 * Runs a case of test/kernel/asof-model.ts through a kernel as the operators do, and lists what each call gave beside what the contract says:
 *
 *     left chunks     [ rows | rows | rows ]     each from row 0 of its region, with the cursor anew; in one call, or in several
 *     right           backward: a chunk at a time, once the one before is passed; ahead: one window that grows
 */

import type { AheadMerge, BackwardMerge, Horizon } from "../../src/kernel/asof-contract.ts";
import { type Kernel, NONE, type Region } from "../../src/kernel/contract.ts";
import { type Arrival, type Case, closest, type Known, partner, type Row } from "./asof-model.ts";
import type { Random } from "./random.ts";

/** Right rows have ids from here on. */
const ROW_BASE = 1000;
/** Rows and keys a case may have. */
const ROOM = 320;
const JUNK = 0x5a5a5a5a;

const PARTS = ["leftTimes", "leftIds", "rightTimes", "rightIds", "memoRows", "memoTimes", "next", "heads", "tails", "out"] as const;
type Regions = { readonly [part in (typeof PARTS)[number]]: Region };

/** What a call gave: the next left row, cursors on the right, the memo (row and time by key), all partners so far. */
type Stop = readonly (number | readonly number[])[];

export interface Trace {
  readonly found: Stop[];
  readonly wanted: Stop[];
}

export class Merger {
  readonly #kernel: Kernel;
  readonly #regions: Regions;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#regions = Object.fromEntries(PARTS.map((part) => [part, kernel.alloc(16 * ROOM, part)])) as Regions;
  }

  /** `leftCuts`: where left chunks end. `r`: calls stop early, memos advance alone, rows ahead come early, all at random; null: nothing of it. */
  run(of: Case, leftCuts: readonly number[], coming: readonly Arrival[], r: Random | null): Trace {
    this.#reset();
    return of.rules.direction === "backward" ? this.#backward(of, leftCuts, coming, r) : this.#ahead(of, leftCuts, coming, r);
  }

  #reset(): void {
    for (const part of PARTS) this.#i32(part).fill(JUNK);
    for (const part of ["memoRows", "heads"] as const) this.#i32(part).fill(NONE);
  }

  #i32(part: keyof Regions): Int32Array {
    return this.#kernel.i32(this.#regions[part]);
  }

  #put(of: Case, side: "left" | "right", at: number, rows: readonly Row[]): void {
    const times = this.#kernel.f64(this.#regions[`${side}Times`]);
    const ids = this.#i32(`${side}Ids`);
    rows.forEach(({ t, key }, i) => {
      const { major, minor } = of.scale.point(t);
      times.set([major, minor], 2 * (at + i));
      ids[at + i] = key;
    });
  }

  #merge({ scale, rules, leftIds, rightIds }: Case, horizon: Horizon, rowBase: number) {
    const { leftTimes, rightTimes, leftIds: left, rightIds: right, memoRows, memoTimes } = this.#regions;
    const span = (of: number | null) => (of === null ? null : { major: Math.floor(of / scale.base), minor: of % scale.base });
    const bound = (of: number | null) => (scale.base === 1 && of !== null ? { major: of, minor: 0 } : span(of));
    return {
      leftTimes,
      leftIds: leftIds ? left : null,
      rightTimes,
      rightIds: rightIds ? right : null,
      base: scale.base,
      strict: rules.strict,
      before: bound(rules.before),
      after: bound(rules.after),
      horizon,
      rowBase,
      memo: { rows: memoRows, times: memoTimes },
    };
  }

  #horizon({ scale }: Case, { horizon, ended }: Known): Horizon {
    return { ...scale.point(horizon), ended };
  }

  /** The memo after the first `passed` right rows, and what the kernel has. */
  #memo({ right, rules, keys, scale }: Case, passed: number, timed: boolean): { found: number[]; wanted: number[] } {
    const rows = this.#i32("memoRows");
    const times = this.#kernel.f64(this.#regions.memoTimes);
    const [found, wanted]: [number[], number[]] = [[], []];
    for (let key = 0; key < keys; key++) {
      const mine = right.flatMap((row, i) => (i < passed && row.key === key ? [{ ...row, i }] : []));
      const last = mine.at(-1);
      const kept = rules.backFirst ? mine.find(({ t }) => t === last?.t) : last;
      found.push(rows[key]);
      wanted.push(kept ? ROW_BASE + kept.i : NONE);
      if (!kept || !timed) continue;
      const { major, minor } = scale.point(kept.t);
      found.push(times[2 * key], times[2 * key + 1]);
      wanted.push(major, minor);
    }
    return { found, wanted };
  }

  #backward(of: Case, leftCuts: readonly number[], coming: readonly Arrival[], r: Random | null): Trace {
    const { left, right, rules } = of;
    const timed = rules.backFirst || rules.before !== null || (r?.chance(0.5) ?? false);
    const trace: Trace = { found: [], wanted: [] };
    const cursor = { left: 0, right: 0 };
    let known: Known = { rows: [], horizon: Number.NEGATIVE_INFINITY, ended: false };
    let base = 0;
    let arrived = 0;
    let passed = 0;
    const merge = (): BackwardMerge => {
      const { memo, ...rest } = this.#merge(of, this.#horizon(of, known), ROW_BASE + base);
      return { ...rest, memo: { ...memo, times: timed ? memo.times : null }, first: rules.backFirst };
    };
    const pass = (time: number) => {
      const count = known.rows.filter(({ t }) => t < time || (t === time && !rules.strict)).length;
      passed = Math.max(passed, count);
    };
    const stop = (decided: readonly number[], wanted: readonly number[]) => {
      const memo = this.#memo(of, passed, timed);
      trace.found.push([cursor.left, base + cursor.right, memo.found, decided]);
      trace.wanted.push([wanted.length, passed, memo.wanted, wanted]);
    };
    eachChunk(left, leftCuts, (start, rows) => {
      this.#put(of, "left", 0, rows);
      cursor.left = 0;
      for (let to = 0; ; ) {
        if (cursor.left === to && to < rows.length) to = r ? to + 1 + r.below(rows.length - to) : rows.length;
        if (r?.chance(0.2) && cursor.left < rows.length) {
          // Never above a left row that is to come, and so never above one that is known.
          const time = [rows[cursor.left].t, left[Math.max(0, start + cursor.left - 1)].t][r.below(2)];
          this.#kernel.advanceBackward(merge(), cursor, known.rows.length - base, of.scale.point(time));
          pass(time);
          stop([], []);
          trace.found[trace.found.length - 1] = trace.found[trace.found.length - 1].slice(1);
          trace.wanted[trace.wanted.length - 1] = trace.wanted[trace.wanted.length - 1].slice(1);
        }
        this.#kernel.mergeBackward(merge(), cursor, to, known.rows.length - base, this.#regions.out);
        const wanted = decide(of, rows, to, known, pass);
        stop(this.#partners(cursor.left), wanted);
        if (cursor.left === to && to === rows.length) return;
        if (cursor.left !== wanted.length) return "failed";
        if (cursor.left === to) continue;
        if (base + cursor.right < known.rows.length || arrived === coming.length) return "failed";
        const next = coming[arrived++];
        if (next.rows > 0) {
          base = known.rows.length;
          cursor.right = 0;
          this.#put(of, "right", 0, right.slice(base, base + next.rows));
        }
        known = { ...next, rows: right.slice(0, known.rows.length + next.rows) };
      }
    });
    return trace;
  }

  #ahead(of: Case, leftCuts: readonly number[], coming: readonly Arrival[], r: Random | null): Trace {
    const { left, right, rules } = of;
    const nearest = rules.direction === "nearest";
    const { next, heads, tails, rightIds, out } = this.#regions;
    const queues = { next, heads, tails };
    const trace: Trace = { found: [], wanted: [] };
    const cursor = { left: 0, popped: 0, memoed: 0 };
    let known: Known = { rows: [], horizon: Number.NEGATIVE_INFINITY, ended: false };
    let arrived = 0;
    let popped = 0;
    let memoed = 0;
    const arrive = () => {
      const from = known.rows.length;
      const { rows, horizon, ended } = coming[arrived++];
      this.#put(of, "right", from, right.slice(from, from + rows));
      this.#kernel.linkRows(of.rightIds ? rightIds : null, from, from + rows, queues);
      known = { rows: right.slice(0, from + rows), horizon, ended };
    };
    const pass = (time: number) => {
      const at = (equal: boolean) => known.rows.filter(({ t }) => t < time || (t === time && equal)).length;
      popped = Math.max(popped, at(rules.strict || nearest));
      memoed = nearest ? Math.max(memoed, at(!rules.strict)) : popped;
    };
    eachChunk(left, leftCuts, (_, rows) => {
      this.#put(of, "left", 0, rows);
      cursor.left = 0;
      for (let to = 0; ; ) {
        if (cursor.left === to && to < rows.length) to = r ? to + 1 + r.below(rows.length - to) : rows.length;
        while (r?.chance(0.2) && arrived < coming.length) arrive();
        const { memo, ...merge } = this.#merge(of, this.#horizon(of, known), ROW_BASE);
        const { backFirst, aheadLast } = rules;
        const all: AheadMerge = { ...merge, queues, memo: nearest ? memo : null, backFirst, aheadLast };
        this.#kernel.mergeAhead(all, cursor, to, known.rows.length, out);
        const wanted = decide(of, rows, to, known, pass);
        const table = nearest ? this.#memo(of, memoed, true) : { found: [], wanted: [] };
        trace.found.push([cursor.left, cursor.popped, cursor.memoed, table.found, this.#partners(cursor.left)]);
        trace.wanted.push([wanted.length, popped, memoed, table.wanted, wanted]);
        if (cursor.left === to && to === rows.length) return;
        if (cursor.left !== wanted.length) return "failed";
        if (cursor.left === to) continue;
        if (arrived === coming.length) return "failed";
        arrive();
      }
    });
    return trace;
  }

  #partners(count: number): number[] {
    return Array.from(this.#i32("out").subarray(0, count));
  }
}

/** Left chunks in turn, until one fails. */
function eachChunk(
  rows: readonly Row[],
  cuts: readonly number[],
  work: (start: number, rows: readonly Row[]) => "failed" | undefined,
): void {
  let from = 0;
  for (const to of [...cuts, rows.length]) {
    if (work(from, rows.slice(from, to)) === "failed") return;
    from = to;
  }
}

/** Partners of the chunk's rows before `to`, until one is not decided; tells the times of the rows that look. */
function decide({ rules, right }: Case, chunk: readonly Row[], to: number, known: Known, looks: (time: number) => void): number[] {
  const partners: number[] = [];
  for (const row of chunk.slice(0, to)) {
    if (row.key !== NONE) looks(row.t);
    const found = partner(rules, row, known);
    if (found === null) break;
    // What is decided holds, whatever comes.
    if (found !== closest(rules, row, right)) throw new Error(`the model decides too early: ${JSON.stringify({ row, known, rules })}`);
    partners.push(found === NONE ? NONE : ROW_BASE + found);
  }
  return partners;
}
