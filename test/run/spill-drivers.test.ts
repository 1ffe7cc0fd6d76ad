/** Machines that ask for a store, under both drivers: the answers arrive, and however the join ends no file stays. */

import type { RecordBatch } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OutputSchema } from "../../src/arrow/output.ts";
import { openStream } from "../../src/arrow/stream.ts";
import type { StreamSettings } from "../../src/run/settings.ts";
import { SpillSession } from "../../src/run/spill-session.ts";
import { StreamRun } from "../../src/run/stream-run.ts";
import { runToEnd } from "../../src/run/table-run.ts";
import { int32 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { flipped, type MemoryStore, type MemoryStoreOptions, memoryStore, type StoreCall } from "../support/memory-store.ts";
import { append, give, need, read, remove, type Script, ScriptedMachine } from "../support/scripted-machine.ts";
import { endless, gate, inTime, type Source, settle, source } from "../support/source.ts";
import { table } from "../support/table.ts";

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

const input = table({ id: int32([1, 2, 3, 4]) }, { split: [2, 1, 1] });
const [batch] = input.batches;
const output = new OutputSchema([{ name: "id", type: input.schema.fields[0].type, nullable: false }]);
const blockOf = (salt: number) => new Uint8Array(16 + 8 * salt).fill(salt);

/** Reads both inputs, spilling a block for each batch, and reads the blocks again in the other order; gives a batch for each. */
function* spilling(machine: () => ScriptedMachine, removes = true): Script {
  const places: number[] = [];
  let bytes = 0;
  for (;;) {
    const before = machine().pushed.length;
    yield need("build");
    const [, pushed] = machine().pushed[before];
    if (pushed === null) break;
    const block = blockOf(places.length);
    yield append(0, block);
    yield append(1, blockOf(9));
    places.push(bytes);
    bytes += block.length;
  }
  for (let i = places.length - 1; i >= 0; i--) {
    const block = yield read(0, places[i], blockOf(i).length);
    expect(block).toEqual(blockOf(i));
    yield give(batch);
  }
  if (!removes) return;
  yield remove(1);
  yield remove(0);
}

function scripted(script: (machine: () => ScriptedMachine) => Script): ScriptedMachine {
  const machine: ScriptedMachine = new ScriptedMachine(script(() => machine));
  return machine;
}

interface Started {
  readonly run: StreamRun;
  readonly machine: ScriptedMachine;
}

async function start(
  store: MemoryStore | null,
  script: (machine: () => ScriptedMachine) => Script,
  more: Partial<Parts> = {},
): Promise<Started> {
  const machine = scripted(script);
  const inputs = { build: await openStream(more.build ?? source(input), "right"), probe: await openStream(more.probe ?? input, "left") };
  const settings: StreamSettings = {
    kernel: "ts",
    hashSeed: null,
    memoryLimit: null,
    onMetrics: null,
    onProgress: null,
    signal: more.signal ?? null,
    spill: store,
  };
  const release = () => {
    machine.released = true;
  };
  return { machine, run: new StreamRun(machine, release, output, inputs, settings) };
}

interface Parts {
  readonly build: Source;
  readonly probe: Source;
  readonly signal: AbortSignal;
}

async function collect(run: StreamRun): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  for await (const part of run) batches.push(part);
  return batches;
}

const nothingLeft = (store: MemoryStore, machine: ScriptedMachine) =>
  expect([store.files(), store.bytes(), store.misuse, machine.misuse]).toEqual([0, 0, [], []]);

describe.each(["now", "later"] as const)("a stream with a store that answers %s", (answers) => {
  it.each([true, false])("has its blocks again, and no file at its end (removed by the machine: %s)", async (removes) => {
    const store = memoryStore({ answers });
    const { run, machine } = await start(store, (m) => spilling(m, removes));
    expect(await inTime(collect(run), "the join")).toHaveLength(3);
    expect(store.calls).toEqual({ create: 2, append: 6, read: 3, remove: 2 });
    nothingLeft(store, machine);
  });

  it.each<[StoreCall, number]>([
    ["create", 0],
    ["create", 1],
    ["append", 0],
    ["append", 4],
    ["read", 0],
    ["read", 2],
    ["remove", 0],
  ])("whose %s number %i fails rejects with SPILL_FAILED, cancels both inputs and leaves no file", async (call, at) => {
    const cause = new Error("no space left on device");
    const store = memoryStore({ answers, fail: { call, at, error: cause } });
    const [build, probe] = [source(input), endless(batch)];
    const { run, machine } = await start(store, spilling, { build, probe });
    const error = await inTime(
      expectError(() => collect(run), "SPILL_FAILED", "no space left"),
      "the error",
    );
    expect(error.cause).toBe(cause);
    // The file that could not be removed is the store's to keep.
    expect(store.files()).toBe(call === "remove" ? 1 : 0);
    expect([store.misuse, machine.misuse]).toEqual([[], []]);
    await settle();
    expect(probe.returns()).toBe(1);
    expect(build.returns() === 1 || build.pulls() > 3).toBe(true);
    await expect(run.next()).rejects.toBe(error);
    await expect(run.toTable()).rejects.toBe(error);
  });

  it("that gives back other bytes rejects with SPILL_FAILED", async () => {
    const store = memoryStore({ answers, damage: { at: 1, to: (block) => flipped(block, 5) } });
    const { run, machine } = await start(store, spilling);
    expect((await run.next()).done).toBe(false);
    await expectError(() => collect(run), "SPILL_FAILED", "other bytes");
    nothingLeft(store, machine);
  });

  it("has no file left when an input fails", async () => {
    const cause = new Error("the network is gone");
    const store = memoryStore({ answers });
    const failing = source(input, (pull) => (pull === 2 ? Promise.reject(cause) : undefined));
    const { run, machine } = await start(store, spilling, { build: failing });
    await expectError(() => collect(run), "SOURCE_FAILED", "right");
    expect(store.calls.append).toBe(4);
    nothingLeft(store, machine);
  });

  it.each<[string, (run: StreamRun) => Promise<unknown>]>([
    ["cancel()", (run) => run.cancel()],
    ["return()", (run) => run.return()],
    ["throw()", (run) => run.throw(new Error("mine")).catch(() => {})],
    ["disposing", (run) => run[Symbol.asyncDispose]()],
  ])("has no file left when %s resolves, between two batches", async (_, end) => {
    const store = memoryStore({ answers });
    const { run, machine } = await start(store, spilling);
    await run.next();
    expect(store.files()).toBe(2);
    await end(run);
    nothingLeft(store, machine);
    expect((await run.next()).done).toBe(true);
  });

  it("has no file left when its own driver is told to fail, as by a prepared side that is closed", async () => {
    const store = memoryStore({ answers });
    const { run, machine } = await start(store, spilling);
    await run.next();
    const error = new Error("closed");
    run.fail(error);
    await expect(run.next()).rejects.toBe(error);
    nothingLeft(store, machine);
  });
});

