/**
 * How each output column is made, decided once: from the probe side, the build side, or (a coalesced key of a full join) from both.
 *
 *     phase      probe column        build column          both (coalesced)
 *     matches    passed or gathered  gathered, or null     the preferred side where it has a row, else the other
 *     drain      null                gathered              gathered from the build side
 *
 * Dictionaries of the build side become one, with Int32 codes; those of the probe side pass through as they are (SEMANTICS 2.5).
 */

import type { Data, DataType, Schema } from "apache-arrow";
import type { ColumnView, DictionaryView } from "../arrow/column.ts";
import { decodeDictionary } from "../arrow/decode.ts";
import { DictionaryUnifier, type Intern } from "../arrow/dictionary.ts";
import { dictionariesOf } from "../arrow/dictionary-view.ts";
import { type InputBatch, type InputSchema, rowNumberType } from "../arrow/input.ts";
import { markType } from "../arrow/mark.ts";
import { OutputSchema } from "../arrow/output.ts";
import { ColumnSource } from "../arrow/source.ts";
import { describeType, rebuildType } from "../arrow/type.ts";
import { viewColumn } from "../arrow/view.ts";
import { ColumnWriter, type WriterOptions } from "../arrow/writer.ts";
import { ArrowJoinError } from "../error.ts";
import type { Kernel, Segment } from "../kernel/contract.ts";
import { hasDictionary } from "../plain-type.ts";
import { type JoinKind, type JoinSpec, type OutputColumn, outputSideOf, type Side } from "../spec/join-spec.ts";
import { Interner } from "./interner.ts";

export interface OutputSwitches {
  /** Largest 32-bit offset column of a batch, to reach the split without gigabytes. */
  readonly maxColumnBytes?: number;
}

/** Columns up to this size are copied into kernel memory, where a gather costs a quarter; and all of them up to `PLACE_TOTAL` (DESIGN 5). */
const PLACE_COLUMN = 4 << 20;
const PLACE_TOTAL = 64 << 20;
/** A wider value costs more to copy than to find. */
const PLACE_WIDTH = 64;

export class PlannedColumn {
  readonly type: DataType;
  readonly probe: number | null;
  readonly build: number | null;
  /** Which of several build sides it is of. */
  readonly from: number;
  /** Coalesced, and the build side's value is preferred where it has a row. */
  readonly prefersBuild: boolean;
  readonly convert: OutputColumn["convert"];
  /** The mark of a mark join, of neither side. */
  readonly isMark: boolean;
  buildSource: ColumnSource;
  readonly writer: ColumnWriter;
  probeSource: ColumnSource | null = null;
  readonly #kernel: Kernel;
  /** Makes what unifies the dictionaries of one source; null where they pass through. */
  readonly #unify: (() => () => DictionaryUnifier) | null;
  /** All sources of the column share its dictionaries: a type has them in one order, so they are told by their number. */
  readonly #unifiers: DictionaryUnifier[] = [];
  /** Whether consecutive probe rows can be handed out as slices of the batch. */
  readonly passes: boolean;

  constructor(kernel: Kernel, spec: PlannedSides, column: PlannedOutput, type: DataType, options: WriterOptions) {
    this.#kernel = kernel;
    this.from = column.from ?? 0;
    this.type = type;
    this.convert = column.convert;
    this.isMark = column.left === null && column.right === null;
    this.probe = spec.probe === "left" ? column.left : column.right;
    this.build = spec.build === "left" ? column.left : column.right;
    this.prefersBuild = this.probe !== null && this.build !== null && spec.build === "left";
    const unifiers = this.#unifiers;
    const unify = unifies(spec, column) && hasDictionary(describeType(type));
    this.#unify = !unify
      ? null
      : () => {
          let number = 0;
          return () => (unifiers[number++] ??= new DictionaryUnifier(kernel, internerOf(kernel)));
        };
    this.passes = this.probe !== null && !this.prefersBuild && !unify;
    this.buildSource = this.#newSource();
    this.writer = new ColumnWriter(kernel, type, options);
  }

  /** The view of a batch's column, in the type that the output has. */
  #viewOf(batch: InputBatch, index: number): ColumnView {
    const view = batch.column(index);
    return this.convert === "values" && view.layout === "codes" ? decodeDictionary(this.#kernel, view) : view;
  }

