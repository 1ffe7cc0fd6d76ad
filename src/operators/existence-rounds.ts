/**
 * Which probe rows have a partner that fulfils the filter, without listing pairs: one candidate per active row and round, each round one
 * batch; a row that found its partner, or has no candidate left, retires.
 *
 *     handles   Multi(0)  One(5)  -1  Multi(1)
 *     round 1   (0,r0)    (1,5)        (3,s0)      row 1 has matched
 *     round 2   (0,r1)                 (3,s1)      row 3 has no more: no partner
 *     round 3   (0,r2) (0,r3)                      few are left: more of each row, twice as many every round
 *
 * A row whose first candidates fail is asked for many at a time; these lie together in its group, so they are walked (pair-filter.ts).
 * At most twice as many pairs are tested as needed. The handles of rows without a partner become NONE.
 */

import { CHUNK_ROWS, type ExpandCursor, type Groups, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { PairFilter } from "./pair-filter.ts";
import type { HandleChunk } from "./probe-handles.ts";

/** From so many candidates of one row on, a walk costs less than ids: a call takes as long as about 30 ids. */
const WALK_ROWS = 32;

export class ExistenceRounds {
  readonly #kernel: Kernel;
  readonly #groups: Groups | null;
  readonly #filter: PairFilter;
  readonly #tile: number;
  readonly #probe: Region;
  readonly #build: Region;
  /** Active rows (positions in handles) and how many of their candidates were tested. */
  readonly #rows = new Int32Array(CHUNK_ROWS);
  readonly #tested = new Int32Array(CHUNK_ROWS);
  #active = 0;
  /** In this round: rows done, rows that stay active. */
  #at = 0;
  #kept = 0;
  /** Candidates of a row in this round. */
  #per = 1;
  #chunk: HandleChunk | null = null;
  /** Pairs tested, over all chunks. */
  tested = 0;

  constructor(kernel: Kernel, groups: Groups | null, filter: PairFilter, tile = TILE_ROWS) {
    this.#kernel = kernel;
    this.#groups = groups;
    this.#filter = filter;
    this.#tile = tile;
    this.#probe = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
    this.#build = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
  }

  begin(chunk: HandleChunk): void {
    const { handles, from, rows } = chunk;
    const ids = this.#kernel.i32(handles);
    this.#chunk = chunk;
    this.#active = 0;
    for (let i = 0; i < rows; i++) if (ids[from + i] !== NONE) this.#rows[this.#active++] = from + i;
    this.#tested.fill(0, 0, this.#active);
    this.#at = 0;
    this.#kept = 0;
    this.#per = 1;
  }

  /** Tests one batch; true when every row is decided. */
  step(): boolean {
    if (this.#at === this.#active) {
      if (this.#kept === 0) return true;
      this.#active = this.#kept;
      this.#at = 0;
      this.#kept = 0;
      this.#per = Math.min(this.#tile, Math.max(this.#per * 2, Math.floor(this.#tile / this.#active)));
    }
    if (this.#per >= WALK_ROWS && this.#filter.walks) this.#walk();
    else this.#test();
    return false;
  }

  /** The next candidates of the next rows, as many as fit a tile. */
  #test(): void {
    const kernel = this.#kernel;
    const { handles, from, start } = this.#chunk as HandleChunk;
    const offsets = this.#groups && kernel.i32(this.#groups.offsets);
    const members = this.#groups && kernel.i32(this.#groups.rows);
    const [ids, probe, build] = [kernel.i32(handles), kernel.i32(this.#probe), kernel.i32(this.#build)];
    const per = Math.min(this.#per, this.#tile);
    const first = this.#at;
    let count = 0;
    let next = first;
    for (; next < this.#active && count + per <= this.#tile; next++) {
      const row = this.#rows[next];
      const handle = ids[row];
      let [at, end] = [handle, handle + 1];
      if (handle < NONE && offsets) [at, end] = [offsets[-2 - handle] + this.#tested[next], offsets[-1 - handle]];
      for (const stop = Math.min(end, at + per); at < stop; at++) {
        probe[count] = start + row - from;
        build[count++] = handle < NONE && members ? members[at] : at;
      }
    }
    this.tested += count;
    const bits = kernel.u8(this.#filter.testBits(count, this.#probe, this.#build, -start));
    let bit = 0;
    for (let i = first; i < next; i++) {
      const row = this.#rows[i];
      const handle = ids[row];
      const size = handle < NONE && offsets ? offsets[-1 - handle] - offsets[-2 - handle] : 1;
      const done = this.#tested[i];
      const taken = Math.min(per, size - done);
      let hit = false;
      for (const end = bit + taken; bit < end; bit++) hit ||= ((bits[bit >> 3] >> (bit & 7)) & 1) === 1;
      this.#settle(ids, row, hit, done + taken, size);
    }
    this.#at = next;
  }

  /** The next candidates of one row. */
  #walk(): void {
    const kernel = this.#kernel;
    const { handles, from, start } = this.#chunk as HandleChunk;
    const ids = kernel.i32(handles);
    const row = this.#rows[this.#at];
    const group = -2 - ids[row];
    const offsets = kernel.i32((this.#groups as Groups).offsets);
    const size = offsets[group + 1] - offsets[group];
    const done = this.#tested[this.#at];
    const count = Math.min(this.#per, size - done);
    const at: ExpandCursor = { row, pos: done, at: 0 };
    const end: ExpandCursor = done + count === size ? { row: row + 1, pos: 0, at: 0 } : { row, pos: done + count, at: 0 };
    this.tested += count;
    const walk = { handles, base: -from, start: at, end };
    const hits = this.#filter.testWalk(walk, count, start - from, this.#probe, this.#build);
    this.#at++;
    this.#settle(kernel.i32(handles), row, hits > 0, done + count, size);
  }

  #settle(ids: Int32Array, row: number, hit: boolean, tested: number, size: number): void {
    if (hit) return;
    if (tested === size) {
      ids[row] = NONE;
      return;
    }
    this.#rows[this.#kept] = row;
    this.#tested[this.#kept++] = tested;
  }
}
