/** The entry `arrow-join`: the verbs, their types, the error. */

export { col, lit } from "./api/expr.ts";
export type { ColumnExprs, Expr, Filter } from "./api/expr-types.ts";
export { join } from "./api/join.ts";
export { type JoinIndices, joinIndices } from "./api/join-indices.ts";
export { joinStream } from "./api/join-stream.ts";
export type {
  JoinIndicesOptions,
  JoinKind,
  JoinMetrics,
  JoinOptions,
  JoinProgress,
  JoinStreamOptions,
  KeyPair,
  On,
  PrepareOptions,
  RecordBatchShape,
  SchemaShape,
  Select,
  StreamInput,
  TableInput,
  TableShape,
  Unmatched,
} from "./api/options.ts";
export { prepareJoin } from "./api/prepare-join.ts";
export type { AnyColumns, ColumnsOf, JoinColumns, JoinStream, PreparedJoin } from "./api/types.ts";
export { ArrowJoinError, type ArrowJoinErrorCode } from "./error.ts";
export type { Expression } from "./spec/expression.ts";
