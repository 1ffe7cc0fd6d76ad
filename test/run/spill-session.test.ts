/** One join's use of a store: blocks come back as they were written or not at all, and no file stays. */

import { describe, expect, it } from "vitest";
import { SpillSession } from "../../src/run/spill-session.ts";
import type { SpillStore } from "../../src/run/spill-store.ts";
import { expectError } from "../support/errors.ts";
import { flipped, type MemoryStoreOptions, memoryStore, type StoreCall } from "../support/memory-store.ts";
import { gate, inTime, settle } from "../support/source.ts";

const blockOf = (length: number, salt = 0) => new Uint8Array(length).map((_, i) => (i * 37 + salt) & 255);
const append = (session: SpillSession, file: number, block: Uint8Array) => session.perform({ op: "append", file, block });
const read = (session: SpillSession, file: number, offset: number, length: number) => session.perform({ op: "read", file, offset, length });

const ANSWERS = ["now", "later"] as const;

/** A session over a memory store, and a block of 24 bytes in file 0. */
async function written(options: MemoryStoreOptions) {
  const store = memoryStore(options);
  const session = new SpillSession(store);
  await append(session, 0, blockOf(24));
  return { store, session };
}

describe.each(ANSWERS)("with a store that answers %s", (answers) => {
  it("blocks of several files come back, in any order, any number of times", async () => {
    const store = memoryStore({ answers });
    const session = new SpillSession(store);
    const blocks = [8, 24, 3, 1000, 1].map((length, i) => ({ file: i % 2, block: blockOf(length, i) }));
    const places: { file: number; offset: number; block: Uint8Array }[] = [];
    const ends = [0, 0];
    for (const { file, block } of blocks) {
      expect(await append(session, file, block)).toBe(null);
      places.push({ file, offset: ends[file], block });
      ends[file] += block.length;
    }
    for (const { file, offset, block } of [...places, ...places.reverse()])
      expect(await read(session, file, offset, block.length)).toEqual(block);
    expect(session.writtenBytes).toBe(1036);
    expect(store.bytes()).toBe(1036);
    await session.close();
    expect([store.files(), store.bytes(), store.misuse]).toEqual([0, 0, []]);
  });

  it("a file is made when it is first appended to, under a name of its own", async () => {
    const store = memoryStore({ answers });
    const session = new SpillSession(store);
    expect(store.calls.create).toBe(0);
    for (const file of [7, 3, 7]) await append(session, file, blockOf(8));
    expect(store.calls.create).toBe(2);
    expect(new Set(store.names).size).toBe(2);
    await session.close();
  });

  it("a file that is removed is gone, and may be made anew", async () => {
    const { store, session } = await written({ answers });
    expect(await session.perform({ op: "remove", file: 0 })).toBe(null);
    expect(store.files()).toBe(0);
    // There is nothing to remove, now and of a file that never was.
    for (const file of [0, 5]) await session.perform({ op: "remove", file });
    expect(store.calls.remove).toBe(1);
    await expectError(() => read(session, 0, 0, 24), "INTERNAL", "24 bytes");
    await append(session, 0, blockOf(16, 9));
    expect(await read(session, 0, 0, 16)).toEqual(blockOf(16, 9));
    await session.close();
    expect([store.files(), store.misuse]).toEqual([0, []]);
  });

  it.each<[StoreCall, string]>([
    ["create", "make file 0"],
    ["append", "write 24 bytes"],
    ["read", "read 24 bytes at 0"],
    ["remove", "remove file 0"],
  ])("a failing %s is SPILL_FAILED with its cause", async (call, words) => {
    for (const error of [new Error("the disk is full"), "no"]) {
      const store = memoryStore({ answers, fail: { call, at: 0, error } });
      const session = new SpillSession(store);
      const found = await expectError(
        async () => {
          await append(session, 0, blockOf(24));
          await read(session, 0, 0, 24);
          await session.perform({ op: "remove", file: 0 });
        },
        "SPILL_FAILED",
        words,
        error instanceof Error ? error.message : error,
        "memoryLimit",
      );
      expect(found.cause).toBe(error);
      await session.close();
      // The file that could not be removed is not tried again.
      expect(store.files()).toBe(call === "remove" ? 1 : 0);
      expect(store.misuse).toEqual([]);
    }
  });

  it.each<[string, (block: Uint8Array) => unknown, string]>([
    ["a bit is another", (block) => flipped(block, 17, 3), "other bytes"],
    ["the last byte is another", (block) => flipped(block, 23), "other bytes"],
    ["there are fewer bytes", (block) => block.subarray(0, 23), "23 bytes where 24"],
    ["there are none", () => new Uint8Array(0), "0 bytes where 24"],
    ["there are more", () => new Uint8Array(32), "32 bytes where 24"],
    ["it is another block", () => blockOf(24, 1), "other bytes"],
    ["it is an ArrayBuffer", (block) => block.buffer, "class ArrayBuffer"],
    ["it is an array of other elements", (block) => new Int8Array(block.buffer), "class Int8Array"],
    ["it is a text", () => "the block", "a string"],
    ["there is nothing", () => undefined, "undefined"],
  ])("a block is refused where %s", async (_, to, words) => {
    const { store, session } = await written({ answers, damage: { at: 1, to } });
    expect(await read(session, 0, 0, 24)).toEqual(blockOf(24));
    await expectError(() => read(session, 0, 0, 24), "SPILL_FAILED", words, "spill");
    await session.close();
    expect([store.files(), store.misuse]).toEqual([0, []]);
  });

  it.each<[string, (block: Uint8Array) => Uint8Array]>([
    ["a Buffer", (block) => Buffer.from(block)],
    [
      "a part of a buffer, at an odd place",
      (block) => {
        const larger = new Uint8Array(64);
        larger.set(block, 5);
        return larger.subarray(5, 29);
      },
    ],
    ["a part of a Buffer, at an odd place", (block) => Buffer.concat([Buffer.from([1, 2, 3]), block]).subarray(3)],
  ])("a block may come as %s; it is handed on as a plain array, aligned", async (_, to) => {
    const { session } = await written({ answers, damage: { at: 0, to } });
    const block = (await read(session, 0, 0, 24)) as Uint8Array;
    expect(Object.getPrototypeOf(block)).toBe(Uint8Array.prototype);
    expect(block.byteOffset % 8).toBe(0);
    expect(block).toEqual(blockOf(24));
    await session.close();
  });

  it("only whole blocks are read", async () => {
    const { session } = await written({ answers });
    for (const [offset, length] of [
      [0, 23],
      [1, 23],
      [24, 8],
    ])
      await expectError(() => read(session, 0, offset, length), "INTERNAL");
    await session.close();
  });

  it("closing removes every file, once, whatever the others do", async () => {
    const store = memoryStore({ answers, fail: { call: "remove", at: 1, error: new Error("busy") } });
    const session = new SpillSession(store);
    for (const file of [0, 1, 2]) await append(session, file, blockOf(8));
    await session.close();
    await session.close();
    expect(store.calls.remove).toBe(3);
    expect([store.files(), store.misuse]).toEqual([1, []]);
    // After that nothing is done.
    expect(await append(session, 4, blockOf(8))).toBe(null);
    expect(store.calls.create).toBe(3);
  });
});

