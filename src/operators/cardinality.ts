/**
 * What `validate` and `unmatched` forbid (SEMANTICS 4): found while rows are matched, reported with the key's values and the row numbers.
 *
 * `firstOf` remembers for every build row the probe row that was its first partner, where build rows may have one only: 4 bytes a row.
 */

import type { InputBatch } from "../arrow/input.ts";
import { valueText } from "../arrow/value-text.ts";
import { ArrowJoinError } from "../error.ts";
import { type Groups, type Kernel, NONE, type Region } from "../kernel/contract.ts";
import type { JoinSpec, Side } from "../spec/join-spec.ts";
import type { BuildSide } from "./build-side.ts";
import type { HandleChunk } from "./probe-handles.ts";

export class Cardinality {
  readonly #kernel: Kernel;
  readonly #spec: JoinSpec;
  readonly #build: BuildSide;
  readonly #groups: Groups | null;
  readonly #firstOf: Region | null;
  readonly #firstBuild: number;
  #batch: InputBatch | null = null;
  /** The batch's first row in the whole input. */
  #batchStart = 0;
  /** The last probe row that found a partner, and which: pairs of a row may come in several calls. */
  #last = { row: NONE, build: NONE };

  /** `firstBuild`: build rows before these, where they are a part of them. */
  constructor(kernel: Kernel, spec: JoinSpec, build: BuildSide, groups: Groups | null, firstBuild = 0) {
    this.#firstBuild = firstBuild;
    this.#kernel = kernel;
    this.#spec = spec;
    this.#build = build;
    this.#groups = groups;
    this.#firstOf = spec.single[spec.build] ? kernel.alloc(4 * build.rows, "validate") : null;
    if (this.#firstOf) kernel.fill(this.#firstOf, 255, 0, this.#firstOf.bytes);
  }

  /** Whether any row may have one partner only. */
  get checks(): boolean {
    return this.#firstOf !== null || this.#spec.single[this.#spec.probe];
  }

  setBatch(batch: InputBatch, start: number): void {
    if (batch !== this.#batch) this.#last = { row: NONE, build: NONE };
    this.#batch = batch;
    this.#batchStart = start;
  }

  /** Rows that find their partners by keys alone. Throws CARDINALITY. */
  checkHandles({ handles, from, start, rows }: HandleChunk): void {
    const { single, probe } = this.#spec;
    if (!this.checks) return;
    const ids = this.#kernel.i32(handles);
    const offsets = this.#groups && this.#kernel.i32(this.#groups.offsets);
    const members = this.#groups && this.#kernel.i32(this.#groups.rows);
    const firstOf = this.#firstOf && this.#kernel.i32(this.#firstOf);
    for (let i = 0; i < rows; i++) {
      const handle = ids[from + i];
      if (handle === NONE) continue;
      const [at, end] = handle < NONE && offsets ? [offsets[-2 - handle], offsets[-1 - handle]] : [0, 1];
      const build = handle < NONE && members ? members[at] : handle;
      // A group may have one row: those of an inverted index.
      if (members && end - at > 1 && single[probe]) throw this.twoOfProbe(start + i, build, members[at + 1]);
      // Rows of a key find the same partners: the first stands for all.
      if (firstOf) this.#remember(firstOf, build, start + i);
    }
  }

  /** Pairs that passed the filter, probe rows in order. Returns how many probe rows are new among them. Throws CARDINALITY. */
  checkPairs(probe: Region, build: Region, count: number): number {
    const probes = this.#kernel.i32(probe);
    if (!this.checks) return this.#countRows(probes, count);
    const builds = this.#kernel.i32(build);
    const firstOf = this.#firstOf && this.#kernel.i32(this.#firstOf);
    const single = this.#spec.single[this.#spec.probe];
    const last = this.#last;
    let rows = 0;
    for (let i = 0; i < count; i++) {
      if (probes[i] !== last.row) rows++;
      else if (single) throw this.twoOfProbe(last.row, last.build, builds[i]);
      last.row = probes[i];
      last.build = builds[i];
      if (firstOf) this.#remember(firstOf, builds[i], probes[i]);
    }
    return rows;
  }

  #countRows(probes: Int32Array, count: number): number {
    let row = this.#last.row;
    let rows = 0;
    for (let i = 0; i < count; i++) {
      rows += Number(probes[i] !== row);
      row = probes[i];
    }
    this.#last.row = row;
    return rows;
  }

  /** A probe row of the batch that has no partner. */
  unmatchedProbe(row: number): ArrowJoinError {
    return this.#unmatched(this.#spec.probe, this.#batchStart + row, this.#keyOf(this.#batch as InputBatch, row, this.#spec.probe));
  }

  unmatchedBuild(id: number): ArrowJoinError {
    const { batch, row } = this.#build.locate(id);
    return this.#unmatched(this.#spec.build, this.#firstBuild + id, this.#keyOf(this.#build.batches[batch], row, this.#spec.build));
  }

  #remember(firstOf: Int32Array, build: number, row: number): void {
    const before = firstOf[build];
    const global = this.#batchStart + row;
    if (before === NONE) firstOf[build] = global;
    else throw this.#two(this.#spec.build, this.#firstBuild + build, this.#spec.probe, before, global, row);
  }

  /** A probe row of the batch that has two partners. */
  twoOfProbe(row: number, first: number, second: number): ArrowJoinError {
    return this.#two(this.#spec.probe, this.#batchStart + row, this.#spec.build, first, second, row);
  }

  #two(side: Side, row: number, other: Side, first: number, second: number, probeRow: number): ArrowJoinError {
    const { left, right } = this.#spec.single;
    const validate = left && right ? "1:1" : left ? "m:1" : "1:m";
    const key = this.#keyOf(this.#batch as InputBatch, probeRow, this.#spec.probe);
    return new ArrowJoinError(
      "CARDINALITY",
      `validate: "${validate}" allows each ${side} row one partner, but ${side} row ${row}${key} has two: ${other} rows ${first} and ${second}. Remove the duplicate, or choose one with multiple: "first" and no validate.`,
    );
  }

  #unmatched(side: Side, row: number, key: string): ArrowJoinError {
    const { kind } = this.#spec;
    const how = kind === "inner" || kind === side ? side : "full";
    return new ArrowJoinError(
      "UNMATCHED",
      `unmatched: "error" wants a partner for each ${side} row, but ${side} row ${row}${key} has none. Add it to the other side, or keep such rows with how: "${how}" and unmatched: "allow".`,
    );
  }

  #keyOf(batch: InputBatch, row: number, side: Side): string {
    const keys = this.#spec.keys.map((key) => {
      const [index, name] = side === "left" ? [key.left, key.leftName] : [key.right, key.rightName];
      return `${name} = ${valueText(batch.column(index), row)}`;
    });
    return keys.length > 0 ? ` (${keys.join(", ")})` : "";
  }
}
