/**
 * `SpillStore`: where a join puts what does not fit in its memory (`memoryLimit`, `spill`). Blocks of bytes in files that are appended to,
 * then read any number of times, in any order, then removed.
 *
 * A store may answer at once or with a promise; one-shot verbs, which cannot wait, take only those that answer at once. A join makes one
 * call at a time for each file, checks that a block comes back as it was written, and removes every file that it made, whatever ends it.
 */

export interface SpillStore {
  /** A new, empty file. `name` tells the files of one join apart, for people; it is no path. */
  create(name: string): SpillFile | Promise<SpillFile>;
}

export interface SpillFile {
  /** Appends the block. Its bytes are the join's again when this is done. */
  append(block: Uint8Array): void | Promise<void>;
  /** `length` bytes from `offset` on, which were appended before. They stay as they are while anyone holds them: batches are made of them. */
  read(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
  /** Frees what the file takes. Called once, with no other call under way. */
  remove(): void | Promise<void>;
}