  addBuild(batch: InputBatch): void {
    if (this.build !== null) this.buildSource.add(this.#viewOf(batch, this.build));
  }

  /** Forgets the build batches, but for what became one dictionary; `first`: rows that this column's writer gathered of them. */
  clearBuild(first?: Data): void {
    this.buildSource = this.#newSource();
    if (first) this.buildSource.add(viewColumn(first, "kept rows"), true);
  }

  /** An endless side may bring a new dictionary with every batch. */
  forgetDictionaries(): void {
    for (const unifier of this.#unifiers) unifier.forget();
  }

  #newSource(): ColumnSource {
    return new ColumnSource(this.#unify?.());
  }

  /** Sets the source of the probe columns to one batch. */
  setProbe(batch: InputBatch): void {
    if (this.probe !== null) this.probeSource = this.#newSource().add(this.#viewOf(batch, this.probe));
  }

  /** Adds the dictionaries of a probe batch to those of the column, where they become one. */
  unifyProbe(batch: InputBatch): void {
    if (this.probe !== null && this.#unify) this.#newSource().add(this.#viewOf(batch, this.probe));
  }

  /** Dictionaries that a batch of the output takes over from the probe batch: one change ends the output batch. */
  passedDictionaries(): DictionaryView[] {
    return this.probeSource && !this.#unify ? dictionariesOf(this.probeSource.views[0]) : [];
  }
}

/** Which side streams, which is kept, and whose dictionaries become one. */
export type PlannedSides = Pick<JoinSpec, "probe" | "build" | "unified">;
/** `from`: of the kept sides, of which an as-of join has several. */
export type PlannedOutput = OutputColumn & { readonly from?: number };

/** A copy of some rows of a column's build side. */
export class BuildCopy {
  readonly #source: ColumnSource;
  readonly #writer: ColumnWriter;
  bytes = 0;

  constructor(kernel: Kernel, { type, buildSource }: PlannedColumn) {
    this.#source = buildSource;
    this.#writer = new ColumnWriter(kernel, type);
  }

  /** Throws MEMORY_LIMIT. */
  append(segment: Segment): void {
    if (this.#writer.append(this.#source, segment)) return;
    throw new ArrowJoinError("MEMORY_LIMIT", "The right rows that an as-of join keeps have more than 2^31 - 1 bytes in one column.");
  }

  finish(): Data {
    this.bytes = this.#writer.heldBytes;
    return this.#writer.finish();
  }
}

/** Whether dictionaries of the column become one with Int32 codes. */
function unifies(spec: Pick<PlannedSides, "unified">, column: OutputColumn): boolean {
  if (column.convert !== "none") return column.convert === "codes";
  return (spec.unified === "left" ? column.left : column.right) !== null && (column.left === null || column.right === null);
}

/** Gives equal values of one flat type equal ids. */
function internerOf(kernel: Kernel): Intern {
  let interner: Interner | null = null;
  return (values) => {
    interner ??= new Interner(kernel, values.layout === "words" ? values.width : values.layout === "bits" ? 1 : 0);
    return interner.intern(values);
  };
}

/** The columns of a join's output, and the batches made of them. */
export class OutputPlan {
  readonly columns: readonly PlannedColumn[];
  readonly output: OutputSchema;
  readonly #kernel: Kernel;
  #placedBytes = 0;

  constructor(
    kernel: Kernel,
    spec: PlannedSides & { readonly output: readonly PlannedOutput[] },
    output: OutputSchema,
    switches: OutputSwitches,
  ) {
    this.#kernel = kernel;
    this.output = output;
    const options: WriterOptions = { maxBytes: switches.maxColumnBytes };
    this.columns = spec.output.map((column, i) => new PlannedColumn(kernel, spec, column, output.schema.fields[i].type, options));
  }

  get schema(): Schema {
    return this.output.schema;
  }

  addBuild(batch: InputBatch, from = 0): void {
    for (const column of this.columns) if (column.from === from) column.addBuild(batch);
  }

  /** Writers of copies of the rows of one of several build sides. */
  copyBuild(from: number): BuildCopy[] {
    return this.columns
      .filter((column) => column.build !== null && column.from === from)
      .map((column) => new BuildCopy(this.#kernel, column));
  }

  /** From now on there are, of that side, the copies that were finished, or none; not its batches. */
  keepBuild(from: number, copies: readonly Data[] | null): void {
    let next = 0;
    for (const column of this.columns) {
      if (column.build === null || column.from !== from) continue;
      column.clearBuild(copies ? copies[next++] : undefined);
      column.forgetDictionaries();
    }
  }

  /** These are the build batches from now on. */
  setBuild(batches: readonly InputBatch[]): void {
    for (const column of this.columns) column.clearBuild();
    for (const batch of batches) this.addBuild(batch);
  }

  unifyProbe(batch: InputBatch): void {
    for (const column of this.columns) column.unifyProbe(batch);
  }

  /** Bytes that a row takes for certain. */
  get rowBytes(): number {
    return this.columns.reduce((sum, { writer }) => sum + writer.rowBytes, 0);
  }

  /** Copies small build columns into kernel memory. `batches`: of the build side. */
  placeBuild(batches: number): void {
    // The twin reads JavaScript's buffers where they lie: a copy only helps where there are several.
    if (this.#kernel.name === "ts" && batches <= 1) return;
    for (const { buildSource } of this.columns) {
      const view = buildSource.views[0];
      if (view?.layout !== "words" || view.width > PLACE_WIDTH) continue;
      const bytes = buildSource.rows * view.width;
      if (bytes > PLACE_COLUMN || this.#placedBytes + bytes > PLACE_TOTAL) continue;
      this.#placedBytes += buildSource.place(this.#kernel);
    }
  }

  get heldBytes(): number {
    return this.columns.reduce((sum, { writer, buildSource }) => sum + writer.heldBytes + buildSource.heldBytes, 0);
  }

  /** How much work a row of a column is at most: values under it, 32 bytes counting as one, null ones too. */
  get rowWeight(): number {
    return this.columns.reduce(
      (most, { buildSource, probeSource, writer }) =>
        Math.max(most, buildSource.rowWeight, probeSource?.rowWeight ?? 1, writer.rowBytes / 32),
      1,
    );
  }
}

/** The schema of a join's result, of an as-of join with one right or several. Nothing is read: it is known before any work. */
export function outputSchema(
  spec: { readonly kind: JoinKind; readonly unified: Side; readonly output: readonly PlannedOutput[] },
  left: InputSchema,
  ...rights: readonly InputSchema[]
): OutputSchema {
  let next = 0;
  const ids = () => next++;
  const fields = spec.output.map((column) => {
    const { name, nullable } = column;
    if (column.left === null && column.right === null) return { name, type: markType(), nullable };
    const numbers = rowNumberType(column.left ?? column.right);
    if (numbers) return { name, type: numbers, nullable };
    const side = column.typeOf;
    const right = rights[column.from ?? 0];
    const index = side === "left" ? (column.left ?? -1) : (column.right ?? -1);
    const field = (side === "left" ? left : right).fields[index];
    const path = `${side} column "${field.name}"`;
    const type = rebuildType(field.type, ids, path, unifies(spec, column));
    const other = column.otherKey === undefined ? undefined : (side === "left" ? right : left).fields[column.otherKey].metadata;
    return { name, type, nullable, metadata: other ? mergedMetadata(field.metadata, other, side === "left") : field.metadata };
  });
  const only = outputSideOf(spec.kind);
  // Left wins a conflict.
  const of = only === "left" ? [left] : only === "right" ? rights : [...[...rights].reverse(), left];
  const metadata = new Map(of.flatMap((input) => [...input.metadata]));
  return new OutputSchema(fields, metadata);
}

/** Of a column that stands for two: all entries, the left's where both have one. What an extension type is goes with the type. */
function mergedMetadata(own: Map<string, string>, other: Map<string, string>, ownIsLeft: boolean): Map<string, string> {
  const kept = [...other].filter(([name]) => !name.startsWith("ARROW:extension:"));
  return ownIsLeft ? new Map([...kept, ...own]) : new Map([...own, ...kept]);
}

/** Columns of a side that the join reads: keys, what the filter compares, payload. Not the row numbers, which no input holds. */
export function neededColumns(spec: JoinSpec, side: "left" | "right"): number[] {
  const filter = [spec.filter, spec.notFalse].flatMap((of) => of?.[side].columns ?? []);
  const keys = spec.keys.map((key) => (side === "left" ? key.left : key.right));
  const payload = spec.output.flatMap((column) => (side === "left" ? (column.left ?? []) : (column.right ?? [])));
  return [...new Set([...keys, ...filter, ...payload])].filter((column) => column >= 0);
}
