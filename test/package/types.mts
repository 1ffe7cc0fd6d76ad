/** A TypeScript program against the installed package's declarations; run.mjs compiles it as an ES module and as CommonJS. */

import { type Bool, Float64, Int32, Table, tableFromArrays, Utf8, type Vector, vectorFromArray } from "apache-arrow";
import { ArrowJoinError, join, joinIndices, joinStream, prepareJoin } from "arrow-join";

import { fileSpillStore, type SpillFile, type SpillStore } from "arrow-join/node";

const left = new Table({ id: vectorFromArray([1, 2], new Int32()), price: vectorFromArray([1, 2], new Float64()) });
const right = new Table({ id: vectorFromArray([1, 2], new Int32()), name: vectorFromArray(["a", "b"], new Utf8()) });

const joined = join(left, right, { on: "id" });
export const ids: Vector<Int32> | null = joined.getChild("id");
export const names: Vector<Utf8> | null = joined.getChild("name");
// @ts-expect-error the result has no such column
joined.getChild("nope");
// @ts-expect-error neither has an input
join(left, right, { on: "nope" });
// @ts-expect-error nor is there such an option
join(left, right, { on: "id", hwo: "left" });

const marked = join(left, right, { on: "id", how: "leftMark", filter: (l, r) => l.price.gt(1).and(r.name.startsWith("a")) });
export const marks: Vector<Bool> | null = marked.getChild("mark");
// @ts-expect-error the filter reads a column that the left does not have
join(left, right, { on: "id", filter: (l) => l.nope.gt(1) });
export const prepared = prepareJoin(right, { on: "id" });
export const preparedNames: Vector<Utf8> | null = join(left, prepared, {}).getChild("name");
export const numbers: Int32Array = joinIndices(left, right, { on: "id" }).left;

export async function stream(): Promise<Table> {
  const batches = await joinStream(left, right, { on: "id" });
  return batches.toTable();
}

export const store: SpillStore = fileSpillStore({ directory: "/tmp", sync: true });
export const ownStore: SpillStore = {
  create: async (): Promise<SpillFile> => ({ append: () => {}, read: () => new Uint8Array(1), remove: async () => {} }),
};
// @ts-expect-error there is no such option
fileSpillStore({ folder: "/tmp" });

export const anyTable: Table = join(tableFromArrays({ a: [1] }) as Table, right as Table, { on: { a: "id" } });
export const codeOf = (error: unknown): string | null => (error instanceof ArrowJoinError ? error.code : null);
