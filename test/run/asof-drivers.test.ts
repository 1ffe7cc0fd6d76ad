/**
 * The driver of streams over a machine that asks for several inputs at once: whichever answers first is taken first, what is under way stays
 * under way, nothing is read ahead, and what is held goes out when nothing is ready.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { RecordBatch } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OutputSchema } from "../../src/arrow/output.ts";
import { openStream } from "../../src/arrow/stream.ts";
import type { StreamSettings } from "../../src/run/settings.ts";
import { StreamRun } from "../../src/run/stream-run.ts";
import { int32 } from "../support/column.ts";
import { expectError } from "../support/errors.ts";
import { give, held, need, type Script, ScriptedMachine } from "../support/scripted-machine.ts";
import { endless, gate, inTime, itemsOf, type Source, settle, silentAfter, source } from "../support/source.ts";
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

/** Batches of 1, 2 and 3 rows. */
const input = table({ id: int32([1, 2, 3, 4, 5, 6]) }, { split: [1, 2, 3] });
const [batch] = input.batches;
const output = new OutputSchema([{ name: "id", type: input.schema.fields[0].type, nullable: false }]);

interface Started {
  readonly run: StreamRun<number>;
  readonly machine: ScriptedMachine<number>;
}

async function start(
  sources: readonly Source[],
  script: (machine: () => ScriptedMachine<number>) => Script<number>,
  signal: AbortSignal | null = null,
): Promise<Started> {
  const machine: ScriptedMachine<number> = new ScriptedMachine(script(() => machine));
  const names = ["left", "right", "right1"] as const;
  const inputs = await Promise.all(sources.map((one, i) => openStream(one, names[i], undefined, true)));
  const settings: StreamSettings = {
    kernel: "ts",
    hashSeed: null,
    memoryLimit: null,
    onMetrics: null,
    onProgress: null,
    signal,
    spill: null,
  };
  const release = () => {
    machine.released = true;
  };
  return { machine, run: new StreamRun(machine, release, output, inputs, settings) };
}

/** Asks for the inputs until so many answers have come. */
function* until(machine: () => ScriptedMachine<number>, answers: number, ...inputs: number[]): Script<number> {
  while (machine().log.length < answers) yield need(...inputs);
}

