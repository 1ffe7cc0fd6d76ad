/**
 * `IndexedRows`: what else is done with the rows of a side while their keys are indexed or looked up, a chunk at a time: rows that a filter
 * rules out get no key, and what pairs will be compared by is computed.
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Region } from "../kernel/contract.ts";
import type { FilterSpec, Lane, PairConjunct, SideFilter } from "../spec/filter-spec.ts";
import type { Side } from "../spec/join-spec.ts";
import type { BuildSide } from "./build-side.ts";
import type { RowFilter, RowParts } from "./row-filter.ts";

export interface IndexedRows {
  /** Bits of the rows that take part; null: all do. Valid until the next call. */
  keep(batch: InputBatch, start: number, rows: number): Region | null;
  /** The rows have the global ids base ...; ids[i] is the first row with the key of row base + i, NONE where it has none. */
  take(batch: InputBatch, start: number, rows: number, base: number, ids: Region): void;
}

export class FilteredRows implements IndexedRows {
  readonly #filter: RowFilter | null;
  readonly #parts: RowParts | null;

  constructor(filter: RowFilter | null, parts: RowParts | null) {
    this.#filter = filter;
    this.#parts = parts;
  }

  keep(batch: InputBatch, start: number, rows: number): Region | null {
    return this.#filter?.test(batch, start, rows) ?? null;
  }

  take(batch: InputBatch, start: number, rows: number, base: number): void {
    this.#parts?.load(batch, start, rows, base);
  }
}

/** All rows of a side, a chunk a call; true when all were visited. */
export function visitRows(side: BuildSide, visit: (batch: InputBatch, start: number, rows: number, base: number) => void): () => boolean {
  let index = 0;
  let row = 0;
  return () => {
    const batch = side.batches[index];
    if (!batch) return true;
    const rows = Math.min(CHUNK_ROWS, batch.length - row);
    visit(batch, row, rows, side.starts[index] + row);
    row += rows;
    if (row === batch.length) {
      index++;
      row = 0;
    }
    return index === side.batches.length;
  };
}

/** The same filter with the conditions on `side` alone tested with the pairs. */
export function withoutRowFilter(filter: FilterSpec, side: Side): FilterSpec {
  const own: SideFilter = filter[side];
  const first = own.parts.length;
  const pairs = own.conjuncts.map((_, i): PairConjunct => {
    return { program: { steps: [{ op: "part", side, part: first + i, lane: "bits" }] }, range: null, text: "" };
  });
  return {
    ...filter,
    [side]: {
      columns: own.columns,
      conjuncts: [],
      parts: [...own.parts, ...own.conjuncts.map((program) => ({ program, lane: "bits" as Lane }))],
    },
    // They are the cheapest.
    conjuncts: [...pairs, ...filter.conjuncts],
  };
}
