/** What a driver is told beside the `JoinSpec`: how to run, and whom to tell. Nothing of it changes the answer. */

import type { JoinMetrics } from "../operators/metrics.ts";
import type { SpillStore } from "./spill-store.ts";

export type { JoinMetrics };

export interface RunSettings {
  readonly kernel: "auto" | "wasm" | "ts";
  /** Null: one seed for the process, chosen at random. */
  readonly hashSeed: number | null;
  readonly onMetrics: ((metrics: JoinMetrics) => void) | null;
  /** Bytes that the join may hold; null: as many as there are. */
  readonly memoryLimit: number | null;
  /** Where goes what does not fit. */
  readonly spill: SpillStore | null;
}

export interface StreamSettings extends RunSettings {
  readonly signal: AbortSignal | null;
  readonly onProgress: ((progress: RunProgress) => void) | null;
}

export interface RunProgress {
  readonly phase: "build" | "probe" | "drain";
  readonly leftRows: number;
  readonly rightRows: number;
  readonly outRows: number;
}

let processSeed: number | null = null;

/** The seed of the hashes: crafted keys that collide for one process do not for the next. */
export function hashSeedOf(settings: Pick<RunSettings, "hashSeed">): number {
  if (settings.hashSeed !== null) return settings.hashSeed;
  processSeed ??= Math.floor(Math.random() * 2 ** 32);
  return processSeed;
}
