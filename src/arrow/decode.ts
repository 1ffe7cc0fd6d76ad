/**
 * Dictionary columns as their plain values: for a coalesced key of a full join of which only one side is a dictionary.
 *
 * The codes become row ids of the dictionary's chunks, which a writer then gathers. O(rows), strings O(bytes).
 */

import type { Dictionary } from "apache-arrow";
import { ArrowJoinError } from "../error.ts";
import type { Kernel } from "../kernel/contract.ts";
import { CHUNK_ROWS, NONE } from "../kernel/contract.ts";
import { isSet } from "./bits.ts";
import type { CodesView, ColumnView } from "./column.ts";
import { ColumnSource } from "./source.ts";
import { textOf } from "./type.ts";
import { viewColumn } from "./view.ts";
import { ColumnWriter } from "./writer.ts";

/** The values that the codes stand for. Throws MEMORY_LIMIT when they take more than 2^31 - 1 bytes. */
export function decodeDictionary(kernel: Kernel, { codes, stride, validity, length, dictionary: { chunks }, type }: CodesView): ColumnView {
  const writer = new ColumnWriter(kernel, (type as Dictionary).dictionary);
  writer.reserve(length);
  const source = new ColumnSource();
  for (const chunk of chunks) source.add(chunk);
  const rows = kernel.alloc(CHUNK_ROWS * 4, "decoded dictionaries");
  const sources = kernel.alloc(CHUNK_ROWS * 4, "decoded dictionaries");
  try {
    for (let from = 0; from < length; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, length - from);
      const outRows = kernel.i32(rows);
      const outSources = kernel.i32(sources);
      for (let i = 0; i < count; i++) {
        let chunk = 0;
        let row = NONE;
        if (isSet(validity, from + i)) {
          row = codes[stride * (from + i)];
          while (row >= chunks[chunk].length) row -= chunks[chunk++].length;
        }
        outSources[i] = chunk;
        outRows[i] = row;
      }
      if (!writer.append(source, { kind: "located", sources, rows, from: 0, count, hasNone: validity !== null }))
        throw new ArrowJoinError(
          "MEMORY_LIMIT",
          `${length} rows of ${textOf(type)} take more than 2^31 - 1 bytes decoded: use smaller batches.`,
        );
    }
  } finally {
    kernel.free(rows);
    kernel.free(sources);
  }
  return viewColumn(writer.finish(), "decoded dictionary");
}