describe("a store that answers at once", () => {
  it("is answered at once", () => {
    const session = new SpillSession(memoryStore());
    expect(append(session, 0, blockOf(8))).toBe(null);
    expect(read(session, 0, 0, 8)).toEqual(blockOf(8));
    expect(session.close()).toBe(undefined);
  });

  it("may answer with a promise now and then", async () => {
    const inner = memoryStore();
    const store: SpillStore = {
      create: async (name) => {
        const file = await inner.create(name);
        return { ...file, read: async (offset, length) => file.read(offset, length) };
      },
    };
    const session = new SpillSession(store);
    expect(append(session, 0, blockOf(8))).toBeInstanceOf(Promise);
    await settle();
    expect(append(session, 0, blockOf(16))).toBe(null);
    expect(await read(session, 0, 8, 16)).toEqual(blockOf(16));
    await session.close();
    expect([inner.files(), inner.misuse]).toEqual([0, []]);
  });
});

describe("a session", () => {
  it("without a store has no answer", async () => {
    await expectError(() => append(new SpillSession(null), 0, blockOf(8)), "INTERNAL", "store");
  });

  it("takes no store for a good one because it was made", async () => {
    for (const file of [null, {}, { append: () => {}, remove: 5 }]) {
      const session = new SpillSession({ create: () => file } as unknown as SpillStore);
      const error = await expectError(async () => {
        await append(session, 0, blockOf(8));
        await read(session, 0, 0, 8);
      }, "SPILL_FAILED");
      expect(error.cause).toBeInstanceOf(TypeError);
      await session.close();
    }
  });
});

describe("closing", () => {
  it.each<StoreCall>(["create", "append", "read", "remove"])("waits for a %s under way, and then nothing is left", async (slow) => {
    const { opened, open } = gate();
    const store = memoryStore({ answers: "later", before: (call) => (call === slow ? opened : null) });
    const session = new SpillSession(store);
    const work = (async () => {
      await append(session, 0, blockOf(8));
      await read(session, 0, 0, 8);
      await session.perform({ op: "remove", file: 0 });
    })();
    while (store.calls[slow] === 0) await settle();
    let closed = false;
    const closing = Promise.resolve(session.close()).then(() => {
      closed = true;
    });
    await settle();
    expect(closed).toBe(false);
    open();
    await inTime(closing, "close");
    expect([store.files(), store.misuse]).toEqual([0, []]);
    await inTime(work, "the request under way");
    await settle();
    expect(store.files()).toBe(0);
    // What was asked of a file that was made too late was not done any more.
    if (slow === "create") expect(store.calls.append).toBe(0);
  });

  it("does not mind that the request under way fails", async () => {
    const { opened, open } = gate();
    const error = new Error("late");
    const store = memoryStore({ answers: "later", before: () => opened, fail: { call: "create", at: 0, error } });
    const session = new SpillSession(store);
    const request = append(session, 0, blockOf(8));
    const closing = session.close();
    open();
    await expectError(() => request, "SPILL_FAILED");
    await inTime(Promise.resolve(closing), "close");
    expect(store.files()).toBe(0);
  });
});
