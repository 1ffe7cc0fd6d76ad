/** A spill store under `joinWhere` and its stream: what fails in it is told, what it gives back is checked, and no file stays, however the join ends. */

import type { Table } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { int32, utf8 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { flipped, type MemoryStore, type MemoryStoreOptions, memoryStore, type StoreCall } from "../support/memory-store.ts";
import { readTable } from "../support/rows.ts";
import { type How, joinWhere, runJoinWhere, runJoinWhereStream, type WhereOptions } from "../support/run.ts";
import { endless, inTime, settle, source } from "../support/source.ts";
import { resplit, table } from "../support/table.ts";
import { l, r, x } from "../support/tree.ts";

const unhandled: unknown[] = [];
const remember = (reason: unknown) => unhandled.push(reason);
beforeAll(() => {
  process.on("unhandledRejection", remember);
});
afterAll(async () => {
  await settle();
  process.off("unhandledRejection", remember);
  expect(unhandled).toEqual([]);
});

/** Row numbers, values with nulls, and texts of `width` bytes. */
const side = (own: string, rows: number, step: number, width = 3, batchRows = rows): Table =>
  table(
    {
      v: int32(Array.from({ length: rows }, (_, i) => (i % 13 === 5 ? null : (i * step) % 1009))),
      [own]: int32(Array.from({ length: rows }, (_, i) => i)),
      text: utf8(Array.from({ length: rows }, (_, i) => String(i).padEnd(width, "."))),
    },
    { split: new Array<number>(rows / batchRows).fill(batchRows) },
  );

const isClean = (store: MemoryStore) => expect([store.files(), ...store.misuse]).toEqual([0]);

describe("a store", () => {
  const [left, right] = [resplit(side("lrow", 23, 37), 4, false), resplit(side("rrow", 20, 41), 6, false)];
  const near = x.le(x.abs(x.sub(l("v"), r("v"))), 60);
  const cause = new Error("the disk is full");
  const switches = { wherePath: "loop", chunkRows: 7 } as const;
  const start = (store: MemoryStore, options: WhereOptions = {}, inputs = [source(left), source(right)]) =>
    runJoinWhereStream(inputs[0], inputs[1], near, { how: "full", spill: store, ...options }, switches);

  /** How often each call is made. */
  async function callsOf(how: How): Promise<MemoryStore["calls"]> {
    const store = memoryStore();
    await (await start(store, { how })).toTable();
    return store.calls;
  }

  for (const call of ["create", "append", "read"] as const satisfies readonly StoreCall[]) {
    it(`that cannot ${call}, whichever time, is SPILL_FAILED with its cause, inputs cancelled, the other files gone`, async () => {
      for (const how of ["inner", "full", "leftMark", "rightAnti", "rightSemi"] as const) {
        const calls = await callsOf(how);
        for (const at of new Set([0, calls[call] >> 1, calls[call] - 1])) {
          if (at < 0) continue;
          for (const answers of ["now", "later"] as const) {
            const store = memoryStore({ answers, fail: { call, at, error: cause } });
            const inputs = [source(left), source(right)];
            const stream = await start(store, { how }, inputs);
            const error = await expectError(() => inTime(stream.toTable(), `${how}, ${call} ${at}, ${answers}`), "SPILL_FAILED");
            expect(error.cause).toBe(cause);
            await settle();
            for (const input of inputs) expect(input.returns() === 1 || input.pulls() > 4, "cancelled or ended").toBe(true);
            isClean(store);
            await expect(stream.next()).rejects.toBe(error);
          }
        }
      }
    });
  }

  it("that cannot remove a file does not change the answer, nor keep the others", async () => {
    for (const how of ["inner", "full", "leftMark"] as const) {
      const expected = readTable(joinWhere(left, right, near, { how })).rows;
      const { remove } = await callsOf(how);
      for (let at = 0; at < remove; at++) {
        const store = memoryStore({ answers: at % 2 ? "now" : "later", fail: { call: "remove", at, error: cause } });
        const result = (await start(store, { how })).toTable();
        const rows = await inTime(result, "the result").then(
          (table) => readTable(table).rows,
          (error) => error.code,
        );
        if (rows !== "SPILL_FAILED") expect(rows).toEqual(expected);
        expect([store.files(), ...store.misuse]).toEqual([1]);
      }
    }
  });

  it("that fails fails a one-shot verb too", async () => {
    for (const call of ["create", "append", "read"] as const) {
      const store = memoryStore({ fail: { call, at: 0, error: cause } });
      const error = await expectError(() => runJoinWhere(left, right, near, { how: "full", spill: store }, switches), "SPILL_FAILED");
      expect(error.cause).toBe(cause);
      isClean(store);
    }
  });

  it("that gives back other bytes than were written is SPILL_FAILED, never a wrong row", async () => {
    const damages: readonly ((block: Uint8Array) => unknown)[] = [
      (block) => flipped(block, 0),
      (block) => flipped(block, block.length - 1, 7),
      (block) => flipped(block, block.length >> 1, 3),
      (block) => block.subarray(1),
      (block) => block.subarray(0, block.length - 1),
      () => new Uint8Array(0),
      () => undefined,
      () => "text",
    ];
    for (const how of ["inner", "leftMark", "right"] as const) {
      const { read } = await callsOf(how);
      for (const [number, to] of damages.entries()) {
        const options: MemoryStoreOptions = { answers: number % 2 ? "now" : "later", damage: { at: (number * 7) % read, to } };
        const store = memoryStore(options);
        const stream = await start(store, { how });
        await expectError(() => inTime(stream.toTable(), `damage ${number}`), "SPILL_FAILED");
        isClean(store);
      }
    }
  });

  it("has no file left when an input fails in the middle of a pass, and the other input is cancelled", async () => {
    for (const [which, at] of [
      [0, 1],
      [0, 4],
      [1, 1],
      [1, 3],
    ] as const) {
      for (const answers of ["now", "later"] as const) {
        const store = memoryStore({ answers });
        const fail = (pull: number) => (pull === at ? Promise.reject(cause) : undefined);
        const inputs = [source(left, which === 0 ? fail : undefined), source(right, which === 1 ? fail : undefined)];
        const stream = await start(store, {}, inputs);
        const error = await expectError(() => inTime(stream.toTable(), "the error"), "SOURCE_FAILED", ["left", "right"][which]);
        expect(error.cause).toBe(cause);
        await settle();
        const other = inputs[1 - which];
        expect(other.returns() === 1 || other.pulls() > [left, right][1 - which].batches.length).toBe(true);
        isClean(store);
      }
    }
  });

  it("has no file left when the join is cancelled, aborted or left in the middle of a pass", async () => {
    for (const answers of ["now", "later"] as const) {
      for (const how of ["inner", "full", "leftSemi"] as const) {
        const cancelled = memoryStore({ answers });
        const stream = await start(cancelled, { how, batchSize: 1 }, [endless(left.batches[0]), source(right)]);
        const pending = stream.next();
        await settle();
        await inTime(stream.cancel(), "cancel");
        expect((await pending).done).toBe(true);
        isClean(cancelled);

        const left1 = memoryStore({ answers });
        for await (const batch of await start(left1, { how: "full", batchSize: 1, order: "any" })) {
          expect(batch.numRows).toBe(1);
          break;
        }
        await settle();
        isClean(left1);

        const aborted = memoryStore({ answers });
        const controller = new AbortController();
        const run = await start(aborted, { how, signal: controller.signal }, [endless(left.batches[0]), source(right)]);
        const next = run.next();
        await settle();
        controller.abort(cause);
        await expect(inTime(next, "next")).rejects.toBe(cause);
        await settle();
        isClean(aborted);
      }
    }
  });

  it("that answers with promises is refused by one-shot verbs, naming the stream", async () => {
    const store = memoryStore({ answers: "later" });
    const error = await expectError(
      () => runJoinWhere(left, right, near, { how: "full", spill: store }, switches),
      "INVALID_OPTION",
      /joinWhereStream|stream/i,
    );
    expect(error.message).toMatch(/spill|store/);
  });

  it("of many joins at once keeps their files apart", async () => {
    const store = memoryStore({ answers: "later" });
    const kinds = ["inner", "full", "leftSemi", "rightMark"] as const;
    const results = await Promise.all(kinds.map(async (how) => (await start(store, { how })).toTable()));
    kinds.forEach((how, i) => expect(readTable(results[i]).rows).toEqual(readTable(joinWhere(left, right, near, { how })).rows));
    isClean(store);
  });
});
