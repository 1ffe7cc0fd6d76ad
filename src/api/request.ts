/**
 * From what a caller wrote to a `JoinRequest` and settings: every option is known and has a value it may have, or INVALID_OPTION says which
 * is not, and what would be. No input is looked at.
 */

import { ArrowJoinError } from "../error.ts";
import type { RunSettings, StreamSettings } from "../run/settings.ts";
import { JOIN_KINDS, type JoinKind, type JoinRequest } from "../spec/join-spec.ts";

export type Verb = "join" | "joinStream";

const JOIN_OPTIONS = [
  "on",
  "how",
  "nullsEqual",
  "select",
  "suffix",
  "coalesceKeys",
  "order",
  "build",
  "batchSize",
  "copy",
  "kernel",
  "hashSeed",
  "onMetrics",
];
const STREAM_OPTIONS = [...JOIN_OPTIONS, "flush", "signal", "onProgress"];

type Raw = Readonly<Record<string, unknown>>;

const invalid = (text: string) => new ArrowJoinError("INVALID_OPTION", text);

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol" || typeof value === "bigint") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "an object";
  }
}

export interface ParsedOptions {
  readonly request: JoinRequest;
  readonly settings: StreamSettings;
}

export function parseOptions(verb: Verb, options: unknown): ParsedOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalid(`${verb} takes an options object as its third argument, such as { on: "id" }; it got ${show(options)}.`);
  }
  const raw = options as Raw;
  const known = verb === "join" ? JOIN_OPTIONS : STREAM_OPTIONS;
  for (const name of Object.keys(raw)) {
    if (known.includes(name) || raw[name] === undefined) continue;
    const where = STREAM_OPTIONS.includes(name) ? ` It is an option of joinStream.` : "";
    throw invalid(`${verb} has no option "${name}".${where} Options: ${known.join(", ")}.`);
  }
  const nullsEqual = boolean(raw, "nullsEqual", false);
  const request: JoinRequest = {
    on: parseOn(raw.on, nullsEqual),
    how: choice<JoinKind>(raw, "how", JOIN_KINDS, "inner"),
    select: parseSelect(raw.select),
    suffix: parseSuffix(raw.suffix),
    coalesceKeys: boolean(raw, "coalesceKeys", true),
    order: choice<"left" | "right" | "any" | null>(raw, "order", ["left", "right", "any"], null),
    build: choice<"auto" | "left" | "right" | null>(raw, "build", ["auto", "left", "right"], null),
    batchSize: parseBatchSize(raw.batchSize),
    copy: boolean(raw, "copy", false),
    flush: choice<"full" | "eager">(raw, "flush", ["full", "eager"], "full"),
  };
  const run: RunSettings = {
    kernel: choice<"auto" | "wasm" | "ts">(raw, "kernel", ["auto", "wasm", "ts"], "auto"),
    hashSeed: parseSeed(raw.hashSeed),
    onMetrics: callback(raw, "onMetrics"),
  };
  return { request, settings: { ...run, signal: parseSignal(raw.signal), onProgress: callback(raw, "onProgress") } };
}

function boolean(raw: Raw, name: string, otherwise: boolean): boolean {
  const value = raw[name];
  if (value === undefined) return otherwise;
  if (typeof value === "boolean") return value;
  throw invalid(`${name} must be true or false; it is ${show(value)}.`);
}

function choice<T extends string | null>(raw: Raw, name: string, values: readonly (T & string)[], otherwise: T): T {
  const value = raw[name];
  if (value === undefined) return otherwise;
  if (values.includes(value as T & string)) return value as T;
  throw invalid(`${name} must be one of ${values.map((v) => `"${v}"`).join(", ")}; it is ${show(value)}.`);
}

function callback<T>(raw: Raw, name: string): ((value: T) => void) | null {
  const value = raw[name];
  if (value === undefined) return null;
  if (typeof value === "function") return value as (value: T) => void;
  throw invalid(`${name} must be a function; it is ${show(value)}.`);
}

