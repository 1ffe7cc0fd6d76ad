/**
 * From what a caller wrote to a `JoinRequest` and settings: every option is known and has a value it may have, or INVALID_OPTION says which
 * is not, and what would be. No input is looked at.
 */

import { ArrowJoinError } from "../error.ts";
import type { PreparedRight, PrepareSettings } from "../run/prepared-right.ts";
import type { StreamSettings } from "../run/settings.ts";
import type { Expression } from "../spec/expression.ts";
import { JOIN_KINDS, type JoinRequest, outputSideOf, type Side } from "../spec/join-spec.ts";
import { parseExpression } from "./expr.ts";
import type { Unmatched } from "./options.ts";

export type Verb =
  | "join"
  | "joinIndices"
  | "joinStream"
  | "prepareJoin"
  | "joinWhere"
  | "joinWhereStream"
  | "joinCross"
  | "joinCrossStream";

type Raw = Readonly<Record<string, unknown>>;

const invalid = (text: string) => new ArrowJoinError("INVALID_OPTION", text);

/** What a value must be, in words, and the test. */
type Rule = readonly [must: string, test: (value: unknown) => boolean];

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is Raw => typeof value === "object" && value !== null;
const oneOf = (...values: readonly string[]): Rule => [
  `one of ${values.map((value) => `"${value}"`).join(", ")}`,
  (value) => values.includes(value as string),
];
const isSide = (value: unknown): value is Side => value === "left" || value === "right";
const truth: Rule = ["true or false", (value) => typeof value === "boolean"];
const callback: Rule = ["a function", (value) => typeof value === "function"];
const ALLOW = oneOf("allow", "error");
const ON_FORMS = '"id", ["a", "b"], { leftName: "rightName" } or [{ left, right, nullsEqual? }]';

type Rules = Readonly<Record<string, Rule>>;

const INDEX_RULES: Rules = {
  on: [ON_FORMS, (value) => isText(value) || isObject(value)],
  how: oneOf(...JOIN_KINDS),
  filter: [
    "a function such as (l, r) => l.price.gt(r.limit), an expression, or its JSON as an object (JSON.parse a text)",
    (value) => typeof value === "function" || isObject(value),
  ],
  nullsEqual: truth,
  nullAware: truth,
  validate: oneOf("m:m", "1:m", "m:1", "1:1"),
  unmatched: [
    '"allow", "error", or one of them for each side: { left: "error" }',
    (value) =>
      ALLOW[1](value) ||
      (isObject(value) && Object.entries(value).every(([side, one]) => isSide(side) && (one === undefined || ALLOW[1](one)))),
  ],
  multiple: oneOf("all", "first", "last", "any"),
  order: oneOf("left", "right", "any"),
  build: oneOf("auto", "left", "right"),
  batchSize: [
    "a whole number above 0, or Infinity",
    (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) > 0),
  ],
  kernel: oneOf("auto", "wasm", "ts"),
  hashSeed: ["a number", Number.isFinite],
  onMetrics: callback,
};

/** What shapes a table is of no use where there is none. */
const JOIN_RULES: Rules = {
  ...INDEX_RULES,
  select: [
    'texts such as ["left.a", "right.b"] or { name: "left.a" }',
    (value) => isObject(value) && (Array.isArray(value) || !(Symbol.iterator in value)) && Object.values(value).every(isText),
  ],
  suffix: [
    'a text or a pair such as ["_l", "_r"]',
    (value) => isText(value) || (Array.isArray(value) && value.length === 2 && value.every(isText)),
  ],
  coalesceKeys: truth,
  copy: truth,
  markName: ["a text that is not empty", (value) => isText(value) && value !== ""],
};

const FLOW_RULES: Rules = {
  flush: oneOf("full", "eager"),
  // By shape: a signal may come from another realm.
  signal: [
    "an AbortSignal",
    (value) =>
      isObject(value) &&
      typeof value.aborted === "boolean" &&
      ["addEventListener", "removeEventListener", "throwIfAborted"].every((name) => typeof value[name] === "function"),
  ],
  onProgress: callback,
};

const STREAM_RULES: Rules = { ...JOIN_RULES, ...FLOW_RULES };

/** What a join may hold, and where the rest goes. */
const MEMORY_RULES: Rules = {
  memoryLimit: ["a number of bytes above 0", (value) => typeof value === "number" && value > 0],
  spill: ["a SpillStore, which has a method create", (value) => isObject(value) && typeof value.create === "function"],
};

const without = (rules: Rules, ...names: readonly string[]): Rules =>
  Object.fromEntries(Object.entries(rules).filter(([name]) => !names.includes(name)));

