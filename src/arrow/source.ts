/**
 * One column over the batches of an input, laid out the way gathers take it: one array per kind of buffer, one entry per batch.
 *
 *     batch            0            1            2
 *     validity    [ bits | null,    ...,         ...      ]      null: no row of that batch is null
 *     words       [ Int32Array,     ...,         ...      ]      or bits, offsets + bytes, codes; children are sources themselves
 *
 * Invariants
 * - Nothing is copied or concatenated; entries are made once, when a batch is added, and batches can be added at any time.
 * - With a `unify` the dictionaries of all batches, nested ones too, become one (codes go through `CodeSource.map`); without it a
 *   writer takes only rows whose dictionary is the same object.
 *
 * A fixed-width column may be `place`d: copied into one kernel region, where row ids are global and gathers cost one load.
 */

import type { Vector } from "apache-arrow";
import type { Bitmap, CodeSource, KernelMemory, Region, Words } from "../kernel/contract.ts";
import { fillSet } from "./bits.ts";
import type { CodesView, ColumnView, DictionaryView } from "./column.ts";

/** Makes one dictionary of many; `DictionaryUnifier` is one. */
export interface Unifier {
  /** Codes of the view's dictionary to codes of the unified one; null: they are the same. */
  add(view: CodesView): Int32Array | null;
  /** The unified values so far. */
  readonly vector: Vector;
  /** Bytes held beyond the inputs' own. */
  readonly heldBytes: number;
}

export class ColumnSource {
  readonly views: ColumnView[] = [];
  readonly validity: (Bitmap | null)[] = [];
  readonly words: Words[] = [];
  readonly bits: Bitmap[] = [];
  readonly offsets: Int32Array[] = [];
  readonly bytes: Uint8Array[] = [];
  readonly codes: CodeSource[] = [];
  /** The element column of lists, the members of structs. */
  readonly children: ColumnSource[] = [];
  /** What codes mean when `unify` was given; else each batch has its own dictionary. */
  readonly unifier: Unifier | null = null;
  /** Whether any row of any batch is null (at this level). */
  anyNulls = false;
  /** Rows over all batches. */
  rows = 0;
  /** The column in kernel memory, row ids being global; null until `place`. */
  placed: Region | null = null;
  /** Validity by global row id, for a placed column. */
  placedValidity: Bitmap | null = null;
  readonly #unify: (() => Unifier) | undefined;
  #weight = 0;

  constructor(unify?: () => Unifier) {
    this.#unify = unify;
  }

  /** Adds the column's part of the next batch. O(children), and O(dictionary) at a new dictionary. */
  add(view: ColumnView): this {
    this.views.push(view);
    this.validity.push(view.validity);
    this.anyNulls ||= view.validity !== null;
    this.rows += view.length;
    this.#weight += view.length;
    switch (view.layout) {
      case "words":
        this.words.push(view.words);
        this.#weight += view.length * (view.width >>> 5);
        break;
      case "bits":
        this.bits.push(view.bits);
        break;
      case "bytes":
        this.offsets.push(view.offsets);
        this.bytes.push(view.bytes);
        this.#weight += (view.offsets[view.length] - view.offsets[0]) >>> 5;
        break;
      case "codes": {
        if (this.#unify !== undefined && this.unifier === null) (this as { unifier: Unifier }).unifier = this.#unify();
        const map = this.unifier === null ? null : this.unifier.add(view);
        this.codes.push({ codes: view.codes, stride: view.stride, map });
        // For rows that pass through with the dictionary they have, codes are words of their own width.
        const Words = view.width === 1 ? Uint8Array : view.width === 2 ? Uint16Array : Int32Array;
        this.words.push(new Words(view.codes.buffer as ArrayBuffer, view.codes.byteOffset, view.codes.length));
        break;
      }
      case "list":
        this.offsets.push(view.offsets);
        this.#child(0).add(view.child);
        this.#weight += (view.offsets[view.length] - view.offsets[0]) * this.children[0].rowWeight;
        break;
      case "fixedList":
        this.#child(0).add(view.child);
        this.#weight += view.child.length * this.children[0].rowWeight;
        break;
      case "struct":
        view.children.forEach((child, i) => {
          this.#child(i).add(child);
          this.#weight += view.length * this.children[i].rowWeight;
        });
    }
    return this;
  }

  /** Values under one row on average, at least 1 (32 bytes count as one more): how much work a row of a gather is. */
  get rowWeight(): number {
    return this.rows === 0 ? 1 : this.#weight / this.rows;
  }

  view(i: number): ColumnView {
    return this.views[i];
  }

  /** The dictionary of batch `i` of a dictionary column. */
  dictionary(i: number): DictionaryView {
    return (this.views[i] as CodesView).dictionary;
  }

  /** Bytes that unifying dictionaries took, children included. */
  get heldBytes(): number {
    return this.children.reduce((sum, c) => sum + c.heldBytes, (this.unifier?.heldBytes ?? 0) + (this.placedValidity?.bytes.length ?? 0));
  }

  /**
   * Copies the values of a fixed-width column into kernel memory and returns the bytes taken: 0, and nothing done, for other columns.
   * From then on a `rows` segment on this source has global row ids. Add no batch afterwards. O(bytes).
   * Throws MEMORY_LIMIT before anything changed.
   */
  place(kernel: KernelMemory): number {
    const first = this.views[0];
    if (this.placed !== null || first === undefined || first.layout !== "words" || first.width === 0) return 0;
    const { width } = first;
    const region = kernel.alloc(this.rows * width, "placed columns");
    const bits: Uint8Array | null = this.anyNulls ? new Uint8Array((this.rows + 7) >>> 3) : null;
    let row = 0;
    this.words.forEach((words, i) => {
      const { length, validity } = this.views[i];
      kernel.write(region, row * width, new Uint8Array(words.buffer as ArrayBuffer, words.byteOffset, length * width));
      if (bits !== null) {
        if (validity === null) fillSet(bits, row, length);
        else
          for (let r = 0; r < length; r++) {
            const from = validity.bit + r;
            bits[(row + r) >>> 3] |= ((validity.bytes[from >>> 3] >>> (from & 7)) & 1) << ((row + r) & 7);
          }
      }
      row += length;
    });
    this.placed = region;
    this.placedValidity = bits === null ? null : { bytes: bits, bit: 0 };
    return this.rows * width;
  }

  /** Gives the kernel memory of `place` back. */
  release(kernel: KernelMemory): void {
    if (this.placed !== null) kernel.free(this.placed);
    this.placed = null;
    this.placedValidity = null;
  }

  #child(i: number): ColumnSource {
    return (this.children[i] ??= new ColumnSource(this.#unify));
  }
}
