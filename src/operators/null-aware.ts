/**
 * NOT IN and IN (SEMANTICS 3.4): rows whose comparison with some row of the other side is neither TRUE nor FALSE.
 *
 * Only nulls in keys make that possible, so a row is compared with few others, by the condition "the keys' comparison is not FALSE, and the
 * filter holds" (`JoinSpec.notFalse`), which knows nothing of hashes:
 *
 *     probe row with a null in its key      all build rows                    group 0
 *     probe row without                     build rows with a null            group 1
 *
 * These are handles and groups like any other. Without a filter the first candidate decides nearly every row.
 * 4 bytes a build row, and 4 for each with a null.
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Groups, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { FilterSpec } from "../spec/filter-spec.ts";
import type { JoinSpec } from "../spec/join-spec.ts";
import type { BuildSide } from "./build-side.ts";
import { visitRows } from "./indexed-rows.ts";
import type { KeyEncoder } from "./key-encoder.ts";
import { PairFilter } from "./pair-filter.ts";
import type { HandleChunk } from "./probe-handles.ts";
import { RowFilter, RowParts } from "./row-filter.ts";

const ALL = -2;
const WITH_NULL = -3;

export class NotFalsePairs {
  readonly #kernel: Kernel;
  readonly #build: BuildSide;
  readonly #encoder: KeyEncoder;
  readonly #buildFilter: RowFilter | null;
  readonly #probeFilter: RowFilter | null;
  readonly #buildParts: RowParts;
  readonly #probeParts: RowParts;
  readonly #handles: Region;
  readonly groups: Groups;
  readonly groupCount = 2;
  readonly filter: PairFilter;
  #withNull = 0;
  #all = 0;
  readonly #nulls: Region;
  #at = { batch: 0, row: 0, done: false };
  readonly #visit: () => boolean;

  constructor(kernel: Kernel, spec: JoinSpec, notFalse: FilterSpec, build: BuildSide, encoder: KeyEncoder) {
    const filterOf = (side: "left" | "right") =>
      notFalse[side].conjuncts.length > 0 ? new RowFilter(kernel, notFalse[side].conjuncts) : null;
    this.#kernel = kernel;
    this.#build = build;
    this.#encoder = encoder;
    this.#buildFilter = filterOf(spec.build);
    this.#probeFilter = filterOf(spec.probe);
    this.#buildParts = new RowParts(kernel, notFalse[spec.build].parts, build.rows, true);
    this.#probeParts = new RowParts(kernel, notFalse[spec.probe].parts, CHUNK_ROWS, false);
    this.filter = new PairFilter(kernel, notFalse.conjuncts, spec.probe, this.#probeParts, this.#buildParts);
    this.#handles = kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#nulls = kernel.alloc(4 * build.rows, "null keys");
    this.groups = { offsets: kernel.alloc(12, "null keys"), rows: kernel.alloc(8 * build.rows, "null keys") };
    this.#visit = visitRows(build, (batch, start, rows, base) => this.#buildParts.load(batch, start, rows, base));
  }

  /** One bounded piece of the preparation; true when done. */
  prepare(): boolean {
    if (!this.#visit() || !this.#list()) return false;
    const rows = this.#all + this.#withNull;
    return this.filter.order(this.groups, rows);
  }

  /** Lists all build rows that take part, and those of them with a null in their key. */
  #list(): boolean {
    const at = this.#at;
    const kernel = this.#kernel;
    if (at.done) return true;
    const batch = this.#build.batches[at.batch];
    if (!batch) {
      const all = kernel.i32(this.groups.rows);
      all.set(kernel.i32(this.#nulls).subarray(0, this.#withNull), this.#all);
      kernel.i32(this.groups.offsets).set([0, this.#all, this.#all + this.#withNull]);
      kernel.free(this.#nulls);
      this.#encoder.free();
      at.done = true;
      return true;
    }
    if (!this.#encoder.prepare(batch)) return false;
    const chunk = this.#encoder.encode(batch, at.row);
    if (!chunk) return false;
    const keep = this.#buildFilter?.test(batch, at.row, chunk.rows) ?? null;
    const valid = chunk.block.valid && kernel.u8(chunk.block.valid);
    const kept = keep && kernel.u8(keep);
    const [all, nulls] = [kernel.i32(this.groups.rows), kernel.i32(this.#nulls)];
    const base = this.#build.starts[at.batch] + at.row;
    for (let i = 0; i < chunk.rows; i++) {
      const bit = 1 << (i & 7);
      if (kept && !(kept[i >> 3] & bit)) continue;
      all[this.#all++] = base + i;
      if (valid && !(valid[i >> 3] & bit)) nulls[this.#withNull++] = base + i;
    }
    at.row += chunk.rows;
    if (at.row === batch.length) {
      at.batch++;
      at.row = 0;
    }
    return false;
  }

  /** What the rows of a chunk are compared with; `decided[from + i]` is not NONE where a row needs no comparison. */
  handlesOf(chunk: HandleChunk, batch: InputBatch, decided: Region | null): HandleChunk {
    const kernel = this.#kernel;
    const { start, rows, keyed, from } = chunk;
    const handles = kernel.i32(this.#handles);
    const valid = keyed && kernel.u8(keyed);
    const matched = decided && kernel.i32(decided);
    for (let i = 0; i < rows; i++) {
      const hasNull = valid !== null && !((valid[i >> 3] >> (i & 7)) & 1);
      const any = hasNull ? this.#all > 0 : this.#withNull > 0;
      handles[i] = !any || (matched && matched[from + i] !== NONE) ? NONE : hasNull ? ALL : WITH_NULL;
    }
    if (this.#probeFilter) kernel.clearHandles(this.#handles, 0, rows, this.#probeFilter.test(batch, start, rows));
    this.#probeParts.load(batch, start, rows, 0);
    return { handles: this.#handles, from: 0, start, rows, keyed: null };
  }
}
