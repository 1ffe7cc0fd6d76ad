/** `KernelScope`: what one of several users of a kernel takes of its memory, so that it can be freed at once when that user is done. */

import type { Kernel, Region } from "../kernel/contract.ts";

export class KernelScope {
  readonly #kernel: Kernel;
  readonly #regions = new Set<Region>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Regions that the work takes are this scope's. */
  run<T>(work: () => T): T {
    const before = this.#kernel.scope;
    this.#kernel.scope = this.#regions;
    try {
      return work();
    } finally {
      this.#kernel.scope = before;
    }
  }

  free(): void {
    for (const region of [...this.#regions]) this.#kernel.free(region);
  }
}
