/**
 * From a request and two schemas to a `JoinSpec`: names looked up, types checked, sides and order mapped (SEMANTICS 5).
 * Everything that can be refused is refused here, before any work.
 */

import { ArrowJoinError } from "../error.ts";
import { hasDictionary, type PlainField } from "../plain-type.ts";
import { checkKind, checkLimited } from "./check-request.ts";
import { type FilterSpec, isInequality } from "./filter-spec.ts";
import {
  type JoinRequest,
  type JoinSpec,
  type KeySpec,
  keepsUnmatched,
  type OutputColumn,
  otherSide,
  outputSideOf,
  type PlannedInput,
  type Side,
} from "./join-spec.ts";
import { checkKeyType, checkKeyTypes } from "./key-type.ts";
import { namesOf, planOutput } from "./output.ts";
import { planFilter, planNotFalse } from "./plan-filter.ts";

/** Rows of a stream's batch: five columns of it fit the allocator's pool and L2 (DESIGN 5). */
export const STREAM_BATCH_ROWS = 8192;
/** Rows of a one-shot batch: making a RecordBatch costs as much as gathering 8192 rows, so few large ones. */
export const TABLE_BATCH_ROWS = 1 << 20;

export type Mode = "table" | "stream";

export const batchRows = (asked: number | null, mode: Mode): number => asked ?? (mode === "stream" ? STREAM_BATCH_ROWS : TABLE_BATCH_ROWS);

export function planJoin(left: PlannedInput, right: PlannedInput, request: JoinRequest, mode: Mode): JoinSpec {
  return planOn(
    left,
    right,
    request,
    request.on.map((entry) => planKey(left.fields, right.fields, entry)),
    mode,
  );
}

/** The plan of a join whose keys are known. */
export function planOn(left: PlannedInput, right: PlannedInput, request: JoinRequest, keys: readonly KeySpec[], mode: Mode): JoinSpec {
  checkKind(request);
  const output = planOutput({ left: left.fields, right: right.fields }, keys, request);
  const filter = request.filter === undefined ? null : planFilter(request.filter, left.fields, right.fields);
  const sides =
    mode === "stream"
      ? streamSides(request, left.rows, right.rows)
      : tableSides(request, left.rows ?? 0, right.rows ?? 0, testsPairs(filter), (side) => passesDictionary(side, output, left, right));
  // What has no keys is not hashed: there is nothing to look up from the other side.
  const hashed = keys.length > 0 ? sides.hashed : sides.build;
  const limited = request.how === "right" ? "right" : "left";
  if (mode === "stream") checkLimited(request, limited, sides.build);
  const { validate } = request;
  return {
    kind: request.how,
    keys,
    where: null,
    output,
    ...sides,
    hashed,
    anyOrder: request.order === "any",
    batchSize: batchRows(request.batchSize, mode),
    copy: request.copy,
    flush: request.flush,
    filter,
    notFalse: request.nullAware ? planNotFalse(keys, request.filter, left.fields, right.fields) : null,
    // m:1 reads from left to right: many left rows have one right row.
    single: { left: validate.endsWith("1"), right: validate.startsWith("1") },
    matched: { left: mustMatch(request, "left"), right: mustMatch(request, "right") },
    multiple: request.multiple,
    limited,
  };
}

/** Whether every row of the side must have a partner. The bare "error" means the sides whose unmatched rows the kind drops. */
function mustMatch({ how, unmatched }: JoinRequest, side: Side): boolean {
  return unmatched === "error" ? !keepsUnmatched(how, side) : unmatched !== "allow" && unmatched[side] === "error";
}

/** The position of a column to join on. Throws COLUMN_NOT_FOUND. */
export function findKey(side: string, fields: readonly PlainField[], name: string): number {
  const index = fields.findIndex((field) => field.name === name);
  if (index >= 0) return index;
  throw new ArrowJoinError("COLUMN_NOT_FOUND", `The ${side} input has no column "${name}" to join on. It has: ${namesOf(fields)}.`);
}

