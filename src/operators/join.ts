/** Which machine runs a join: pairs of rows, or the rows of one side. */

import { existenceOf } from "../spec/join-spec.ts";
import { ExistenceJoinStream } from "./existence-join-stream.ts";
import { HashJoinStream } from "./hash-join-stream.ts";
import type { JoinMachine } from "./join-machine.ts";
import type { HashJoinOptions } from "./join-options.ts";

export function joinMachine(options: HashJoinOptions): JoinMachine {
  return existenceOf(options.spec.kind) ? new ExistenceJoinStream(options) : new HashJoinStream(options);
}
