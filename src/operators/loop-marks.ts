/**
 * `LoopMarks`: `UndecidedRows` of a join without keys: which build rows have a partner, while probe rows stream by. A tile of undecided build
 * rows is tested against the rows of a chunk, more of them at a time as long as it stays undecided; rows that are decided leave the tile.
 *
 *     probe rows   0 .. 3     4 .. 11    12 .. 27    ...
 *     tile         2048 rows  510 rows   3 rows      0: the next tile
 *
 * Each pair is tested at most once, and none of a row that was decided before its chunk began.
 */

import type { ExpandCursor, Kernel, Region } from "../kernel/contract.ts";
import type { PairBits } from "../kernel/loop-contract.ts";
import { TILE_ROWS } from "./evaluator.ts";
import { tileBits } from "./loop-rounds.ts";
import type { LoopTiles } from "./loop-tiles.ts";
import type { MatchMarks } from "./match-marks.ts";
import type { HandleChunk } from "./probe-handles.ts";

/** Probe rows that a tile meets first: those of one pass of the kernel. */
const FIRST_ROWS = 4;
/** Rows leave a tile when they are so many of it: moving one costs as much as testing some ten pairs. */
const LEAVING = 1 / 4;

export class LoopMarks {
  readonly #kernel: Kernel;
  readonly #tiles: LoopTiles;
  readonly #marks: MatchMarks;
  readonly #bits: PairBits;
  readonly #probe: Region;
  readonly #build: Region;
  readonly #listed: number;
  readonly #cursor: ExpandCursor = { row: 0, pos: 0, at: 0 };
  #chunk: HandleChunk | null = null;
  /** Rows listed of the chunk. */
  #rows = 0;
  /** The tile: its rows, how many of them were marked since the last left, probe rows it has met; where the next one begins. */
  #from = 0;
  #to = 0;
  #marked = 0;
  #done = 0;
  #block = 0;
  #next = 0;
  /** Rows before the tile that are undecided. */
  #kept = 0;
  tested = 0;

  constructor(kernel: Kernel, tiles: LoopTiles, marks: MatchMarks, listed = TILE_ROWS) {
    this.#kernel = kernel;
    this.#tiles = tiles;
    this.#marks = marks;
    this.#listed = listed;
    this.#bits = tileBits(kernel, tiles);
    this.#probe = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
    this.#build = kernel.alloc(4 * TILE_ROWS + 64, "scratch");
  }

  /** No row is undecided that may have a partner. */
  get decided(): boolean {
    return this.#tiles.count === 0;
  }

  begin(chunk: HandleChunk): void {
    this.#chunk = chunk;
    this.#rows = this.#tiles.begin(chunk);
    this.#next = 0;
    this.#kept = 0;
    this.#open();
  }

  /** Tests a bounded number of pairs; true when the chunk's rows are done. */
  step(): boolean {
    const { blockRows, stepPairs } = this.#tiles;
    if (this.#rows === 0) return true;
    for (let left = stepPairs; left > 0; ) {
      if (this.#from === this.#to || this.#done === this.#rows) {
        if (this.#marked > 0 || this.#kept < this.#from) this.#leave(this.#kept);
        this.#kept += this.#to - this.#from;
        if (this.#next === this.#tiles.count) {
          this.#tiles.count = this.#kept;
          return true;
        }
        this.#open();
      }
      const block = Math.min(this.#block, this.#rows - this.#done);
      const pairs = block * (this.#to - this.#from);
      this.tested += pairs;
      left -= pairs;
      if (this.#tiles.test(this.#done, block, this.#from, this.#to, this.#bits) > 0) this.#marked += this.#mark(block);
      this.#done += block;
      this.#block = Math.min(blockRows, 2 * this.#block);
      if (this.#marked >= LEAVING * (this.#to - this.#from)) this.#leave(this.#from);
    }
    return false;
  }

  #open(): void {
    const { count, tileRows, blockRows } = this.#tiles;
    this.#from = this.#next;
    this.#to = this.#next = Math.min(count, this.#from + tileRows);
    this.#marked = 0;
    this.#done = 0;
    this.#block = Math.min(blockRows, FIRST_ROWS);
  }

  /** Marked rows leave the tile, the others move to `at`. */
  #leave(at: number): void {
    const left = this.#tiles.keepUnmarked(this.#from, this.#to, this.#marks.rowMarks, at);
    this.#to = this.#from + left;
    this.#marked = 0;
  }

  /** Returns how many rows of the tile are marked that were not. */
  #mark(block: number): number {
    const kernel = this.#kernel;
    const { rest, rows, members } = this.#tiles;
    const length = this.#to - this.#from;
    const [probe, build] = [this.#probe, this.#build];
    if (!rest) {
      const { region, stride } = this.#bits;
      const [bits, list, out] = [kernel.i32(region), kernel.i32(members), kernel.i32(build)];
      const words = stride >> 2;
      let count = 0;
      for (let w = 0; 32 * w < length; w++) {
        let word = 0;
        for (let i = 0; i < block; i++) word |= bits[i * words + w];
        for (; word !== 0; word &= word - 1) out[count++] = list[this.#from + 32 * w + 31 - Math.clz32(word & -word)];
      }
      return this.#marks.markRows(build, 0, count);
    }
    const { start } = this.#chunk as HandleChunk;
    const cursor = this.#cursor;
    cursor.row = 0;
    cursor.pos = 0;
    let marked = 0;
    while (cursor.row < block) {
      cursor.at = 0;
      kernel.listBits(this.#bits, length, cursor, rows, this.#done, block, start, members, this.#from, probe, build, this.#listed);
      if (cursor.at > 0) marked += this.#marks.markRows(build, 0, rest.testRows(cursor.at, probe, build, -start));
    }
    return marked;
  }
}
