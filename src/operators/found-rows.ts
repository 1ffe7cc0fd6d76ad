/**
 * `FoundRows`: what the passes of a nested loop found, put aside until the streamed side is read for the last time: of each pass a run of
 * pairs in the order of streamed rows, and the buffered rows that come after all pairs.
 */

import type { RecordBatch, Schema } from "apache-arrow";
import { ViewCache } from "../arrow/dictionary-view.ts";
import { InputBatch, type InputField, readSchema } from "../arrow/input.ts";
import type { RawBatch, RawSchema } from "../arrow/raw.ts";
import type { Side } from "../spec/join-spec.ts";
import type { StoreRequest } from "./machine.ts";
import type { RowFile } from "./row-file.ts";

type NewFile = (fields: readonly InputField[], columns: readonly number[]) => RowFile;

export class FoundRows {
  readonly #fields: readonly InputField[];
  readonly #schema: RawSchema;
  readonly #side: Side;
  readonly #pairs: boolean;
  readonly #cache = new ViewCache();
  readonly #newFile: NewFile;
  readonly runs: RowFile[] = [];
  readonly deferred: RowFile[] = [];

  /** `schema`: of the passes' output; `pairs` false: passes give rows of the buffered side only. */
  constructor(schema: Schema, side: Side, pairs: boolean, newFile: NewFile) {
    this.#schema = schema as unknown as RawSchema;
    this.#fields = readSchema(this.#schema, side).fields;
    this.#side = side;
    this.#pairs = pairs;
    this.#newFile = newFile;
  }

  startRun(): void {
    const columns = this.#fields.map((_, i) => i);
    for (const files of [this.runs, this.deferred]) files.push(this.#newFile(this.#fields, columns));
  }

  /** The pass was given up: it found nothing yet. */
  dropRun(): void {
    this.runs.pop();
    this.deferred.pop();
  }

  /** Puts a pass's batch aside; what is to be asked of the store, where there is one. */
  take(batch: RecordBatch): StoreRequest | null {
    const rows = new InputBatch(
      batch as unknown as RawBatch,
      this.#fields,
      this.#side,
      0,
      this.#cache,
      batch.schema as unknown as RawSchema,
    );
    // Rows without a partner have no position of a streamed row.
    const files = this.#pairs && rows.column(0).nullCount === 0 ? this.runs : this.deferred;
    return files[files.length - 1].append(rows, 0, rows.length).request;
  }
}
