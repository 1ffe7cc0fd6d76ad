/**
 * As-of joins under every interleaving of arrivals: batches, watermarks and ends of all inputs come in random order, and whenever nothing
 * more can happen the rows handed out are those that the rule of emission decides from what has come, no fewer and no more. Seeds are the
 * same on every run; ARROW_JOIN_SEED runs one alone.
 */

import type { RecordBatch } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { ArrowJoinError } from "../../src/error.ts";
import { type AsofCase, asofCase } from "../support/asof-cases.ts";
import { type AsofExpected, decidedRows, type Known, oracleAsof } from "../support/asof-oracle.ts";
import { random } from "../support/axes.ts";
import { rowText } from "../support/cell.ts";
import { must } from "../support/compare.ts";
import { textOf } from "../support/expect-asof.ts";
import { type ReadTable, readBatches, readTable } from "../support/rows.ts";
import { runJoinAsofStream, type Stream } from "../support/run.ts";
import { quiet, Scheduled } from "../support/scheduled.ts";

const SEEDS = 2000;
/** Their waiting overlaps. */
const AT_ONCE = 50;

const firstRows = (read: ReadTable, rows: number): ReadTable => ({ ...read, rows: read.rows.slice(0, rows) });

/** What the oracle says of the rows before the one that breaks the order, which is all that may be handed out. */
function expectedOf({ left, rights, options, broken }: AsofCase): AsofExpected {
  const [l, ...rs] = [left, ...rights.map(({ table }) => table)].map((table, i) => {
    const read = readTable(table);
    return broken?.input === i ? firstRows(read, broken.row) : read;
  });
  return oracleAsof(
    l,
    rights.map((right, i) => ({ ...right, table: rs[i] })),
    options,
  );
}

class Run {
  readonly #case: AsofCase;
  readonly #inputs: readonly Scheduled[];
  readonly #expected: AsofExpected;
  readonly #texts: readonly string[];
  readonly #pick: (below: number) => number;
  #stream!: Stream;
  /** Batches that the consumer has, and how many calls of next() it waits for. */
  readonly #batches: RecordBatch[] = [];
  #waits = 0;
  #rows = 0;
  #ended = false;
  #error: unknown = null;

