/**
 * `LoopPairs`: `CandidatePairs` of a join without keys: every probe row is tested against every build row.
 *
 *     block    some probe rows x all build rows, as bits; made in stretches of tiles, then listed row by row
 *
 *              build 0        64 ...                 pairs   (0,0) (0,68) (1,3) ...      rows done: those before the one that is listed
 *     row 0    1000... | 0000100... |
 *     row 1    0001... | 0000000... |
 *
 * Pairs come in probe order, partners of a row in build order, however many they are. Holds a bit a build row for each row of a block.
 */

import type { ExpandCursor, Kernel, Region } from "../kernel/contract.ts";
import { CandidatePairs } from "./candidate-pairs.ts";
import { TILE_ROWS } from "./evaluator.ts";
import type { LoopTiles } from "./loop-tiles.ts";
import type { HandleChunk } from "./probe-handles.ts";

/**
 * Bits of a block, at least 16 rows': a tile of the build side is read once for a block, from memory where the side is large.
 */
const BLOCK_BYTES = 1 << 19;
const LEAST_ROWS = 16;

export class LoopPairs extends CandidatePairs {
  readonly #kernel: Kernel;
  readonly #tiles: LoopTiles;
  readonly #listed: number;
  #bits: Region | null = null;
  #stride = 0;
  #blockRows = 0;
  #tileRows = 0;
  #chunk: HandleChunk | null = null;
  /** Rows listed of the chunk; up to which they are tested, and which row of the batch that is. */
  #all = 0;
  #rows = 0;
  #end = 0;
  /** The block: its first one, how many, build rows tested, pairs left. */
  #first = 0;
  #block = 0;
  #at = 0;
  #set = 0;
  readonly #cursor: ExpandCursor = { row: 0, pos: 0, at: 0 };

  constructor(kernel: Kernel, tiles: LoopTiles, listed = TILE_ROWS) {
    super(kernel, null, null, listed);
    this.#kernel = kernel;
    this.#tiles = tiles;
    this.#listed = listed;
  }

  /** As that of the tiles; takes what a block needs, too: under a memory limit nothing more is asked for once rows are probed. */
  prepare(): boolean {
    if (!this.#tiles.prepare()) return false;
    const { count, blockRows, tileRows } = this.#tiles;
    this.#stride = Math.ceil(count / 64) * 8;
    this.#tileRows = Math.ceil(tileRows / 64) * 64;
    this.#blockRows = Math.min(blockRows, Math.max(LEAST_ROWS, Math.floor(BLOCK_BYTES / Math.max(1, this.#stride) / 4) * 4));
    this.#bits = this.#kernel.alloc(this.#stride * this.#blockRows, "the nested loop");
    return true;
  }

  override begin(chunk: HandleChunk): void {
    this.#chunk = chunk;
    this.#all = this.#tiles.begin(chunk);
    this.#rows = this.#all;
    this.#end = chunk.start + chunk.rows;
    this.#first = 0;
    this.#block = 0;
    this.count = 0;
    this.rowsDone = chunk.start;
  }

  override only(from: number, to: number): void {
    const { start } = this.#chunk as HandleChunk;
    const rows = this.#kernel.i32(this.#tiles.rows);
    const placeOf = (row: number) => {
      let [low, high] = [0, this.#all];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle] < row) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    this.#first = placeOf(from);
    this.#rows = placeOf(to);
    this.#end = start + to;
    this.rowsDone = start + from;
  }

  override next(): boolean {
    this.count = 0;
    if (this.#block > 0) {
      if (this.#at < this.#tiles.count) this.#test();
      else this.#list();
    } else if (this.#first < this.#rows) {
      this.#block = Math.min(this.#blockRows, this.#rows - this.#first);
      this.#at = 0;
      this.#set = 0;
      this.#test();
    } else if (this.rowsDone < this.#end) this.rowsDone = this.#end;
    else return false;
    return true;
  }

  /** Tests the next stretch of build rows. */
  #test(): void {
    const { count, stepPairs } = this.#tiles;
    const block = this.#block;
    let left = stepPairs;
    for (; left > 0 && this.#at < count; ) {
      const to = Math.min(count, this.#at + this.#tileRows);
      this.#set += this.#tiles.test(this.#first, block, this.#at, to, this.#bitsFrom(this.#at));
      left -= block * (to - this.#at);
      this.tested += block * (to - this.#at);
      this.#at = to;
    }
    if (this.#at < count) return;
    this.#cursor.row = 0;
    this.#cursor.pos = 0;
    if (this.#set === 0) this.#endBlock();
  }

  #bitsFrom(place: number) {
    return { region: this.#bits as Region, at: place >> 3, stride: this.#stride };
  }

  /** Lists the next pairs, of which the other conditions leave some. */
  #list(): void {
    const kernel = this.#kernel;
    const { rows, members, count, rest } = this.#tiles;
    const { start } = this.#chunk as HandleChunk;
    const cursor = this.#cursor;
    cursor.at = 0;
    kernel.listBits(
      this.#bitsFrom(0),
      count,
      cursor,
      rows,
      this.#first,
      this.#block,
      start,
      members,
      0,
      this.probe,
      this.build,
      this.#listed,
    );
    this.count = rest && cursor.at > 0 ? rest.testRows(cursor.at, this.probe, this.build, -start) : cursor.at;
    if (cursor.row < this.#block) this.rowsDone = start + kernel.i32(rows)[this.#first + cursor.row];
    else this.#endBlock();
  }

  #endBlock(): void {
    this.#first += this.#block;
    this.#block = 0;
    const { start } = this.#chunk as HandleChunk;
    this.rowsDone = this.#first < this.#rows ? start + this.#kernel.i32(this.#tiles.rows)[this.#first] : this.#end;
  }
}
