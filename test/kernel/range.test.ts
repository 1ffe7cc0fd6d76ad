/** Sorted search of both kernels against plain loops over BigInts: bounds, the tree of extremes, candidates, whether there is one. */

import { describe, expect, it } from "vitest";
import type { Groups, Kernel, Region } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import { type RangeSearch, SAMPLE_ROWS, treeLevels } from "../../src/kernel/range-contract.ts";
import { implementations } from "./kernels.ts";
import { random } from "./random.ts";
import { putBytes, putI32, takeI32, unpacked } from "./regions.ts";

const OPS = ["lt", "le", "gt", "ge"] as const;
type Op = (typeof OPS)[number];
type Width = 4 | 8;

const HOLDS: { readonly [op in Op]: (a: bigint, b: bigint) => boolean } = {
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

/** Around zero, the middle, a carry between words, and the end of the unsigned range; `spread` values of each. */
function ordinals(count: number, width: Width, seed: number, spread = 4): bigint[] {
  const r = random(seed);
  const bits = BigInt(8 * width);
  const marks = [0n, (1n << (bits - 1n)) - 2n, (1n << bits) - BigInt(spread), width === 8 ? 0x00000001_fffffffen : 77n];
  return Array.from({ length: count }, () => marks[r.below(4)] + BigInt(r.below(spread)));
}

function put(kernel: Kernel, values: readonly bigint[], width: Width): Region {
  const bytes = new Uint8Array(values.length * width + 256).fill(0xa5);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    if (width === 4) view.setUint32(4 * i, Number(value), true);
    else view.setBigUint64(8 * i, value, true);
  });
  return putBytes(kernel, bytes);
}

function readOrdinals(kernel: Kernel, region: Region, width: Width, at: number, count: number): bigint[] {
  const view = new DataView(kernel.u8(region).slice(at * width, (at + count) * width).buffer);
  return Array.from({ length: count }, (_, i) => (width === 4 ? BigInt(view.getUint32(4 * i, true)) : view.getBigUint64(8 * i, true)));
}

function makeTree(kernel: Kernel, values: readonly bigint[], width: Width, max: boolean): { region: Region; starts: number[] } {
  const starts = treeLevels(values.length);
  const region = kernel.alloc(width * starts[starts.length - 1] + 64, "test");
  kernel.fill(region, 0x5a, 0, region.bytes);
  kernel.copy(region, 0, put(kernel, values, width), 0, width * values.length);
  let count = values.length;
  for (let level = 1; level < starts.length - 1; level++) {
    const nodes = Math.ceil(count / 16);
    // In two pieces, as long levels are.
    for (const [from, to] of [
      [0, nodes >> 1],
      [nodes >> 1, nodes],
    ])
      kernel.raiseTree(region, width, max, starts[level - 1], count, starts[level], from, to);
    count = nodes;
  }
  return { region, starts };
}

/** Groups of build rows, sorted by a first value; some rows of each group have none and are left out. */
function makeSide(kernel: Kernel, width: Width, sizes: readonly number[], seed: number, spread?: number) {
  const r = random(seed);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const offsets = [0];
  for (const size of sizes) offsets.push(offsets[offsets.length - 1] + size);
  // Ascending within each group, as build rows are.
  const ids = Array.from({ length: total * 2 }, (_, i) => i).filter((i) => i % 2 === r.below(2) || i % 3 === 0);
  const members = sizes.flatMap((size, g) => ids.slice(offsets[g], offsets[g] + size));
  const first = ordinals(total * 2, width, seed + 1, spread);
  const places = sizes.map((size, g) =>
    members
      .slice(offsets[g], offsets[g] + size)
      .filter((_, i) => i % 7 !== 3)
      .sort((a, b) => (first[a] < first[b] ? -1 : first[a] > first[b] ? 1 : a - b)),
  );
  const [rows, keys] = [new Array<number>(total).fill(0), new Array<bigint>(total).fill(0n)];
  places.forEach((list, g) => {
    list.forEach((row, i) => {
      rows[offsets[g] + i] = row;
      keys[offsets[g] + i] = first[row];
    });
  });
  const groups: Groups = { offsets: putI32(kernel, offsets), rows: putI32(kernel, members) };
  const ends = putI32(
    kernel,
    places.map((list, g) => offsets[g] + list.length),
  );
  const samples = put(
    kernel,
    keys.filter((_, i) => i % SAMPLE_ROWS === 0),
    width,
  );
  const sorted = { width, keys: put(kernel, keys, width), samples, rows: putI32(kernel, rows), ends };
  return { groups, sorted, first, places, offsets, rows, sizes };
}

