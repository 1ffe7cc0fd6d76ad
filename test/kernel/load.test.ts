import { afterEach, describe, expect, it, vi } from "vitest";
import { acquireKernel, releaseKernel } from "../../src/kernel/load.ts";

afterEach(() => vi.unstubAllGlobals());

const request = { kernel: "auto", hashSeed: 1 } as const;

/** A WebAssembly that refuses to compile or to instantiate, as a content security policy or a full process would. */
const refusing = (part: "Module" | "Instance", error: Error) => ({
  ...{ Memory: WebAssembly.Memory, Module: WebAssembly.Module, Instance: WebAssembly.Instance },
  [part]: class {
    constructor() {
      throw error;
    }
  },
});

const refusals: [string, unknown, RegExp][] = [
  ["is missing", undefined, /no WebAssembly/],
  ["may not compile", refusing("Module", new WebAssembly.CompileError("blocked by CSP")), /CompileError: .*CSP/],
  ["gets no memory", refusing("Instance", new RangeError("could not allocate memory")), /RangeError: could not allocate memory/],
];

describe("choosing a kernel", () => {
  it("takes WebAssembly where it runs, and the twin where it is asked for", () => {
    const { kernel, reason } = acquireKernel(request);
    expect([kernel.name, reason]).toEqual(["wasm", null]);
    const twin = acquireKernel({ ...request, kernel: "ts" });
    expect([twin.kernel.name, twin.reason]).toEqual(["ts", null]);
    releaseKernel(kernel);
    releaseKernel(twin.kernel);
  });

  it.each(refusals)("falls back with the reason where WebAssembly %s, and remembers no refusal", (_, api, text) => {
    const before = acquireKernel(request);
    releaseKernel(before.kernel);
    vi.stubGlobal("WebAssembly", api);
    const { kernel, reason } = acquireKernel(request);
    expect(kernel.name).toBe("ts");
    expect(reason).toMatch(text);
    vi.unstubAllGlobals();
    expect(acquireKernel(request)).toMatchObject({ kernel: { name: "wasm" }, reason: null });
  });

  it.each(refusals)("refuses kernel: wasm with the cause where WebAssembly %s", (_, api, text) => {
    vi.stubGlobal("WebAssembly", api);
    expect(() => acquireKernel({ ...request, kernel: "wasm" })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringMatching(text), cause: expect.any(Error) }),
    );
  });
});

describe("the pool", () => {
  /** Counts instantiations; an API of its own starts with an empty pool. */
  function counted() {
    let made = 0;
    const api = {
      Module: WebAssembly.Module,
      Instance: class {
        readonly exports: WebAssembly.Exports;
        constructor(module: WebAssembly.Module) {
          made++;
          this.exports = new instantiate(module).exports;
        }
      },
    };
    vi.stubGlobal("WebAssembly", api);
    return () => made;
  }
  const instantiate = WebAssembly.Instance;

  it("gives an instance again, with nothing in use and zeroed memory zeroed", () => {
    const made = counted();
    const first = acquireKernel(request).kernel;
    first.fill(first.alloc(5000, "test"), 0xff, 0, 5000);
    releaseKernel(first);
    releaseKernel(first);
    const second = acquireKernel(request).kernel;
    expect([made(), second.usedBytes, first.usedBytes]).toEqual([1, 0, 0]);
    expect(second.u8(second.alloc(5000, "test", true)).every((byte) => byte === 0)).toBe(true);
    expect(() => first.alloc(1, "test")).toThrow(expect.objectContaining({ code: "INTERNAL" }));
    acquireKernel(request);
    expect(made()).toBe(2);
  });

  it("keeps four instances at most, and none that holds 16 MiB", () => {
    const made = counted();
    const many = Array.from({ length: 6 }, () => acquireKernel(request).kernel);
    for (const kernel of many) releaseKernel(kernel);
    const again = Array.from({ length: 6 }, () => acquireKernel(request).kernel);
    expect(made()).toBe(8);
    for (const kernel of again) {
      kernel.alloc(16 * 2 ** 20, "too much for the pool");
      releaseKernel(kernel);
    }
    acquireKernel(request);
    expect(made()).toBe(9);
  });

  it("takes a region that was freed, or that another kernel gave out, for a mistake", () => {
    const [a, b] = [acquireKernel(request).kernel, acquireKernel(request).kernel];
    const region = a.alloc(16, "test");
    expect(() => b.u8(region)).toThrow(expect.objectContaining({ code: "INTERNAL" }));
    a.free(region);
    expect(() => a.u8(region)).toThrow(expect.objectContaining({ code: "INTERNAL" }));
    expect(() => a.free(region)).toThrow(expect.objectContaining({ code: "INTERNAL" }));
  });
});
