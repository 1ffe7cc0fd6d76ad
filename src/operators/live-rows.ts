/** Which held rows are of use, from the lists that name them; and those lists after the others are gone. */

import { NONE } from "../kernel/contract.ts";
import type { HeldRows } from "./held-rows.ts";

/**
 * Compacts the held rows before `boundary` to those that the lists name and those from `low` on, and brings the lists, in place, to the new
 * ids. Returns how far ids from `low` or `boundary` on have moved. O(boundary + entries).
 */
export function keepLive(held: HeldRows, boundary: number, low: number, listsOf: () => readonly Int32Array[]): number {
  const next = new Int32Array(boundary).fill(1, Math.min(low, boundary));
  for (const list of listsOf()) for (const id of list) if (id !== NONE && id < boundary) next[id] = 1;
  let count = 0;
  for (let id = 0; id < boundary; id++) count += next[id];
  const live = new Int32Array(count);
  for (let id = 0, at = 0; id < boundary; id++) {
    if (next[id] === 0) continue;
    live[at] = id;
    next[id] = at++;
  }
  const delta = count - boundary;
  held.compact(live, boundary);
  // Taken anew: kernel memory may have moved.
  for (const list of listsOf())
    for (let i = 0; i < list.length; i++) if (list[i] !== NONE) list[i] = list[i] < boundary ? next[list[i]] : list[i] + delta;
  return delta;
}
