/**
 * Times of a column's rows in kernel memory, two float64 each (src/kernel/asof-contract.ts), and what they are as numbers people know.
 */

import type { WordsView } from "../arrow/column.ts";
import type { InputBatch } from "../arrow/input.ts";
import type { TimePoint } from "../kernel/asof-contract.ts";
import type { Kernel, Region } from "../kernel/contract.ts";
import type { TimeColumn } from "../spec/asof-spec.ts";
import { KeyLoader } from "./key-loader.ts";

/** Bytes of a time. */
export const TIME_BYTES = 16;

/** Before every time. */
export const NO_TIME: TimePoint = { major: Number.NEGATIVE_INFINITY, minor: 0 };

export const isBefore = (a: TimePoint, b: TimePoint): boolean => a.major < b.major || (a.major === b.major && a.minor < b.minor);

export function timeAt(kernel: Kernel, times: Region, row: number): TimePoint {
  const values = kernel.f64(times);
  return { major: values[2 * row], minor: values[2 * row + 1] };
}

/** A time in the unit of its column. */
export function timeValue({ op, factor, base }: TimeColumn, { major, minor }: TimePoint): number | bigint {
  if (op === "number") return major;
  if (!Number.isFinite(major)) return major;
  if (op === "split") return BigInt(major) * 4096n + BigInt(minor);
  const fine = BigInt(major) * BigInt(base) + BigInt(minor);
  return op === "fine" ? fine : fine / BigInt(factor);
}

/** A value in the unit of the column as a time; null if it is none (NaN, a fraction of an integer's unit). */
export function timeOf({ op, factor, base }: TimeColumn, value: number | bigint): TimePoint | null {
  if (op === "number") return Number.isNaN(Number(value)) ? null : { major: Number(value), minor: 0 };
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return { major: value, minor: 0 };
  if (typeof value === "number" && !Number.isInteger(value)) return null;
  const units = op === "coarse" ? BigInt(value) * BigInt(factor) : BigInt(value);
  const size = BigInt(op === "split" ? 4096 : base);
  // Rounded down, below zero too.
  const minor = BigInt.asUintN(64, ((units % size) + size) % size);
  return { major: Number((units - minor) / size), minor: Number(minor) };
}

export class TimeLoader {
  readonly #kernel: Kernel;
  readonly #form: TimeColumn;
  readonly #loader: KeyLoader;

  constructor(kernel: Kernel, form: TimeColumn) {
    this.#kernel = kernel;
    this.#form = form;
    this.#loader = new KeyLoader(kernel);
  }

  /**
   * times[at ...] := the rows' times. Rows without one have a clear bit in `valid`, but for NaN. some: there may be such rows; sorted: there are
   * none, and no time is below the one before; unknown.
   */
  load(batch: InputBatch, start: number, count: number, times: Region, at: number, valid: Region): "some" | "sorted" | "unknown" {
    const view = batch.column(this.#form.column) as WordsView;
    const sorted = this.#kernel.loadTimes(this.#form, this.#loader.words(view, start, count), count, times, at);
    const floats = this.#form.from === "f32" || this.#form.from === "f64";
    if (!view.validity && !floats) return sorted ? "sorted" : "unknown";
    this.#loader.validity(view, start, count, valid);
    return "some";
  }
  /** The same, and checks the order: `bad` is the first place below the time before it, of the first row `last`, or -1. Rows without a time get that of the row before; `some`: as in `load`. */
  loadInOrder(
    batch: InputBatch,
    start: number,
    count: number,
    times: Region,
    at: number,
    valid: Region,
    last: TimePoint,
  ): { readonly bad: number; readonly some: boolean } {
    const kernel = this.#kernel;
    const found = this.load(batch, start, count, times, at, valid);
    const some = found === "some";
    const known = found === "sorted" && !isBefore(timeAt(kernel, times, at), last);
    return { some, bad: known ? -1 : kernel.orderTimes(times, at, at + count, some ? valid : null, last) };
  }
}
