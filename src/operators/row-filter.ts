/**
 * What a residual filter computes once per row of a side: `RowFilter` tests the conditions on that side alone, `RowParts` keeps the vectors
 * that pairs are compared by.
 *
 *     RowParts    values   [ v0 v1 v2 ... ]    by lane: 1, 2, 4, 8 or 32 bytes a row; bits as bytes, text as refs
 *                 valid    [ 1  0  1  ... ]    a byte a row, or none while no row is null
 *
 * Of the build side for all rows, by global id; of the probe side for one chunk. Cost: a copy and the steps, O(rows).
 */

import type { InputBatch } from "../arrow/input.ts";
import { CHUNK_ROWS, type Kernel, type Region } from "../kernel/contract.ts";
import type { Lane, Program, SideFilter } from "../spec/filter-spec.ts";
import { ColumnLoader, laneBytes } from "./column-loader.ts";
import { Evaluator, type Register, TILE_ROWS, type Vector } from "./evaluator.ts";

/** A program over the columns of a side. */
class RowProgram {
  readonly #evaluator: Evaluator;
  #batch: InputBatch | null = null;
  #start = 0;

  constructor(kernel: Kernel, program: Program) {
    const loaders = new Map<unknown, ColumnLoader>();
    for (const step of program.steps) if (step.op === "column") loaders.set(step, new ColumnLoader(kernel, step.lane, false));
    this.#evaluator = new Evaluator(kernel, program, (step, register: Register, count) => {
      if (step.op !== "column") return;
      const loader = loaders.get(step) as ColumnLoader;
      const column = (this.#batch as InputBatch).column(step.column);
      const nulls = loader.load(column, this.#start, count, register.values, 0, register.bitmap);
      register.valid = nulls ? register.bitmap : null;
      register.data = loader.data;
    });
  }

  run(batch: InputBatch, start: number, count: number): Vector {
    this.#batch = batch;
    this.#start = start;
    const result = this.#evaluator.run(count);
    // No batch lives longer for having been read.
    this.#batch = null;
    return result;
  }
}

export class RowFilter {
  readonly #kernel: Kernel;
  readonly #programs: readonly RowProgram[];
  readonly #kept: Region;

  constructor(kernel: Kernel, conjuncts: readonly Program[]) {
    this.#kernel = kernel;
    this.#programs = conjuncts.map((program) => new RowProgram(kernel, program));
    this.#kept = kernel.alloc(CHUNK_ROWS / 8 + 64, "scratch");
  }

  /** Bit i: row start + i of the batch fulfils all conditions. At most CHUNK_ROWS rows. Valid until the next call. */
  test(batch: InputBatch, start: number, rows: number): Region {
    const kernel = this.#kernel;
    for (let from = 0; from < rows; from += TILE_ROWS) {
      const count = Math.min(TILE_ROWS, rows - from);
      const bytes = (count + 7) >> 3;
      let kept = false;
      for (const [i, program] of this.#programs.entries()) {
        const { values } = program.run(batch, start + from, count);
        if (i === 0) kernel.copy(this.#kept, from >> 3, values, 0, bytes);
        else kernel.u8(this.#kept).set(and(kernel.u8(this.#kept).subarray(from >> 3), kernel.u8(values), bytes), from >> 3);
        kept = kernel.countBits(kernel.u8(this.#kept), from, count) > 0;
        // No row is left for the conditions that cost more.
        if (!kept) break;
      }
    }
    return this.#kept;
  }
}

function and(a: Uint8Array, b: Uint8Array, bytes: number): Uint8Array {
  const result = a.slice(0, bytes);
  for (let i = 0; i < bytes; i++) result[i] &= b[i];
  return result;
}

/** One part of a side: what a pair program reads by row. */
export interface PartColumn {
  readonly lane: Lane;
  readonly width: number;
  readonly values: Region;
  /** Bytes of text. */
  readonly data: Region | null;
  /** A byte a row, 0 where null; null: no row is. */
  readonly valid: Region | null;
}

class Part implements PartColumn {
  readonly lane: Lane;
  readonly width: number;
  readonly values: Region;
  valid: Region | null = null;
  readonly #kernel: Kernel;
  readonly #capacity: number;
  /** Text is never computed: it is a column, whose bytes stay. */
  readonly #text: { readonly loader: ColumnLoader; readonly column: number; readonly bitmap: Region } | null = null;
  readonly #program: RowProgram | null = null;

  constructor(kernel: Kernel, { program, lane }: SideFilter["parts"][number], capacity: number, keeps: boolean) {
    this.#kernel = kernel;
    this.#capacity = capacity;
    this.lane = lane;
    this.width = laneBytes(lane);
    this.values = kernel.alloc(this.width * capacity + 64, "the filter");
    const [step] = program.steps;
    if (lane !== "text" || step.op !== "column") this.#program = new RowProgram(kernel, program);
    else {
      const bitmap = kernel.alloc(CHUNK_ROWS / 8 + 64, "scratch");
      this.#text = { loader: new ColumnLoader(kernel, "text", keeps), column: step.column, bitmap };
    }
  }

  get data(): Region | null {
    return this.#text?.loader.data ?? null;
  }

  load(batch: InputBatch, start: number, count: number, at: number): void {
    const kernel = this.#kernel;
    if (this.#text) {
      const { loader, column, bitmap } = this.#text;
      const nulls = loader.load(batch.column(column), start, count, this.values, at, bitmap);
      this.#setValid(nulls ? bitmap : null, count, at);
      return;
    }
    const { values, valid } = (this.#program as RowProgram).run(batch, start, count);
    if (this.lane === "bits") kernel.bitsToBytes(values, count, this.values, at);
    else kernel.copy(this.values, this.width * at, values, 0, this.width * count);
    this.#setValid(valid, count, at);
  }

  /** Nobody reads it any more. */
  release(): void {
    this.#kernel.free(this.values);
    if (this.valid) this.#kernel.free(this.valid);
  }

  #setValid(bits: Region | null, count: number, at: number): void {
    const kernel = this.#kernel;
    if (bits && !this.valid) {
      this.valid = kernel.alloc(this.#capacity + 64, "the filter");
      kernel.fill(this.valid, 1, 0, this.#capacity);
    }
    if (!this.valid) return;
    if (bits) kernel.bitsToBytes(bits, count, this.valid, at);
    else kernel.fill(this.valid, 1, at, at + count);
  }
}

export class RowParts {
  readonly columns: readonly Part[];

  /** `capacity` rows; `keeps`: texts of all batches stay, else of the last load only. */
  constructor(kernel: Kernel, parts: SideFilter["parts"], capacity: number, keeps: boolean) {
    this.columns = parts.map((part) => new Part(kernel, part, capacity, keeps));
  }

  /** Computes rows [start, start + rows) of the batch as rows at ... of the parts. */
  load(batch: InputBatch, start: number, rows: number, at: number): void {
    for (const column of this.columns) {
      // One text region has the bytes of one load: that of a whole chunk.
      const step = column.lane === "text" ? rows : TILE_ROWS;
      for (let done = 0; done < rows; done += step) column.load(batch, start + done, Math.min(step, rows - done), at + done);
    }
  }
}
