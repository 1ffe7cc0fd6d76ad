/**
 * One pass of a join: a machine that pairs rows or one that asks whether there is a partner, over all of the buffered side or, as a nested
 * loop has it, over a chunk of it.
 */

import { existenceOf } from "../spec/join-spec.ts";
import { ExistenceJoinStream } from "./existence-join-stream.ts";
import { HashJoinStream } from "./hash-join-stream.ts";
import type { JoinMachine } from "./join-machine.ts";
import type { HashJoinOptions } from "./join-options.ts";

export function joinPass(options: HashJoinOptions): JoinMachine {
  return existenceOf(options.spec.kind) ? new ExistenceJoinStream(options) : new HashJoinStream(options);
}
