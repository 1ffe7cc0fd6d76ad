/** One value of a column as people read it, for messages. O(1), and slow: an error is on its way. */

import { Vector } from "apache-arrow";
import { isSet } from "./bits.ts";
import type { ColumnView } from "./column.ts";
import { sliceData } from "./slice.ts";

export function valueText(view: ColumnView, row: number): string {
  if (!isSet(view.validity, row)) return "null";
  const value: unknown = new Vector([sliceData(view, row, 1, view.type)]).get(0);
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
