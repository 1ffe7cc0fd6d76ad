/** The entry `arrow-join`: the verbs, their types, the error. */

export type { AsofColumns } from "./api/asof-types.ts";
export { col, lit } from "./api/expr.ts";
export type { ColumnExprs, Expr, Filter } from "./api/expr-types.ts";
export { join } from "./api/join.ts";
export { joinAsof, joinAsofStream } from "./api/join-asof.ts";
export { joinCross, joinCrossStream } from "./api/join-cross.ts";
export { type JoinIndices, joinIndices } from "./api/join-indices.ts";
export { joinStream } from "./api/join-stream.ts";
export { joinWhere, joinWhereStream } from "./api/join-where.ts";
export type {
  AsofMatchOptions,
  AsofOn,
  AsofRight,
  AsofStreamInput,
  FlowOptions,
  JoinAsofOptions,
  JoinAsofStreamOptions,
  JoinCrossOptions,
  JoinCrossStreamOptions,
  JoinIndicesOptions,
  JoinKind,
  JoinMetrics,
  JoinOptions,
  JoinProgress,
  JoinStreamOptions,
  JoinWhereOptions,
  JoinWhereStreamOptions,
  KeyPair,
  Lapse,
  On,
  PrepareOptions,
  RecordBatchShape,
  SchemaShape,
  Select,
  SpillStore,
  StreamInput,
  TableInput,
  TableShape,
  Unmatched,
  Watermark,
} from "./api/options.ts";
export { prepareJoin } from "./api/prepare-join.ts";
export type { AnyColumns, ColumnsOf, JoinColumns, JoinStream, PreparedJoin } from "./api/types.ts";
export { ArrowJoinError, type ArrowJoinErrorCode } from "./error.ts";
export type { SpillFile } from "./run/spill-store.ts";
export type { Expression } from "./spec/expression.ts";
