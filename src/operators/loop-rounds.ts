/**
 * `LoopRounds`: `ExistenceRounds` of a join without keys: which probe rows have a partner. All rows that have none yet are tested against a
 * tile of build rows; then those that are left against the next tile.
 *
 *     build rows   0 .. 63 | 64 .. 191 | 192 .. 447 | ... 2048 a tile         a row that matched is not tested again
 *     rows         9 000   | 4 100     | 37         | 0: decided
 *
 * Tiles grow: at most about twice the pairs are tested that must be. The handles of rows without a partner become NONE.
 */

import { CHUNK_ROWS, type ExpandCursor, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { PairBits } from "../kernel/loop-contract.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { LoopTiles } from "./loop-tiles.ts";
import type { HandleChunk } from "./probe-handles.ts";

/** Of the first tile: a word of bits. */
const FIRST_ROWS = 64;

export class LoopRounds {
  readonly #kernel: Kernel;
  readonly #tiles: LoopTiles;
  readonly #bits: PairBits;
  readonly #probe: Region;
  readonly #build: Region;
  readonly #listed: number;
  readonly #cursor: ExpandCursor = { row: 0, pos: 0, at: 0 };
  /** Rows of the chunk that have a partner. */
  readonly #matched = new Uint8Array(CHUNK_ROWS);
  #chunk: HandleChunk | null = null;
  /** Undecided rows; of the present tile: tested, and still undecided. */
  #active = 0;
  #done = 0;
  #kept = 0;
  #from = 0;
  #to = 0;
  tested = 0;

  constructor(kernel: Kernel, tiles: LoopTiles, listed = TILE_ROWS) {
    this.#kernel = kernel;
    this.#tiles = tiles;
    this.#listed = listed;
    this.#bits = tileBits(kernel, tiles);
    this.#probe = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
    this.#build = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
  }

  begin(chunk: HandleChunk): void {
    this.#chunk = chunk;
    this.#matched.fill(0);
    this.#active = this.#tiles.begin(chunk);
    this.#done = 0;
    this.#kept = 0;
    this.#from = 0;
    this.#to = Math.min(this.#tiles.count, this.#tiles.tileRows, FIRST_ROWS);
  }

  /** Tests a bounded number of pairs; true when every row is decided. */
  step(): boolean {
    const { count, tileRows, blockRows, stepPairs } = this.#tiles;
    for (let left = stepPairs; left > 0; ) {
      if (this.#done === this.#active) {
        this.#active = this.#kept;
        if (this.#active === 0 || this.#to === count) return this.#end();
        this.#done = 0;
        this.#kept = 0;
        const length = Math.min(tileRows, 2 * (this.#to - this.#from));
        this.#from = this.#to;
        this.#to = Math.min(count, this.#from + length);
      }
      const block = Math.min(blockRows, this.#active - this.#done);
      const pairs = block * (this.#to - this.#from);
      this.tested += pairs;
      left -= pairs;
      if (this.#tiles.test(this.#done, block, this.#from, this.#to, this.#bits) > 0) this.#match(block);
      this.#keepRows(block);
    }
    return false;
  }

  /** Rows of the block that have a bit, and a pair that the other conditions leave. */
  #match(block: number): void {
    const kernel = this.#kernel;
    const { rest, rows, members } = this.#tiles;
    const { region, stride } = this.#bits;
    const length = this.#to - this.#from;
    const matched = this.#matched;
    if (!rest) {
      const [bits, list] = [kernel.i32(region), kernel.i32(rows)];
      for (let i = 0; i < block; i++) {
        const start = (i * stride) >> 2;
        const end = start + ((length + 31) >> 5);
        let at = start;
        while (at < end && bits[at] === 0) at++;
        if (at < end) matched[list[this.#done + i]] = 1;
      }
      return;
    }
    const { start } = this.#chunk as HandleChunk;
    const cursor = this.#cursor;
    cursor.row = 0;
    cursor.pos = 0;
    while (cursor.row < block) {
      cursor.at = 0;
      const [probe, build] = [this.#probe, this.#build];
      kernel.listBits(this.#bits, length, cursor, rows, this.#done, block, start, members, this.#from, probe, build, this.#listed);
      const left = cursor.at > 0 ? rest.testRows(cursor.at, probe, build, -start) : 0;
      const found = kernel.i32(probe);
      for (let i = 0; i < left; i++) matched[found[i] - start] = 1;
      // The rest of a row that has matched meanwhile is not looked at.
      if (cursor.row < block && matched[kernel.i32(rows)[this.#done + cursor.row]] === 1) {
        cursor.row++;
        cursor.pos = 0;
      }
    }
  }

  #keepRows(block: number): void {
    const rows = this.#kernel.i32(this.#tiles.rows);
    for (const end = this.#done + block; this.#done < end; this.#done++) {
      const row = rows[this.#done];
      if (this.#matched[row] === 0) rows[this.#kept++] = row;
    }
  }

  #end(): true {
    const { handles, from, rows } = this.#chunk as HandleChunk;
    const ids = this.#kernel.i32(handles);
    for (let i = 0; i < rows; i++) if (this.#matched[i] === 0) ids[from + i] = NONE;
    return true;
  }
}

/** Bits of a block and a tile. */
export function tileBits(kernel: Kernel, { blockRows, tileRows }: LoopTiles): PairBits {
  const stride = Math.ceil(tileRows / 64) * 8;
  return { region: kernel.alloc(stride * blockRows, "scratch"), at: 0, stride };
}
