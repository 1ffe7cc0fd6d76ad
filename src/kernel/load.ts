/**
 * Chooses and loads a kernel: WebAssembly where it may run, its TypeScript twin where it may not.
 *
 *     acquire ──▶ pooled instance ──▶ WasmKernel ──▶ release ──▶ pool (memory under 16 MiB, at most 4) or dropped
 *        │              ▲
 *        │       new Instance ◀── module, compiled once
 *        └── refused: twin, with the reason
 *
 * Invariants
 * - All is synchronous. `globalThis.WebAssembly` is read at every acquisition; what was compiled or pooled belongs to the object that
 *   made it, so a missing or replaced WebAssembly is seen. A refusal is never remembered.
 * - A kernel owns its instance until it is released; seed and switches are set anew each time.
 *
 * The first acquisition decodes and compiles (5 to 10 ms), later ones instantiate (0.1 to 0.3 ms) or take from the pool (0.02 ms).
 */

import { ArrowJoinError } from "../error.ts";
import type { Kernel, KernelName, KernelSwitches } from "./contract.ts";
import { createTsKernel } from "./ts/kernel.ts";
import { kernelBytes } from "./wasm/bytes.ts";
import { type KernelExports, KernelInstance } from "./wasm/instance.ts";
import { WasmKernel } from "./wasm/kernel.ts";

/** Idle instances kept: joins that run at the same time rarely are more, and a browser gives a process about 125 memories. */
const POOL_INSTANCES = 4;
/** A larger memory is dropped: it never shrinks, and the next join may be small. */
const POOL_BYTES = 16 * 2 ** 20;

export interface KernelRequest {
  readonly kernel: "auto" | KernelName;
  readonly hashSeed: number;
  readonly switches?: KernelSwitches;
}

export interface AcquiredKernel {
  readonly kernel: Kernel;
  /** Why the twin runs though WebAssembly was wanted; null otherwise. */
  readonly reason: string | null;
}

interface Loaded {
  readonly api: typeof WebAssembly;
  readonly module: WebAssembly.Module;
  readonly pool: KernelInstance[];
}

let loaded: Loaded | null = null;

/** Throws INVALID_OPTION where `kernel` is "wasm" and WebAssembly refuses, with its error as `cause`. */
export function acquireKernel(request: KernelRequest): AcquiredKernel {
  if (request.kernel === "ts") return { kernel: createTsKernel(request), reason: null };
  try {
    return { kernel: new WasmKernel(takeInstance(), request), reason: null };
  } catch (cause) {
    const reason = `WebAssembly is not available: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`;
    if (request.kernel === "wasm") {
      throw new ArrowJoinError(
        "INVALID_OPTION",
        `kernel: "wasm" was asked for, but ${reason}. Use kernel: "auto" to fall back to TypeScript.`,
        { cause },
      );
    }
    return { kernel: createTsKernel(request), reason };
  }
}

/** Closes the kernel; its instance goes back to the pool if it is small. Safe to call twice. */
export function releaseKernel(kernel: Kernel): void {
  if (!(kernel instanceof WasmKernel)) {
    kernel.close();
    return;
  }
  const instance = kernel.releaseInstance();
  if (instance === null || loaded === null || loaded.pool.length >= POOL_INSTANCES) return;
  if (instance.module === loaded.module && instance.arena.heldBytes < POOL_BYTES) loaded.pool.push(instance);
}

/** Uses a module that was compiled elsewhere, in place of the inlined bytes. */
export function provideModule(module: WebAssembly.Module): void {
  loaded = { api: globalThis.WebAssembly, module, pool: [] };
}

function takeInstance(): KernelInstance {
  const api = globalThis.WebAssembly as typeof WebAssembly | undefined;
  if (api === undefined) throw new Error("there is no WebAssembly here");
  if (loaded === null || loaded.api !== api) loaded = { api, module: new api.Module(kernelBytes()), pool: [] };
  const { module, pool } = loaded;
  return pool.pop() ?? new KernelInstance(module, new api.Instance(module).exports as unknown as KernelExports);
}
