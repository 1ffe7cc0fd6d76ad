/**
 * How the keys of a join become comparable bytes, decided once from the types.
 *
 *     one key of up to 8 bytes, integers   fixed cell of 4 or 8, may be addressed directly
 *     one key, other fixed width           fixed cell of 4, 8 or a multiple of 8
 *     one string, plain on both sides      its bytes
 *     one string, a dictionary somewhere   the id of its interned value: a dense integer
 *     several keys                         cells side by side, strings by their ids, then a null byte per eight keys whose nulls are equal
 *
 *     | 8-byte cells | 4-byte cells, ids | 2 | 1, odd widths | null bits | padding |      stride 4, 8 or a multiple of 8
 *
 * Equal keys have equal cells and the other way round, so a table compares cells and nothing else.
 */

import type { KeyForm } from "../kernel/contract.ts";
import type { PlainType } from "../plain-type.ts";
import type { KeySpec } from "../spec/join-spec.ts";
import { keyValueType } from "../spec/key-type.ts";

export interface KeyCell {
  /** Position in `JoinSpec.keys`. */
  readonly key: number;
  readonly at: number;
  readonly cell: number;
  /** bits: booleans; text: strings and binary, plain or dictionary, by interned id. */
  readonly source: "words" | "bits" | "text";
  readonly width: number;
  readonly form: KeyForm;
  /** Several keys, of which this one's nulls are equal: where its null bit goes. */
  readonly nullBit: { readonly at: number; readonly mask: number } | null;
}

export interface KeyLayout {
  readonly kind: "fixed" | "bytes";
  readonly stride: number;
  readonly cells: readonly KeyCell[];
  /** One key whose nulls are equal: they share a handle beside the table. */
  readonly nullKey: boolean;
  /** One integer key: may be addressed by value. Ids are unsigned and known to be dense. */
  readonly integer: { readonly signed: boolean; readonly dense: boolean } | null;
}

interface Part {
  readonly source: KeyCell["source"];
  readonly width: number;
  readonly form: KeyForm;
}

export function layoutKeys(keys: readonly KeySpec[]): KeyLayout {
  return keys.length === 1 ? layoutOne(keys[0]) : layoutMany(keys);
}

function layoutOne(key: KeySpec): KeyLayout {
  const part = partOf(key.leftType);
  const dictionary = key.leftType.name === "dictionary" || key.rightType.name === "dictionary";
  if (part.source === "text" && !dictionary) {
    return {
      kind: "bytes",
      stride: 0,
      cells: [{ key: 0, at: 0, cell: 0, ...part, nullBit: null }],
      nullKey: key.nullsEqual,
      integer: null,
    };
  }
  const stride = strideOf(part.source === "text" ? 4 : part.width);
  const isInteger = part.source !== "words" || part.form === "int" || part.form === "uint";
  return {
    kind: "fixed",
    stride,
    cells: [{ key: 0, at: 0, cell: stride, ...part, nullBit: null }],
    nullKey: key.nullsEqual,
    integer: isInteger ? { signed: part.form === "int", dense: part.source === "text" } : null,
  };
}

function layoutMany(keys: readonly KeySpec[]): KeyLayout {
  const parts = keys.map((key, i) => {
    const part = partOf(key.leftType);
    return { key: i, ...part, cell: part.source === "text" ? 4 : part.width };
  });
  // Widest alignment first, so that 4-byte ids and values are written aligned.
  const alignment = (cell: number) => (cell % 8 === 0 ? 8 : cell % 4 === 0 ? 4 : cell % 2 === 0 ? 2 : 1);
  parts.sort((a, b) => alignment(b.cell) - alignment(a.cell) || a.key - b.key);
  const bytes = parts.reduce((sum, part) => sum + part.cell, 0);
  let at = 0;
  let nulls = 0;
  const cells = parts.map((part) => {
    const nullBit = keys[part.key].nullsEqual ? { at: bytes + (nulls >> 3), mask: 1 << (nulls++ & 7) } : null;
    const cell = { ...part, at, nullBit };
    at += part.cell;
    return cell;
  });
  return { kind: "fixed", stride: strideOf(bytes + ((nulls + 7) >> 3)), cells, nullKey: false, integer: null };
}

const strideOf = (bytes: number) => (bytes <= 4 ? 4 : (bytes + 7) & ~7);

function partOf(type: PlainType): Part {
  const value = keyValueType(type);
  if (value.name === "bool") return { source: "bits", width: 1, form: "uint" };
  if (value.name === "utf8" || value.name === "binary") return { source: "text", width: 4, form: "uint" };
  if (value.name === "decimal") return { source: "words", width: (value.width ?? 128) / 8, form: "raw" };
  if (value.name === "fixedsizebinary") return { source: "words", width: value.width ?? 0, form: "raw" };
  // int8 ... uint64, float16 ... 64; dates, times, timestamps and durations are integers of 4 or 8 bytes.
  const [, kind, bits] = /^(u?int|float)?\D*(\d*)$/.exec(value.name) ?? [];
  return { source: "words", width: Number(bits || 64) / 8, form: (kind as "uint" | "float" | undefined) ?? "int" };
}