describe("a stream whose store is at work", () => {
  it.each<StoreCall>(["create", "append", "read", "remove"])(
    "and is cancelled during a %s drops the late answer; then no file is left",
    async (slow) => {
      const { opened, open } = gate();
      const store = memoryStore({ answers: "later", before: (call) => (call === slow ? opened : null) });
      const { run, machine } = await start(store, spilling);
      const pending = collect(run);
      while (store.calls[slow] === 0) await settle();
      const cancelled = run.cancel();
      await settle();
      open();
      await inTime(cancelled, "cancel");
      nothingLeft(store, machine);
      await inTime(pending, "the pending next");
      await settle();
      nothingLeft(store, machine);
    },
  );

  it("and fails after the cancel ends as cancelled", async () => {
    const { opened, open } = gate();
    const store = memoryStore({ answers: "later", before: () => opened, fail: { call: "create", at: 0, error: new Error("late") } });
    const { run, machine } = await start(store, spilling);
    const pending = run.next();
    while (store.calls.create === 0) await settle();
    const cancelled = run.cancel();
    open();
    await inTime(cancelled, "cancel");
    expect((await inTime(pending, "the pending next")).done).toBe(true);
    nothingLeft(store, machine);
  });

  it("and whose signal is aborted rejects with its reason, once the files are gone", async () => {
    const { opened, open } = gate();
    const controller = new AbortController();
    const store = memoryStore({ answers: "later", before: (call, at) => (call === "append" && at === 3 ? opened : null) });
    const [build, probe] = [endless(batch), endless(batch)];
    const { run, machine } = await start(store, spilling, { signal: controller.signal, build, probe });
    const pending = run.next().catch((error) => {
      nothingLeft(store, machine);
      return error;
    });
    while (store.calls.append < 4) await settle();
    const reason = new Error("enough");
    controller.abort(reason);
    open();
    expect(await inTime(pending, "the pending next")).toBe(reason);
    await settle();
    expect([build.returns(), probe.returns()]).toEqual([1, 1]);
  });
});

describe("a stream without a store", () => {
  it("whose machine asks for one is an internal error", async () => {
    const { run } = await start(null, spilling);
    await expectError(() => collect(run), "INTERNAL", "store");
  });
});

describe("the sync driver", () => {
  const runNow = (options: MemoryStoreOptions, removes = true) => {
    const store = memoryStore(options);
    const session = new SpillSession(store);
    const machine = scripted((m) => spilling(m, removes));
    const ended: { result?: RecordBatch[]; error?: unknown } = {};
    const batches = input.batches.map((part) => ({ length: part.numRows })) as never[];
    try {
      ended.result = runToEnd(machine, { build: batches, probe: [] }, session);
    } catch (error) {
      ended.error = error;
    } finally {
      session.close();
    }
    return { store, machine, ...ended };
  };

  it.each([true, false])("gives the machine its blocks, and leaves no file (removed by the machine: %s)", (removes) => {
    const { store, machine, result } = runNow({}, removes);
    expect(result).toHaveLength(3);
    nothingLeft(store, machine);
  });

  it.each<StoreCall>(["create", "append", "read", "remove"])("throws SPILL_FAILED where %s fails, and leaves no file", async (call) => {
    const cause = new Error("no space left on device");
    const { store, machine, error } = runNow({ fail: { call, at: 0, error: cause } });
    await expectError(
      () => {
        throw error;
      },
      "SPILL_FAILED",
      "no space left",
    );
    expect(store.files()).toBe(call === "remove" ? 1 : 0);
    expect([store.misuse, machine.misuse]).toEqual([[], []]);
  });

  it("refuses a store that answers with promises, naming the stream verb and a store that does not", async () => {
    const { store, machine, error } = runNow({ answers: "later" });
    await expectError(
      () => {
        throw error;
      },
      "INVALID_OPTION",
      "promise",
      "stream verb",
      "fileSpillStore({ sync: true })",
    );
    // The file that was under way is removed when it is there.
    for (let turn = 0; turn < 5; turn++) await settle();
    expect(store.calls.create).toBe(1);
    nothingLeft(store, machine);
  });
});
