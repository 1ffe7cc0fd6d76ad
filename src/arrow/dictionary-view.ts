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
import { emptyVector } from "./slice.ts";
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
  vector: RawVector,
  values: DataType,
  path: string,
  view: (data: RawData, path: string) => ColumnView,
): DictionaryView {
  const known = byVector.get(vector);
  if (known !== undefined) return known;
  const buffers: object[] = [];
  const key = `${typeText(values)}|${vector.data.map((d) => signature(d, buffers)).join("|")}`;
  let found = buffers.length > 0 ? byBuffer.get(buffers[0])?.get(key) : undefined;
  if (found === undefined) {
    found = makeDictionary(vector, values, path, view);
    if (buffers.length > 0) {
      let keys = byBuffer.get(buffers[0]);
      if (keys === undefined) byBuffer.set(buffers[0], (keys = new Map()));
      keys.set(key, found);
    }
  }
  byVector.set(vector, found);
  return found;
}

function makeDictionary(
  vector: RawVector,
  values: DataType,
  path: string,
  view: (data: RawData, path: string) => ColumnView,
): DictionaryView {
  const chunks: ColumnView[] = [];
  let length = 0;
  for (const data of vector.data) {
    if (data.length === 0) continue;
    let chunk = chunkViews.get(data);
    if (chunk === undefined) chunkViews.set(data, (chunk = view(data, path)));
    chunks.push(chunk);
    length += chunk.length;
  }
  if (chunks.length === 0) return { length, chunks, vector: emptyVector(values) };
  const own = new Vector(chunks.map((c) => c.data));
  // Who reads IPC gets memoized dictionaries (each string is decoded once); results should not read slower than their inputs.
  return { length, chunks, vector: vector.isMemoized ? own.memoize() : own };
}

/** Every dictionary of a column, those of its children too, in the order of the type: a batch that is passed through ends where one changes. */
export function dictionariesOf(view: ColumnView, into: DictionaryView[] = []): DictionaryView[] {
  switch (view.layout) {
    case "codes":
      into.push(view.dictionary);
      break;
    case "list":
    case "fixedList":
      dictionariesOf(view.child, into);
      break;
    case "struct":
      for (const child of view.children) dictionariesOf(child, into);
  }
  return into;
}
