/**
 * `BatchedJoinProcessor`: from the match handles of a chunk of probe rows to pieces of output, each as long as the caller has room for.
 *
 *     handles   5  -1  Multi(0)  7        pairs      (0,5) (2,r0) (2,r1) | (2,r2) (3,7)        room 3
 *                                         left join  (0,5) (1,∅) (2,r0)  | ...
 *
 * Resumable anywhere: the cursor is plain data (position in the handles, position inside a group). Where every row of the chunk gives
 * exactly one output row nothing is expanded: the probe rows are a run, and the handles are the build rows.
 *
 * `RowSelector` does the same for semi and anti joins, which output probe rows and no pairs.
 */

import { CHUNK_ROWS, type HandleSummary, type Kernel, type Region } from "../kernel/contract.ts";
import type { Piece } from "./batch-coalescer.ts";
import type { HandleChunk, ProbeHandles } from "./probe-handles.ts";

export interface MatchProcessor {
  /** Takes a chunk; the one before is done. */
  begin(chunk: HandleChunk, summary: HandleSummary): void;
  /** Whether the chunk has no more to give. */
  readonly done: boolean;
  /** The next piece of at most `room` rows (0 allowed while not done). Valid until the next call. */
  next(room: number): Piece;
}

const NO_CHUNK = { start: 0, from: 0 };

export class BatchedJoinProcessor implements MatchProcessor {
  readonly #kernel: Kernel;
  readonly #handles: ProbeHandles;
  readonly #outer: boolean;
  readonly #probe: Region;
  readonly #build: Region;
  #chunk: Pick<HandleChunk, "start" | "from"> & { readonly handles?: Region } = NO_CHUNK;
  #cursor = { row: 0, pos: 0, at: 0 };
  #end = 0;
  #run = false;
  #hasNone = false;

  /** `outer`: a row without a partner is output too, once. */
  constructor(kernel: Kernel, handles: ProbeHandles, outer: boolean) {
    this.#kernel = kernel;
    this.#handles = handles;
    this.#outer = outer;
    this.#probe = kernel.alloc(4 * CHUNK_ROWS, "pairs under way");
    this.#build = kernel.alloc(4 * CHUNK_ROWS, "pairs under way");
  }

  begin(chunk: HandleChunk, { none, one, multi }: HandleSummary): void {
    this.#chunk = chunk;
    this.#cursor = { row: chunk.from, pos: 0, at: 0 };
    this.#end = !this.#outer && one + multi === 0 ? chunk.from : chunk.from + chunk.rows;
    this.#run = multi === 0 && (this.#outer || none === 0);
    this.#hasNone = this.#outer && none > 0;
  }

  get done(): boolean {
    return this.#cursor.row >= this.#end;
  }

  next(room: number): Piece {
    const cursor = this.#cursor;
    const { start, from } = this.#chunk;
    const handles = this.#chunk.handles as Region;
    const base = start - from;
    if (this.#run) {
      const row = cursor.row;
      const count = Math.min(room, this.#end - row);
      cursor.row += count;
      return { count, probe: { kind: "run", start: base + row }, build: { rows: handles, from: row, hasNone: this.#hasNone } };
    }
    cursor.at = 0;
    this.#kernel.expand(handles, cursor, this.#end, this.#handles.groups, this.#outer, base, this.#probe, this.#build, room);
    const probe = { kind: "rows", rows: this.#probe, from: 0 } as const;
    return { count: cursor.at, probe, build: { rows: this.#build, from: 0, hasNone: this.#hasNone } };
  }
}

export class RowSelector implements MatchProcessor {
  readonly #kernel: Kernel;
  readonly #matched: boolean;
  readonly #rows: Region;
  #chunk: Pick<HandleChunk, "start" | "from"> & { readonly handles?: Region } = NO_CHUNK;
  #cursor = { row: 0, at: 0 };
  #end = 0;
  #run = false;

  /** Selects the rows with (true) or without (false) a partner. */
  constructor(kernel: Kernel, matched: boolean) {
    this.#kernel = kernel;
    this.#matched = matched;
    this.#rows = kernel.alloc(4 * CHUNK_ROWS, "selected rows under way");
  }

  begin(chunk: HandleChunk, { none, one, multi }: HandleSummary): void {
    const selected = this.#matched ? one + multi : none;
    this.#chunk = chunk;
    this.#cursor = { row: chunk.from, at: 0 };
    this.#end = selected === 0 ? chunk.from : chunk.from + chunk.rows;
    this.#run = selected === chunk.rows;
  }

  get done(): boolean {
    return this.#cursor.row >= this.#end;
  }

  next(room: number): Piece {
    const cursor = this.#cursor;
    const { start, from } = this.#chunk;
    if (this.#run) {
      const row = cursor.row;
      const count = Math.min(room, this.#end - row);
      cursor.row += count;
      return { count, probe: { kind: "run", start: start - from + row }, build: null };
    }
    cursor.at = 0;
    this.#kernel.selectRows(this.#chunk.handles as Region, cursor, this.#end, this.#matched, start - from, this.#rows, room);
    return { count: cursor.at, probe: { kind: "rows", rows: this.#rows, from: 0 }, build: null };
  }
}
