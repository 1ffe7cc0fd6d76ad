/**
 * `ProbeHandles`: the match handles of the probe rows, a chunk at a time, whichever side was hashed.
 *
 * - the build side was hashed (`HashedHandles`): keys are encoded and looked up, handles lie in scratch from 0 on
 * - the probe side was hashed (`InvertedIndex`, `MarkedHandles`): every row's handle is known before the first is asked for
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Groups, type Kernel, type Region } from "../kernel/contract.ts";
import type { JoinIndexMap } from "./join-index-map.ts";
import type { KeyEncoder } from "./key-encoder.ts";

export interface HandleChunk {
  readonly handles: Region;
  /** Row `start + i` of the batch has handles[from + i]. */
  readonly from: number;
  readonly start: number;
  readonly rows: number;
  /** Bit i clear: row start + i has a null in a key whose nulls are not equal; null: none has, or it is not known. */
  readonly keyed: Region | null;
}

export interface ProbeHandles {
  readonly groups: Groups | null;
  readonly groupCount: number;
  /** Handles from row `start` of the probe batch on; null: one bounded piece was done, call again. Valid until the next call. */
  next(batch: InputBatch, index: number, start: number): HandleChunk | null;
}

export class HashedHandles implements ProbeHandles {
  readonly #index: JoinIndexMap;
  readonly #encoder: KeyEncoder;
  readonly #handles: Region;

  constructor(kernel: Kernel, index: JoinIndexMap, encoder: KeyEncoder) {
    this.#index = index;
    this.#encoder = encoder;
    this.#handles = kernel.alloc(4 * CHUNK_ROWS, "scratch");
  }

  get groups(): Groups | null {
    return this.#index.groups;
  }

  get groupCount(): number {
    return this.#index.groupCount;
  }

  next(batch: InputBatch, _index: number, start: number): HandleChunk | null {
    if (!this.#encoder.prepare(batch)) return null;
    const chunk = this.#encoder.encode(batch, start);
    if (!chunk) return null;
    this.#index.probe(chunk, this.#handles);
    return { handles: this.#handles, from: 0, start, rows: chunk.rows, keyed: chunk.block.valid };
  }
}
