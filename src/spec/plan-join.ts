/**
 * From a request and two schemas to a `JoinSpec`: names looked up, types checked, sides and order mapped (SEMANTICS 5).
 * Everything that can be refused is refused here, before any work.
 */

import { ArrowJoinError } from "../error.ts";
import { type JoinRequest, type JoinSpec, type KeySpec, otherSide, outputSideOf, type PlannedInput, type Side } from "./join-spec.ts";
import { checkKeyTypes } from "./key-type.ts";
import { namesOf, planOutput } from "./output.ts";
import type { PlainField } from "./type.ts";

/** Rows of a stream's batch: five columns of it fit the allocator's pool and L2 (DESIGN 5). */
export const STREAM_BATCH_ROWS = 8192;
/** Rows of a one-shot batch: making a RecordBatch costs as much as gathering 8192 rows, so few large ones. */
export const TABLE_BATCH_ROWS = 1 << 20;

export type Mode = "table" | "stream";

export function planJoin(left: PlannedInput, right: PlannedInput, request: JoinRequest, mode: Mode): JoinSpec {
  const keys = request.on.map((entry) => planKey(left.fields, right.fields, entry));
  const output = planOutput({ left: left.fields, right: right.fields }, keys, request);
  const sides = mode === "stream" ? streamSides(request, left.rows, right.rows) : tableSides(request, left.rows ?? 0, right.rows ?? 0);
  return {
    kind: request.how,
    keys,
    output,
    ...sides,
    batchSize: request.batchSize ?? (mode === "stream" ? STREAM_BATCH_ROWS : TABLE_BATCH_ROWS),
    copy: request.copy,
    flush: request.flush,
  };
}

function planKey(left: readonly PlainField[], right: readonly PlainField[], entry: JoinRequest["on"][number]): KeySpec {
  const find = (side: Side, fields: readonly PlainField[], name: string): number => {
    const index = fields.findIndex((field) => field.name === name);
    if (index >= 0) return index;
    throw new ArrowJoinError("COLUMN_NOT_FOUND", `The ${side} input has no column "${name}" to join on. It has: ${namesOf(fields)}.`);
  };
  const l = find("left", left, entry.left);
  const r = find("right", right, entry.right);
  checkKeyTypes(entry.left, left[l].type, entry.right, right[r].type);
  return { left: l, right: r, leftName: entry.left, rightName: entry.right, leftType: left[l].type, rightType: right[r].type, nullsEqual: entry.nullsEqual };
}

type Sides = Pick<JoinSpec, "probe" | "build" | "hashed">;

const builtOn = (build: Side): Sides => ({ probe: otherSide(build), build, hashed: build });

/** A one-shot join takes every `build` with every `order`: the order decides the probe side, `build` which side is hashed. */
function tableSides(request: JoinRequest, leftRows: number, rightRows: number): Sides {
  const smaller: Side = leftRows < rightRows ? "left" : "right";
  const wish = request.build === "left" || request.build === "right" ? request.build : null;
  // One side only: its own row order comes out of either role, so nothing is inverted.
  if (outputSideOf(request.how) || request.order === "any") return builtOn(wish ?? smaller);
  const probe: Side = request.order === "right" ? "right" : "left";
  const build = otherSide(probe);
  return { probe, build, hashed: wish ?? build };
}

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
