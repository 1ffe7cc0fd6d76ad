/** SEMANTICS 6.1 and 6.2: how long batches are, and what happens where a column would grow too large; that kernels are given back. */

import { describe, expect, it } from "vitest";
import { binary, dictionary, int32, list, map, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { readTable } from "../support/rows.ts";
import { type How, join, joinStream, type Options, runJoin, runJoinStream } from "../support/run.ts";
import { endless, source } from "../support/source.ts";
import { table } from "../support/table.ts";

const KERNELS = ["wasm", "ts"] as const;
const ids = Array.from({ length: 40 }, (_, i) => i);
const rows = (count: number) => int32(Array.from({ length: count }, (_, i) => i));

describe("a column that would outgrow its offsets", () => {
  const words = ids.map((i) => (i % 7 === 3 ? null : "x".repeat((i * 13) % 31)));
  const columns = {
    utf8: utf8(words),
    binary: binary(words.map((word) => (word === null ? null : word.replaceAll("x", "ab")))),
    "list of utf8": list(
      utf8(),
      words.map((word) => (word === null ? null : [word, null, word.slice(5)])),
    ),
    map: map(
      utf8(),
      int32(),
      words.map((word) => (word === null ? null : [[`k${word}`, word.length]])),
    ),
  };

  for (const [name, column] of Object.entries(columns)) {
    it(`ends its batch earlier and loses no row (${name})`, async () => {
      const right = table({ k: int32(ids), s: column }, { split: [15, 25] });
      const left = table({ k: int32([...ids].reverse().flatMap((id) => [id, id])) });
      for (const kernel of KERNELS) {
        for (const how of ["inner", "left", "right", "full"] as readonly How[]) {
          const options: Options = { on: "k", how, kernel, batchSize: 30 };
          const whole = join(left, right, { ...options, build: "right" });
          const split = runJoin(left, right, { ...options, build: "right" }, { maxColumnBytes: 130 });
          expect(readTable(split).rows).toEqual(readTable(whole).rows);
          expect(split.batches.length).toBeGreaterThan(whole.batches.length);
          const streamed = await runJoinStream(left, right, options, { maxColumnBytes: 130 });
          expect(readTable(await streamed.toTable()).rows).toEqual(readTable(whole).rows);
        }
      }
    });
  }

  it("keeps every gathered column within the bound", () => {
    const right = table({ k: int32(ids), s: utf8(words) });
    const left = table({ k: int32([...ids].reverse()) });
    for (const kernel of KERNELS) {
      for (const batch of runJoin(left, right, { on: "k", kernel, build: "right" }, { maxColumnBytes: 100 }).batches) {
        const offsets = batch.data.children[1].valueOffsets as Int32Array;
        expect(offsets[batch.numRows] - offsets[0]).toBeLessThanOrEqual(100);
      }
    }
  });

  it("is an error that says so where a single row is too large", async () => {
    const right = table({ k: int32([1, 2]), s: utf8(["short", "y".repeat(200)]) });
    for (const kernel of KERNELS) {
      const run = () => runJoin(table({ k: int32([2, 1]) }), right, { on: "k", kernel, build: "right" }, { maxColumnBytes: 100 });
      const error = await expectError(run, "MEMORY_LIMIT", "s");
      expect(error.message).toMatch(/byte|2 ?GiB|large/i);
    }
  });
});

describe("batches", () => {
  const left = table({ k: int32(Array.from({ length: 100 }, (_, i) => (i * 7) % 50)), l: rows(100) });
  const right = table({ k: int32(Array.from({ length: 60 }, (_, i) => i)), r: rows(60) });
  const lengths = (options: Partial<Options>) =>
    join(left, right, { on: "k", batchSize: 16, ...options }).batches.map((batch) => batch.numRows);

  it("are full but for the last of a phase", () => {
    for (const kernel of KERNELS) {
      for (const build of ["left", "right"] as const) {
        expect(lengths({ kernel, build })).toEqual([16, 16, 16, 16, 16, 16, 4]);
        expect(lengths({ kernel, build, how: "rightAnti" })).toEqual([10]);
        expect(lengths({ kernel, build, how: "rightSemi" })).toEqual([16, 16, 16, 2]);
        const full = lengths({ kernel, build, how: "full" });
        expect(full.slice(0, 6)).toEqual([16, 16, 16, 16, 16, 16]);
        expect(full.slice(6).reduce((sum, n) => sum + n, 0)).toBe(14);
      }
    }
  });

  it("of a one-shot join are one where nothing says otherwise", () => {
    for (const how of ["inner", "leftSemi", "leftAnti", "rightSemi"] as const) {
      expect(join(left, right, { on: "k", how }).batches.length).toBeLessThanOrEqual(1);
    }
  });

  it("of a stream have 8192 rows where nothing says otherwise", async () => {
    const many = table({ k: int32(Array.from({ length: 20_000 }, (_, i) => i % 50)) });
    const stream = await joinStream(many, right, { on: "k" });
    expect((await stream.toTable()).batches.map((batch) => batch.numRows)).toEqual([8192, 8192, 3616]);
  });

  it("of dictionary columns end where the dictionary of a streamed batch changes", async () => {
    const coded = table({ k: int32([1, 2, 3, 4]), d: dictionary(utf8(["a", "b", "c", "d"]), { perBatch: true }) }, { split: [1, 2, 1] });
    const stream = await joinStream(coded, right, { on: "k" });
    expect((await stream.toTable()).batches.map((batch) => batch.numRows)).toEqual([1, 2, 1]);
  });
});

describe("kernels", () => {
  const left = table({ k: int32([1, 2, 3]), l: rows(3) }, { split: [2, 1] });
  const right = table({ k: int32([3, 1]), r: rows(2) });

  it("are given back by streams that end, fail or are cancelled: hundreds of them, one after the other", async () => {
    for (let i = 0; i < 300; i++) {
      const cancelled = await joinStream(endless(left.batches[0]), right, { on: "k", kernel: "wasm", batchSize: 1 });
      await cancelled.next();
      await cancelled.cancel();
      const failed = await joinStream(
        source(left, (pull) => (pull === 1 ? Promise.reject(new Error("gone")) : undefined)),
        right,
        { on: "k", kernel: "wasm" },
      );
      await expectError(() => failed.toTable(), "SOURCE_FAILED");
      const ended = await joinStream(left, right, { on: "k", kernel: "wasm" });
      expect((await ended.toTable()).numRows).toBe(2);
    }
  });

  it("are used again: streams and one-shot joins one after the other make no new one", async () => {
    const run = async () => {
      const ended = await joinStream(left, right, { on: "k", kernel: "wasm" });
      await ended.toTable();
      const cancelled = await joinStream(left, right, { on: "k", kernel: "wasm", batchSize: 1 });
      await cancelled.next();
      await cancelled.cancel();
      const failed = await joinStream(
        source(left, () => Promise.reject(new Error("gone"))),
        right,
        { on: "k", kernel: "wasm" },
      );
      await expectError(() => failed.toTable(), "SOURCE_FAILED");
      join(left, right, { on: "k", kernel: "wasm" });
    };
    await run();
    let made = 0;
    const { Instance } = WebAssembly;
    class CountedInstance extends Instance {
      constructor(...args: ConstructorParameters<typeof Instance>) {
        super(...args);
        made++;
      }
    }
    WebAssembly.Instance = CountedInstance;
    try {
      for (let i = 0; i < 10; i++) await run();
    } finally {
      WebAssembly.Instance = Instance;
    }
    expect(made).toBe(0);
  });

  it("are given back by one-shot joins that fail", async () => {
    const bad = table({ k: dictionary(utf8(["a", "b"])) });
    (bad.batches[0].data.children[0].values as Int32Array)[1] = 99;
    for (let i = 0; i < 300; i++)
      await expectError(() => join(bad, table({ k: utf8(["a"]) }), { on: "k", kernel: "wasm" }), "INVALID_INPUT");
    expect(join(left, right, { on: "k", kernel: "wasm" }).numRows).toBe(2);
  });

  it("are apart for streams that run at the same time", async () => {
    const sides = Array.from({ length: 12 }, (_, n) => ({
      l: table({ k: int32(Array.from({ length: 40 }, (_, i) => (i * (n + 1)) % 23)), l: rows(40) }, { split: [13, 27] }),
      r: table({ k: int32(Array.from({ length: 23 }, (_, i) => i + n)), r: rows(23) }),
    }));
    for (const kernel of KERNELS) {
      const streams = await Promise.all(
        sides.map(({ l, r }) => joinStream(source(l), source(r), { on: "k", how: "full", kernel, batchSize: 3 })),
      );
      const tables = await Promise.all(streams.map((stream) => stream.toTable()));
      tables.forEach((result, n) => {
        expect(readTable(result).rows).toEqual(readTable(join(sides[n].l, sides[n].r, { on: "k", how: "full", kernel: "ts" })).rows);
      });
    }
  });

  it("may be asked for while another join of the same process is under way", async () => {
    const stream = await joinStream(left, right, { on: "k", how: "left", batchSize: 1, kernel: "wasm" });
    const seen: number[] = [];
    for await (const batch of stream) {
      seen.push(batch.numRows);
      expect(join(left, right, { on: "k", kernel: "wasm", batchSize: 1 }).numRows).toBe(2);
    }
    expect(seen).toEqual([1, 1, 1]);
  });
});
