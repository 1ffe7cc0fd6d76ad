/** The entry `arrow-join`: the verbs, their types, the error. */

export { join } from "./api/join.ts";
export { joinStream } from "./api/join-stream.ts";
export type {
  JoinKind,
  JoinMetrics,
  JoinOptions,
  JoinProgress,
  JoinStreamOptions,
  KeyPair,
  On,
  RecordBatchShape,
  SchemaShape,
  Select,
  StreamInput,
  TableInput,
  TableShape,
} from "./api/options.ts";
export type { AnyColumns, ColumnsOf, JoinColumns, JoinStream } from "./api/types.ts";
export { ArrowJoinError, type ArrowJoinErrorCode } from "./error.ts";