const SIZES = [1, 2, 3, 15, 16, 17, 60, 300];
const FROM = 5;
const ROWS = 90;

function makeHandles(seed: number): number[] {
  const r = random(seed);
  return Array.from({ length: ROWS }, () => [NONE, r.below(100), -2 - r.below(SIZES.length), -2 - r.below(SIZES.length)][r.below(4)]);
}

describe.each(implementations)("sorted search ($name)", ({ make }) => {
  for (const width of [4, 8] as const) {
    for (const after of [false, true]) {
      it(`finds the first place ${after ? "after" : "of"} equal keys of ${width} bytes, in the group of each row`, () => {
        const kernel = make();
        // The last has 32 samples.
        const side = makeSide(kernel, width, [...SIZES.slice(1), 2000], 11, 300);
        const r = random(14);
        const handles = makeHandles(12);
        const asked = ordinals(ROWS, width, 13, 300);
        const region = putI32(kernel, handles);
        const queries = put(kernel, asked, width);
        const floors = handles.map((handle) => {
          if (handle >= NONE) return 0;
          return side.offsets[-2 - handle] + r.below(side.places[-2 - handle].length + 1);
        });
        for (const known of [null, floors]) {
          const out = kernel.alloc(4 * ROWS, "test");
          const places = known && putI32(kernel, known);
          kernel.searchSorted(side.sorted, side.groups, region, FROM, 40, queries, after, places, out);
          kernel.searchSorted(side.sorted, side.groups, region, 40, ROWS, queries, after, places, out);
          const found = takeI32(kernel, out, ROWS);
          for (let row = FROM; row < ROWS; row++) {
            if (handles[row] >= NONE) continue;
            const group = -2 - handles[row];
            const query = asked[row];
            const below = side.places[group].filter((id) => (after ? side.first[id] <= query : side.first[id] < query)).length;
            const floor = known?.[row] ?? 0;
            if (Math.max(floor, found[row]) !== Math.max(floor, side.offsets[group] + below)) throw new Error(`row ${row}: ${found[row]}`);
          }
        }
        kernel.close();
      });
    }

    for (const count of [1, 15, 16, 17, 255, 256, 257, 4097]) {
      it(`raises a tree over ${count} values of ${width} bytes`, () => {
        const kernel = make();
        const values = ordinals(count, width, count, 1000);
        for (const max of [true, false]) {
          const { region, starts } = makeTree(kernel, values, width, max);
          let level = values;
          for (let i = 0; i < starts.length - 1; i++) {
            expect(readOrdinals(kernel, region, width, starts[i], level.length)).toEqual(level);
            const below = level;
            level = Array.from({ length: Math.ceil(below.length / 16) }, (_, node) =>
              below.slice(16 * node, 16 * node + 16).reduce((a, b) => (a > b === max ? a : b)),
            );
          }
        }
        kernel.close();
      });
    }

    for (const op of [null, ...OPS]) {
      for (const bounds of ["both", "low", "high", "none"]) {
        it(`lists candidates of ${op ? `a stretch whose second value passes ${op}` : "a stretch"}, ${bounds} bounded, ${width} bytes`, () => {
          const kernel = make();
          for (const [least, shift, room] of [
            [0, 0, 4096],
            [3, 0, 50],
            [16, 2, 300],
            [16, 0, 7],
          ]) {
            const seed = least + shift + room;
            const side = makeSide(kernel, width, SIZES, seed);
            const r = random(seed);
            const handles = makeHandles(seed + 1);
            const total = side.rows.length;
            const second = ordinals(total * 2, width, seed + 2);
            const asked = ordinals(ROWS, width, seed + 3);
            const stretches = handles.map((handle) => {
              if (handle >= NONE) return [0, 0];
              const [a, b] = [side.offsets[-2 - handle], side.offsets[-2 - handle] + side.places[-2 - handle].length];
              const [x, y] = [a + r.below(b - a + 1), a + r.below(b - a + 1)];
              return [bounds === "both" || bounds === "low" ? x : a, bounds === "both" || bounds === "high" ? y : b];
            });
            const byRow = (values: readonly number[]) => putI32(kernel, values);
            const values = side.rows.map((row) => second[row]);
            const tree = op && {
              values: makeTree(kernel, values, width, op === "gt" || op === "ge").region,
              width,
              places: total,
              op,
            };
            const search: RangeSearch = {
              groups: side.groups,
              sorted: side.sorted,
              tree,
              lows: bounds === "both" || bounds === "low" ? byRow(stretches.map(([low]) => low)) : null,
              highs: bounds === "both" || bounds === "high" ? byRow(stretches.map(([, high]) => high)) : null,
              queries: op && put(kernel, asked, width),
            };
            const expected = handles.map((handle, row) =>
              handle >= NONE
                ? []
                : side.rows
                    .slice(stretches[row][0], Math.max(...stretches[row]))
                    .slice(0, Math.max(0, stretches[row][1] - stretches[row][0]))
                    .filter((id) => !op || HOLDS[op](second[id], asked[row]))
                    .sort((a, b) => a - b),
            );
            const left = (row: number): boolean => {
              const handle = handles[row];
              if (handle === NONE) return false;
              const size = handle > NONE ? 0 : SIZES[-2 - handle];
              if (handle > NONE || size < least) return true;
              return expected[row].length > size >> shift || expected[row].length > room;
            };

            const [outProbe, outBuild, spare] = [0, 1, 2].map(() => kernel.alloc(4 * room + 64, "test"));
            const region = putI32(kernel, handles);
            let row = FROM;
            for (let calls = 0; row < ROWS; calls++) {
              const found = kernel.listRange(search, region, row, ROWS, least, shift, 1000, outProbe, outBuild, room);
              const pairs: number[][] = [];
              for (let at = row; at < found.row; at++) {
                expect(left(at), `row ${at} is searched`).toBe(false);
                pairs.push(...expected[at].map((id) => [1000 + at, id]));
              }
              expect(found.kept).toBe(pairs.length);
              kernel.orderPairs(outProbe, outBuild, found.kept, spare);
              const [probes, builds] = [takeI32(kernel, outProbe, found.kept), takeI32(kernel, outBuild, found.kept)];
              expect(probes.map((probe, i) => [probe, builds[i]])).toEqual(pairs);
              if (found.row < ROWS && !left(found.row)) {
                expect(found.kept).toBeGreaterThan(0);
                expect(found.kept + expected[found.row].length).toBeGreaterThan(Math.min(room, SIZES[-2 - handles[found.row]] >> shift));
              }
              row = found.kept === 0 ? found.row + 1 : found.row;
              expect(calls).toBeLessThan(500);
            }

            const bits = kernel.alloc(ROWS + 64, "test");
            kernel.testRange(search, region, FROM, ROWS, bits);
            const has = handles.map((handle, i) => handle >= NONE || expected[i].length > 0).slice(FROM);
            expect(unpacked(kernel.u8(bits), 0, ROWS - FROM)).toEqual(has);
          }
          kernel.close();
        });
      }
    }

    it(`goes down a tree of four levels for stretches anywhere, ${width} bytes`, () => {
      const kernel = make();
      const total = 20_000;
      const side = makeSide(kernel, width, [total], 5, 3000);
      const r = random(6);
      const second = ordinals(total * 2, width, 7, 3000);
      const places = side.places[0].length;
      const values = side.rows.map((row) => second[row]);
      const asked = ordinals(60, width, 8, 3000);
      const stretches = asked.map((_, i) => {
        const ends = [r.below(places + 1), r.below(places + 1)].sort((a, b) => a - b);
        return i < 10 ? [0, places] : i < 20 ? [ends[0], places] : i < 30 ? [0, ends[1]] : i < 40 ? [ends[0], ends[0] + 5] : ends;
      });
      for (const op of OPS) {
        const tree = { values: makeTree(kernel, values, width, op === "gt" || op === "ge").region, width, places: total, op };
        const search = {
          groups: side.groups,
          sorted: side.sorted,
          tree,
          lows: putI32(
            kernel,
            stretches.map(([low]) => low),
          ),
          highs: putI32(
            kernel,
            stretches.map(([, high]) => high),
          ),
          queries: put(kernel, asked, width),
        };
        const handles = putI32(
          kernel,
          asked.map(() => -2),
        );
        const [outProbe, outBuild, spare] = [0, 1, 2].map(() => kernel.alloc(4 * total, "test"));
        for (let row = 0; row < asked.length; row++) {
          const { kept } = kernel.listRange(search, handles, row, row + 1, 0, 0, 0, outProbe, outBuild, total);
          kernel.orderPairs(outProbe, outBuild, kept, spare);
          const expected = side.rows
            .slice(stretches[row][0], stretches[row][1])
            .filter((id) => HOLDS[op](second[id], asked[row]))
            .sort((a, b) => a - b);
          expect(takeI32(kernel, outBuild, kept)).toEqual(expected);
        }
      }
      kernel.close();
    });
  }
});
