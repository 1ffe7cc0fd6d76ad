/**
 * Brings rows of an input's column into kernel memory as a vector of one lane, for expressions: what the kernels compute with.
 *
 *     words, bits            copied                            decimals        widened to 32 bytes
 *     float16                as f32                            text            refs (offset, length) into a region of bytes
 *     dictionaries of text   refs into the bytes of the dictionary, loaded once; of other values: decoded, once a batch
 *
 * A copy of a tile of 2048 rows stays in L1. Text of an evaluated tile is forgotten with the next; `keeps` holds all that was loaded, for
 * columns whose rows are compared later.
 */

import type { CodesView, ColumnView } from "../arrow/column.ts";
import { decodeDictionary } from "../arrow/decode.ts";
import { ArrowJoinError } from "../error.ts";
import type { Kernel, Region } from "../kernel/contract.ts";
import type { Lane, NumberLane } from "../spec/filter-spec.ts";
import { KeyLoader, rowBytes } from "./key-loader.ts";

const MAX_TEXT_BYTES = 2 ** 32 - 65536;

export class ColumnLoader {
  readonly #kernel: Kernel;
  readonly #loader: KeyLoader;
  readonly #lane: Lane;
  readonly #text: TextRegion | null;
  /** The last column that was decoded. */
  #decoded: { readonly from: ColumnView; readonly to: ColumnView } | null = null;

  constructor(kernel: Kernel, lane: Lane, keeps: boolean) {
    this.#kernel = kernel;
    this.#lane = lane;
    this.#loader = new KeyLoader(kernel);
    this.#text = lane === "text" ? new TextRegion(kernel, keeps) : null;
  }

  /** The bytes of text. */
  get data(): Region | null {
    return this.#text?.data ?? null;
  }

  /**
   * Writes rows [start, start + count) to `values`, text at row `at`, all else at row 0, and which are not null to the bits of `valid`.
   * Returns whether any is null; only then `valid` was written.
   */
  load(column: ColumnView, start: number, count: number, values: Region, at: number, valid: Region): boolean {
    const kernel = this.#kernel;
    const view = column.layout === "codes" && this.#lane !== "text" ? this.#decode(column, start + count) : column;
    const nullable = view.validity !== null;
    if (nullable) this.#loader.validity(view, start, count, valid);
    if (this.#text) return this.#text.load(view, start, count, values, at, valid) || nullable;
    if (view.layout === "bits") {
      const { region, bit } = this.#loader.bits(view, start, count);
      kernel.copyBits(values, region, bit, count);
      // Bits are clear where null.
      if (nullable) kernel.bitwise("and", values, valid, count, values);
    } else if (view.layout !== "words") {
      // Only whether it is null will be asked.
      kernel.fill(values, 0, 0, (count + 7) >> 3);
    } else if (this.#lane === "wide") {
      const from = view.width === 4 ? "i32" : view.width === 8 ? "i64" : "wide";
      kernel.widen(from, view.width, this.#loader.words(view, start, count), 1n, count, values);
    } else if (this.#lane === "f32" && view.width === 2) {
      const halves = view.words.subarray(start, start + count);
      const floats = new Float32Array(kernel.u8(values).buffer, kernel.u8(values).byteOffset, count);
      for (let i = 0; i < count; i++) floats[i] = floatOfHalf(halves[i]);
    } else kernel.write(values, 0, rowBytes(view, start, count));
    return nullable;
  }

  /** `end`: the batch is not kept longer than its last row is needed. */
  #decode(view: CodesView, end: number): ColumnView {
    const decoded = this.#decoded?.from === view ? this.#decoded : { from: view, to: decodeDictionary(this.#kernel, view) };
    this.#decoded = end < view.length ? decoded : null;
    return decoded.to;
  }
}

function floatOfHalf(half: number): number {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const size =
    exponent === 31
      ? fraction
        ? Number.NaN
        : Number.POSITIVE_INFINITY
      : exponent
        ? (1 + fraction / 1024) * 2 ** (exponent - 15)
        : fraction * 2 ** -24;
  return half & 0x8000 ? -size : size;
}

/** Dictionaries whose refs are kept at once; the bytes of the others are known all the same. */
const KEPT_DICTIONARIES = 4;

interface LoadedDictionary {
  readonly of: CodesView["dictionary"];
  readonly refs: Int32Array;
  readonly nulls: Uint8Array | null;
}

/** A growing region of bytes, and refs into it. */
class TextRegion {
  readonly #kernel: Kernel;
  readonly #keeps: boolean;
  data: Region;
  #used = 0;
  /** Refs of the values of the dictionaries that were loaded last, and which of them are null. */
  #dictionaries: LoadedDictionary[] = [];
  /** Where the bytes of a part of a dictionary begin: a dictionary that grows shares its first parts with what it was. */
  #bases = new WeakMap<ColumnView, number>();

