/**
 * `ProbeRestriction`: which rows of a chunk of probe rows take part. Rows that the filter rules out, and those that an earlier pass decided,
 * lose their handle: they find nothing. What the others are compared by is computed (row-filter.ts).
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { FilterSpec } from "../spec/filter-spec.ts";
import type { Side } from "../spec/join-spec.ts";
import type { HandleChunk } from "./probe-handles.ts";
import type { ProbeMarks } from "./probe-marks.ts";
import { RowFilter, RowParts } from "./row-filter.ts";

export class ProbeRestriction {
  readonly #kernel: Kernel;
  readonly #never: boolean;
  readonly filter: RowFilter | null;
  readonly parts: RowParts | null;
  readonly #decided: ProbeMarks | null;
  readonly #undecided: Region | null;

  /** `rows`: of a chunk at most; `decided`: rows that need no partner any more. */
  constructor(kernel: Kernel, spec: FilterSpec | null, side: Side, rows: number, decided: ProbeMarks | null) {
    const own = spec?.[side];
    this.#kernel = kernel;
    this.#never = spec?.never === true;
    const conjuncts = (!this.#never && own?.conjuncts) || [];
    this.filter = conjuncts.length > 0 ? new RowFilter(kernel, conjuncts) : null;
    const tested = own && !this.#never && spec && spec.conjuncts.length > 0;
    this.parts = tested ? new RowParts(kernel, own.parts, Math.min(CHUNK_ROWS, rows), false) : null;
    this.#decided = decided;
    this.#undecided = decided && kernel.alloc(CHUNK_ROWS / 8, "scratch");
  }

  /** `filtered`: the filter was tested before. `first`: row of the batch's first in the whole input. */
  apply({ handles, from, start, rows }: HandleChunk, batch: InputBatch, filtered: boolean, first: number): void {
    const kernel = this.#kernel;
    if (this.#never) kernel.i32(handles).fill(NONE, from, from + rows);
    else if (this.filter && !filtered) kernel.clearHandles(handles, from, rows, this.filter.test(batch, start, rows));
    if (this.#decided && this.#undecided) {
      this.#decided.unmatched(kernel, first + start, rows, this.#undecided);
      kernel.clearHandles(handles, from, rows, this.#undecided);
    }
    this.parts?.load(batch, start, rows, 0);
  }
}
