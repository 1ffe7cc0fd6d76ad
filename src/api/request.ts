/** From what a caller wrote to a `JoinRequest` and settings (rules.ts). No input is looked at. */

import type { PreparedRight, PrepareSettings } from "../run/prepared-right.ts";
import type { StreamSettings } from "../run/settings.ts";
import type { Expression } from "../spec/expression.ts";
import { type JoinRequest, outputSideOf } from "../spec/join-spec.ts";
import { parseExpression } from "./expr.ts";
import type { Unmatched } from "./options.ts";
import { invalid, isObject, isText, ON_FORMS, type Raw, readOptions, show, type Verb } from "./rules.ts";

export interface ParsedOptions {
  readonly request: JoinRequest;
  readonly settings: StreamSettings & PrepareSettings;
}

export const parseOptions = (verb: Verb, options: unknown): ParsedOptions => requestOf(readOptions(verb, options));

/** Of a verb that has no keys: joined where the predicate is true, or, where there is none to give (undefined), each row with each. */
export function parseKeyless(verb: Verb, options: unknown, predicate?: readonly [unknown]): ParsedOptions {
  const given = readOptions(verb, options === undefined ? {} : options);
  return requestOf(given, [], predicate && parseExpression("predicate", predicate[0]));
}

function requestOf(given: Raw, on?: JoinRequest["on"], predicate?: Expression): ParsedOptions {
  const { settings, rest: own } = settingsOf(given);
  const { suffix = "_right", select, filter, unmatched = "allow", ...rest } = own as Given;
  return {
    request: {
      how: "inner",
      coalesceKeys: true,
      order: null,
      build: null,
      batchSize: null,
      copy: false,
      flush: "full",
      nullAware: false,
      markName: "mark",
      validate: "m:m",
      multiple: "all",
      ...rest,
      filter: predicate ?? (filter && parseExpression("filter", filter)),
      unmatched: isObject(unmatched) ? { left: unmatched.left ?? "allow", right: unmatched.right ?? "allow" } : unmatched,
      on: on ?? parseOn("on", given.on, given.nullsEqual === true),
      select: select ? entriesOf(select) : null,
      suffix: suffixPair(suffix),
    },
    settings,
  };
}

/** Options that say how to run, apart from those that say what is joined. */
export function settingsOf(given: Raw): { readonly settings: StreamSettings; readonly rest: Raw } {
  const {
    kernel = "auto",
    hashSeed = null,
    onMetrics = null,
    signal = null,
    onProgress = null,
    ...others
  } = given as Partial<StreamSettings>;
  const { memoryLimit = null, spill = null, ...rest } = others;
  return { settings: { kernel, hashSeed, onMetrics, signal, onProgress, memoryLimit, spill }, rest: rest as Raw };
}

export const suffixPair = (suffix: string | readonly [string, string]): readonly [string, string] =>
  isText(suffix) ? ["", suffix] : suffix;

/**
 * The options of a join whose right side is prepared: those that were fixed then need not be repeated, and must agree if they are; without
 * any options there need be none. Throws INVALID_OPTION.
 */
export function parsePreparedOptions(verb: Verb, options: unknown, { on, options: prepared }: PreparedRight): ParsedOptions {
  const given = readOptions(verb, options === undefined ? {} : options);
  const fixed: Raw = { nullsEqual: false, kernel: "auto", ...defined(prepared) };
  for (const name of ["nullsEqual", "kernel", "hashSeed"]) {
    if (given[name] !== undefined && given[name] !== fixed[name]) throw differs(name, given, prepared);
  }
  const { nullsEqual } = fixed;
  if (given.on !== undefined && keyText(parseOn("on", given.on, nullsEqual === true)) !== keyText(on)) throw differs("on", given, prepared);
  if (given.build === "left")
    throw invalid('build: "left" does not go with a prepared right side, which is the one that was built: leave build out.');
  const parsed = requestOf({ ...given, on, build: "right" });
  const { how, nullAware } = parsed.request;
  if (!nullAware || outputSideOf(how) !== "right") return parsed;
  // Right rows are in right order whatever is asked. Asked for, it would make theirs the probe side, which no null-aware join can have hashed.
  return { ...parsed, request: { ...parsed.request, order: null } };
}

const differs = (name: string, given: Raw, prepared: Raw) =>
  invalid(
    `${name} is ${show(given[name])}, but the right side was prepared with ${prepared[name] === undefined ? "its default" : show(prepared[name])}: leave ${name} out here, or prepare it with ${name}: ${show(given[name])}.`,
  );

/** Keys may be repeated in another order. */
const keyText = (on: JoinRequest["on"]): string =>
  on
    .map((key) => JSON.stringify(key))
    .sort()
    .join();

const defined = (options: Raw): Raw => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** The options after their rules were tested. */
type Given = Partial<Omit<JoinRequest, "on" | "select" | "suffix" | "filter" | "unmatched"> & StreamSettings & PrepareSettings> & {
  readonly filter?: unknown;
  readonly unmatched?: Unmatched;
  readonly suffix?: string | readonly [string, string];
  readonly select?: readonly string[] | Readonly<Record<string, string>>;
};

export const entriesOf = (select: NonNullable<Given["select"]>): JoinRequest["select"] =>
  Array.isArray(select)
    ? select.map((column) => ({ name: null, column }))
    : Object.entries(select).map(([name, column]) => ({ name, column }));

/** One grammar in every verb. */
export function parseOn(option: string, on: unknown, nullsEqual: boolean): JoinRequest["on"] {
  if (on === undefined) throw invalid(`${option} is required: the columns to join on, as ${ON_FORMS}.`);
  const entries: readonly unknown[] = isText(on)
    ? [on]
    : Array.isArray(on)
      ? [...on]
      : Object.entries(on as Raw).map(([left, right]) => ({ left, right }));
  if (entries.length === 0) throw invalid(`${option} names no key: give at least one column, as ${ON_FORMS}.`);
  return entries.map((entry) => {
    const { left, right, nullsEqual: own = nullsEqual, ...rest } = isText(entry) ? { left: entry, right: entry } : ((entry ?? {}) as Raw);
    if (isText(left) && isText(right) && typeof own === "boolean" && Object.keys(rest).length === 0)
      return { left, right, nullsEqual: own };
    throw invalid(`${option} has the entry ${show(entry)}; it takes ${ON_FORMS}.`);
  });
}
