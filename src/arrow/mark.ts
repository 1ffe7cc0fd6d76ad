/** The mark column of a mark join as a view over bitmaps: true, false, or null where that is not known. */

import { Bool } from "apache-arrow";
import { nullsIn } from "./bits.ts";
import type { BitsView } from "./column.ts";

/** Has no members: each is like the other. */
export const markType = (): Bool => new Bool();

/** `rows` marks from bit 0 on; `known` null: all are. */
export function viewMarks(marks: Uint8Array, known: Uint8Array | null, rows: number): BitsView {
  const validity = known && { bytes: known, bit: 0 };
  const nullCount = nullsIn(validity, 0, rows);
  return {
    layout: "bits",
    length: rows,
    type: markType(),
    nullCount,
    validity: nullCount > 0 ? validity : null,
    bits: { bytes: marks, bit: 0 },
  };
}
