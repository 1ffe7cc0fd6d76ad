/**
 * `CompositeReferenceTable`: left rows and the right rows they were matched with, by reference, until they are output columns.
 *
 *     left row      0    1    2    3
 *     right         7   -1    8    8          -1: no partner
 *     right1        3    3   -1    4
 *     left          all four                  leftSemi  0, 3          leftAnti  1, 2
 *     inner         0, 3: those with a partner in every right
 */

import { CHUNK_ROWS, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { AsofKind } from "../spec/asof-spec.ts";
import type { BuildRows, Piece } from "./batch-coalescer.ts";

export class CompositeReferenceTable {
  readonly #kernel: Kernel;
  readonly #kind: AsofKind;
  /** By right: ids of its rows, or NONE, for the rows of the chunk. */
  readonly #refs: readonly Region[];
  /** Batch rows that come out, where not all do, and what they were matched with. */
  readonly #kept: Region | null;
  readonly #keptRefs: readonly Region[];
  /** Left rows that were matched with a right row, over all rights; left rows without a partner in every right. */
  pairs = 0;
  unmatched = 0;

  constructor(kernel: Kernel, kind: AsofKind, refs: readonly Region[]) {
    this.#kernel = kernel;
    this.#kind = kind;
    this.#refs = refs;
    const ids = () => kernel.alloc(4 * CHUNK_ROWS, "scratch");
    this.#kept = kind === "left" ? null : ids();
    this.#keptRefs = kind === "inner" ? refs.map(ids) : [];
  }

  /** Rows [from, to) of the chunk, whose first is row `start` of its batch, as the kind has them. Valid until the next call. */
  piece(start: number, from: number, to: number): Piece {
    const kernel = this.#kernel;
    const kind = this.#kind;
    const count = to - from;
    const matched = this.#refs.map((refs) => kernel.summarize(refs, from, to, null).one);
    for (const rows of matched) this.pairs += rows;
    const kept = matched.length === 1 && kind === "left" ? matched[0] : this.#select(start, from, to);
    this.unmatched += kind === "leftAnti" ? kept : count - kept;
    const hasNone = (right: number) => matched[right] < count;
    if (!this.#kept) return { count, probe: { kind: "run", start: start + from }, ...buildOf(this.#refs, from, hasNone) };
    const isAll = kept === count;
    const probe = isAll ? ({ kind: "run", start: start + from } as const) : ({ kind: "rows", rows: this.#kept, from: 0 } as const);
    if (kind !== "inner") return { count: kept, probe, build: null };
    if (isAll) return { count, probe, ...buildOf(this.#refs, from, () => false) };
    for (const [i, refs] of this.#refs.entries()) kernel.takeRows(refs, 4, this.#kept, 0, kept, -start, this.#keptRefs[i], 0);
    return { count: kept, probe, ...buildOf(this.#keptRefs, 0, () => false) };
  }

  /** Lists the batch rows that come out; of kind left counts those with a partner. Returns how many. */
  #select(start: number, from: number, to: number): number {
    const [first, ...others] = this.#refs.map((refs) => this.#kernel.i32(refs));
    const rows = this.#kept && this.#kernel.i32(this.#kept);
    const wanted = this.#kind !== "leftAnti";
    let count = 0;
    for (let i = from; i < to; i++) {
      let has = first[i] !== NONE;
      for (let j = 0; has && j < others.length; j++) has = others[j][i] !== NONE;
      if (has !== wanted) continue;
      if (rows) rows[count] = start + i;
      count++;
    }
    return count;
  }
}

function buildOf(refs: readonly Region[], from: number, hasNone: (right: number) => boolean): Pick<Piece, "build" | "more"> {
  const [build, ...more] = refs.map((rows, right): BuildRows => ({ rows, from, hasNone: hasNone(right) }));
  return { build, more };
}
