/** The kernels under test, each with several seeds and with forced collisions. */

import type { Kernel } from "../../src/kernel/contract.ts";
import { createTsKernel } from "../../src/kernel/ts/kernel.ts";

export interface KernelUnderTest {
  readonly name: string;
  /** All keys have one hash: tables of many keys take quadratic time. */
  readonly collides: boolean;
  make(): Kernel;
}

const SEEDS = [0, 0x9e3779b9, 0xffffffff];

const makers = [{ kernel: "twin", create: createTsKernel }];

export const kernels: readonly KernelUnderTest[] = makers.flatMap(({ kernel, create }) => [
  ...SEEDS.map((hashSeed) => ({ name: `${kernel}, seed ${hashSeed}`, collides: false, make: () => create({ hashSeed }) })),
  { name: `${kernel}, all hashes equal`, collides: true, make: () => create({ hashSeed: 1, switches: { collideHashes: true } }) },
]);
