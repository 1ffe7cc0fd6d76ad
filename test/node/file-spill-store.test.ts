/** Files of a spill store: private, exact whatever the operating system moves at a time, and gone afterwards. */

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callsLater, callsNow, type FileCalls, FileStore, fileSpillStore } from "../../src/node/file-spill-store.ts";
import { SpillSession } from "../../src/run/spill-session.ts";
import type { SpillFile } from "../../src/run/spill-store.ts";
import { expectError } from "../support/errors.ts";

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), "file-spill-store-test-"));
});
afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

const entries = (path: string) => fs.readdirSync(path).map((name) => join(path, name));
const modeOf = (path: string) => fs.statSync(path).mode & 0o777;
const blockOf = (length: number, salt = 0) => new Uint8Array(length).map((_, i) => (i * 37 + salt) & 255);
const windows = process.platform === "win32";

const STORES = {
  "answers at once": () => fileSpillStore({ directory, sync: true }),
  "answers later": () => fileSpillStore({ directory }),
};

describe.each(Object.entries(STORES))("a store of files that %s", (_, newStore) => {
  it("gives back what was appended, from anywhere", async () => {
    const file = await newStore().create("rows");
    const blocks = [blockOf(100), blockOf(1), blockOf(300_000, 5)];
    for (const block of blocks) await file.append(block);
    expect(await file.read(101, 300_000)).toEqual(blocks[2]);
    expect(await file.read(0, 100)).toEqual(blocks[0]);
    expect(await file.read(98, 5)).toEqual(Uint8Array.of(...blocks[0].subarray(98), ...blocks[1], ...blocks[2].subarray(0, 2)));
    expect(await file.read(40, 0)).toEqual(new Uint8Array(0));
    await file.remove();
  });

  it("gives a new array each time, of just these bytes", async () => {
    const file = await newStore().create("rows");
    await file.append(blockOf(64));
    const [one, two] = [await file.read(8, 16), await file.read(8, 16)];
    expect([one.buffer.byteLength, one.byteOffset]).toEqual([16, 0]);
    expect(one.buffer).not.toBe(two.buffer);
    await file.remove();
  });

  it("keeps its files in a folder of its own that nobody else may enter", async () => {
    const store = newStore();
    const files = [await store.create("left"), await store.create("left")];
    const [folder, ...others] = entries(directory);
    expect(others).toEqual([]);
    const paths = entries(folder);
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(path).toMatch(/left-[0-9a-f]{16}$/);
    if (!windows) expect([modeOf(folder), ...paths.map(modeOf)]).toEqual([0o700, 0o600, 0o600]);
    for (const file of files) await file.remove();
    expect(entries(directory)).toEqual([]);
  });

  it("removes the folder with its last file, and makes another for the next", async () => {
    const store = newStore();
    const [a, b] = [await store.create("a"), await store.create("b")];
    const [folder] = entries(directory);
    await a.remove();
    expect(entries(folder)).toHaveLength(1);
    await b.remove();
    expect(entries(directory)).toEqual([]);
    const c = await store.create("c");
    expect(entries(directory)).toHaveLength(1);
    await c.remove();
    expect(entries(directory)).toEqual([]);
  });

  it("takes no name for a path", async () => {
    const store = newStore();
    for (const name of ["../../outside", "/etc/passwd", "a/b\\c", "", "x".repeat(500), "ä\0"]) {
      const file = await store.create(name);
      const [folder] = entries(directory);
      expect(entries(folder)).toHaveLength(1);
      await file.remove();
    }
    expect(entries(directory)).toEqual([]);
  });

  it("throws what the file system says", async () => {
    fs.rmSync(directory, { recursive: true });
    const store = newStore();
    for (let again = 0; again < 2; again++)
      await expect((async () => store.create("rows"))()).rejects.toMatchObject({
        code: "ENOENT",
        path: expect.stringContaining(directory),
      });
    // Once the directory is there it is used.
    fs.mkdirSync(directory);
    await (await store.create("rows")).remove();
    expect(entries(directory)).toEqual([]);
  });

  it("serves a join that ends in its midst", async () => {
    const session = new SpillSession(newStore());
    for (const file of [0, 1, 0]) await session.perform({ op: "append", file, block: blockOf(1000, file) });
    expect(await session.perform({ op: "read", file: 0, offset: 1000, length: 1000 })).toEqual(blockOf(1000));
    expect(entries(directory)).toHaveLength(1);
    await session.close();
    expect(entries(directory)).toEqual([]);
  });

  it("that was written to by others is not believed", async () => {
    const session = new SpillSession(newStore());
    const [offset, length] = [0, 1000];
    await session.perform({ op: "append", file: 0, block: blockOf(length) });
    const [path] = entries(entries(directory)[0]);
    fs.truncateSync(path, 999);
    await expectError(() => session.perform({ op: "read", file: 0, offset, length }), "SPILL_FAILED", "ended at byte 999", "1 bytes early");
    fs.writeFileSync(path, new Uint8Array(length));
    await expectError(() => session.perform({ op: "read", file: 0, offset, length }), "SPILL_FAILED", "other bytes");
    await session.close();
    expect(entries(directory)).toEqual([]);
  });
});

