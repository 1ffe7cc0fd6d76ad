/** Which machine runs a join. */

import type { HashJoinOptions } from "./join-options.ts";
import { joinPass } from "./join-pass.ts";
import type { Machine } from "./machine.ts";
import { NestedLoopJoinStream } from "./nested-loop-join-stream.ts";

/** Joins without keys, and those with a memory limit, may take several passes; the others take one. */
export function joinMachine(options: HashJoinOptions): Machine {
  const { spec, memoryLimit = null, switches } = options;
  const loops = spec.keys.length === 0 || memoryLimit !== null || switches?.chunkRows !== undefined;
  return loops && !options.built ? new NestedLoopJoinStream(options) : joinPass(options);
}