/** `side` is what messages call the right. Throws COLUMN_NOT_FOUND, UNSUPPORTED_TYPE, KEY_TYPE_MISMATCH. */
export function planKey(
  left: readonly PlainField[],
  right: readonly PlainField[],
  entry: JoinRequest["on"][number],
  side = "right",
): KeySpec {
  const l = findKey("left", left, entry.left);
  const r = findKey(side, right, entry.right);
  checkKeyTypes(entry.left, left[l].type, entry.right, right[r].type, side);
  return {
    left: l,
    right: r,
    leftName: entry.left,
    rightName: entry.right,
    leftType: left[l].type,
    rightType: right[r].type,
    nullsEqual: entry.nullsEqual,
  };
}

/** The keys of a right side whose left is not known yet: of the right's types, whatever the left's columns are called. */
export function planPrepared({ fields }: PlannedInput, on: JoinRequest["on"]): KeySpec[] {
  return on.map(({ left: leftName, right: rightName, nullsEqual }) => {
    const index = findKey("right", fields, rightName);
    const { type } = fields[index];
    checkKeyType("right", rightName, type);
    return { left: index, right: index, leftName, rightName, leftType: type, rightType: type, nullsEqual };
  });
}

/** Whether the output has dictionaries of this side. */
function passesDictionary(side: Side, output: readonly OutputColumn[], left: PlannedInput, right: PlannedInput): boolean {
  const { fields } = side === "left" ? left : right;
  return output.some((column) => {
    const index = side === "left" ? column.left : column.right;
    return index !== null && hasDictionary(fields[index].type);
  });
}

type Sides = Pick<JoinSpec, "probe" | "build" | "hashed" | "unified">;

/**
 * A one-shot join takes every `build` with every `order`: the order decides the probe side, `build` which side is hashed.
 * A null-aware join, and one of one side that must test pairs, probes with its output side unless `build` says otherwise.
 * Where the order is free (`any`, or one side is output, in its own order) the roles follow `build`, or the smaller side is built; but
 * dictionaries that pass through need their side to be the probe side.
 */
function tableSides(
  request: JoinRequest,
  leftRows: number,
  rightRows: number,
  testsPairs: boolean,
  passesDictionary: (side: Side) => boolean,
): Sides {
  const wish = request.build === "left" || request.build === "right" ? request.build : null;
  const passing: Side = request.order === "right" ? "right" : "left";
  const unified = otherSide(passing);
  const only = outputSideOf(request.how);
  const free = (request.order === "any" || only !== null) && (only === unified || !passesDictionary(passing));
  // What becomes of an unmatched row depends on all rows of the other side: those are the ones to keep. And a row that is probed stops at its
  // first hit, where one that is built meets every probe row: 10 times the pairs where 1000 rows of a key met 200 000 in vain.
  if (only && (request.nullAware || (testsPairs && (free || wish !== only))))
    return { ...builtOn(free && wish ? wish : otherSide(only)), unified };
  if (!free) return { probe: passing, build: unified, hashed: wish ?? unified, unified };
  const build = wish ?? (leftRows < rightRows ? "left" : "right");
  return { probe: otherSide(build), build, hashed: build, unified };
}

/** Whether more than one inequality is to be tested of a pair: that one is answered without testing any. */
const testsPairs = (filter: FilterSpec | null): boolean =>
  filter !== null && filter.conjuncts.length > 0 && !(filter.conjuncts.length === 1 && isInequality(filter.conjuncts[0]));

/** The build side is hashed, and its dictionaries are unified. */
const builtOn = (build: Side): Sides => ({ probe: otherSide(build), build, hashed: build, unified: build });

/** A stream's order is that of its streamed side: an explicit `order` fixes the build side. */
function streamSides(request: JoinRequest, leftRows: number | null, rightRows: number | null): Sides {
  const wish = request.build === "left" || request.build === "right" ? request.build : null;
  const sided = outputSideOf(request.how) !== null;
  if (!sided && (request.order === "left" || request.order === "right")) {
    const needed = otherSide(request.order);
    if (wish && wish !== needed) {
      throw new ArrowJoinError(
        "INVALID_OPTION",
        `order: "${request.order}" of a stream needs build: "${needed}", because the ${request.order} side must be the streamed one; build is "${wish}". Leave one of the two out.`,
      );
    }
    return builtOn(needed);
  }
  if (wish) return builtOn(wish);
  if (request.build === "auto" && request.order === "any") {
    if (leftRows !== null && (rightRows === null || leftRows < rightRows)) return builtOn("left");
  }
  return builtOn("right");
}
