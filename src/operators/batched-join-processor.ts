/**
 * `BatchedJoinProcessor`: from the match handles of a chunk of probe rows to pieces of output, each as long as the caller has room for.
 *
 *     handles   5  -1  Multi(0)  7        pairs      (0,5) (2,r0) (2,r1) | (2,r2) (3,7)        room 3
 *                                         left join  (0,5) (1,∅) (2,r0)  | ...
 *                                         semi, anti  0 2 3 | 1                                probe rows, no pairs
 *
 * Resumable anywhere: the cursor is plain data (position in the handles, position inside a group). Where every row of the chunk gives
 * exactly one output row nothing is expanded: the probe rows are a run, and the handles are the build rows.
 */

import { CHUNK_ROWS, type ExpandCursor, type HandleSummary, type Kernel, type Region } from "../kernel/contract.ts";
import type { Piece } from "./batch-coalescer.ts";
import type { HandleChunk, ProbeHandles } from "./probe-handles.ts";

export class BatchedJoinProcessor {
  readonly #kernel: Kernel;
  readonly #handles: ProbeHandles;
  readonly #outer: boolean;
  readonly #selects: boolean | null;
  readonly #probe: Region;
  readonly #build: Region;
  #chunk: HandleChunk | null = null;
  #cursor: ExpandCursor = { row: 0, pos: 0, at: 0 };
  #end = 0;
  #run = false;
  #hasNone = false;

  /**
   * `selects` null: pairs are output, and with `outer` a row without a partner too, once. Else: the rows with (true) or without (false)
   * a partner.
   */
  constructor(kernel: Kernel, handles: ProbeHandles, outer: boolean, selects: boolean | null) {
    this.#kernel = kernel;
    this.#handles = handles;
    this.#outer = outer;
    this.#selects = selects;
    this.#probe = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#build = kernel.alloc(4 * CHUNK_ROWS, "scratch");
  }

  /** Takes a chunk; the one before is done. */
  begin(chunk: HandleChunk, { none, one, multi }: HandleSummary): void {
    const { from, rows } = chunk;
    const matched = one + multi;
    const kept = this.#selects === null ? (this.#outer ? rows : matched) : this.#selects ? matched : none;
    this.#chunk = chunk;
    this.#cursor = { row: from, pos: 0, at: 0 };
    this.#end = kept === 0 ? from : from + rows;
    this.#run = kept === rows && (this.#selects !== null || multi === 0);
    this.#hasNone = this.#outer && none > 0;
  }

  /** Whether the chunk has no more to give. */
  get done(): boolean {
    return this.#cursor.row >= this.#end;
  }

  /** The next piece of at most `room` rows, possibly none. Valid until the next call. */
  next(room: number): Piece {
    const cursor = this.#cursor;
    const { start, from, handles } = this.#chunk as HandleChunk;
    const base = start - from;
    const pairs = this.#selects === null;
    if (this.#run) {
      const { row } = cursor;
      const count = Math.min(room, this.#end - row);
      cursor.row += count;
      return {
        count,
        probe: { kind: "run", start: base + row },
        build: pairs ? { rows: handles, from: row, hasNone: this.#hasNone } : null,
      };
    }
    cursor.at = 0;
    if (this.#selects !== null) this.#kernel.selectRows(handles, cursor, this.#end, this.#selects, base, this.#probe, room);
    else this.#kernel.expand(handles, cursor, this.#end, this.#handles.groups, this.#outer, base, this.#probe, this.#build, room);
    const build = pairs ? { rows: this.#build, from: 0, hasNone: this.#hasNone } : null;
    return { count: cursor.at, probe: { kind: "rows", rows: this.#probe, from: 0 }, build };
  }
}
