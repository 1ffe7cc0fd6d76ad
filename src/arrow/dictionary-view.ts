/**
 * Dictionaries by identity: within one input, the same Vector object is the same `DictionaryView` object.
 *
 * Not by buffers: a program may fill a buffer anew, and what was read from it before is then another dictionary. Vectors that only hold
 * equal values are told apart here and brought together by `DictionaryUnifier`.
 * O(1) for one seen before, O(values) for a new one.
 */

import type { DataType } from "apache-arrow";
import { Vector } from "apache-arrow";
import type { ColumnView, DictionaryView } from "./column.ts";
import { memo } from "./memo.ts";
import type { RawData, RawVector } from "./raw.ts";
import { emptyVector, sliceData } from "./slice.ts";

/** What has been viewed of one input: children of columns by their Data, dictionaries by their Vector. */
export class ViewCache {
  readonly columns = new WeakMap<object, ColumnView>();
  readonly dictionaries = new WeakMap<object, DictionaryView>();
}

/** The dictionary as a view; `values` is its value type in this program's copy, `view` makes the view of a chunk. */
export function viewDictionary(
  vector: RawVector | null | undefined,
  values: DataType,
  cache: ViewCache,
  view: (data: RawData) => ColumnView,
): DictionaryView {
  return memo(cache.dictionaries, vector ?? values, () => {
    // A dictionary that grows by deltas shares its first chunks with what it was.
    const all = (vector?.data ?? []).map((chunk) => memo(cache.columns, chunk, () => view(chunk)));
    const chunks = all.filter((chunk) => chunk.length > 0);
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (length === 0) return { length, chunks, vector: emptyVector(values) };
    const own = new Vector(chunks.map((chunk) => sliceData(chunk, 0, chunk.length, chunk.type)));
    // Who reads IPC gets memoized dictionaries (each string is decoded once); results should not read slower than their inputs.
    return { length, chunks, vector: vector?.isMemoized ? own.memoize() : own };
  });
}

/** Every dictionary of a column, those of its children too, in the order of the type: a batch that is passed through ends where one changes. */
export function dictionariesOf(view: ColumnView): DictionaryView[] {
  if (view.layout === "codes") return [view.dictionary];
  return "children" in view ? view.children.flatMap(dictionariesOf) : [];
}
