/** `RangeKernels` over an instance: passes addresses; loops are in assembly/range.ts. */

import type { Groups, Region } from "../contract.ts";
import type { RangeKernels, RangeSearch, SortedRows } from "../range-contract.ts";
import { WasmPairs } from "./pairs.ts";

type N = number;

export class WasmRange extends WasmPairs implements RangeKernels {
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
    this.wasm.searchSorted(
      width,
      this.at(keys),
      this.at(samples),
      this.at(groups.offsets),
      this.at(ends),
      this.at(handles),
      from,
      to,
      this.at(ordinals),
      Number(after),
      this.optional(floors),
      this.at(out),
    );
  }

  raiseTree(values: Region, width: 4 | 8, max: boolean, below: number, count: number, at: number, from: number, to: number): void {
    this.wasm.raiseTree(this.at(values), width, Number(max), below, count, at, from, to);
  }

  listRange(
    search: RangeSearch,
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
    const [probe, build] = [this.at(outProbe), this.at(outBuild)];
    this.wasm.listRange(
      this.at(handles),
      from,
      to,
      ...this.#stretches(search),
      least,
      shift,
      ...this.#tree(search),
      probeBase,
      probe,
      build,
      room,
    );
    return { row: this.instance.low(0), kept: this.instance.low(1) };
  }

  orderPairs(probe: Region, build: Region, count: number, spare: Region): void {
    this.wasm.orderPairs(this.at(probe), this.at(build), count, this.at(spare));
  }

  testRange(search: RangeSearch, handles: Region, from: number, to: number, out: Region): void {
    this.wasm.testRange(this.at(handles), from, to, ...this.#stretches(search), ...this.#tree(search), this.at(out));
  }

  #stretches({ groups, sorted, lows, highs }: RangeSearch): [offsets: N, ends: N, rows: N, lows: N, highs: N] {
    return [this.at(groups.offsets), this.at(sorted.ends), this.at(sorted.rows), this.optional(lows), this.optional(highs)];
  }

  #tree({ tree, queries }: RangeSearch): [values: N, width: N, places: N, swap: N, negate: N, queries: N] {
    if (!tree || !queries) return [0, 4, 0, 0, 0, 0];
    const { values, width, places, op } = tree;
    // gt is lt with its sides swapped; le and ge are what gt and lt are not.
    const [swap, negate] = [Number(op === "gt" || op === "le"), Number(op === "le" || op === "ge")];
    return [this.at(values), width, places, swap, negate, this.at(queries)] as const;
  }
}
