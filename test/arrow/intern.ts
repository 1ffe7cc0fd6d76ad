/** Numbers values by what they are, the slow and plain way. */

import type { ColumnView } from "../../src/arrow/column.ts";
import { type Cell, cellText } from "../support/cell.ts";

export function internCells(): (values: ColumnView) => Int32Array {
  const ids = new Map<string, number>();
  const decoder = new TextDecoder();
  return (view) =>
    Int32Array.from({ length: view.length }, (_, i) => {
      const { validity } = view;
      if (validity !== null && ((validity.bytes[(validity.bit + i) >> 3] >> ((validity.bit + i) & 7)) & 1) === 0) return -1;
      let cell: Cell;
      if (view.layout === "bytes") cell = decoder.decode(view.bytes.subarray(view.offsets[i], view.offsets[i + 1]));
      else if (view.layout === "words") cell = Array.from(view.words.subarray(i * view.perRow, (i + 1) * view.perRow));
      else throw new Error(`cannot number ${view.layout}`);
      const key = cellText(cell);
      if (!ids.has(key)) ids.set(key, ids.size);
      return ids.get(key) as number;
    });
}