  constructor(seed: number) {
    this.#case = asofCase(seed);
    this.#pick = random(seed ^ 0x5bd1e995);
    this.#expected = expectedOf(this.#case);
    this.#texts = this.#expected.rows.map(rowText);
    const schemas = [this.#case.left, ...this.#case.rights.map(({ table }) => table)].map(({ schema }) => schema);
    this.#inputs = this.#case.plans.map((plan, i) => new Scheduled(schemas[i], plan));
  }

  async all(): Promise<void> {
    const { rights, options, switches, lazy } = this.#case;
    const [left, ...others] = this.#inputs;
    const given = rights.map((right, i) => ({ ...right, table: others[i] }));
    this.#stream = await runJoinAsofStream(left, given, options, switches);
    while (!this.#ended) {
      if (this.#waits === 0 && !(lazy && this.#pick(2) === 0)) this.#take(lazy);
      // On a busy machine the driver gives way to the event loop now and then, which looks quiet: what lacks has some time to come.
      let lacks: string | null = "";
      for (let wait = 0; lacks !== null && wait < 20; wait++) {
        await this.#quiet();
        if (this.#ended) break;
        lacks = this.#check();
      }
      if (this.#ended) break;
      must(lacks === null, () => lacks as string);
      const ready = this.#inputs.filter((input) => input.waits);
      if (ready.length === 0) continue;
      const away = this.#waits === 0;
      const before = this.#pulls();
      for (const input of ready) if (this.#pick(ready.length) === 0) input.deliver();
      if (!away) continue;
      await this.#quiet();
      must(this.#pulls() === before, () => "inputs are pulled while the consumer is away");
    }
    this.#check();
    this.#checkEnd();
  }

  readonly #pulls = (): number => this.#inputs.reduce((sum, { pulls }) => sum + pulls, 0);

  readonly #quiet = (): Promise<void> => quiet(() => `${this.#batches.length} ${this.#ended} ${this.#pulls()} ${this.#waits}`);

  /** One batch, or all there are. */
  #take(lazy: boolean): void {
    this.#waits++;
    this.#stream.next().then(
      ({ done, value }) => {
        this.#waits--;
        if (done) this.#ended = true;
        else {
          this.#batches.push(value);
          if (!lazy) this.#take(lazy);
        }
      },
      (error) => {
        this.#waits--;
        this.#error = error;
        this.#ended = true;
      },
    );
  }

  /** What is known of each input before the row that breaks the order. */
  #known(): Known[] {
    const { broken } = this.#case;
    return this.#inputs.map(({ known }, i) =>
      broken?.input !== i || known.rows <= broken.row ? { ...known } : { ...known, rows: broken.row, ended: false },
    );
  }

  #sawBroken(): boolean {
    const { broken } = this.#case;
    return broken !== null && this.#inputs[broken.input].known.rows > broken.row;
  }

  /** What has come is right, and not too much; what lacks of all that is to happen, if anything does. */
  #check(): string | null {
    const { options, lazy } = this.#case;
    const { rows } = readBatches(this.#stream.schema, this.#batches.splice(0));
    rows.forEach((row, i) => {
      const wanted = this.#texts[this.#rows + i];
      must(rowText(row) === wanted, () => `row ${this.#rows + i} is ${rowText(row)}, not ${wanted ?? "to be there"}`);
    });
    this.#rows += rows.length;
    const [left, ...known] = this.#known();
    const { origins } = this.#expected;
    const outputs = (left: number) => origins.filter((l) => l < left).length;
    const { least, most } = decidedRows(this.#expected, left.rows, known);
    const all = () => `of what is known, ${textOf([left, ...known])}`;
    must(this.#rows <= outputs(most), () => `${this.#rows} rows are handed out, but ${outputs(most)} are decided ${all()}`);
    if (this.#ended || this.#sawBroken()) return null;
    if (this.#waits > 0 && !this.#inputs.some((input) => input.waits)) return "no input is asked for, and the consumer waits";
    if (lazy || options.flush === "full" || this.#rows >= outputs(least)) return null;
    return `${this.#rows} rows are handed out, though ${outputs(least)} are decided ${all()}`;
  }

  /** Nothing that has not come can change the answer: each row is decided, or dropped for what one right has not. */
  #isAnswered(): boolean {
    const { partners, rights } = this.#expected;
    const { broken, options } = this.#case;
    const known = this.#known().slice(1);
    const drops = options.how === "inner" || options.how === "leftSemi";
    const without = (i: number) => known[i].ended && partners.every((row) => row[i] < 0);
    if (broken?.input === 0) return drops && rights.some((_, i) => without(i));
    const isDecided = (l: number, i: number) => rights[i].isHopeless(l) || rights[i].isDecided(l, known[i]);
    return partners.every(
      (row, l) => row.every((_, i) => isDecided(l, i)) || (drops && row.some((partner, i) => partner < 0 && isDecided(l, i))),
    );
  }

  #checkEnd(): void {
    const { broken, plain } = this.#case;
    if (this.#error === null) {
      must(broken === null || this.#isAnswered(), () => "no error, though a row that was needed breaks the order");
      if (broken === null || broken.input > 0)
        must(this.#rows === this.#texts.length, () => `${this.#rows} rows of ${this.#texts.length} came`);
      for (const [i, { known, returns }] of this.#inputs.entries())
        must(known.ended || returns > 0, () => `input ${i} is neither read to its end nor cancelled`);
      return;
    }
    if (broken === null || !(this.#error instanceof ArrowJoinError)) throw this.#error;
    const { code, message } = this.#error;
    const side = broken.input === 0 ? "left" : broken.input === 1 ? "right" : `right${broken.input - 1}`;
    const words = [side, String(broken.row), ...(plain ? [String(broken.before), String(broken.value)] : [])];
    must(code === "UNSORTED", () => `an error of ${code}: ${message}`);
    must(this.#sawBroken(), () => `${message}, which was not delivered`);
    const has = (word: string) => new RegExp(`(^|[^\\w-])${word}($|\\W)`).test(message);
    const left = words.filter((word) => !has(word));
    must(left.length === 0, () => `the message does not name ${left.join(", ")}: ${message}`);
  }
}

async function interleaved(seed: number): Promise<void> {
  try {
    await new Run(seed).all();
  } catch (error) {
    const { rights, options, switches } = asofCase(seed);
    const of = rights.map(({ table, ...own }) => own);
    throw new Error(`seed ${seed}, ${textOf({ options, of, switches })}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

describe("in any interleaving of batches, watermarks and ends", () => {
  const chosen = process.env.ARROW_JOIN_SEED;
  const seeds = chosen ? [Number(chosen)] : Array.from({ length: SEEDS }, (_, seed) => seed);

  it("the rows handed out are those that are decided, in every quiet moment, and disorder is an error before any row that depends on it", async () => {
    const failed: string[] = [];
    for (let at = 0; at < seeds.length; at += AT_ONCE) {
      const results = await Promise.allSettled(seeds.slice(at, at + AT_ONCE).map(interleaved));
      for (const result of results) if (result.status === "rejected") failed.push(String((result.reason as Error).message));
    }
    expect(failed.slice(0, 5), `${failed.length} of ${seeds.length} seeds`).toEqual([]);
  }, 120_000);

  it("of the cases there are enough of every sort", () => {
    const cases = seeds.slice(0, 300).map(asofCase);
    const share = (holds: (one: AsofCase) => boolean) => cases.filter(holds).length / cases.length;
    if (chosen) return;
    expect(share(({ broken }) => broken !== null)).toBeGreaterThan(0.08);
    expect(share(({ plans }) => plans.some((plan) => plan.some(({ item }) => "watermark" in item)))).toBeGreaterThan(0.5);
    for (const direction of ["backward", "forward", "nearest"])
      expect(share(({ rights }) => rights.some((right) => right.direction === direction))).toBeGreaterThan(0.3);
  });
});
