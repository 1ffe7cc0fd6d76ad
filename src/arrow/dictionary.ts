/**
 * Makes one dictionary of the dictionaries of many batches.
 *
 *     A = [x y y]          unified   [x y y]               kept as it is, repeated values and null slots too
 *     B = [y z ∅]          unified   [x y y z ∅]           B's codes 0 1 2 become 1 3 4
 *
 * Invariants
 * - Codes given out stay right: the unified values only grow at the end, so the first dictionary needs no map.
 * - While only one dictionary has occurred (it may grow by chunks) it is passed on as the Vector that it is; from the first value of
 *   another on the values are one chunk, which readers without delta dictionaries can read too. The Vector changes with new values only.
 * - A slot whose value is null becomes a slot whose value is null.
 * - Nested values cannot be interned: their dictionaries are concatenated, each once.
 *
 * O(values) per new dictionary, O(1) for one seen before.
 */

import type { DataType, Dictionary } from "apache-arrow";
import { Vector } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { Kernel } from "../kernel/contract.ts";
import { MAX_ROWS } from "../kernel/contract.ts";
import { isSet } from "./bits.ts";
import type { CodesView, ColumnView, DictionaryView } from "./column.ts";
import { memo } from "./memo.ts";
import type { Unifier } from "./source.ts";
import { ColumnSource } from "./source.ts";
import { viewColumn } from "./view.ts";
import { ColumnWriter } from "./writer.ts";

/** Dense ids in order of first appearance over all calls, equal values equal ids; what null values get is not looked at. */
export type Intern = (values: ColumnView) => Int32Array;

/** Whether the long dictionary is the short one with more chunks: how IPC streams let dictionaries grow (delta dictionaries). */
const begins = (long: DictionaryView, short: DictionaryView): boolean => short.chunks.every((chunk, i) => chunk === long.chunks[i]);

const tooLarge = () =>
  new ArrowJoinError("MEMORY_LIMIT", "The dictionaries together exceed 2^31 - 2 values or 2^31 - 1 bytes: join on plain strings instead.");

function appendRun(writer: ColumnWriter, source: ColumnSource, start: number, count: number): void {
  if (!writer.append(source, { kind: "run", source: 0, start, count, hasNone: false })) throw tooLarge();
}

export class DictionaryUnifier implements Unifier {
  readonly #kernel: Kernel;
  readonly #intern: Intern;
  readonly #maps = new Map<DictionaryView, Int32Array | null>();
  #first: DictionaryView | null = null;
  #vector: Vector | null = null;
  /** The values from the second dictionary on; null before, and again once they are a vector. */
  #writer: ColumnWriter | null = null;
  #memoize = false;
  #length = 0;
  /** By interned id: the code, plus one (0: none yet). */
  #codes = new Int32Array(0);
  #nullCode = -1;

  constructor(kernel: Kernel, intern: Intern) {
    this.#kernel = kernel;
    this.#intern = intern;
  }

  get heldBytes(): number {
    let bytes = this.#codes.byteLength + (this.#writer?.heldBytes ?? 0);
    if (this.#vector !== null && this.#vector !== this.#first?.vector) bytes += this.#vector.byteLength;
    for (const map of this.#maps.values()) bytes += map?.byteLength ?? 0;
    return bytes;
  }

  add({ dictionary, type }: CodesView): Int32Array | null {
    return memo(this.#maps, dictionary, () => {
      const first = this.#first;
      if (dictionary.length === 0) return null;
      this.#memoize ||= dictionary.vector.isMemoized;
      if (first === null || (this.#isAlone && begins(dictionary, first))) {
        this.#first = dictionary;
        this.#vector = dictionary.vector;
        this.#length = dictionary.length;
        return null;
      }
      return begins(first, dictionary) ? null : this.#merge(dictionary, (type as Dictionary).dictionary);
    });
  }

  /** Whether no value of another dictionary was looked at. */
  get #isAlone(): boolean {
    return this.#codes.length === 0 && this.#writer === null && this.#first !== null && this.#vector === this.#first.vector;
  }

  /** Forgets which dictionaries have occurred, where one that comes again gets the codes that it had. The values stay. */
  forget(): void {
    if (this.#codes.length > 0 || this.#isAlone) this.#maps.clear();
  }

  get vector(): Vector {
    if (this.#writer !== null) {
      const vector = new Vector([this.#writer.finish()]);
      this.#vector = this.#memoize ? vector.memoize() : vector;
      this.#writer = null;
    }
    // Without a single value any empty dictionary serves.
    return this.#vector ?? [...this.#maps.keys()][0].vector;
  }

  /** Appends the values that are new and returns the map. */
  #merge(dictionary: DictionaryView, type: DataType): Int32Array {
    const flat = ["words", "bits", "bytes"].includes(dictionary.chunks[0].layout);
    if (flat && this.#codes.length === 0) this.#number(this.#first!);
    if (this.#length + dictionary.length > MAX_ROWS) throw tooLarge();
    const map = new Int32Array(dictionary.length);
    let at = 0;
    for (const chunk of dictionary.chunks) {
      const source = new ColumnSource().add(chunk);
      const ids = flat ? this.#intern(chunk) : null;
      let start = 0;
      for (let row = 0; row <= chunk.length; row++) {
        // Stretches of new values are appended at once.
        const code = row === chunk.length ? 0 : ids === null ? -1 : this.#codeOf(chunk, row, ids);
        if (code < 0) map[at++] = this.#length++;
        else {
          if (row > start) {
            this.#writer ??= this.#reopen(type, dictionary.length);
            appendRun(this.#writer, source, start, row - start);
          }
          start = row + 1;
          if (row < chunk.length) map[at++] = code;
        }
      }
    }
    return map;
  }

  /** The code of a value that is there already, or -1 after noting that it comes next. */
  #codeOf(values: ColumnView, row: number, ids: Int32Array): number {
    if (!isSet(values.validity, row)) {
      if (this.#nullCode >= 0) return this.#nullCode;
      this.#nullCode = this.#length;
      return -1;
    }
    const id = ids[row];
    if (id >= this.#codes.length) {
      const more = new Int32Array(Math.max(id + 1, this.#codes.length * 2, 64));
      more.set(this.#codes);
      this.#codes = more;
    }
    if (this.#codes[id] > 0) return this.#codes[id] - 1;
    this.#codes[id] = this.#length + 1;
    return -1;
  }

  /** Notes the codes of the first dictionary's values, of repeated ones the first. */
  #number(dictionary: DictionaryView): void {
    const length = this.#length;
    this.#length = 0;
    for (const chunk of dictionary.chunks) {
      const ids = this.#intern(chunk);
      for (let row = 0; row < chunk.length; row++, this.#length++) this.#codeOf(chunk, row, ids);
    }
    this.#length = length;
  }

  /** A writer that has the values so far. */
  #reopen(type: DataType, more: number): ColumnWriter {
    const { data, length } = this.#vector!;
    const writer = new ColumnWriter(this.#kernel, type);
    writer.reserve(length + more);
    for (const chunk of data) appendRun(writer, new ColumnSource().add(viewColumn(chunk, "dictionary")), 0, chunk.length);
    return writer;
  }
}
