/**
 * The writer for a column of a given type: which layout, and the writers of its children.
 *
 *     Int, Float, Decimal, temporal, FixedSizeBinary   words           Null             a count
 *     Utf8, Binary                                      offsets, bytes  List, Map        offsets, child
 *     Bool                                              bits            FixedSizeList    child
 *     Dictionary                                        codes           Struct           children
 *
 * O(type). What a writer promises is said in `base-writer.ts`.
 */

import type { DataType, Field } from "apache-arrow";
import type { Kernel } from "../kernel/contract.ts";
import type { ColumnWriter, WriterOptions } from "./base-writer.ts";
import { BitsWriter, BytesWriter, CodesWriter, NullWriter, WordsWriter } from "./flat-writer.ts";
import { FixedListWriter, ListWriter, StructWriter } from "./nested-writer.ts";

export type { ColumnWriter, WriterOptions } from "./base-writer.ts";

/** A writer of columns of `type`, which is of this program's copy and supported (`rebuildType` made it). */
export function createWriter(kernel: Kernel, type: DataType, options: WriterOptions = {}): ColumnWriter {
  const child = (i: number) => createWriter(kernel, (type.children as Field[])[i].type, options);
  switch (type.typeId as number) {
    case -1:
      return new CodesWriter(kernel, type, options);
    case 1:
      return new NullWriter(kernel, type, options);
    case 4:
    case 5:
      return new BytesWriter(kernel, type, options);
    case 6:
      return new BitsWriter(kernel, type, options);
    case 12:
    case 17:
      return new ListWriter(kernel, type, options, child(0));
    case 13:
      return new StructWriter(
        kernel,
        type,
        options,
        (type.children as Field[]).map((_, i) => child(i)),
      );
    case 16:
      return new FixedListWriter(kernel, type, options, child(0), (type as unknown as { listSize: number }).listSize);
    default:
      return new WordsWriter(kernel, type, options);
  }
}
