/** `RangeKernels` of the twin: resolves regions to typed arrays, once a call. Loops are in range-search.ts. */

import type { Groups, Region } from "../contract.ts";
import type { RangeKernels, RangeSearch, SortedRows } from "../range-contract.ts";
import { TsPairs } from "./pair-kernels.ts";
import * as search from "./range-search.ts";

const wordsOf = (width: 4 | 8): 1 | 2 => (width === 4 ? 1 : 2);

export class TsRange extends TsPairs implements RangeKernels {
  searchSorted(
    { width, keys, samples, ends }: SortedRows,
    groups: Groups,
    handles: Region,
    from: number,
    to: number,
    ordinals: Region,
    after: boolean,
    floors: Region | null,
    out: Region,
  ): void {
    const [offsets, last] = [this.i32(groups.offsets), this.i32(ends)];
    const [ids, values] = [this.i32(handles), this.i32(ordinals)];
    const [all, some] = [this.i32(keys), this.i32(samples)];
    search.searchSorted(all, some, wordsOf(width), offsets, last, ids, from, to, values, after, floors && this.i32(floors), this.i32(out));
  }

  raiseTree(values: Region, width: 4 | 8, max: boolean, below: number, count: number, at: number, from: number, to: number): void {
    search.raiseTree(this.i32(values), wordsOf(width), max, below, count, at, from, to);
  }

  listRange(
    asked: RangeSearch,
    handles: Region,
    from: number,
    to: number,
    least: number,
    shift: number,
    probeBase: number,
    outProbe: Region,
    outBuild: Region,
    room: number,
  ): { row: number; kept: number } {
    const [ids, probe, build] = [this.i32(handles), this.i32(outProbe), this.i32(outBuild)];
    return search.listRange(this.#stretches(asked), ids, from, to, least, shift, probeBase, probe, build, room);
  }

  orderPairs(probe: Region, build: Region, count: number, _spare: Region): void {
    search.orderPairs(this.i32(probe), this.i32(build), count);
  }

  testRange(asked: RangeSearch, handles: Region, from: number, to: number, out: Region): void {
    search.testRange(this.#stretches(asked), this.i32(handles), from, to, this.i32(out));
  }

  #stretches({ groups, sorted, tree, lows, highs, queries }: RangeSearch): search.Stretches {
    return {
      offsets: this.i32(groups.offsets),
      ends: this.i32(sorted.ends),
      rows: this.i32(sorted.rows),
      lows: lows && this.i32(lows),
      highs: highs && this.i32(highs),
      descent: tree && queries && new search.Descent(tree, this.i32(tree.values), this.i32(queries)),
    };
  }
}
