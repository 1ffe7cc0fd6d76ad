/**
 * Dictionaries by identity: the same values are the same `DictionaryView` object.
 *
 * A dictionary is known by its Vector object, or failing that by its buffers: another Vector over the same bytes (a memoized one, one
 * made again for each batch) is the same dictionary. Its bytes are taken to be unchanging from the first look on.
 * Looking one up costs O(chunks), viewing it for the first time O(values). What is cached lives as long as the buffers do.
 */

import type { DataType } from "apache-arrow";
import { Vector } from "apache-arrow";
import type { ColumnView, DictionaryView } from "./column.ts";
import { memo } from "./memo.ts";
import type { RawData, RawVector } from "./raw.ts";
import { emptyVector, sliceData } from "./slice.ts";
import { typeText } from "./type.ts";

const byVector = new WeakMap<object, DictionaryView>();
const byBuffer = new WeakMap<object, Map<string, DictionaryView>>();
const chunkViews = new WeakMap<object, ColumnView>();
const bufferIds = new WeakMap<object, number>();
let lastBufferId = 0;

/** What the values are read from, as text; adds the buffers met. */
function signature({ length, offset, valueOffsets, values, nullBitmap, children }: RawData, buffers: object[]): string {
  const parts = [valueOffsets, values, nullBitmap].map((part) => {
    if (!part?.byteLength) return "";
    buffers.push(part.buffer);
    return [memo(bufferIds, part.buffer, () => ++lastBufferId), part.byteOffset, part.byteLength].join();
  });
  return [length, offset || 0, ...parts, "(", ...(children ?? []).map((c) => signature(c, buffers)), ")"].join(";");
}

/** The dictionary as a view; `values` is its value type in this program's copy, `view` makes the view of a chunk. */
export function viewDictionary(
  vector: RawVector | null | undefined,
  values: DataType,
  path: string,
  view: (data: RawData, path: string) => ColumnView,
): DictionaryView {
  if (!vector) return { length: 0, chunks: [], vector: emptyVector(values) };
  return memo(byVector, vector, () => {
    const buffers: object[] = [];
    const key = [typeText(values), ...vector.data.map((d) => signature(d, buffers))].join("|");
    const known = memo(byBuffer, buffers[0] ?? vector, () => new Map<string, DictionaryView>());
    return memo(known, key, () => makeDictionary(vector, values, path, view));
  });
}

function makeDictionary(
  { data, isMemoized }: RawVector,
  values: DataType,
  path: string,
  view: (data: RawData, path: string) => ColumnView,
): DictionaryView {
  const chunks = data.filter((chunk) => chunk.length > 0).map((chunk) => memo(chunkViews, chunk, () => view(chunk, path)));
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length === 0) return { length, chunks, vector: emptyVector(values) };
  const own = new Vector(chunks.map((chunk) => sliceData(chunk, 0, chunk.length, chunk.type)));
  // Who reads IPC gets memoized dictionaries (each string is decoded once); results should not read slower than their inputs.
  return { length, chunks, vector: isMemoized ? own.memoize() : own };
}

/** Every dictionary of a column, those of its children too, in the order of the type: a batch that is passed through ends where one changes. */
export function dictionariesOf(view: ColumnView): DictionaryView[] {
  if (view.layout === "codes") return [view.dictionary];
  return "children" in view ? view.children.flatMap(dictionariesOf) : [];
}
