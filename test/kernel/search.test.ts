/** One comparison tested for candidate pairs, in both kernels, against a plain loop over BigInts. */

import { describe, expect, it } from "vitest";
import type { Groups, Kernel, Region } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { random } from "./random.ts";
import { putBytes, putI32 } from "./regions.ts";

const OPS = ["lt", "le", "gt", "ge", "eq", "ne"] as const;
const SIZES = [2, 3, 15, 16, 17, 31, 33, 100, 1000, 1];
const BUILD_ROWS = 500;

function holds(op: (typeof OPS)[number], build: bigint, probe: bigint): boolean {
  switch (op) {
    case "lt":
      return build < probe;
    case "le":
      return build <= probe;
    case "gt":
      return build > probe;
    case "ge":
      return build >= probe;
    case "eq":
      return build === probe;
    case "ne":
      return build !== probe;
  }
}

/** Ordinals around zero, the middle and the end of the unsigned range. */
function ordinals(count: number, width: 4 | 8, seed: number): bigint[] {
  const r = random(seed);
  const bits = BigInt(8 * width);
  const marks = [0n, 1n << (bits - 1n), (1n << bits) - 4n, width === 8 ? 0x00000001_fffffffen : 77n];
  return Array.from({ length: count }, () => marks[r.below(4)] + BigInt(r.below(4)));
}

function put(kernel: Kernel, values: readonly bigint[], width: 4 | 8): Region {
  const bytes = new Uint8Array(values.length * width + 512);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    if (width === 4) view.setUint32(4 * i, Number(value), true);
    else view.setBigUint64(8 * i, value, true);
  });
  return putBytes(kernel, bytes);
}

describe.each(implementations)("candidate pairs are searched by one comparison ($name)", ({ make }) => {
  for (const width of [4, 8] as const) {
    for (const op of OPS) {
      for (const [room, budget] of [
        [16, 1_000_000],
        [40, 50],
        [4096, 1],
        [4096, 1_000_000],
      ]) {
        it(`${op} of ${width} bytes, room ${room}, about ${budget} a call`, () => {
          const kernel = make();
          const r = random(width + room);
          const offsets = [0];
          for (const size of SIZES) offsets.push(offsets[offsets.length - 1] + size);
          const rows = Array.from({ length: offsets[SIZES.length] }, () => r.below(BUILD_ROWS));
          const groups: Groups = { offsets: putI32(kernel, offsets), rows: putI32(kernel, rows) };
          const handles = Array.from({ length: 60 }, () => [NONE, r.below(BUILD_ROWS), -2 - r.below(SIZES.length)][r.below(3)]);
          const build = ordinals(BUILD_ROWS, width, 1);
          const probe = ordinals(60, width, 2);
          const base = -5;
          const from = 5;
          const expected = handles.slice(from).flatMap((handle, i) => {
            const partners = handle === NONE ? [] : handle >= 0 ? [handle] : rows.slice(offsets[-2 - handle], offsets[-1 - handle]);
            return partners.filter((row) => holds(op, build[row], probe[i])).map((row) => [1000 + from + i, row]);
          });
          const candidates = handles
            .slice(from)
            .reduce((sum, handle) => sum + (handle === NONE ? 0 : handle >= 0 ? 1 : SIZES[-2 - handle]), 0);

          const regions = {
            probe: put(kernel, probe, width),
            byRow: put(kernel, build, width),
            byGroup: put(
              kernel,
              rows.map((row) => build[row]),
              width,
            ),
            handles: putI32(kernel, handles),
            outProbe: kernel.alloc(4 * room + 64, "test"),
            outBuild: kernel.alloc(4 * room + 64, "test"),
          };
          const cursor = { row: from, pos: 0, at: 0 };
          const found: number[][] = [];
          let tested = 0;
          let calls = 0;
          while (cursor.row < handles.length) {
            const { probe: p, byRow, byGroup, outProbe, outBuild } = regions;
            const to = handles.length;
            const result = kernel.searchPairs(
              op,
              width,
              p,
              base,
              byRow,
              byGroup,
              regions.handles,
              cursor,
              to,
              groups,
              1000,
              outProbe,
              outBuild,
              room,
              budget,
            );
            expect(result.kept).toBeLessThanOrEqual(room);
            const [probes, builds] = [kernel.i32(outProbe), kernel.i32(outBuild)];
            for (let i = 0; i < result.kept; i++) found.push([probes[i], builds[i]]);
            tested += result.tested;
            expect(++calls).toBeLessThan(10_000);
          }
          expect(found).toEqual(expected);
          expect(tested).toBe(candidates);
          kernel.close();
        });
      }
    }
  }
});
