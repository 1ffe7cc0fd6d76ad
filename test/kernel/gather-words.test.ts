import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CodeSource, Kernel, Segment, Words } from "../../src/kernel/contract.ts";
import { implementations } from "./kernels.ts";
import { flags, random } from "./random.ts";
import { packed, putBytes, unpacked } from "./regions.ts";
import { cases } from "./segments.ts";

const SIZES = [30, 1, 77];

describe.each(implementations)("gathers of fixed-width values of $name", ({ make }) => {
  let kernel: Kernel;
  beforeEach(() => {
    kernel = make();
  });
  afterEach(() => kernel.close());

  it.each([
    { word: Uint8Array, perRow: 1 },
    { word: Uint8Array, perRow: 3 },
    { word: Uint8Array, perRow: 31 },
    { word: Uint16Array, perRow: 1 },
    { word: Uint16Array, perRow: 3 },
    { word: Int32Array, perRow: 1 },
    { word: Int32Array, perRow: 2 },
    { word: Int32Array, perRow: 3 },
    { word: Int32Array, perRow: 4 },
    { word: Int32Array, perRow: 8 },
  ])("copies rows of $perRow words of $word.name for every kind of segment, NONE gives zeros", ({ word, perRow }) => {
    const r = random(perRow);
    const sources: Words[] = SIZES.map((rows) => new word(r.bytes(rows * perRow * word.BYTES_PER_ELEMENT).buffer));
    for (const { segment, expected } of cases(kernel, r, SIZES)) {
      for (const at of [0, 5]) {
        const dst = new word((expected.length + 7) * perRow).fill(7);
        kernel.gatherWords(sources, perRow, segment, dst, at);
        const rows = Array.from({ length: expected.length + 7 }, (_, i) => Array.from(dst.subarray(i * perRow, (i + 1) * perRow)));
        const untouched = new Array<number>(perRow).fill(7);
        const copied = expected.map((from) =>
          from === null
            ? new Array<number>(perRow).fill(0)
            : Array.from(sources[from.source].subarray(from.row * perRow, (from.row + 1) * perRow)),
        );
        expect(rows).toEqual([...new Array<number[]>(at).fill(untouched), ...copied, ...new Array<number[]>(7 - at).fill(untouched)]);
      }
    }
  });

  it("reads sources that begin in the middle of a buffer", () => {
    const whole = Int32Array.from({ length: 20 }, (_, i) => i);
    const dst = new Int32Array(3);
    kernel.gatherWords([whole.subarray(5)], 1, { kind: "run", source: 0, start: 2, count: 3, hasNone: false }, dst, 0);
    expect([...dst]).toEqual([7, 8, 9]);
  });

  it("copies bits from any bit to any bit, counts those set, NONE is clear and a null source all set", () => {
    const r = random(12);
    const bits = SIZES.map((rows, source) => (source === 1 ? null : flags(r, rows, 0.5)));
    const starts = [3, 0, 13];
    const sources = bits.map((source, i) => (source === null ? null : { bytes: packed(source, starts[i]), bit: starts[i] }));
    for (const all of [false, true]) {
      for (const { segment, expected } of cases(kernel, r, SIZES)) {
        for (const at of [0, 1, 7, 8, 13]) {
          const before = at === 0 ? [] : flags(r, at, 0.5);
          const dst = new Uint8Array(Math.ceil((at + expected.length) / 8) + 1);
          before.forEach((bit, i) => {
            if (bit) dst[i >> 3] |= 1 << (i & 7);
          });
          const copied = expected.map((from) => from !== null && (all || bits[from.source] === null || bits[from.source]![from.row]));
          expect(kernel.gatherBits(all ? SIZES.map(() => null) : sources, segment, dst, at)).toBe(copied.filter(Boolean).length);
          const rest = dst.length * 8 - at - expected.length;
          expect(unpacked(dst, 0, dst.length * 8)).toEqual([...before, ...copied, ...new Array<boolean>(rest).fill(false)]);
        }
      }
    }
  });

  it.each([
    { name: "bytes", make: Uint8Array, top: 255, stride: 1 },
    { name: "signed bytes", make: Int8Array, top: 127, stride: 1 },
    { name: "16-bit words", make: Uint16Array, top: 60_000, stride: 1 },
    { name: "signed 16-bit words", make: Int16Array, top: 32_767, stride: 1 },
    { name: "32-bit words", make: Int32Array, top: 70_000, stride: 1 },
    { name: "unsigned 32-bit words", make: Uint32Array, top: 70_000, stride: 1 },
    { name: "the low words of 64-bit codes", make: Int32Array, top: 70_000, stride: 2 },
  ] as const)("widens and translates codes of $name", ({ make: array, top, stride }) => {
    const r = random(top);
    const codes = SIZES.map((rows) => Array.from({ length: rows }, () => r.below(top + 1)));
    const map = Int32Array.from({ length: top + 1 }, () => r.below(2 ** 31));
    const sources: CodeSource[] = codes.map((each, source) => ({
      codes: array.from(each.flatMap((code) => (stride === 2 ? [code, 0] : [code]))),
      stride,
      map: source === 0 ? null : map,
    }));
    for (const { segment, expected } of cases(kernel, r, SIZES)) {
      const dst = new Int32Array(expected.length + 5).fill(7);
      kernel.gatherCodes(sources, segment, dst, 3);
      const copied = expected.map((from) => {
        if (from === null) return 0;
        const code = codes[from.source][from.row];
        return from.source === 0 ? code : map[code];
      });
      expect([...dst]).toEqual([7, 7, 7, ...copied, 7, 7]);
    }
  });

  it.each([1, 2, 3, 4, 8, 12, 16, 20, 32])(
    "gathers a placed column of width %i by rows and by runs, into targets of any alignment",
    (width) => {
      const r = random(width);
      const bytes = r.bytes(40 * width);
      const placed = putBytes(kernel, bytes);
      for (const { segment, expected } of cases(kernel, r, [40])) {
        if (segment.kind === "located") continue;
        for (const shift of [0, 1, 4]) {
          const dst = new Uint8Array((expected.length + 4) * width + shift).fill(7).subarray(shift);
          kernel.gatherPlaced(placed, width, segment, dst, 2);
          const copied = expected.flatMap((from) =>
            from === null ? new Array<number>(width).fill(0) : [...bytes.subarray(from.row * width, (from.row + 1) * width)],
          );
          expect([...dst]).toEqual([...new Array<number>(2 * width).fill(7), ...copied, ...new Array<number>(2 * width).fill(7)]);
        }
      }
    },
  );

  it("gathers a placed column of more rows than one pass of its scratch holds", () => {
    const r = random(99);
    const bytes = r.bytes(5000 * 16);
    const placed = putBytes(kernel, bytes);
    const rows = Int32Array.from({ length: 16_384 }, () => r.below(5000));
    const region = kernel.alloc(rows.byteLength, "rows");
    kernel.i32(region).set(rows);
    const segment: Segment = { kind: "rows", source: 0, rows: region, from: 0, count: rows.length, hasNone: false };
    const dst = new Uint8Array(rows.length * 16);
    kernel.gatherPlaced(placed, 16, segment, dst, 0);
    const expected = new Uint8Array(rows.length * 16);
    rows.forEach((row, i) => expected.set(bytes.subarray(row * 16, row * 16 + 16), i * 16));
    expect(Buffer.compare(dst, expected)).toBe(0);
  });
});
