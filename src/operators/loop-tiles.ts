/**
 * `LoopTiles`: the conditions of a join without keys, tested for some probe rows times a tile of build rows at once; a pair is a bit.
 *
 *     comparisons of two numbers    l.x < r.y    l.z <> r.w      kernel.compareTile: ordinals, the most selective first, the others
 *                                                                only where there are bits
 *     without one                   (l.x + r.y) % 1000 = 0       the first condition, its steps run over the tile: the probe row's parts
 *                                                                are constants, the build rows' are loaded once for all probe rows
 *     rest                          all others                   for the pairs that are left, by rows (`rest`)
 *
 * Rows of which a compared number is null match nothing: they are left out beforehand. Which comparison is the most selective is measured,
 * now and then. O(pairs): 0.2 ns each of a comparison of 8 bytes, 0.1 of 4; some ns of other conditions (bench/nested-loop.mjs).
 * Holds the ordinals of each comparison, 4 or 8 bytes a build row; their values are let go.
 */

import { CHUNK_ROWS, type Groups, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import { LOOP_TILE_ROWS, type PairBits } from "../kernel/loop-contract.ts";
import type { FilterSpec, PairConjunct } from "../spec/filter-spec.ts";
import type { Side } from "../spec/join-spec.ts";
import { laneBytes } from "./column-loader.ts";
import { Evaluator, type Register } from "./evaluator.ts";
import type { HashJoinOptions } from "./join-options.ts";
import { type Comparison, comparisonOf, PairFilter } from "./pair-filter.ts";
import type { HandleChunk } from "./probe-handles.ts";
import type { RowParts } from "./row-filter.ts";

/** A comparison with the ordinals of both sides: of the probe rows of a chunk, of the build rows in the order of the members. */
interface Compared extends Comparison {
  readonly width: 4 | 8;
  readonly probeOrdinals: Region;
  readonly buildOrdinals: Region;
  /** Pairs that fulfil it cost the comparisons after it; so does its width. */
  cost: number;
}

/** Pairs tested in one go: about 0.3 ms of comparisons, at most 3 ms where a pair is text that is searched. */
const COMPARED_PAIRS = 1 << 20;
const EVALUATED_PAIRS = 1 << 15;
/** One tile in so many is measured: every comparison for itself, about twice the work. */
const MEASURED_EVERY = 64;

/**
 * The tiles of a join without keys that has a condition on both sides; null: it has keys, or no pair is looked at. `keeps`: someone else reads
 * the build parts too.
 */
export function chooseLoop(
  { spec, kernel, switches }: HashJoinOptions,
  filter: FilterSpec | null,
  groups: Groups | null,
  build: RowParts | null,
  probe: RowParts | null,
  keeps = false,
): LoopTiles | null {
  if (spec.keys.length > 0 || !filter || !groups || !build || !probe) return null;
  return new LoopTiles(kernel, groups, filter.conjuncts, spec.probe, probe, build, switches?.tileRows, keeps);
}

export class LoopTiles {
  readonly #kernel: Kernel;
  readonly #probeSide: Side;
  readonly #probe: RowParts;
  readonly #build: RowParts;
  /** The build rows that may have a partner, in order; the first `count` of the list. */
  readonly members: Region;
  count: number;
  /** Rows of the chunk that may have one: row i of the list is row rows[i] of the chunk. */
  readonly rows: Region;
  /** Pairs of a step of a machine, probe rows of a block, build rows of a tile. */
  readonly stepPairs: number;
  readonly blockRows: number;
  readonly tileRows: number;
  /** Of the conditions that `test` leaves; null: none. */
  readonly rest: PairFilter | null;
  readonly #compared: Compared[];
  readonly #dense: Evaluator | null;
  readonly #released: readonly number[];
  readonly #scratch: Region;
  #tests = 0;
  #listed = false;
  #at = 0;
  #loaded = 0;
  /** What the dense condition is evaluated for: its tile, whether that lies in the registers, and its probe row. */
  #tile = { from: 0, to: 0, fresh: false, row: 0 };

  /** `tile`: few rows in tiles and blocks, for tests. */
  constructor(
    kernel: Kernel,
    groups: Groups,
    conjuncts: readonly PairConjunct[],
    side: Side,
    probe: RowParts,
    build: RowParts,
    tile?: number,
    keeps = false,
  ) {
    this.#kernel = kernel;
    this.#probeSide = side;
    this.#probe = probe;
    this.#build = build;
    this.members = groups.rows;
    this.count = kernel.i32(groups.offsets)[1];
    this.rows = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#scratch = kernel.alloc(8 * CHUNK_ROWS + 64, "scratch");
    const comparisons = conjuncts.map((conjunct) => comparisonOf(conjunct, side));
    this.#compared = comparisons.flatMap((comparison) => (comparison ? [this.#compare(comparison)] : []));
    const others = conjuncts.filter((_, i) => !comparisons[i]);
    const dense = this.#compared.length === 0 ? others.shift() : null;
    this.#dense = dense ? new Evaluator(kernel, dense.program, (step, register) => step.op === "part" && this.#load(step, register)) : null;
    this.rest = others.length > 0 ? new PairFilter(kernel, others, side, probe, build) : null;
    const plain = this.#compared.length === conjuncts.length;
    this.stepPairs = tile ? 1 : plain ? COMPARED_PAIRS : EVALUATED_PAIRS;
    this.blockRows = tile ?? (plain ? 64 : EVALUATED_PAIRS / LOOP_TILE_ROWS);
    this.tileRows = tile ?? LOOP_TILE_ROWS;
    const kept = new Set(
      (dense ? [dense, ...others] : others).flatMap(({ program }) =>
        program.steps.flatMap((step) => (step.op === "part" && step.side !== side ? [step.part] : [])),
      ),
    );
    this.#released = build.columns.map((_, part) => part).filter((part) => !keeps && !kept.has(part));
  }

  // ── the build rows ───────────────────────────────────────────────────────────────────────────

  #compare(comparison: Comparison): Compared {
    const kernel = this.#kernel;
    const width = laneBytes(comparison.lane) <= 4 ? 4 : 8;
    return {
      ...comparison,
      width,
      probeOrdinals: kernel.alloc(width * CHUNK_ROWS + 64, "scratch"),
      // A kernel reads up to 64 values more.
      buildOrdinals: kernel.alloc(width * (this.count + 64), "the nested loop"),
      cost: 0,
    };
  }

  /** Makes a bounded stretch of the ordinals; true when all are made. */
  prepare(): boolean {
    if (!this.#listed) return this.#list();
    const kernel = this.#kernel;
    const compared = this.#compared[this.#loaded];
    if (!compared) {
      for (const part of this.#released) this.#build.columns[part].release();
      return true;
    }
    const { lane, build, buildOrdinals } = compared;
    const { values, width } = this.#build.columns[build];
    const count = Math.min(CHUNK_ROWS, this.count - this.#at);
    kernel.takeRows(values, width, this.members, this.#at, count, 0, this.#scratch, 0);
    kernel.ordinals(lane, this.#scratch, count, buildOrdinals, this.#at);
    this.#at += count;
    if (this.#at === this.count) {
      this.#at = 0;
      this.#loaded++;
    }
    return false;
  }

  /** Leaves out build rows of which a compared number is null. */
  #list(): false {
    const kernel = this.#kernel;
    const valid = this.#compared.flatMap(({ build }) => this.#build.columns[build].valid ?? []).map((region) => kernel.u8(region));
    const end = valid.length === 0 ? this.count : Math.min(this.count, this.#at + CHUNK_ROWS);
    const members = kernel.i32(this.members);
    if (valid.length > 0)
      for (let i = this.#at; i < end; i++) {
        const row = members[i];
        if (isValid(valid, row)) members[this.#loaded++] = row;
      }
    else this.#loaded = end;
    this.#at = end;
    if (end < this.count) return false;
    this.count = this.#loaded;
    this.#listed = true;
    this.#at = 0;
    this.#loaded = 0;
    return false;
  }

  /** Drops, of the build rows [from, to), those that are marked; the others move to `at` and up, in order. Returns how many they are. */
  keepUnmarked(from: number, to: number, marks: Region, at: number): number {
    const kernel = this.#kernel;
    const [members, bits, places] = [kernel.i32(this.members), kernel.u8(marks), kernel.i32(this.#scratch)];
    let kept = 0;
    for (let i = from; i < to; i++) {
      const row = members[i];
      if ((bits[row >>> 3] >> (row & 7)) & 1) continue;
      members[at + kept] = row;
      places[kept++] = i;
    }
    for (const { buildOrdinals, width } of this.#compared) {
      const words = kernel.i32(buildOrdinals);
      if (width === 4) for (let i = 0; i < kept; i++) words[at + i] = words[places[i]];
      else
        for (let i = 0; i < kept; i++) {
          words[2 * (at + i)] = words[2 * places[i]];
          words[2 * (at + i) + 1] = words[2 * places[i] + 1];
        }
    }
    this.#tile.to = 0;
    return kept;
  }

  // ── the probe rows ───────────────────────────────────────────────────────────────────────────

  /** Lists the rows of a chunk that may have a partner; returns how many. */
  begin({ handles, from, rows }: HandleChunk): number {
    const kernel = this.#kernel;
    this.#tile.to = 0;
    for (const { lane, probe, probeOrdinals } of this.#compared)
      kernel.ordinals(lane, this.#probe.columns[probe].values, rows, probeOrdinals, 0);
    const valid = this.#compared.flatMap(({ probe }) => this.#probe.columns[probe].valid ?? []).map((region) => kernel.u8(region));
    const [list, ids] = [kernel.i32(this.rows), kernel.i32(handles)];
    let count = 0;
    if (this.count > 0) for (let row = 0; row < rows; row++) if (ids[from + row] !== NONE && isValid(valid, row)) list[count++] = row;
    return count;
  }

  // ── pairs ────────────────────────────────────────────────────────────────────────────────────

  /**
   * Sets the bits of the probe rows rows[first, first + count) and the build rows [from, to), at most blockRows and tileRows; returns how many
   * are set: pairs that fulfil all conditions but those of `rest`.
   */
  test(first: number, count: number, from: number, to: number, bits: PairBits): number {
    if (this.#dense) return this.#evaluate(this.#dense, first, count, from, to, bits);
    const compared = this.#compared;
    if (compared.length > 1 && this.#tests++ % MEASURED_EVERY === 0) {
      for (const each of compared) {
        const set = this.#testOne(each, first, count, from, to, bits, false);
        each.cost = each.width / 4 + Math.min(2, (20 * set) / (count * (to - from)));
      }
      compared.sort((a, b) => a.cost - b.cost);
    }
    let set = 0;
    for (let i = 0; i < compared.length && (i === 0 || set > 0); i++) set = this.#testOne(compared[i], first, count, from, to, bits, i > 0);
    return set;
  }

  #testOne(compared: Compared, first: number, count: number, from: number, to: number, bits: PairBits, both: boolean): number {
    const { op, width, probeOrdinals, buildOrdinals } = compared;
    return this.#kernel.compareTile(op, width, probeOrdinals, this.rows, first, count, buildOrdinals, from, to, bits, both);
  }

  #evaluate(dense: Evaluator, first: number, count: number, from: number, to: number, { region, at, stride }: PairBits): number {
    const kernel = this.#kernel;
    const rows = kernel.i32(this.rows);
    const bytes = ((to - from + 63) >> 6) << 3;
    const tile = this.#tile;
    if (tile.from !== from || tile.to !== to) this.#tile = { from, to, fresh: true, row: 0 };
    let set = 0;
    for (let i = 0; i < count; i++) {
      this.#tile.row = rows[first + i];
      const { values } = dense.run(to - from);
      this.#tile.fresh = false;
      kernel.copy(region, at + i * stride, values, 0, bytes);
      set += kernel.countBits(kernel.u8(values), 0, to - from);
    }
    return set;
  }

  /** A part of the probe row, as a constant, or of the tile's rows, which stay in their register for the next probe row. */
  #load({ side, part, lane }: { side: Side; part: number; lane: string }, register: Register): void {
    const kernel = this.#kernel;
    const { from, to, fresh, row } = this.#tile;
    const isProbe = side === this.#probeSide;
    if (!isProbe && !fresh) return;
    const { values, width, valid, data } = (isProbe ? this.#probe : this.#build).columns[part];
    register.data = data;
    register.valid = valid && register.bitmap;
    if (isProbe) {
      const isNull = valid !== null && kernel.u8(valid)[row] === 0;
      if (!isNull) register.valid = null;
      else kernel.fill(register.bitmap, 0, 0, register.bitmap.bytes);
      if (lane === "bits") kernel.fill(register.values, isNull ? 0 : -kernel.u8(values)[row], 0, LOOP_TILE_ROWS / 8);
      else {
        register.constant = true;
        kernel.copy(register.values, 0, values, width * row, width);
        const bytes = kernel.u8(register.values);
        for (let filled = width; filled < 64; filled *= 2) bytes.copyWithin(filled, 0, filled);
      }
      return;
    }
    const count = to - from;
    const [bits, scratch] = [lane === "bits", this.#scratch];
    kernel.takeRows(values, width, this.members, from, count, 0, bits ? scratch : register.values, 0);
    if (bits) kernel.bytesToBits(scratch, count, register.values);
    if (!valid) return;
    kernel.takeRows(valid, 1, this.members, from, count, 0, scratch, 0);
    kernel.bytesToBits(scratch, count, register.bitmap);
    if (bits) kernel.bitwise("and", register.values, register.bitmap, count, register.values);
  }
}

function isValid(valid: readonly Uint8Array[], row: number): boolean {
  for (let i = 0; i < valid.length; i++) if (valid[i][row] === 0) return false;
  return true;
}
