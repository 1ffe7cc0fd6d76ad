/**
 * The options of every verb, and what values they may have: each is known and of such a value, or INVALID_OPTION says which is not, and what
 * would be. Plain rules by name; no input is looked at.
 */

import { ArrowJoinError } from "../error.ts";
import { ASOF_KINDS } from "../spec/asof-spec.ts";
import { JOIN_KINDS, type Side } from "../spec/join-spec.ts";

export type Verb =
  | "join"
  | "joinIndices"
  | "joinStream"
  | "prepareJoin"
  | "joinWhere"
  | "joinWhereStream"
  | "joinCross"
  | "joinCrossStream"
  | "joinAsof"
  | "joinAsofStream";

export type Raw = Readonly<Record<string, unknown>>;

export const invalid = (text: string) => new ArrowJoinError("INVALID_OPTION", text);

/** What a value must be, in words, and the test. */
type Rule = readonly [must: string, test: (value: unknown) => boolean];

export const isText = (value: unknown): value is string => typeof value === "string";
export const isObject = (value: unknown): value is Raw => typeof value === "object" && value !== null;
const oneOf = (...values: readonly string[]): Rule => [
  `one of ${values.map((value) => `"${value}"`).join(", ")}`,
  (value) => values.includes(value as string),
];
const isSide = (value: unknown): value is Side => value === "left" || value === "right";
const truth: Rule = ["true or false", (value) => typeof value === "boolean"];
const callback: Rule = ["a function", (value) => typeof value === "function"];
const ALLOW = oneOf("allow", "error");
const NAME: Rule = ["a text that is not empty", (value) => isText(value) && value !== ""];
export const ON_FORMS = '"id", ["a", "b"], { leftName: "rightName" } or [{ left, right, nullsEqual? }]';
const ON: Rule = [ON_FORMS, (value) => isText(value) || isObject(value)];
export const TIME_FORMS = 'one time column of each side, as "time" or { leftTime: "rightTime" }';

export type Rules = Readonly<Record<string, Rule>>;

const INDEX_RULES: Rules = {
  on: ON,
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
  markName: NAME,
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

/** Of one right of an as-of join: given for all, or with one of several. */
export const ASOF_RIGHT_RULES: Rules = {
  on: [TIME_FORMS, ON[1]],
  by: ON,
  direction: oneOf("backward", "forward", "nearest"),
  allowExactMatches: truth,
  tolerance: [
    'a number, a bigint, a duration such as "5s", or { before, after } of these',
    (value) => ["number", "bigint", "string"].includes(typeof value) || (isObject(value) && !Array.isArray(value)),
  ],
  ties: oneOf("adjacent", "first", "last"),
  filter: INDEX_RULES.filter,
  nullsEqual: truth,
  rightTime: NAME,
  suffix: JOIN_RULES.suffix,
};

const { select, copy, batchSize, onMetrics } = JOIN_RULES;
const ASOF_RULES: Rules = {
  ...ASOF_RIGHT_RULES,
  how: oneOf(...ASOF_KINDS),
  unsorted: oneOf("error", "sort"),
  select,
  batchSize,
  kernel,
  memoryLimit: MEMORY_RULES.memoryLimit,
  copy,
  hashSeed,
  onMetrics,
};

export const RULES: Readonly<Record<Verb, Rules>> = {
  join: JOIN_RULES,
  joinIndices: INDEX_RULES,
  joinStream: STREAM_RULES,
  prepareJoin: PREPARE_RULES,
  joinWhere: WHERE_RULES,
  joinWhereStream: { ...WHERE_RULES, ...FLOW_RULES },
  joinCross: CROSS_RULES,
  joinCrossStream: { ...CROSS_RULES, ...FLOW_RULES },
  joinAsof: ASOF_RULES,
  joinAsofStream: { ...ASOF_RULES, ...FLOW_RULES },
};

/** Verbs whose options are none by default, and which argument these are. */
const OPTIONAL: { readonly [verb: string]: string } = {
  joinWhere: "fourth",
  joinWhereStream: "fourth",
  joinCross: "third",
  joinCrossStream: "third",
};

/** What is said of an option that other verbs have. */
const NO_SPILL =
  "An as-of join does not spill: it holds what is near the current time, the less the smaller tolerance is, and memoryLimit bounds it.";

export function show(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" && !isText(value)) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "an object";
  }
}

/** The options that are there, each of a value that it may have. */
export function readOptions(verb: Verb, options: unknown): Raw {
  if (!isObject(options) || Array.isArray(options)) {
    throw invalid(
      verb in OPTIONAL
        ? `${verb} takes options such as { batchSize: 1000 } as its ${OPTIONAL[verb]} argument; it got ${show(options)}.`
        : `${verb} takes options such as { on: "id" } as its ${verb === "prepareJoin" ? "second" : "third"} argument; it got ${show(options)}.`,
    );
  }
  return readGiven(verb, options, RULES[verb], (name) => {
    if (name === "spill" && "direction" in RULES[verb]) return NO_SPILL;
    const other = Object.entries(RULES).find(([, known]) => Object.hasOwn(known, name));
    return other ? `It is an option of ${other[0]}.` : "";
  });
}

/** `where` says of a name that the rules do not have where it belongs, if anywhere. */
export function readGiven(what: string, options: Raw, rules: Rules, where: (name: string) => string): Raw {
  // Read once: what was checked is what is used, whatever getters do. An option that is undefined is not there.
  const given: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(options), ...Object.keys(rules)])) {
    const own = options[name];
    // Without holes.
    const value = Array.isArray(own) ? [...own] : own;
    if (value === undefined) continue;
    if (!Object.hasOwn(rules, name)) {
      throw invalid(
        [`${what} has no option "${name}".`, where(name), `Options: ${Object.keys(rules).join(", ")}.`].filter(Boolean).join(" "),
      );
    }
    const [must, test] = rules[name];
    if (!test(value)) throw invalid(`${name} must be ${must}; it is ${show(value)}.`);
    given[name] = value;
  }
  return given;
}