const ON_FORMS = '"id", ["a", "b"], { leftName: "rightName" } or [{ left, right, nullsEqual? }]';

/** One grammar in every verb. */
function parseOn(on: unknown, nullsEqual: boolean): JoinRequest["on"] {
  if (on === undefined || on === null) throw invalid(`on is required: the columns to join on, as ${ON_FORMS}.`);
  if (typeof on === "string") return [{ left: on, right: on, nullsEqual }];
  if (typeof on !== "object") throw invalid(`on must be ${ON_FORMS}; it is ${show(on)}.`);
  const keys = Array.isArray(on)
    ? on.map((entry) => parseKey(entry, nullsEqual))
    : Object.entries(on).map(([left, right]) => {
        if (typeof right === "string") return { left, right, nullsEqual };
        throw invalid(`on maps the left column ${show(left)} to ${show(right)}, which is no column name. Use ${ON_FORMS}.`);
      });
  if (keys.length === 0)
    throw invalid(`on names no key: give at least one column, as ${ON_FORMS}. For every pair of rows there will be joinCross.`);
  return keys;
}

function parseKey(entry: unknown, nullsEqual: boolean): JoinRequest["on"][number] {
  if (typeof entry === "string") return { left: entry, right: entry, nullsEqual };
  if (typeof entry === "object" && entry !== null) {
    const { left, right, nullsEqual: own, ...rest } = entry as Raw;
    const extra = Object.keys(rest);
    if (typeof left === "string" && typeof right === "string" && (own === undefined || typeof own === "boolean") && extra.length === 0) {
      return { left, right, nullsEqual: own ?? nullsEqual };
    }
  }
  throw invalid(`on has the entry ${show(entry)}; an entry is a column name or { left: "a", right: "b", nullsEqual?: true }.`);
}

function parseSelect(select: unknown): JoinRequest["select"] {
  if (select === undefined) return null;
  const entry = (name: string | null, column: unknown) => {
    if (typeof column === "string") return { name, column };
    throw invalid(`select has the entry ${show(column)}; an entry is a text such as "left.a", "right.b" or the name of an output column.`);
  };
  if (Array.isArray(select)) return select.map((column) => entry(null, column));
  if (typeof select === "object" && select !== null) return Object.entries(select).map(([name, column]) => entry(name, column));
  throw invalid(`select must be a list such as ["left.a", "right.b"] or a map such as { name: "left.a" }; it is ${show(select)}.`);
}

function parseSuffix(suffix: unknown): readonly [string, string] {
  if (suffix === undefined) return ["", "_right"];
  if (typeof suffix === "string") return ["", suffix];
  if (Array.isArray(suffix) && suffix.length === 2 && typeof suffix[0] === "string" && typeof suffix[1] === "string")
    return [suffix[0], suffix[1]];
  throw invalid(`suffix must be a text for right names or a pair such as ["_l", "_r"]; it is ${show(suffix)}.`);
}

function parseBatchSize(size: unknown): number | null {
  if (size === undefined) return null;
  if (size === Number.POSITIVE_INFINITY || (typeof size === "number" && Number.isInteger(size) && size > 0)) return size as number;
  throw invalid(`batchSize must be a whole number of rows above 0, or Infinity; it is ${typeof size === "number" ? size : show(size)}.`);
}

function parseSeed(seed: unknown): number | null {
  if (seed === undefined) return null;
  if (typeof seed === "number" && Number.isFinite(seed)) return seed;
  throw invalid(`hashSeed must be a number; it is ${show(seed)}.`);
}

function parseSignal(signal: unknown): AbortSignal | null {
  if (signal === undefined) return null;
  // By shape: a signal may come from another realm.
  const shape = signal as Partial<AbortSignal> | null;
  if (typeof shape === "object" && shape !== null && typeof shape.aborted === "boolean" && typeof shape.addEventListener === "function")
    return signal as AbortSignal;
  throw invalid(`signal must be an AbortSignal; it is ${show(signal)}.`);
}
