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
import type { RawData, RawVector } from "./raw.ts";
import { emptyVector, sliceData } from "./slice.ts";
import { typeText } from "./type.ts";

const byVector = new WeakMap<object, DictionaryView>();
const byBuffer = new WeakMap<object, Map<string, DictionaryView>>();
const chunkViews = new WeakMap<object, ColumnView>();
const bufferIds = new WeakMap<object, number>();
let lastBufferId = 0;

function bufferId(buffer: object): number {
  let id = bufferIds.get(buffer);
  if (id === undefined) bufferIds.set(buffer, (id = ++lastBufferId));
  return id;
}

/** What the values are read from, as text; adds the buffers met. */
function signature(data: RawData, buffers: object[]): string {
  let text = `${data.length},${data.offset || 0}`;
  for (const part of [data.valueOffsets, data.values, data.nullBitmap]) {
    if (!part || part.byteLength === 0) {
      text += ";";
      continue;
    }
    buffers.push(part.buffer);
    text += `;${bufferId(part.buffer)},${part.byteOffset},${part.byteLength}`;
  }
  return text + (data.children ?? []).map((c) => `(${signature(c, buffers)})`).join("");
}

/** The dictionary as a view; `values` is its value type in this program's copy, `view` makes the view of a chunk. */
export function viewDictionary(
  vector: RawVector | null | undefined,
  values: DataType,
  path: string,
  view: (data: RawData, path: string) => ColumnView,
): DictionaryView {
  if (!vector) return { length: 0, chunks: [], vector: emptyVector(values) };
  let found = byVector.get(vector);
  if (found !== undefined) return found;
  const buffers: object[] = [vector];
  const key = [typeText(values), ...vector.data.map((d) => signature(d, buffers))].join("|");
  const first = buffers[buffers.length > 1 ? 1 : 0];
  let known = byBuffer.get(first);
  if (known === undefined) byBuffer.set(first, (known = new Map()));
  found = known.get(key);
  if (found === undefined) known.set(key, (found = makeDictionary(vector, values, path, view)));
  byVector.set(vector, found);
  return found;
}

function makeDictionary(
  { data, isMemoized }: RawVector,
  values: DataType,
  path: string,
  view: (data: RawData, path: string) => ColumnView,
): DictionaryView {
  const chunks = data.flatMap((chunk) => {
    if (chunk.length === 0) return [];
    let seen = chunkViews.get(chunk);
    if (seen === undefined) chunkViews.set(chunk, (seen = view(chunk, path)));
    return seen;
  });
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
