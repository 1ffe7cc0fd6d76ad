/**
 * What a nested loop asks of one pass, over one chunk of the buffered side, where there are several.
 *
 *     mode      passes give                              then
 *     direct    the result: the buffered side's rows     -
 *               (existence), or pairs in any order       rows of the streamed side without a partner, by their marks
 *     sorted    pairs: position of the streamed row,     merged by position, the streamed side read once more;
 *               the buffered side's columns              buffered rows without a partner after them
 *     marks     nothing: they mark the streamed rows     the streamed side is read once more
 */

import { hasDictionary, type PlainType } from "../plain-type.ts";
import { existenceOf, type JoinSpec, keepsUnmatched, type OutputColumn, outputSideOf, type Side } from "./join-spec.ts";

export type PassMode = "direct" | "sorted" | "marks";

/** `fields`: of the buffered side. Its dictionaries become one in the result, over all passes. */
export function passModeOf(spec: JoinSpec, fields: readonly { readonly info: PlainType }[]): PassMode {
  const dictionaries = spec.output.some((column) => {
    const index = spec.build === "left" ? column.left : column.right;
    return index !== null && index >= 0 && hasDictionary(fields[index].info);
  });
  if (existenceOf(spec.kind)) return outputSideOf(spec.kind) === spec.probe ? "marks" : dictionaries ? "sorted" : "direct";
  const plain = spec.multiple === "all" && !spec.single[spec.probe] && !spec.matched[spec.probe];
  return spec.anyOrder && plain && !dictionaries ? "direct" : "sorted";
}

/** Whether rows of the side that have no partner matter: they come out, get a mark, or are an error. */
export function tellsUnmatched({ kind, matched }: JoinSpec, side: Side): boolean {
  return keepsUnmatched(kind, side) || matched[side] || kind === `${side}Anti` || kind === `${side}Mark`;
}

/** Columns of a row file of pairs: the position of the streamed row, that of the buffered one, then what is output of the buffered side. */
export const POSITION_COLUMNS = 2;

export function passSpec(spec: JoinSpec, mode: PassMode, positions: number): JoinSpec {
  const { kind, probe, build } = spec;
  const own = existenceOf(kind) !== null;
  const passKind = own ? kind : keepsUnmatched(kind, build) ? build : "inner";
  const base: JoinSpec = {
    ...spec,
    hashed: build,
    matched: { ...spec.matched, [probe]: false } as JoinSpec["matched"],
    single: { ...spec.single, [probe]: false } as JoinSpec["single"],
    // Two partners of one streamed row are an error wherever they are.
    multiple: spec.limited === probe && spec.single[probe] ? "all" : spec.multiple,
    flush: "full",
  };
  if (mode === "direct") return { ...base, kind: passKind };
  if (mode === "marks") return { ...base, kind: `${probe}Semi`, output: [] };
  const position = (side: Side): OutputColumn => ({
    name: "",
    left: side === "left" ? positions : null,
    right: side === "right" ? positions : null,
    nullable: true,
    typeOf: side,
    convert: "none",
  });
  const columns = own ? [position(build), position(build)] : [position(probe), position(build)];
  const output = [...columns, ...spec.output.filter((column) => !isOf(column, probe))];
  // Nobody sees the names, but they are told apart.
  return { ...base, kind: passKind, output: output.map((column, i) => ({ ...column, name: `${i}` })) };
}

const isOf = (column: OutputColumn, side: Side): boolean => (side === "left" ? column.left : column.right) !== null;

/** The result as made of the streamed side's batches and of row files. */
export function mergeSpec(spec: JoinSpec): JoinSpec {
  const { probe, build } = spec;
  let at = POSITION_COLUMNS;
  const output = spec.output.map((column) => (isOf(column, probe) ? column : { ...column, [probe]: null, [build]: at++ }));
  return { ...spec, output };
}
