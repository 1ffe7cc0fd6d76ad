/**
 * Which types may meet as keys (SEMANTICS 1.3). So far: the same type on both sides, where a dictionary counts as its value type
 * and the zone of a timestamp does not matter, only whether there is one.
 */

import { ArrowJoinError } from "../error.ts";
import type { PlainType } from "../plain-type.ts";
import { typeText } from "../plain-type.ts";

const KEYS = /^(bool|u?int\d+|float\d+|date\d+|time\d+|timestamp|duration|decimal|fixedsizebinary|utf8|binary)$/;
const DICTIONARY_KEYS = /^(utf8|binary)$/;

/** Whether columns of these types can be keys of one another. */
export const mayMeet = (left: PlainType, right: PlainType): boolean =>
  [left, right].every(isKeyType) && identityOf(keyValueType(left)) === identityOf(keyValueType(right));

const isKeyType = (type: PlainType): boolean => (type.name === "dictionary" ? DICTIONARY_KEYS : KEYS).test(keyValueType(type).name);

/** The type that decides equality: a dictionary stands for its values. */
export function keyValueType(type: PlainType): PlainType {
  return type.name === "dictionary" && type.values ? type.values : type;
}

/** Refuses, with what to do instead, a column that cannot be a key. */
export function checkKeyType(side: string, name: string, type: PlainType): void {
  if (isKeyType(type)) return;
  throw new ArrowJoinError(
    "UNSUPPORTED_TYPE",
    `The ${side} column "${name}" is ${typeText(type)}, which cannot be a join key. Join on another column, or convert it to a fixed-width type, utf8 or binary first.`,
  );
}

/** Refuses, with what to do instead, a pair of columns that cannot be compared as keys; `side` is what the right is called. */
export function checkKeyTypes(leftName: string, left: PlainType, rightName: string, right: PlainType, side = "right"): void {
  checkKeyType("left", leftName, left);
  checkKeyType(side, rightName, right);
  const a = identityOf(keyValueType(left));
  const b = identityOf(keyValueType(right));
  if (a === b) return;
  throw new ArrowJoinError(
    "KEY_TYPE_MISMATCH",
    `Key types differ: left "${leftName}" is ${typeText(left)}, ${side} "${rightName}" is ${typeText(right)}. Cast ${side} "${rightName}" to ${typeText(keyValueType(left))} (or left "${leftName}" to ${typeText(keyValueType(right))}) before joining.`,
  );
}

/** Two types may meet exactly when these are equal. */
function identityOf(type: PlainType): string {
  return type.name === "timestamp" ? `timestamp(${type.unit}, ${type.timezone ? "zone" : "no zone"})` : typeText(type);
}
