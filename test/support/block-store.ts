/** A `SpillStore` in memory, which counts its files and may answer with promises. */

import type { SpillFile, SpillStore } from "../../src/run/spill-store.ts";

export interface MemoryStore extends SpillStore {
  readonly files: () => number;
}

export function memoryStore({ promises = false } = {}): MemoryStore {
  let files = 0;
  const answer = <T>(value: T): T | Promise<T> => (promises ? Promise.resolve(value) : value);
  return {
    files: () => files,
    create() {
      files++;
      let bytes = new Uint8Array(0);
      const file: SpillFile = {
        append(block) {
          const next = new Uint8Array(bytes.length + block.length);
          next.set(bytes);
          next.set(block, bytes.length);
          bytes = next;
          return answer(undefined);
        },
        read: (offset, length) => answer(bytes.slice(offset, offset + length)),
        remove() {
          files--;
          return answer(undefined);
        },
      };
      return answer(file);
    },
  };
}
