/** Columns for tests of planning: a type by its text, values that naive code gets wrong. */

import type { PlainField, PlainType } from "../../src/plain-type.ts";
import { parseType } from "../../src/spec/literal.ts";
import type { FieldText } from "../support/rows.ts";

/** Also the types that no literal has. */
export function typeOf(text: string): PlainType {
  const dictionary = /^dictionary\((u?int\d+), (.*)\)$/.exec(text);
  if (dictionary) return { name: "dictionary", index: { name: dictionary[1] }, values: typeOf(dictionary[2]) };
  const list = /^list\((.*)\)$/.exec(text);
  if (list) return { name: "list", children: [{ name: "item", type: typeOf(list[1]), nullable: true }] };
  const fixed = /^fixedsizebinary\((\d+)\)$/.exec(text);
  if (fixed) return { name: "fixedsizebinary", width: Number(fixed[1]) };
  return parseType(text) ?? { name: text };
}

export const fieldsOf = (types: { readonly [name: string]: string }): PlainField[] =>
  Object.entries(types).map(([name, type]) => ({ name, type: typeOf(type), nullable: true }));

export const fieldTexts = (types: { readonly [name: string]: string }): FieldText[] =>
  Object.entries(types).map(([name, type]) => ({ name, type, nullable: true, metadata: {} }));