/** After a collection. */
function heapMB(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const never = new Promise<never>(() => {});
const silent = (): Source => source(input, () => never);

describe("of several inputs", () => {
  it("any one that answers is enough, and its answer is taken at once", async () => {
    const { run, machine } = await start([silent(), source(input)], function* (): Script<number> {
      yield need(0, 1);
      yield give(batch);
    });
    expect((await inTime(run.next(), "the batch")).done).toBe(false);
    expect(machine.log).toEqual(["1: 1 rows"]);
    await run.cancel();
    expect(machine.misuse).toEqual([]);
  });

  it("a slow one does not stop the others, and is pulled once", async () => {
    const slow = silent();
    const { run, machine } = await start([slow, source(input), source(input)], function* (m) {
      yield* until(m, 8, 0, 1, 2);
      yield give(batch);
    });
    await inTime(run.next(), "the batch");
    expect(machine.log.toSorted()).toEqual(
      [1, 2].flatMap((number) => [`${number}: 1 rows`, `${number}: 2 rows`, `${number}: 3 rows`, `${number}: end`]).toSorted(),
    );
    expect(slow.pulls()).toBe(1);
    await run.cancel();
    expect(slow.returns()).toBe(1);
    expect(machine.misuse).toEqual([]);
  });

  it("one that is under way stays so over calls of next, and is pushed once", async () => {
    const late = gate();
    const slow = source(input, (pull) => (pull === 0 ? late.opened : undefined));
    const { run, machine } = await start([slow, source(input)], function* (): Script<number> {
      for (let i = 0; i < 3; i++) {
        yield need(0, 1);
        yield give(batch);
      }
      yield need(0);
      yield give(batch);
    });
    for (let i = 0; i < 3; i++) await inTime(run.next(), `batch ${i}`);
    expect([slow.pulls(), machine.log]).toEqual([1, ["1: 1 rows", "1: 2 rows", "1: 3 rows"]]);
    const last = run.next();
    await settle();
    expect(slow.pulls()).toBe(1);
    late.open();
    await inTime(last, "the last batch");
    expect([slow.pulls(), machine.log.at(-1)]).toEqual([1, "0: 1 rows"]);
    expect((await run.next()).done).toBe(true);
    expect(machine.misuse).toEqual([]);
  });

  it("those that are not asked for are not pulled", async () => {
    const sources = [source(input), source(input), source(input)];
    const { run } = await start(sources, function* (): Script<number> {
      yield need(2);
      yield need(0);
      yield need(2);
      yield give(batch);
    });
    await run.next();
    await settle();
    expect(sources.map((one) => one.pulls())).toEqual([1, 0, 2]);
    await run.cancel();
  });

  it("none is pulled while the consumer is away; what was under way is taken when it comes", async () => {
    const late = gate();
    const slow = source(input, () => late.opened);
    const quick = endless(batch);
    const { run, machine } = await start([slow, quick], function* (): Script<number> {
      for (;;) {
        yield need(0, 1);
        yield give(batch);
      }
    });
    await settle();
    expect([slow.pulls(), quick.pulls()]).toEqual([0, 0]);
    await run.next();
    await settle();
    expect([slow.pulls(), quick.pulls()]).toEqual([1, 1]);
    late.open();
    await settle();
    expect([slow.pulls(), quick.pulls()]).toEqual([1, 1]);
    expect(machine.log).toEqual(["1: 1 rows", "0: 1 rows"]);
    await run.next();
    await settle();
    expect([slow.pulls(), quick.pulls()]).toEqual([2, 2]);
    await run.cancel();
    expect(machine.misuse).toEqual([]);
  });

  it("a hundred thousand answers of one leave nothing behind at another that is silent", async () => {
    const { run, machine } = await start([silent(), endless(batch)], function* (m) {
      yield* until(m, 100, 0, 1);
      yield give(batch);
      const before = heapMB();
      for (let i = 0; i < 100_000; i++) {
        m().log.length = 0;
        m().pushed.length = 0;
        yield need(0, 1);
      }
      expect(heapMB() - before).toBeLessThan(10);
      yield give(batch);
    });
    await run.next();
    await inTime(run.next(), "the second batch", 20_000);
    await run.cancel();
    expect(machine.misuse).toEqual([]);
  });

  it("watermarks come in their places", async () => {
    const [one, two] = input.batches;
    const marked = itemsOf(input.schema, [{ watermark: 1 }, { watermark: 2n }, one, { watermark: "x" }, two, { watermark: 9 }]);
    const { run, machine } = await start([marked, silent()], function* (m) {
      yield* until(m, 7, 0, 1);
      yield give(batch);
    });
    await inTime(run.next(), "the batch");
    expect(machine.log).toEqual(["0: mark 1", "0: mark 2", "0: 1 rows", "0: mark x", "0: 2 rows", "0: mark 9", "0: end"]);
    await run.cancel();
    expect(machine.misuse).toEqual([]);
  });
});

describe("what a machine holds", () => {
  /** Asks, holding rows, until all has come; gives a batch whenever it was flushed. */
  function* holding(machine: () => ScriptedMachine<number>, ...inputs: number[]): Script<number> {
    for (const { log } = machine(); !log.includes("0: end"); ) {
      yield held(...inputs);
      if (log.at(-1) === "flush") yield give(batch);
    }
  }

  it("stays while inputs have something at hand, even after some turns of their own", async () => {
    const turns = async () => {
      for (let i = 0; i < 10; i++) await Promise.resolve();
    };
    const { run, machine } = await start([source(input, turns), silent()], (m) => holding(m, 0, 1));
    expect((await inTime(run.next(), "the end")).done).toBe(true);
    expect(machine.log).toEqual(["0: 1 rows", "0: 2 rows", "0: 3 rows", "0: end"]);
    expect(machine.misuse).toEqual([]);
  });

  it("goes out once when nothing is ready, and the pulls under way are kept", async () => {
    const gates = [gate(), gate(), gate()];
    const slow = source(input, (pull) => gates[pull]?.opened);
    const { run, machine } = await start([slow, silent()], (m) => holding(m, 0, 1));
    for (const [i, { open }] of gates.entries()) {
      expect((await inTime(run.next(), `batch ${i}`)).done).toBe(false);
      expect(slow.pulls()).toBe(i + 1);
      open();
      await settle();
    }
    expect((await inTime(run.next(), "the end")).done).toBe(true);
    expect(machine.log).toEqual(["flush", "0: 1 rows", "flush", "0: 2 rows", "flush", "0: 3 rows", "0: end"]);
    expect(machine.misuse).toEqual([]);
  });

  it("is dropped when the stream ends meanwhile", async () => {
    for (const end of ["cancel", "abort"] as const) {
      const controller = new AbortController();
      const { run, machine } = await start([silent(), silent()], (m) => holding(m, 0, 1), controller.signal);
      const pending = run.next();
      // The pulls start in a microtask; the flush would be in the next task.
      await Promise.resolve();
      await Promise.resolve();
      if (end === "cancel") await run.cancel();
      else controller.abort("enough");
      if (end === "cancel") expect((await inTime(pending, "next")).done).toBe(true);
      else await expect(inTime(pending, "next")).rejects.toBe("enough");
      await settle();
      expect([machine.log, machine.misuse]).toEqual([[], []]);
    }
  });
});

describe("with several pulls under way", () => {
  it("cancelling ends all of them, tells each input once, and drops what comes late", async () => {
    const late = gate();
    const sources = [0, 1, 2].map((number) =>
      source(input, async () => {
        await late.opened;
        if (number === 2) throw new Error("too late");
      }),
    );
    const { run, machine } = await start(sources, (m) => until(m, 1, 0, 1, 2));
    const pending = run.next();
    await settle();
    await inTime(run.cancel(), "cancel");
    expect((await inTime(pending, "the pending next")).done).toBe(true);
    late.open();
    await settle();
    expect(sources.map((one) => [one.pulls(), one.returns()])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    expect([machine.log, machine.misuse]).toEqual([[], []]);
  });

  it("the error of one arrives while another never answers, and ends all", async () => {
    const cause = new Error("the network is gone");
    for (const failing of [0, 1, 2]) {
      const sources = [0, 1, 2].map((number) =>
        number === failing
          ? source(input, async (pull) => {
              await settle();
              if (pull === 1) throw cause;
            })
          : silentAfter(input, 1),
      );
      const { run, machine } = await start(sources, (m) => until(m, 99, 0, 1, 2));
      const error = await inTime(
        expectError(() => run.next(), "SOURCE_FAILED", ["left", "right", "right1"][failing]),
        "the error",
      );
      expect(error.cause).toBe(cause);
      expect(sources.filter((_, i) => i !== failing).map((one) => one.returns())).toEqual([1, 1]);
      await expect(run.next()).rejects.toBe(error);
      await expect(run.toTable()).rejects.toBe(error);
      expect(machine.misuse).toEqual([]);
    }
  });

  it("an error that comes while the consumer is away is what its next call gets", async () => {
    const late = gate();
    const slow = source(input, async () => {
      await late.opened;
      throw new Error("gone");
    });
    const other = endless(batch);
    const { run, machine } = await start([slow, other], function* (): Script<number> {
      for (;;) {
        yield need(0, 1);
        yield give(batch);
      }
    });
    await run.next();
    late.open();
    await settle();
    expect(other.returns()).toBe(1);
    await expectError(() => run.next(), "SOURCE_FAILED", "left", "gone");
    expect(machine.misuse).toEqual([]);
  });

  it("the end of the machine cancels inputs that have not ended, and no other", async () => {
    const sources = [source(input), silent(), source(input)];
    const { run, machine } = await start(sources, function* (m) {
      yield* until(m, 4, 0, 1);
    });
    expect((await inTime(run.next(), "the end")).done).toBe(true);
    expect(sources.map((one) => one.returns())).toEqual([0, 1, 1]);
    expect(sources.map((one) => one.pulls())).toEqual([4, 1, 0]);
    expect(machine.misuse).toEqual([]);
  });

  it("calls of next are served in order", async () => {
    const { run } = await start([source(input, () => settle()), source(input)], function* (m) {
      yield* until(m, 5, 0, 1);
      for (const part of input.batches) yield give(part as RecordBatch);
    });
    const order: number[] = [];
    const answers = await inTime(
      Promise.all(
        [0, 1, 2, 3].map(async (i) => {
          const { value } = await run.next();
          order.push(i);
          return value?.numRows;
        }),
      ),
      "the batches",
    );
    expect(answers).toEqual([1, 2, 3, undefined]);
    expect(order).toEqual([0, 1, 2, 3]);
  });
});
