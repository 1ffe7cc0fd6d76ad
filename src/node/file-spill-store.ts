/**
 * `fileSpillStore`: a `SpillStore` of files on disk.
 *
 *     <directory or os.tmpdir()>/
 *       arrow-join-Xa81bQ/          0700, made with the first file, removed with the last
 *         0-5f0c6d1e9a7b3c42        0600, opened exclusively: nobody else's file is ever opened
 *         1-c4b1f09a33d2e871
 *
 * Invariants
 * - Reads and writes say where, and go on until all bytes are moved: the operating system may move fewer at a time.
 * - What the file system says (no space, no rights, no such directory) is thrown as it is.
 * - One store may serve several joins at once: their files share the folder.
 *
 * O(bytes); a read makes the array that it returns, nothing else is copied. Files of a process that is killed stay.
 */

import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { type FileHandle, mkdtemp, open, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArrowJoinError } from "../error.ts";
import type { SpillFile, SpillStore } from "../run/spill-store.ts";
import { perform, type Work } from "../run/work.ts";

/** Options of {@link fileSpillStore}. */
export interface FileSpillOptions {
  /**
   * Where its folder is made; it must exist. Default: `os.tmpdir()`. Where that lies in memory, as it does on some systems, name a
   * directory on disk.
   */
  readonly directory?: string;
  /** Answer at once, blocking the thread: for the verbs that return a table. Default `false`. */
  readonly sync?: boolean;
}

/** What is asked of the file system, answered at once or later. */
export interface FileCalls<Handle> {
  mkdtemp(prefix: string): unknown;
  open(path: string): unknown;
  /** Bytes moved between `bytes`, from `from` on, and the file, from `position` on. */
  write(file: Handle, bytes: Uint8Array, from: number, length: number, position: number): unknown;
  read(file: Handle, bytes: Uint8Array, from: number, length: number, position: number): unknown;
  close(file: Handle): unknown;
  unlink(path: string): unknown;
  rmdir(path: string): unknown;
}

/** Read and write, and fail if it is there. */
const FLAGS = "wx+";
const MODE = 0o600;

export const callsNow: FileCalls<number> = {
  mkdtemp: fs.mkdtempSync,
  open: (path) => fs.openSync(path, FLAGS, MODE),
  write: fs.writeSync,
  read: fs.readSync,
  close: fs.closeSync,
  unlink: fs.unlinkSync,
  rmdir: fs.rmdirSync,
};

export const callsLater: FileCalls<FileHandle> = {
  mkdtemp,
  open: (path) => open(path, FLAGS, MODE),
  write: async (file, bytes, from, length, position) => (await file.write(bytes, from, length, position)).bytesWritten,
  read: async (file, bytes, from, length, position) => (await file.read(bytes, from, length, position)).bytesRead,
  close: (file) => file.close(),
  unlink,
  rmdir,
};

/** Node moves at most 2 GiB a call. */
const MOST = 1 << 30;

/**
 * Files in which a join puts what does not fit in its `memoryLimit`: pass it as `spill`. They lie in a folder of their own that only this
 * user may enter, and are removed when the join ends, however it ends.
 *
 * Throws `INVALID_OPTION`. A join whose files cannot be written or read fails with `SPILL_FAILED`, the error of the file system as `cause`.
 *
 * @example
 * import { fileSpillStore } from "arrow-join/node";
 *
 * const store = fileSpillStore();
 * const file = await store.create("rows");
 * await file.append(Uint8Array.of(1, 2, 3));
 * console.log((await file.read(1, 2)).join()); // 2,3
 * await file.remove();
 */
export function fileSpillStore(options: FileSpillOptions = {}): SpillStore {
  const { directory, sync = false, ...rest } = options;
  const wrong = (what: string) => new ArrowJoinError("INVALID_OPTION", `${what} Options of fileSpillStore: directory, sync.`);
  const [other] = Object.keys(rest);
  if (other !== undefined) throw wrong(`fileSpillStore has no option "${other}".`);
  if (directory !== undefined && (typeof directory !== "string" || directory === ""))
    throw wrong(`directory must be a path; it is ${directory === "" ? "empty" : `a ${typeof directory}`}.`);
  if (typeof sync !== "boolean") throw wrong(`sync must be true or false; it is ${sync}.`);
  return sync ? new FileStore(callsNow, directory) : new FileStore(callsLater, directory);
}

/** Files over calls of the file system, which a test may stand in for. */
export class FileStore<Handle> implements SpillStore {
  readonly #calls: FileCalls<Handle>;
  readonly #directory: string | undefined;
  /** Where there are files, or one is being made. */
  #folder: string | Promise<string> | null = null;
  #files = 0;

  constructor(calls: FileCalls<Handle>, directory?: string) {
    this.#calls = calls;
    this.#directory = directory;
  }

  create(name: string): SpillFile | Promise<SpillFile> {
    return perform(this.#create(name));
  }

  *#create(name: string): Work<SpillFile> {
    const calls = this.#calls;
    this.#files++;
    try {
      this.#folder ??= calls.mkdtemp(join(this.#directory ?? tmpdir(), "arrow-join-")) as string | Promise<string>;
      const folder = (yield this.#folder) as string;
      const path = join(folder, `${name.replace(/\W+/g, "_").slice(0, 40)}-${randomBytes(8).toString("hex")}`);
      const handle = (yield calls.open(path)) as Handle;
      let bytes = 0;
      return {
        append: (block) =>
          perform(
            all(calls.write, handle, block, bytes, () => {
              bytes += block.length;
            }),
          ),
        read: (offset, length) => {
          const block = new Uint8Array(length);
          return perform(all(calls.read, handle, block, offset, () => block));
        },
        remove: () => perform(this.#remove(handle, path)),
      };
    } catch (error) {
      yield* this.#leave();
      throw error;
    }
  }

  *#remove(handle: Handle, path: string): Work<void> {
    try {
      yield this.#calls.close(handle);
    } finally {
      try {
        yield this.#calls.unlink(path);
      } finally {
        yield* this.#leave();
      }
    }
  }

  /** The last one out removes the folder. */
  *#leave(): Work<void> {
    if (--this.#files > 0) return;
    const folder = this.#folder;
    this.#folder = null;
    try {
      // It may never have been made.
      if (folder !== null) yield this.#calls.rmdir((yield folder) as string);
    } catch {
      // An empty folder that stays is no reason to fail a join.
    }
  }
}

/** Moves all bytes between the array and the file, from `position` on; then what `end` gives. */
function* all<Handle, T>(move: FileCalls<Handle>["read"], file: Handle, bytes: Uint8Array, position: number, end: () => T): Work<T> {
  for (let done = 0; done < bytes.length; ) {
    const moved = (yield move(file, bytes, done, Math.min(bytes.length - done, MOST), position + done)) as number;
    if (moved === 0) throw new Error(`the file ended at byte ${position + done}, ${bytes.length - done} bytes early`);
    done += moved;
  }
  return end();
}
