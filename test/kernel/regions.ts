/** Moves test data into and out of kernel regions. */

import type { Kernel, Region } from "../../src/kernel/contract.ts";

export function putI32(kernel: Kernel, values: ArrayLike<number>): Region {
  const region = kernel.alloc(values.length * 4, "test values");
  kernel.i32(region).set(values);
  return region;
}

export function putBytes(kernel: Kernel, bytes: Uint8Array): Region {
  const region = kernel.alloc(bytes.length, "test bytes");
  kernel.write(region, 0, bytes);
  return region;
}

export function putBits(kernel: Kernel, bits: readonly boolean[], at = 0): Region {
  return putBytes(kernel, packed(bits, at));
}

export function takeI32(kernel: Kernel, region: Region, count: number): number[] {
  return Array.from(kernel.i32(region).subarray(0, count));
}

export function takeBytes(kernel: Kernel, region: Region, count: number): number[] {
  return Array.from(kernel.u8(region).subarray(0, count));
}

/** The bits from bit `at` on; every bit around them is set, so that a reader who strays is noticed. */
export function packed(bits: readonly boolean[], at = 0): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((at + bits.length + 1) / 8)).fill(0xff);
  bits.forEach((bit, i) => {
    if (!bit) bytes[(at + i) >> 3] &= ~(1 << ((at + i) & 7));
  });
  return bytes;
}

export function unpacked(bytes: ArrayLike<number>, at: number, count: number): boolean[] {
  return Array.from({ length: count }, (_, i) => ((bytes[(at + i) >> 3] >> ((at + i) & 7)) & 1) === 1);
}
