/**
 * `MarkedHandles`: semi, anti and mark joins whose *probe* side was hashed. Every build row looks its key up and marks it; then a probe row has a
 * partner exactly if its key is marked. No pair is ever listed.
 *
 *     build row -> key of the index: mark        then, spread to rows        probe row r has handle One(0) where marked, else NONE
 *
 * O(build rows + probe rows), whatever the number of pairs; one bit a row and one a group.
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { BuildSide } from "./build-side.ts";
import type { IndexedRows } from "./indexed-rows.ts";
import type { JoinIndexMap } from "./join-index-map.ts";
import type { KeyEncoder } from "./key-encoder.ts";
import { MatchMarks } from "./match-marks.ts";
import type { HandleChunk, ProbeHandles } from "./probe-handles.ts";

export class MarkedHandles implements ProbeHandles {
  readonly groups = null;
  readonly groupCount = 0;
  readonly #kernel: Kernel;
  readonly #index: JoinIndexMap;
  readonly #encoder: KeyEncoder;
  readonly #probe: BuildSide;
  readonly #build: BuildSide;
  readonly #observer: IndexedRows;
  readonly #marks: MatchMarks;
  readonly #handles: Region;
  #at = { batch: 0, row: 0 };

  /** `index` over the rows of `probe`, complete; `encoder` for the rows of `build`. */
  constructor(kernel: Kernel, index: JoinIndexMap, encoder: KeyEncoder, probe: BuildSide, build: BuildSide, observer: IndexedRows) {
    this.#kernel = kernel;
    this.#index = index;
    this.#encoder = encoder;
    this.#probe = probe;
    this.#build = build;
    this.#observer = observer;
    this.#marks = new MatchMarks(kernel, probe.rows, index.groups, index.groupCount);
    this.#handles = kernel.alloc(4 * CHUNK_ROWS, "scratch");
  }

  /** One bounded piece; true when ready. */
  step(): boolean {
    const at = this.#at;
    const batch = this.#build.batches[at.batch];
    // Marks are complete when every row has looked, or every key has been seen.
    if (!batch || this.#marks.matchedKeys === this.#index.distinctKeys) return this.#marks.spread();
    if (!this.#encoder.prepare(batch)) return false;
    const chunk = this.#encoder.encode(batch, at.row);
    if (!chunk) return false;
    this.#index.probe(chunk, this.#handles);
    const keep = this.#observer.keep(batch, at.row, chunk.rows);
    if (keep) this.#kernel.clearHandles(this.#handles, 0, chunk.rows, keep);
    this.#marks.mark(this.#handles, 0, chunk.rows);
    at.row += chunk.rows;
    if (at.row === batch.length) this.#at = { batch: at.batch + 1, row: 0 };
    return false;
  }

  next(batch: InputBatch, index: number, start: number): HandleChunk {
    const rows = Math.min(CHUNK_ROWS, batch.length - start);
    const marks = this.#kernel.u8(this.#marks.rowMarks);
    const handles = this.#kernel.i32(this.#handles);
    const first = this.#probe.starts[index] + start;
    for (let i = 0; i < rows; i++) handles[i] = (marks[(first + i) >>> 3] >>> ((first + i) & 7)) & 1 ? 0 : NONE;
    return { handles: this.#handles, from: 0, start, rows, keyed: null };
  }
}
