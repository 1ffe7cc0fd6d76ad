/**
 * Builds the index of a prepared join, to its end: keys of one side, whatever the other side is going to be.
 *
 * Strings get ids, so that plain columns and dictionaries can be looked up alike; rows of a key are grouped, so that every kind can follow.
 */

import type { InputBatch } from "../arrow/input.ts";
import type { Kernel } from "../kernel/contract.ts";
import type { KeySpec, Side } from "../spec/join-spec.ts";
import { keyValueType } from "../spec/key-type.ts";
import { BuildSide } from "./build-side.ts";
import { JoinIndexMap } from "./join-index-map.ts";
import type { BuiltIndex, JoinSwitches } from "./join-options.ts";
import { KeySpace } from "./key-encoder.ts";
import { layoutKeys } from "./key-layout.ts";

/** `keys`: of both sides the type that `side` has. Throws MEMORY_LIMIT, INVALID_INPUT. O(rows). */
export function buildIndex(
  kernel: Kernel,
  keys: readonly KeySpec[],
  side: Side,
  batches: readonly InputBatch[],
  switches: JoinSwitches,
): BuiltIndex {
  const rows = new BuildSide(side, [], null);
  for (const batch of batches) rows.push(batch);
  const space = new KeySpace(kernel, layoutKeys(keys.map(anyEncoding)));
  const index = new JoinIndexMap(kernel, space, keys, side, rows, switches, true);
  while (!index.step());
  return { side: rows, space, index };
}

/** The key as if one side were a dictionary: by ids. */
function anyEncoding(key: KeySpec): KeySpec {
  const values = keyValueType(key.leftType);
  if (values.name !== "utf8" && values.name !== "binary") return key;
  return { ...key, leftType: { name: "dictionary", index: { name: "int32" }, values } };
}
