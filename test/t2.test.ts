import { test } from "vitest";
import { tableFromArrays, RecordBatch, Table } from "apache-arrow";
import { joinCross, joinWhereStream, joinWhere } from "../src/index.ts";
import { fileSpillStore } from "../src/node.ts";
const batchesOf = (n: number, size: number, make: (from: number, count: number) => Record<string, any>) => {
  const first = tableFromArrays(make(0, 1));
  return { schema: first.schema, batches: (async function* () { for (let i = 0; i < n; i += size) yield* tableFromArrays(make(i, Math.min(size, n - i))).batches; })() };
};
test("x", async () => {
  const l = tableFromArrays({ a: Int32Array.of(1,2,3,4), s: ["x","y","z","w"] });
  for (const memoryLimit of [10, 150, 200, 1000000]) { try { console.log(joinCross(l, l, { memoryLimit }).numRows); } catch (e: any) { console.log(e.message); } }
  const big = tableFromArrays({ a: new Int32Array(100000) });
  try { joinCross(big, big); } catch (e: any) { console.log(e.message); }
  for (const how of ["inner","full","leftSemi","rightAnti","leftMark"] as const) for (const limit of [2, 4, 8, 32]) {
    const left = batchesOf(20000, 8192, (f, n) => ({ x: Float64Array.from({ length: n }, (_, i) => f + i), z: Int32Array.from({ length: n }, (_, i) => (f + i) % 7) }));
    const right = batchesOf(200000, 8192, (f, n) => ({ y: Float64Array.from({ length: n }, (_, i) => ((f + i) * 7919 % 200000) - 199990), w: Int32Array.from({ length: n }, (_, i) => (f + i) % 5), p: Array.from({ length: n }, (_, i) => "payload " + (f + i)) }));
    try {
      const t = Date.now();
      const s = await joinWhereStream(left, right, (l, r) => l.x.lt(r.y).and(l.z.ne(r.w)), { how, memoryLimit: limit * 1e6, spill: fileSpillStore() });
      let rows = 0; for await (const b of s) rows += b.numRows;
      const m = s.metrics();
      console.log(how, limit, rows, m.peakBytes, m.spilledBytes, Date.now() - t, s.explain().split("\n").filter((x) => /passes|filter/.test(x)).join(" | "));
    } catch (e: any) { console.log(how, limit, e.code, e.message); }
  }
}, 200000);
