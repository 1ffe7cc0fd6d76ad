/**
 * Dictionary columns as another type: their plain values, or the same dictionary with Int32 codes.
 *
 * Where two sides meet in one column (coalesced keys of a full join) and one of them is encoded differently.
 * O(rows), decoding strings O(bytes).
 */

import type { DataType } from "apache-arrow";
import { Dictionary, Int32 } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { Kernel, Segment } from "../kernel/contract.ts";
import { CHUNK_ROWS, NONE } from "../kernel/contract.ts";
import type { CodesView, ColumnView } from "./column.ts";
import { ColumnSource } from "./source.ts";
import { typeText } from "./type.ts";
import { makeView, viewColumn } from "./view.ts";
import { createWriter } from "./writer.ts";

/** The values that the codes stand for. Throws MEMORY_LIMIT when they take more than 2^31 - 1 bytes. */
export function decodeDictionary(kernel: Kernel, view: CodesView): ColumnView {
  const { codes, stride, validity, length, dictionary } = view;
  const writer = createWriter(kernel, (view.type as unknown as { dictionary: DataType }).dictionary);
  writer.reserve(length);
  const source = new ColumnSource();
  const starts: number[] = [];
  let start = 0;
  for (const chunk of dictionary.chunks) {
    source.add(chunk);
    starts.push(start);
    start += chunk.length;
  }
  const chunks = starts.length;
  const rows = kernel.alloc(CHUNK_ROWS * 4, "decoded dictionaries");
  const sources = kernel.alloc(CHUNK_ROWS * 4, "decoded dictionaries");
  try {
    for (let from = 0; from < length; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, length - from);
      const outRows = kernel.i32(rows);
      const outSources = kernel.i32(sources);
      for (let i = 0; i < count; i++) {
        const row = from + i;
        const valid = validity === null || ((validity.bytes[(validity.bit + row) >>> 3] >>> ((validity.bit + row) & 7)) & 1) === 1;
        const code = valid ? codes[stride * row] : NONE;
        let chunk = 0;
        while (chunk + 1 < chunks && code >= starts[chunk + 1]) chunk++;
        outSources[i] = chunk;
        outRows[i] = valid ? code - starts[chunk] : NONE;
      }
      const segment: Segment =
        chunks > 1
          ? { kind: "located", sources, rows, from: 0, count, hasNone: validity !== null }
          : { kind: "rows", source: 0, rows, from: 0, count, hasNone: validity !== null };
      if (!writer.append(source, segment))
        throw new ArrowJoinError(
          "MEMORY_LIMIT",
          `${length} rows of ${typeText(view.type)} take more than 2^31 - 1 bytes decoded: use smaller batches.`,
        );
    }
  } finally {
    kernel.free(rows);
    kernel.free(sources);
  }
  return viewColumn(writer.finish(), "decoded dictionary");
}

/** The same column with Int32 codes. Codes of null rows become 0. */
export function widenCodes(view: CodesView): CodesView {
  const { length, validity, nullCount, dictionary } = view;
  const { dictionary: values, isOrdered } = view.type as unknown as { dictionary: DataType; isOrdered: boolean };
  const codes = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const code = view.codes[view.stride * i];
    codes[i] = code >= 0 && code < dictionary.length ? code : 0;
  }
  const type = new Dictionary(values, new Int32(), null, isOrdered);
  return makeView<CodesView>({ layout: "codes", length, type, nullCount, validity, codes, stride: 1, width: 4, signed: true, dictionary });
}

/** `view` as `toType`: a dictionary's value type, or a dictionary with Int32 codes; a view of that type already is returned as it is. */
export function convertColumn(kernel: Kernel, view: ColumnView, toType: DataType): ColumnView {
  if (typeText(view.type) === typeText(toType)) return view;
  if (view.layout === "codes") {
    const { dictionary } = view.type as unknown as { dictionary: DataType };
    if (typeText(dictionary) === typeText(toType)) return decodeDictionary(kernel, view);
    if (typeText(toType) === `Dictionary<Int32, ${typeText(dictionary)}>`) return widenCodes(view);
  }
  throw new ArrowJoinError("INTERNAL", `No conversion from ${typeText(view.type)} to ${typeText(toType)}.`);
}
