/**
 * A spill store in memory that a test controls: when it answers, which call fails, what it gives back. It also watches that it is used as
 * `SpillStore` promises; what was done otherwise is in `misuse`, to be found empty.
 */

import type { SpillFile, SpillStore } from "../../src/run/spill-store.ts";

export type StoreCall = "create" | "append" | "read" | "remove";

export interface MemoryStoreOptions {
  /** Default: at once. `later`: with promises, after a random number of turns of the event loop. */
  readonly answers?: "now" | "later";
  /** This call fails: the `at`-th of its sort, from 0 on, by throwing or by a rejection. */
  readonly fail?: { readonly call: StoreCall; readonly at: number; readonly error: unknown };
  /** What is given back instead of the block by the `at`-th read, from 0 on. */
  readonly damage?: { readonly at: number; readonly to: (block: Uint8Array) => unknown };
  /** Called when a call begins, and awaited by stores that answer later. */
  readonly before?: (call: StoreCall, at: number) => unknown;
}

export interface MemoryStore extends SpillStore {
  /** Calls so far. */
  readonly calls: Readonly<Record<StoreCall, number>>;
  /** Files that were made and not removed. */
  readonly files: () => number;
  /** Bytes in these files, now and at most. */
  readonly bytes: () => number;
  readonly mostBytes: () => number;
  readonly names: readonly string[];
  readonly misuse: readonly string[];
}

export function memoryStore({ answers = "now", fail, damage, before }: MemoryStoreOptions = {}): MemoryStore {
  const calls: Record<StoreCall, number> = { create: 0, append: 0, read: 0, remove: 0 };
  const names: string[] = [];
  const misuse: string[] = [];
  let files = 0;
  let bytes = 0;
  let mostBytes = 0;

  function answer<T>(call: StoreCall, give: (at: number) => T): T | Promise<T> {
    const at = calls[call]++;
    const now = () => {
      if (fail?.call === call && fail.at === at) throw fail.error;
      return give(at);
    };
    const wait = before?.(call, at);
    if (answers === "now") return now();
    return (async () => {
      await wait;
      for (let turns = Math.floor(Math.random() * 3); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      return now();
    })();
  }

  function newFile(): SpillFile {
    let content = new Uint8Array(1024);
    let used = 0;
    let removed = false;
    let busy = false;
    files++;
    /** One call of the file: while it lasts there is no other, after `remove` none at all. */
    function use<T>(call: StoreCall, give: (at: number) => T): T | Promise<T> {
      if (busy) misuse.push(`${call} while another call is under way`);
      if (removed) misuse.push(`${call} after remove`);
      if (call === "remove") removed = true;
      busy = true;
      const free = () => {
        busy = false;
      };
      try {
        const result = answer(call, give);
        if (result instanceof Promise) return result.finally(free);
        free();
        return result;
      } catch (error) {
        free();
        throw error;
      }
    }
    return {
      append: (block) =>
        use("append", () => {
          if (used + block.length > content.length) {
            const longer = new Uint8Array(2 * (used + block.length));
            longer.set(content.subarray(0, used));
            content = longer;
          }
          content.set(block, used);
          used += block.length;
          bytes += block.length;
          mostBytes = Math.max(mostBytes, bytes);
        }),
      read: (offset, length) =>
        use("read", (at) => {
          if (offset + length > used) misuse.push(`read of ${length} bytes at ${offset} of ${used}`);
          const block = content.slice(offset, Math.min(used, offset + length));
          return (damage?.at === at ? damage.to(block) : block) as Uint8Array;
        }),
      remove: () =>
        use("remove", () => {
          files--;
          bytes -= used;
          content = new Uint8Array(0);
        }),
    };
  }

  return {
    create: (name) =>
      answer("create", () => {
        names.push(name);
        return newFile();
      }),
    calls,
    files: () => files,
    bytes: () => bytes,
    mostBytes: () => mostBytes,
    names,
    misuse,
  };
}

/** The block with bit `bit` of byte `at` turned. */
export function flipped(block: Uint8Array, at: number, bit = 0): Uint8Array {
  const other = block.slice();
  other[at] ^= 1 << bit;
  return other;
}