describe("a store of files", () => {
  it("that answers at once gives no promise", () => {
    const file = fileSpillStore({ directory, sync: true }).create("rows") as SpillFile;
    expect(file.append(blockOf(8))).toBe(undefined);
    expect(file.read(0, 8)).toEqual(blockOf(8));
    expect(file.remove()).toBe(undefined);
  });

  it("serves several joins at the same time from one folder", async () => {
    const store = fileSpillStore({ directory });
    const files = await Promise.all(Array.from({ length: 20 }, (_, i) => store.create(`${i}`)));
    expect(entries(directory)).toHaveLength(1);
    await Promise.all(files.map((file, i) => file.append(blockOf(5000, i))));
    const read = await Promise.all(files.map((file) => file.read(0, 5000)));
    for (const [i, block] of read.entries()) expect(block).toEqual(blockOf(5000, i));
    await Promise.all(files.map((file) => file.remove()));
    expect(entries(directory)).toEqual([]);
  });

  it("makes a new folder for a file that comes while the last one goes", async () => {
    const store = fileSpillStore({ directory });
    let file = await store.create("0");
    for (let i = 1; i < 20; i++) {
      const [next] = await Promise.all([store.create(`${i}`), file.remove()]);
      await next.append(blockOf(10, i));
      expect(await next.read(0, 10)).toEqual(blockOf(10, i));
      file = next;
    }
    await file.remove();
    expect(entries(directory)).toEqual([]);
  });

  it("lies in the system's folder for such things unless it is told", async () => {
    const before = new Set(fs.readdirSync(tmpdir()));
    const file = await fileSpillStore().create("rows");
    expect(fs.readdirSync(tmpdir()).filter((name) => !before.has(name) && name.startsWith("arrow-join-"))).not.toEqual([]);
    await file.remove();
  });

  it("opens no file that is there", () => {
    const path = join(directory, "taken");
    fs.writeFileSync(path, "mine");
    expect(() => callsNow.open(path)).toThrow(/EEXIST/);
    if (!windows) {
      const link = join(directory, "link");
      fs.symlinkSync(join(directory, "nowhere"), link);
      expect(() => callsNow.open(link)).toThrow(/EEXIST/);
    }
    expect(fs.readFileSync(path, "utf8")).toBe("mine");
  });
});

describe("options of a store of files", () => {
  it.each<[unknown, string]>([
    [{ dir: "/tmp" }, '"dir"'],
    [{ directory: 5 }, "a number"],
    [{ directory: "" }, "empty"],
    [{ sync: "yes" }, "yes"],
  ])("are checked: %j", async (options, words) => {
    await expectError(() => fileSpillStore(options as never), "INVALID_OPTION", words, "directory, sync");
  });
});

describe.each<[string, FileCalls<never>]>([
  ["at once", callsNow as FileCalls<never>],
  ["later", callsLater as FileCalls<never>],
])("calls of the file system that answer %s", (_, calls) => {
  it("may move a few bytes at a time", async () => {
    let moves = 0;
    const few = (length: number) => Math.min(length, 1 + (moves++ % 3));
    const store = new FileStore(
      {
        ...calls,
        write: (file, bytes, from, length, position) => calls.write(file, bytes, from, few(length), position),
        read: (file, bytes, from, length, position) => calls.read(file, bytes, from, few(length), position),
      },
      directory,
    );
    const file = await store.create("rows");
    await file.append(blockOf(100));
    await file.append(blockOf(100, 9));
    expect(moves).toBeGreaterThan(100);
    expect(await file.read(100, 100)).toEqual(blockOf(100, 9));
    expect(await file.read(0, 100)).toEqual(blockOf(100));
    await file.remove();
  });

  it("that move nothing fail instead of being tried for ever", async () => {
    const store = new FileStore({ ...calls, write: () => 0 }, directory);
    const file = await store.create("rows");
    await expect((async () => file.append(blockOf(10)))()).rejects.toThrow("byte 0");
    await file.remove();
    expect(entries(directory)).toEqual([]);
  });

  it("that cannot open a file leave no folder", async () => {
    const failure = new Error("too many open files");
    const failing = () => {
      throw failure;
    };
    const store = new FileStore({ ...calls, open: failing }, directory);
    await expect((async () => store.create("rows"))()).rejects.toBe(failure);
    expect(entries(directory)).toEqual([]);
  });

  it("that cannot close a file remove it all the same, and say so", async () => {
    const failure = new Error("input/output error");
    const store = new FileStore(
      {
        ...calls,
        close: async (file) => {
          await calls.close(file);
          throw failure;
        },
      },
      directory,
    );
    const file = await store.create("rows");
    await expect((async () => file.remove())()).rejects.toBe(failure);
    expect(entries(directory)).toEqual([]);
  });

  it.skipIf(!fs.existsSync("/dev/full"))(
    "of a disk that is full fail with the file system's error, and the join with SPILL_FAILED",
    async () => {
      const full = (later: boolean) => (later ? fs.promises.open("/dev/full", "r+") : fs.openSync("/dev/full", "r+"));
      const store = new FileStore({ ...calls, open: () => full(calls === (callsLater as unknown)), unlink: () => undefined }, directory);
      const session = new SpillSession(store);
      const error = await expectError(
        () => session.perform({ op: "append", file: 0, block: blockOf(100) }),
        "SPILL_FAILED",
        "write 100 bytes",
        "ENOSPC",
      );
      expect(error.cause).toMatchObject({ code: "ENOSPC" });
      await session.close();
      expect(entries(directory)).toEqual([]);
    },
  );
});
