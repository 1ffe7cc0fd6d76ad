/**
 * From what a caller wrote to an `AsofRequest`: one right or several, each with what it overrides.
 *
 *     joinAsof(left, right, options)                                one right: a table, batches, a stream
 *     joinAsof(left, { table, ...own }, options)                    one right with options of its own
 *     joinAsof(left, [{ table, ...own }, { table }], options)       several: what an entry does not say, the options say for all
 *
 * An array of RecordBatches is one right. No input is looked at, but for what it is.
 */

import { ArrowJoinError } from "../error.ts";
import type { StreamSettings } from "../run/settings.ts";
import type { AsofRequest, AsofRightRequest } from "../spec/asof-spec.ts";
import { rightName } from "../spec/plan-asof.ts";
import { parseExpression } from "./expr.ts";
import { entriesOf, parseOn, settingsOf, suffixPair } from "./request.ts";
import { ASOF_RIGHT_RULES, invalid, isObject, type Raw, RULES, readGiven, readOptions, show, TIME_FORMS } from "./rules.ts";

export interface ParsedAsof {
  /** The right inputs as they were given, one for each right of the request. */
  readonly tables: readonly unknown[];
  readonly request: AsofRequest;
  readonly settings: StreamSettings;
}

/** Throws INVALID_OPTION, INVALID_INPUT, INVALID_EXPRESSION. */
export function parseAsof(verb: "joinAsof" | "joinAsofStream", right: unknown, options: unknown): ParsedAsof {
  const entries = readRights(right);
  const common = readOptions(verb, options);
  const { settings, rest } = settingsOf(common);
  const { how = "left", select, batchSize = null, copy = false, unsorted = "error" } = rest as Partial<AsofRequest>;
  const { flush = verb === "joinAsof" ? "full" : "eager" } = rest as Partial<AsofRequest>;
  const rights = entries.map(({ own }, i) => parseRight({ ...common, ...readOwn(own, rightName(i)) }));
  return {
    tables: entries.map(({ table }) => table),
    request: { how, rights, select: select ? entriesOf(select as never) : null, batchSize, copy, flush, unsorted },
    settings,
  };
}

interface Entry {
  readonly table: unknown;
  readonly own: Raw;
}

const ENTRIES = "[{ table, ...options }, { table, ...options }]";

const isEntry = (value: unknown): value is Raw => isObject(value) && "table" in value && !("schema" in value);
const isTable = (value: unknown): boolean => isObject(value) && "schema" in value && "batches" in value;

function readRights(right: unknown): Entry[] {
  if (!Array.isArray(right)) return [isEntry(right) ? entryOf(right) : { table: right, own: {} }];
  const items: readonly unknown[] = [...right];
  if (items.length === 0) throw badRight(`The right is an empty array: give at least one right, a table or ${ENTRIES}.`);
  if (items.some(isEntry)) {
    return items.map((item, i) => {
      if (isEntry(item)) return entryOf(item);
      throw badRight(`The ${rightName(i)} input is no { table, ...options }, as others in the array are: several rights are ${ENTRIES}.`);
    });
  }
  if (items.every(isTable)) throw badRight(`The right is an array of tables: several rights are ${ENTRIES}.`);
  return [{ table: right, own: {} }];
}

function entryOf(item: Raw): Entry {
  const { table, ...own } = item;
  return { table, own };
}

const badRight = (text: string) => new ArrowJoinError("INVALID_INPUT", text);

/** What a right says for itself. */
function readOwn(own: Raw, name: string): Raw {
  return readGiven(`The entry of ${name}`, own, ASOF_RIGHT_RULES, (option) =>
    Object.hasOwn(RULES.joinAsofStream, option) ? "It is an option of the whole join: give it as the third argument." : "",
  );
}

function parseRight(given: Raw): AsofRightRequest {
  const { suffix = "_right", tolerance, filter, rightTime = null } = given as Partial<AsofRightRequest>;
  const { direction = "backward", ties = "adjacent", allowExactMatches = true } = given as Partial<AsofRightRequest>;
  return {
    on: parseTime(given.on),
    by: given.by === undefined ? [] : parseOn("by", given.by, given.nullsEqual === true),
    direction,
    ties,
    allowExactMatches,
    tolerance,
    filter: filter && parseExpression("filter", filter),
    rightTime,
    suffix: suffixPair(suffix),
  };
}

function parseTime(on: unknown): AsofRightRequest["on"] {
  if (on === undefined) throw invalid(`on is required: ${TIME_FORMS}.`);
  const [time, ...others] = parseOn("on", on, false);
  if (others.length > 0) throw invalid(`on must be ${TIME_FORMS}; it is ${show(on)}. Columns that must be equal are the option by.`);
  if (time.nullsEqual) throw invalid("on has nullsEqual: true, but a row without a time has no match: leave it out, or give it in by.");
  return { left: time.left, right: time.right };
}
