/**
 * The kernels under test: the WASM module in release, the same with its assertions on, and the TypeScript twin; each with several seeds
 * and with forced collisions. Built by `node build/kernel.mjs`; a missing module is an error here, never a skipped suite.
 */

import { readFileSync } from "node:fs";
import type { Kernel, KernelOptions } from "../../src/kernel/contract.ts";
import { createTsKernel } from "../../src/kernel/ts/kernel.ts";
import { kernelBytes } from "../../src/kernel/wasm/bytes.ts";
import { type KernelExports, KernelInstance } from "../../src/kernel/wasm/instance.ts";
import { WasmKernel } from "../../src/kernel/wasm/kernel.ts";

export interface KernelUnderTest {
  readonly name: string;
  /** All keys have one hash: tables of many keys take quadratic time. */
  readonly collides: boolean;
  make(): Kernel;
}

const SEEDS = [0, 0x9e3779b9, 0xffffffff];

/** An assertion of the debug build fails through `env.abort`. */
function abort(_message: number, _file: number, line: number, column: number): never {
  throw new Error(`an assertion of the debug kernel failed at ${line}:${column} of its file`);
}

function wasmMaker(bytes: BufferSource): (options: KernelOptions) => Kernel {
  const module = new WebAssembly.Module(bytes);
  return (options) => {
    const { exports } = new WebAssembly.Instance(module, { env: { abort } });
    return new WasmKernel(new KernelInstance(module, exports as unknown as KernelExports), options);
  };
}

const debugBytes = readFileSync(new URL("../../build/out/kernel.debug.wasm", import.meta.url));

const makers: readonly { kernel: string; create(options: KernelOptions): Kernel }[] = [
  { kernel: "wasm", create: wasmMaker(kernelBytes()) },
  { kernel: "wasm debug", create: wasmMaker(debugBytes) },
  { kernel: "twin", create: createTsKernel },
];

export const kernels: readonly KernelUnderTest[] = makers.flatMap(({ kernel, create }) => [
  ...SEEDS.map((hashSeed) => ({ name: `${kernel}, seed ${hashSeed}`, collides: false, make: () => create({ hashSeed }) })),
  { name: `${kernel}, all hashes equal`, collides: true, make: () => create({ hashSeed: 1, switches: { collideHashes: true } }) },
]);

/** One of each implementation, for what no hash can touch. */
export const implementations: readonly KernelUnderTest[] = kernels.filter(({ name }) => name.endsWith("seed 0"));
