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
import type { Bitmap, CodeSource, Kernel, Region, Words } from "../kernel/contract.ts";
import type { CodesView, ColumnView } from "./column.ts";
import { asWords } from "./slice.ts";

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
  unifier: Unifier | null = null;
  /** Whether any row of any batch is null (at this level). */
  anyNulls = false;
  /** Rows over all batches. */
  rows = 0;
  /** The column in kernel memory, row ids being global, as are those of `validity[0]` then; null until `place`. */
  placed: Region | null = null;
  readonly #unify: (() => Unifier) | undefined;
  #weight = 0;

  constructor(unify?: () => Unifier) {
    this.#unify = unify;
  }

  /** Adds the column's part of the next batch; `unified`: its codes are the unified ones. O(children), and O(dictionary) at a new dictionary. */
  add(view: ColumnView, unified = false): this {
    const { length, validity } = view;
    this.views.push(view);
    this.validity.push(validity);
    this.anyNulls ||= validity !== null;
    this.rows += length;
    this.#weight += length;
    // What lies under the rows: bytes, or rows of each child.
    let under = view.layout === "struct" ? length * view.size : 0;
    if ("offsets" in view) {
      this.offsets.push(view.offsets);
      under = view.offsets[length] - view.offsets[0];
    }
    switch (view.layout) {
      case "words":
        this.words.push(view.words);
        this.#weight += length * (view.width >>> 5);
        break;
      case "bits":
        this.bits.push(view.bits);
        break;
      case "bytes":
        this.bytes.push(view.bytes);
        this.#weight += under >>> 5;
        break;
      case "codes":
        this.unifier ??= this.#unify?.() ?? null;
        this.codes.push({ codes: view.codes, stride: view.stride, map: unified ? null : (this.unifier?.add(view) ?? null) });
        // For rows that pass through with the dictionary they have, codes are words of their own width.
        this.words.push(asWords(view.codes, view.width));
        break;
      case "list":
      case "struct":
        view.children.forEach((child, i) => {
          const source = (this.children[i] ??= new ColumnSource(this.#unify)).add(child, unified);
          this.#weight += under * source.rowWeight;
        });
    }
    return this;
  }

  /** Values under one row on average, at least 1 (32 bytes count as one more): how much work a row of a gather is. */
  get rowWeight(): number {
    return this.rows === 0 ? 1 : this.#weight / this.rows;
  }

  /** Bytes that unifying dictionaries and placing took, children included; those of the kernel are not counted here. */
  get heldBytes(): number {
    const own = (this.unifier?.heldBytes ?? 0) + (this.placed === null ? 0 : (this.validity[0]?.bytes.length ?? 0));
    return this.children.reduce((sum, c) => sum + c.heldBytes, own);
  }

  /**
   * Copies the values of a fixed-width column into kernel memory and returns the bytes taken: 0, and nothing done, for other columns.
   * From then on the source is one batch, of which only `rows` segments are gathered, and no batch can be added. O(bytes).
   * Throws MEMORY_LIMIT before anything changed.
   */
  place(kernel: Kernel): number {
    const first = this.views[0];
    if (this.placed !== null || first?.layout !== "words" || first.width === 0) return 0;
    const { width } = first;
    const placed = kernel.alloc(this.rows * width, "placed columns");
    const bytes = new Uint8Array(this.anyNulls ? (this.rows + 7) >>> 3 : 0);
    let row = 0;
    this.views.forEach(({ length }, source) => {
      kernel.write(placed, row * width, asWords(this.words[source], 1) as Uint8Array);
      if (this.anyNulls) kernel.gatherBits(this.validity, { kind: "run", source, start: 0, count: length, hasNone: false }, bytes, row);
      row += length;
    });
    this.placed = placed;
    this.validity.splice(0, Infinity, this.anyNulls ? { bytes, bit: 0 } : null);
    return this.rows * width;
  }
}
