/**
 * Brings rows of a column from JavaScript's buffers into kernel scratch: WASM reads nothing else, and a copy of a chunk costs about
 * 0.1 ns a byte. Scratch grows to the largest chunk and is reused; a block stays valid until the next load of its kind.
 */

import type { BitsView, BytesView, CodesView, ColumnView, WordsView } from "../arrow/column.ts";
import type { Bitmap, BytesKeys, Kernel, Region } from "../kernel/contract.ts";

/** Bytes of strings in one chunk; a longer single string makes a chunk of its own. */
const CHUNK_BYTES = 4 << 20;

/** A region that grows on demand; what it held is lost then. */
export class Scratch {
  readonly #kernel: Kernel;
  #region: Region | null = null;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  ensure(bytes: number): Region {
    if (this.#region && this.#region.bytes >= bytes) return this.#region;
    this.free();
    this.#region = this.#kernel.alloc(bytes, "scratch");
    return this.#region;
  }

  free(): void {
    if (this.#region) this.#kernel.free(this.#region);
    this.#region = null;
  }
}

export class KeyLoader {
  readonly #kernel: Kernel;
  readonly #values: Scratch;
  readonly #offsets: Scratch;
  readonly #bits: Scratch;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#values = new Scratch(kernel);
    this.#offsets = new Scratch(kernel);
    this.#bits = new Scratch(kernel);
  }

  /** Rows from `start` on whose strings fit one chunk: at least one, at most `count`. */
  rowsThatFit(view: BytesView, start: number, count: number): number {
    const { offsets } = view;
    const end = offsets[start] + CHUNK_BYTES;
    if (offsets[start + count] <= end) return count;
    let low = 1;
    let high = count;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (offsets[start + middle] <= end) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  bytes(view: BytesView, start: number, count: number, valid: Region | null): BytesKeys {
    const origin = view.offsets[start];
    const end = view.offsets[start + count];
    const offsets = this.#offsets.ensure(4 * (count + 1));
    const data = this.#values.ensure(end - origin);
    this.#kernel.write(offsets, 0, bytesOf(view.offsets.subarray(start, start + count + 1)));
    this.#kernel.write(data, 0, view.bytes.subarray(origin, end));
    return { kind: "bytes", offsets, data, origin, valid };
  }

  words(view: WordsView, start: number, count: number): Region {
    const region = this.#values.ensure(view.width * count);
    this.#kernel.write(region, 0, rowBytes(view, start, count));
    return region;
  }

  codes(view: CodesView, start: number, count: number): Region {
    const region = this.#values.ensure(view.width * count);
    const perRow = view.stride;
    this.#kernel.write(region, 0, bytesOf(view.codes.subarray(start * perRow, (start + count) * perRow)));
    return region;
  }

  /** The bits of rows start ... as they lie; the first is bit `bit` of the region. */
  bits(view: BitsView, start: number, count: number): { region: Region; bit: number } {
    return this.#loadBits(view.bits.bytes, view.bits.bit + start, count);
  }

  /** Writes the validity of the rows into `into`, or all ones where the column has no null. Returns how many rows are valid. */
  validity(view: ColumnView, start: number, count: number, into: Region): number {
    if (!view.validity) {
      this.#kernel.fill(into, 255, 0, (count + 7) >> 3);
      return count;
    }
    const { region, bit } = this.#loadBits(view.validity.bytes, view.validity.bit + start, count);
    return this.#kernel.copyBits(into, region, bit, count);
  }

  /** Clears in `into` the rows that are null, of a column that has some. Returns how many stay. */
  andValidity(validity: Bitmap, start: number, count: number, into: Region): number {
    const { region, bit } = this.#loadBits(validity.bytes, validity.bit + start, count);
    return this.#kernel.andBits(into, region, bit, count);
  }

  free(): void {
    this.#values.free();
    this.#offsets.free();
    this.#bits.free();
  }

  #loadBits(bytes: Uint8Array, bit: number, count: number): { region: Region; bit: number } {
    const first = bit >> 3;
    const last = (bit + count + 7) >> 3;
    const region = this.#bits.ensure(last - first);
    this.#kernel.write(region, 0, bytes.subarray(first, last));
    return { region, bit: bit & 7 };
  }
}

/** The values of rows [start, start + count) as bytes. */
export function rowBytes(view: WordsView, start: number, count: number): Uint8Array {
  return bytesOf(view.words.subarray(start * view.perRow, (start + count) * view.perRow));
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
