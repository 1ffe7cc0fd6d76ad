/** How many bytes rows of a column take as a column of their own: values, offsets, and a bitmap where a row is null. O(children). */

import { nullsIn } from "./bits.ts";
import type { ColumnView } from "./column.ts";

export function columnBytes(view: ColumnView, start = 0, count = view.length): number {
  const bitmap = view.layout !== "null" && nullsIn(view.validity, start, count) > 0 ? count / 8 : 0;
  switch (view.layout) {
    case "null":
      return 0;
    case "words":
    case "codes":
      return bitmap + view.width * count;
    case "bits":
      return bitmap + count / 8;
    case "bytes":
    case "list": {
      const from = view.offsets[start];
      const under = view.offsets[start + count] - from;
      return bitmap + 4 * count + (view.layout === "bytes" ? under : columnBytes(view.children[0], from, under));
    }
    case "struct":
      return view.children.reduce((sum, child) => sum + columnBytes(child, start * view.size, count * view.size), bitmap);
  }
}
