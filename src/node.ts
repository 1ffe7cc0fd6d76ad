/** The entry `arrow-join/node`: what needs Node, Bun or Deno. */

export { type FileSpillOptions, fileSpillStore } from "./node/file-spill-store.ts";
export type { SpillFile, SpillStore } from "./run/spill-store.ts";