/** The condition is the predicate: there are no keys, and none that could be merged. */
const WHERE_RULES: Rules = { ...without(JOIN_RULES, "on", "filter", "nullsEqual", "nullAware", "coalesceKeys"), ...MEMORY_RULES };
/** Every pair of rows: no row is unmatched, or has one partner. */
const CROSS_RULES: Rules = without(WHERE_RULES, "how", "validate", "unmatched", "multiple", "markName");

/** What is decided when the right side is indexed. */
const { on, nullsEqual, kernel, hashSeed } = INDEX_RULES;
const PREPARE_RULES: Rules = {
  on,
  nullsEqual,
  kernel,
  hashSeed,
  memoryLimit: MEMORY_RULES.memoryLimit,
};

const RULES: Readonly<Record<Verb, Rules>> = {
  join: JOIN_RULES,
  joinIndices: INDEX_RULES,
  joinStream: STREAM_RULES,
  prepareJoin: PREPARE_RULES,
  joinWhere: WHERE_RULES,
  joinWhereStream: { ...WHERE_RULES, ...FLOW_RULES },
  joinCross: CROSS_RULES,
  joinCrossStream: { ...CROSS_RULES, ...FLOW_RULES },
};

/** Verbs whose options are none by default, and which argument these are. */
const OPTIONAL: { readonly [verb: string]: string } = {
  joinWhere: "fourth",
  joinWhereStream: "fourth",
  joinCross: "third",
  joinCrossStream: "third",
};

function show(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" && !isText(value)) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "an object";
  }
}

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

/** The options that are there, each of a value that it may have. */
function readOptions(verb: Verb, options: unknown): Raw {
  if (!isObject(options) || Array.isArray(options)) {
    throw invalid(
      verb in OPTIONAL
        ? `${verb} takes options such as { batchSize: 1000 } as its ${OPTIONAL[verb]} argument; it got ${show(options)}.`
        : `${verb} takes options such as { on: "id" } as its ${verb === "prepareJoin" ? "second" : "third"} argument; it got ${show(options)}.`,
    );
  }
  const rules = RULES[verb];
  // Read once: what was checked is what is used, whatever getters do. An option that is undefined is not there.
  const given: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(options), ...Object.keys(rules)])) {
    const own = options[name];
    // Without holes.
    const value = Array.isArray(own) ? [...own] : own;
    if (value === undefined) continue;
    if (!Object.hasOwn(rules, name)) {
      const other = Object.entries(RULES).find(([, known]) => Object.hasOwn(known, name));
      const where = other ? ` It is an option of ${other[0]}.` : "";
      throw invalid(`${verb} has no option "${name}".${where} Options: ${Object.keys(rules).join(", ")}.`);
    }
    const [must, test] = rules[name];
    if (!test(value)) throw invalid(`${name} must be ${must}; it is ${show(value)}.`);
    given[name] = value;
  }
  return given;
}

function requestOf(given: Raw, on?: JoinRequest["on"], predicate?: Expression): ParsedOptions {
  const {
    suffix = "_right",
    select,
    filter,
    unmatched = "allow",
    kernel = "auto",
    hashSeed = null,
    onMetrics = null,
    signal = null,
    onProgress = null,
    memoryLimit = null,
    spill = null,
    ...rest
  } = given as Given;
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
      on: on ?? parseOn(given.on, given.nullsEqual === true),
      select: select ? entriesOf(select) : null,
      suffix: isText(suffix) ? ["", suffix] : suffix,
    },
    settings: { kernel, hashSeed, onMetrics, signal, onProgress, memoryLimit, spill },
  };
}

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
  if (given.on !== undefined && keyText(parseOn(given.on, nullsEqual === true)) !== keyText(on)) throw differs("on", given, prepared);
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

const entriesOf = (select: NonNullable<Given["select"]>): JoinRequest["select"] =>
  Array.isArray(select)
    ? select.map((column) => ({ name: null, column }))
    : Object.entries(select).map(([name, column]) => ({ name, column }));

/** One grammar in every verb. */
function parseOn(on: unknown, nullsEqual: boolean): JoinRequest["on"] {
  if (on === undefined) throw invalid(`on is required: the columns to join on, as ${ON_FORMS}.`);
  const entries: readonly unknown[] = isText(on)
    ? [on]
    : Array.isArray(on)
      ? [...on]
      : Object.entries(on as Raw).map(([left, right]) => ({ left, right }));
  if (entries.length === 0) throw invalid(`on names no key: give at least one column, as ${ON_FORMS}.`);
  return entries.map((entry) => {
    const { left, right, nullsEqual: own = nullsEqual, ...rest } = isText(entry) ? { left: entry, right: entry } : ((entry ?? {}) as Raw);
    if (isText(left) && isText(right) && typeof own === "boolean" && Object.keys(rest).length === 0)
      return { left, right, nullsEqual: own };
    throw invalid(`on has the entry ${show(entry)}; it takes ${ON_FORMS}.`);
  });
}
