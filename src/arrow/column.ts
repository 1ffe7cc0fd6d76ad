/**
 * What the rest of the library sees of a column of an input batch: buffers that start at row 0, whatever slice they came from.
 *
 * Invariants, established where a view is made (`viewColumn`) and relied on everywhere:
 * - every buffer is long enough for `length` rows; offsets never run backwards or past the bytes; codes of valid rows lie inside
 *   their dictionary (otherwise INVALID_INPUT, naming column and row);
 * - `validity` is null exactly when no row is null; `nullCount` was recomputed from the bitmap, never believed;
 * - children have at least the rows that their parent calls for; there may be more;
 * - types and dictionaries are of this program's own apache-arrow, whatever copy the input came from.
 */

import type { DataType, Vector } from "apache-arrow";
import type { Bitmap, CodeSource, Words } from "../kernel/contract.ts";

interface ViewBase {
  readonly length: number;
  readonly type: DataType;
  readonly nullCount: number;
  readonly validity: Bitmap | null;
}

export type WordsView = ViewBase & {
  readonly layout: "words";
  readonly words: Words;
  readonly perRow: number /** bytes a row */;
  readonly width: number;
};
export type BitsView = ViewBase & {
  readonly layout: "bits" /** at the bit of `validity`: one offset of a Data serves both */;
  readonly bits: Bitmap;
};
export type BytesView = ViewBase & {
  readonly layout: "bytes" /** length + 1 of them */;
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
};
export type ListView = ViewBase & {
  readonly layout: "list" /** length + 1 of them */;
  readonly offsets: Int32Array /** one */;
  readonly children: readonly ColumnView[];
};
/** Structs, and fixed-size lists, whose one child has `size` rows a row. */
export type StructView = ViewBase & {
  readonly layout: "struct" /** of structs 1 */;
  readonly size: number;
  readonly children: readonly ColumnView[];
};
export type NullView = ViewBase & { readonly layout: "null" };
export type CodesView = ViewBase & {
  readonly layout: "codes";
  readonly codes: CodeSource["codes"];
  readonly stride: 1 | 2;
  /** bytes a code: 1, 2, 4 or 8 */
  readonly width: number;
  readonly signed: boolean;
  readonly dictionary: DictionaryView;
};

export type ColumnView = WordsView | BitsView | BytesView | ListView | StructView | NullView | CodesView;

/** One dictionary. Two columns share it exactly when they have the same DictionaryView object. */
export interface DictionaryView {
  readonly length: number;
  /** The values in code order, in one or more chunks. */
  readonly chunks: readonly ColumnView[];
  /** The same values as a Vector of this program's own apache-arrow. */
  readonly vector: Vector;
}
