/**
 * Column writers: output columns gathered from sources, written in place and handed out when full.
 *
 *     append, append, appendNulls ... ─▶ finish(): Data         (rows written, explicit nullCount, no bitmap without nulls)
 *                                          the writer is empty again and never touches handed-out buffers
 *
 * Invariants
 * - `append` is all or nothing: false (a 32-bit offset column at any depth would pass `maxBytes`) or an error leave the rows as they were.
 * - A bitmap exists only once a null could occur; then the rows before it are filled in.
 * - Capacity is what `reserve` said; beyond it buffers double.
 *
 * O(rows) per append; the loops are the kernel's. Layouts without children are in `flat-writer.ts`, the others in `nested-writer.ts`.
 */

import type { Data, DataType } from "apache-arrow";
import type { Bitmap, Kernel, Segment } from "../kernel/contract.ts";
import { clearFrom, countSet, fillSet } from "./bits.ts";
import type { ColumnSource } from "./source.ts";

export interface WriterOptions {
  /** Largest value in a 32-bit offset column; by default 2^31 - 1. */
  readonly maxBytes?: number;
}

export interface ColumnWriter {
  readonly type: DataType;
  readonly rows: number;
  /** Bytes of the buffers this writer holds, children included. */
  readonly heldBytes: number;
  /** Makes room for `rows` rows in all: exactly, when more than there is. */
  reserve(rows: number): void;
  /** Adds the rows of the segment; false, with nothing changed, when an offset column would pass `maxBytes`. */
  append(source: ColumnSource, segment: Segment): boolean;
  appendNulls(count: number): void;
  /** Forgets the rows from `rows` on. */
  truncate(rows: number): void;
  /** The rows so far; the writer is empty afterwards. */
  finish(): Data;
}

const MAX_BYTES = 2 ** 31 - 1;

/** `bytes` bytes, 8-aligned, with what `old` has. */
export function grown(old: Uint8Array, used: number, bytes: number): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(Math.ceil(bytes / 8) * 8);
  if (used > 0) next.set(old.subarray(0, used));
  return next;
}

/** The first `bytes` bytes: a part of the buffer, or a copy where that would hold on to more than twice as much. */
export const trimmed = (buffer: Uint8Array, bytes: number): Uint8Array =>
  bytes * 2 < buffer.length ? buffer.slice(0, bytes) : buffer.subarray(0, bytes);

/** Capacity, row count and validity: what every layout has. */
export abstract class BaseWriter implements ColumnWriter {
  rows = 0;
  readonly type: DataType;
  protected readonly kernel: Kernel;
  protected readonly maxBytes: number;
  protected capacity = 0;
  #nulls = 0;
  #bits: Uint8Array | null = null;

  constructor(kernel: Kernel, type: DataType, options: WriterOptions) {
    this.kernel = kernel;
    this.type = type;
    this.maxBytes = Math.min(options.maxBytes ?? MAX_BYTES, MAX_BYTES);
  }

  get heldBytes(): number {
    return (this.#bits?.length ?? 0) + this.valueBytes();
  }

  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    this.grow(rows);
    if (this.#bits !== null) this.#bits = grown(this.#bits, (this.rows + 7) >>> 3, (rows + 7) >>> 3);
    this.capacity = rows;
  }

  append(source: ColumnSource, segment: Segment): boolean {
    const { count } = segment;
    if (count === 0) return true;
    if (source.views.length === 0) {
      this.appendNulls(count);
      return true;
    }
    this.makeRoom(count);
    if (!this.gather(source, segment)) return false;
    this.gatherValidity(source, segment);
    this.rows += count;
    return true;
  }

  appendNulls(count: number): void {
    if (count === 0) return;
    this.makeRoom(count);
    this.blank(count);
    this.bitmap();
    this.#nulls += count;
    this.rows += count;
  }

  truncate(rows: number): void {
    if (rows >= this.rows) return;
    this.cut(rows);
    if (this.#bits !== null) {
      clearFrom(this.#bits, rows);
      this.#nulls = rows - countSet(this.#bits, 0, rows);
    }
    this.rows = rows;
  }

  finish(): Data {
    const { rows } = this;
    const bitmap = this.#nulls > 0 ? trimmed(this.#bits!, (rows + 7) >>> 3) : undefined;
    const data = this.build(rows, this.#nulls, bitmap);
    this.#bits = null;
    this.#nulls = 0;
    this.rows = 0;
    this.capacity = 0;
    return data;
  }

  protected makeRoom(count: number): void {
    const rows = this.rows + count;
    if (rows > this.capacity) this.reserve(Math.max(rows, this.capacity * 2, 16));
  }

  /** The bitmap, made with all rows so far set. */
  protected bitmap(): Uint8Array {
    if (this.#bits === null) {
      this.#bits = new Uint8Array(Math.ceil(this.capacity / 64) * 8);
      fillSet(this.#bits, 0, this.rows);
    }
    return this.#bits;
  }

  protected gatherValidity(source: ColumnSource, segment: Segment): void {
    const { kind, count } = segment;
    const placed = kind === "rows" && source.placed !== null;
    const canBeNull = segment.hasNone || (kind === "run" ? source.validity[segment.source] !== null : source.anyNulls);
    if (!canBeNull) {
      if (this.#bits !== null) fillSet(this.#bits, this.rows, count);
      return;
    }
    const sources: (Bitmap | null)[] = placed ? [source.placedValidity] : source.validity;
    this.#nulls += count - this.kernel.gatherBits(sources, placed ? { ...segment, source: 0 } : segment, this.bitmap(), this.rows);
  }

  /** Bytes of the value buffers. */
  protected abstract valueBytes(): number;
  /** Gives the value buffers room for `rows` rows. */
  protected abstract grow(rows: number): void;
  /** Writes the values of the segment's rows after the rows so far; false with nothing changed when an offset would pass the limit. */
  protected abstract gather(source: ColumnSource, segment: Segment): boolean;
  /** Writes `count` empty values; fresh memory past the rows is zero only until a `truncate`. */
  protected abstract blank(count: number): void;
  /** Forgets values from row `rows` on, where that takes more than a smaller count. */
  protected cut(_rows: number): void {}
  /** Hands the buffers out. */
  protected abstract build(rows: number, nulls: number, bitmap: Uint8Array | undefined): Data;
}

/** The offsets of strings, bytes and lists: row i ends at offsets[i + 1]. */
export abstract class OffsetsWriter extends BaseWriter {
  protected offsets = new Int32Array(1);

  protected grow(rows: number): void {
    const next = new Int32Array(rows + 1);
    next.set(this.offsets.subarray(0, this.rows + 1));
    this.offsets = next;
  }

  /** Writes the offsets of the segment's rows; false when they would pass the limit. */
  protected gatherOffsets(source: ColumnSource, segment: Segment): boolean {
    return this.kernel.gatherOffsets(source.offsets, segment, this.offsets, this.rows, this.maxBytes);
  }

  protected blank(count: number): void {
    this.offsets.fill(this.offsets[this.rows], this.rows + 1, this.rows + count + 1);
  }

  protected takeOffsets(rows: number): Int32Array {
    const { offsets } = this;
    this.offsets = new Int32Array(1);
    return (rows + 1) * 2 < offsets.length ? offsets.slice(0, rows + 1) : offsets.subarray(0, rows + 1);
  }
}
