import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kernel } from "../../src/kernel/contract.ts";
import { NONE } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { random } from "./random.ts";
import { putI32, takeI32 } from "./regions.ts";
import { cases } from "./segments.ts";

const SIZES = [30, 1, 77];

describe.each(implementations)("gathers of variable-length rows of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  /** Strings of up to `longest` bytes; the offsets of each source begin at another number. */
  const variable = (seed: number, longest: number) => {
    const r = random(seed);
    const texts = SIZES.map((rows) => Array.from({ length: rows }, () => r.bytes(r.below(longest + 1))));
    const offsets = texts.map((each, source) => {
      const bounds = Int32Array.of(source * 11, ...each.map((text) => text.length));
      for (let i = 1; i < bounds.length; i++) bounds[i] += bounds[i - 1];
      return bounds;
    });
    const bytes = texts.map((each, source) =>
      Uint8Array.from([...new Array<number>(source * 11).fill(0xee), ...each.flatMap((text) => [...text])]),
    );
    return { r, texts, offsets, bytes };
  };

  it.each([0, 3, 20, 150])("sums the lengths and copies the bytes of strings of up to %i bytes, NONE is empty", (longest) => {
    const { r, texts, offsets, bytes } = variable(longest, longest);
    for (const { segment, expected } of cases(kernel, r, SIZES)) {
      for (const [at, start] of [
        [0, 0],
        [4, 9],
      ]) {
        const gathered = expected.map((from) => (from === null ? new Uint8Array(0) : texts[from.source][from.row]));
        const dstOffsets = new Int32Array(at + expected.length + 3).fill(-7);
        dstOffsets[at] = start;
        expect(kernel.gatherOffsets(offsets, segment, dstOffsets, at, 2 ** 31 - 1)).toBe(true);
        let sum = start;
        const bounds = gathered.map((text) => (sum += text.length));
        expect([...dstOffsets]).toEqual([...new Array<number>(at).fill(-7), start, ...bounds, -7, -7]);
        const dst = new Uint8Array(sum + 3).fill(0xdd);
        kernel.gatherBytes(offsets, bytes, segment, dstOffsets, dst, at);
        expect([...dst]).toEqual([...new Array<number>(start).fill(0xdd), ...gathered.flatMap((text) => [...text]), 0xdd, 0xdd, 0xdd]);
      }
    }
  });

  it("refuses a sum above the bound, and takes one that is exactly the bound", () => {
    const { r, texts, offsets } = variable(5, 20);
    for (const { segment, expected } of cases(kernel, r, SIZES)) {
      const total = expected.reduce((sum, from) => sum + (from === null ? 0 : texts[from.source][from.row].length), 0);
      const dst = new Int32Array(expected.length + 1);
      dst[0] = 6;
      expect(kernel.gatherOffsets(offsets, segment, dst, 0, 6 + total)).toBe(true);
      expect(dst[expected.length]).toBe(6 + total);
      if (total > 0) expect(kernel.gatherOffsets(offsets, segment, dst, 0, 5 + total)).toBe(false);
    }
  });

  it("refuses sums beyond 32 bits instead of wrapping", () => {
    const huge = Int32Array.of(0, 2_000_000_000);
    const rows = putI32(kernel, [0, 0, 0, 0, 0]);
    const sources = putI32(kernel, [0, 0, 0, 0, 0]);
    for (const hasNone of [false, true]) {
      const dst = new Int32Array(6);
      expect(kernel.gatherOffsets([huge], { kind: "rows", source: 0, rows, from: 0, count: 5, hasNone }, dst, 0, 2 ** 31 - 1)).toBe(false);
      expect(kernel.gatherOffsets([huge], { kind: "located", sources, rows, from: 0, count: 5, hasNone }, dst, 0, 2 ** 31 - 1)).toBe(false);
      expect(kernel.gatherOffsets([huge], { kind: "rows", source: 0, rows, from: 0, count: 1, hasNone }, dst, 0, 2 ** 31 - 1)).toBe(true);
    }
    const dst = Int32Array.of(200_000_000, 0);
    expect(kernel.gatherOffsets([huge], { kind: "run", source: 0, start: 0, count: 1, hasNone: false }, dst, 0, 2 ** 31 - 1)).toBe(false);
  });

  it("lists the child rows of gathered lists and their sources, NONE has none", () => {
    const { r, offsets } = variable(6, 5);
    for (const { segment, expected } of cases(kernel, r, SIZES)) {
      const children = expected.flatMap((from) => {
        if (from === null) return [];
        const own = offsets[from.source];
        return Array.from({ length: own[from.row + 1] - own[from.row] }, (_, i) => [own[from.row] + i, from.source]);
      });
      const rows = kernel.alloc(children.length * 4, "children");
      const sources = segment.kind === "located" ? kernel.alloc(children.length * 4, "children") : null;
      expect(kernel.gatherLists(offsets, segment, rows, sources)).toBe(children.length);
      expect(takeI32(kernel, rows, children.length)).toEqual(children.map(([row]) => row));
      if (sources !== null) expect(takeI32(kernel, sources, children.length)).toEqual(children.map(([, source]) => source));
    }
  });

  it.each([0, 1, 3])("lists the child rows of gathered lists of %i elements, a NONE parent has NONE children", (size) => {
    const r = random(size);
    for (const { segment, expected } of cases(kernel, r, SIZES)) {
      const children = expected.flatMap((from) =>
        Array.from({ length: size }, (_, i) => (from === null ? [NONE, 0] : [from.row * size + i, from.source])),
      );
      const rows = kernel.alloc(children.length * 4, "children");
      const sources = segment.kind === "located" ? kernel.alloc(children.length * 4, "children") : null;
      expect(kernel.gatherFixedLists(size, segment, rows, sources)).toBe(children.length);
      expect(takeI32(kernel, rows, children.length)).toEqual(children.map(([row]) => row));
      if (sources !== null) expect(takeI32(kernel, sources, children.length)).toEqual(children.map(([, source]) => source));
    }
  });
});