  constructor(kernel: Kernel, keeps: boolean) {
    this.#kernel = kernel;
    this.#keeps = keeps;
    this.data = kernel.alloc(1024, "texts of the filter");
  }

  /** Returns whether bits of `valid` were cleared because a code stands for null. */
  load(view: ColumnView, start: number, count: number, refs: Region, at: number, valid: Region): boolean {
    if (view.layout === "codes") return this.#loadCodes(view, start, count, refs, at, valid);
    if (!this.#keeps) this.#used = 0;
    const base = this.#append(view, start, count);
    this.#write(view, start, count, base, this.#kernel.i32(refs), at);
    return false;
  }

  /** Bytes of the rows; returns where they begin. */
  #append(view: ColumnView, start: number, count: number): number {
    const bytes =
      view.layout === "bytes"
        ? view.bytes.subarray(view.offsets[start], view.offsets[start + count])
        : view.layout === "words"
          ? rowBytes(view, start, count)
          : new Uint8Array(0);
    const base = this.#used;
    const end = base + bytes.length;
    if (end > MAX_TEXT_BYTES) {
      throw new ArrowJoinError(
        "MEMORY_LIMIT",
        `A text column that the filter compares has more than ${MAX_TEXT_BYTES} bytes. Join in parts, or build on the other side.`,
      );
    }
    if (end > this.data.bytes) {
      const grown = this.#kernel.alloc(Math.min(MAX_TEXT_BYTES, Math.max(end, 2 * this.data.bytes)), "texts of the filter");
      this.#kernel.copy(grown, 0, this.data, 0, base);
      this.#kernel.free(this.data);
      this.data = grown;
    }
    this.#kernel.write(this.data, base, bytes);
    this.#used = end;
    return base;
  }

  #write(view: ColumnView, start: number, count: number, base: number, refs: Int32Array, at: number): void {
    const { width, offsets } = view as { width?: number; offsets?: Int32Array };
    const first = offsets ? offsets[start] : 0;
    for (let i = 0; i < count; i++) {
      const from = offsets ? offsets[start + i] - first : (width ?? 0) * i;
      refs[2 * (at + i)] = base + from;
      refs[2 * (at + i) + 1] = offsets ? offsets[start + i + 1] - first - from : (width ?? 0);
    }
  }

  #loadDictionary(of: CodesView["dictionary"]): LoadedDictionary {
    const known = this.#dictionaries.find((loaded) => loaded.of === of);
    if (known) return known;
    if (!this.#keeps) {
      this.#used = 0;
      this.#bases = new WeakMap();
      this.#dictionaries = [];
    }
    const refs = new Int32Array(2 * of.length);
    let nulls: Uint8Array | null = null;
    let at = 0;
    for (const chunk of of.chunks) {
      const base = this.#bases.get(chunk) ?? this.#append(chunk, 0, chunk.length);
      this.#bases.set(chunk, base);
      this.#write(chunk, 0, chunk.length, base, refs, at);
      if (chunk.validity) {
        nulls ??= new Uint8Array(of.length);
        const { bytes, bit } = chunk.validity;
        for (let i = 0; i < chunk.length; i++) nulls[at + i] = ((bytes[(bit + i) >>> 3] >>> ((bit + i) & 7)) & 1) ^ 1;
      }
      at += chunk.length;
    }
    const loaded = { of, refs, nulls };
    this.#dictionaries = [loaded, ...this.#dictionaries.slice(0, KEPT_DICTIONARIES - 1)];
    return loaded;
  }

  #loadCodes(view: CodesView, start: number, count: number, into: Region, at: number, valid: Region): boolean {
    const { refs, nulls } = this.#loadDictionary(view.dictionary);
    const { codes, stride } = view;
    const out = this.#kernel.i32(into);
    for (let i = 0; i < count; i++) {
      // A null row may have any code.
      const code = codes[stride * (start + i)];
      out[2 * (at + i)] = refs[2 * code] ?? 0;
      out[2 * (at + i) + 1] = refs[2 * code + 1] ?? 0;
    }
    if (!nulls) return false;
    if (!view.validity) this.#kernel.fill(valid, 255, 0, (count + 7) >> 3);
    const bits = this.#kernel.u8(valid);
    for (let i = 0; i < count; i++) if (nulls[codes[stride * (start + i)]]) bits[i >> 3] &= ~(1 << (i & 7));
    return true;
  }
}

/** Bytes of a value. */
export const laneBytes = (lane: Lane): number =>
  lane === "text" ? 8 : lane === "wide" ? 32 : lane === "bits" ? 1 : Number((lane as NumberLane).slice(1)) / 8;
