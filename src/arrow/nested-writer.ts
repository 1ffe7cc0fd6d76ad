/**
 * Writers of lists, fixed-size lists and structs: validity (and offsets) here, the rest in the writers of the children.
 *
 *     segment of lists ──gatherLists──▶ child rows (kernel region, freed at once) ──▶ child.append, CHUNK_ROWS rows a call
 *     a run of lists   ───────────────▶ a run of child rows
 *
 * Children keep the count that their parent's rows call for, whatever happens: what fails half-way is rolled back.
 * O(values under the rows). Maps are lists of structs.
 */

import type { Data, DataType } from "apache-arrow";
import type { Kernel, Region, Segment } from "../kernel/contract.ts";
import { CHUNK_ROWS } from "../kernel/contract.ts";
import type { ColumnWriter, WriterOptions } from "./base-writer.ts";
import { BaseWriter, OffsetsWriter } from "./base-writer.ts";
import { makeDataOf } from "./slice.ts";
import type { ColumnSource } from "./source.ts";

/** Runs `step`; if it says false or throws, the children go back to `rows` rows. */
function allOrNothing(children: readonly ColumnWriter[], step: () => boolean): boolean {
  const rows = children.map((c) => c.rows);
  let done = false;
  try {
    done = step();
  } finally {
    if (!done) children.forEach((c, i) => c.truncate(rows[i]));
  }
  return done;
}

/** Appends a run of child rows, CHUNK_ROWS a call. */
function appendRun(child: ColumnWriter, source: ColumnSource, batch: number, start: number, rows: number): boolean {
  for (let at = 0; at < rows; at += CHUNK_ROWS) {
    const count = Math.min(CHUNK_ROWS, rows - at);
    if (!child.append(source, { kind: "run", source: batch, start: start + at, count, hasNone: false })) return false;
  }
  return true;
}

/** Appends the child rows that `fill` writes for a segment of scattered parents. */
function appendRows(
  kernel: Kernel,
  child: ColumnWriter,
  source: ColumnSource,
  segment: Exclude<Segment, { kind: "run" }>,
  total: number,
  hasNone: boolean,
  fill: (rows: Region, sources: Region | null) => void,
): boolean {
  const rows = kernel.alloc(total * 4, "nested columns");
  let sources: Region | null = null;
  try {
    if (segment.kind === "located") sources = kernel.alloc(total * 4, "nested columns");
    fill(rows, sources);
    for (let from = 0; from < total; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, total - from);
      const part: Segment =
        segment.kind === "located"
          ? { kind: "located", sources: sources!, rows, from, count, hasNone }
          : { kind: "rows", source: segment.source, rows, from, count, hasNone };
      if (!child.append(source, part)) return false;
    }
    return true;
  } finally {
    kernel.free(rows);
    if (sources !== null) kernel.free(sources);
  }
}

export class ListWriter extends OffsetsWriter {
  readonly #child: ColumnWriter;

  constructor(kernel: Kernel, type: DataType, options: WriterOptions, child: ColumnWriter) {
    super(kernel, type, options);
    this.#child = child;
  }

  protected valueBytes(): number {
    return this.offsets.byteLength + this.#child.heldBytes;
  }

  protected gather(source: ColumnSource, segment: Segment): boolean {
    if (!this.gatherOffsets(source, segment)) return false;
    const elements = this.offsets[this.rows + segment.count] - this.offsets[this.rows];
    const child = source.children[0];
    if (elements === 0) return true;
    return allOrNothing([this.#child], () =>
      segment.kind === "run"
        ? appendRun(this.#child, child, segment.source, source.offsets[segment.source][segment.start], elements)
        : appendRows(this.kernel, this.#child, child, segment, elements, false, (rows, sources) => {
            this.kernel.gatherLists(source.offsets, segment, rows, sources);
          }),
    );
  }

  protected override cut(rows: number): void {
    this.#child.truncate(this.offsets[rows]);
  }

  protected build(rows: number, nulls: number, bitmap: Uint8Array | undefined): Data {
    return makeDataOf(this.type, rows, nulls, { bitmap, offsets: this.takeOffsets(rows), children: [this.#child.finish()] });
  }
}

export class FixedListWriter extends BaseWriter {
  readonly #child: ColumnWriter;
  readonly #size: number;

  constructor(kernel: Kernel, type: DataType, options: WriterOptions, child: ColumnWriter, size: number) {
    super(kernel, type, options);
    this.#child = child;
    this.#size = size;
  }

  protected valueBytes(): number {
    return this.#child.heldBytes;
  }

  protected grow(rows: number): void {
    this.#child.reserve(rows * this.#size);
  }

  protected gather(source: ColumnSource, segment: Segment): boolean {
    const size = this.#size;
    const elements = segment.count * size;
    const child = source.children[0];
    if (elements === 0) return true;
    return allOrNothing([this.#child], () =>
      segment.kind === "run"
        ? appendRun(this.#child, child, segment.source, segment.start * size, elements)
        : appendRows(this.kernel, this.#child, child, segment, elements, segment.hasNone, (rows, sources) => {
            this.kernel.gatherFixedLists(size, segment, rows, sources);
          }),
    );
  }

  protected blank(count: number): void {
    this.#child.appendNulls(count * this.#size);
  }

  protected override cut(rows: number): void {
    this.#child.truncate(rows * this.#size);
  }

  protected build(rows: number, nulls: number, bitmap: Uint8Array | undefined): Data {
    return makeDataOf(this.type, rows, nulls, { bitmap, children: [this.#child.finish()] });
  }
}

export class StructWriter extends BaseWriter {
  readonly #children: readonly ColumnWriter[];

  constructor(kernel: Kernel, type: DataType, options: WriterOptions, children: readonly ColumnWriter[]) {
    super(kernel, type, options);
    this.#children = children;
  }

  protected valueBytes(): number {
    return this.#children.reduce((sum, c) => sum + c.heldBytes, 0);
  }

  protected grow(rows: number): void {
    for (const child of this.#children) child.reserve(rows);
  }

  protected gather(source: ColumnSource, segment: Segment): boolean {
    return allOrNothing(this.#children, () => this.#children.every((child, i) => child.append(source.children[i], segment)));
  }

  protected blank(count: number): void {
    for (const child of this.#children) child.appendNulls(count);
  }

  protected override cut(rows: number): void {
    for (const child of this.#children) child.truncate(rows);
  }

  protected build(rows: number, nulls: number, bitmap: Uint8Array | undefined): Data {
    return makeDataOf(this.type, rows, nulls, { bitmap, children: this.#children.map((c) => c.finish()) });
  }
}
