/**
 * The one error class of the package. Below every layer: it imports nothing.
 *
 * A message names the columns, both types or the row number, and one way out; `code` is for programs.
 */

export type ArrowJoinErrorCode =
  | "COLUMN_NOT_FOUND"
  | "KEY_TYPE_MISMATCH"
  | "UNSUPPORTED_TYPE"
  | "DUPLICATE_COLUMN"
  | "INVALID_OPTION"
  | "INVALID_EXPRESSION"
  | "CARDINALITY"
  | "UNMATCHED"
  | "UNSORTED"
  | "MEMORY_LIMIT"
  | "SPILL_FAILED"
  | "INVALID_INPUT"
  | "SOURCE_FAILED"
  | "CANCELLED"
  | "INTERNAL";

/**
 * Every error that arrow-join raises itself.
 *
 * @example
 * import { tableFromArrays } from "apache-arrow";
 * import { ArrowJoinError, join } from "arrow-join";
 *
 * const table = tableFromArrays({ id: Int32Array.of(1) });
 * try {
 *   join(table, table, { on: "nope" });
 * } catch (error) {
 *   if (error instanceof ArrowJoinError) console.log(error.code); // COLUMN_NOT_FOUND
 * }
 */
export class ArrowJoinError extends Error {
  override readonly name = "ArrowJoinError";
  readonly code: ArrowJoinErrorCode;

  constructor(code: ArrowJoinErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
