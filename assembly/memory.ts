/**
 * The fixed low part of memory, and how a kernel hands back more than one number.
 *
 *     0        64         512        1024      4096            69632 (--memoryBase, also where the host's arena begins)
 *     | zeros  | results  | touched | scratch 64 kB | regions of the host's arena ...                | 64 spare |
 *
 * - Address 0 is never a region: a pointer parameter of 0 means "none" (all rows valid, no groups). The 64 bytes there stay zero: they
 *   serve as a constant vector (see src/kernel/wasm/expressions.ts).
 * - The host keeps the last 64 bytes of memory free, so a kernel may read (never write) up to 64 bytes past a region.
 * - Regions start at multiples of 64: one bucket of a table is one cache line.
 * - Addresses are `usize` everywhere: memory beyond 2 GiB must not turn negative.
 */

/** Results that do not fit the return value: 8 bytes each. Known to the host as RESULTS. */
export const RESULTS: usize = 64;
/** Where touch-ahead keeps the addresses of up to TOUCH_ROWS rows, and a sink that keeps the loads alive. */
export const TOUCHED: usize = 1024;
export const SINK: usize = 960;
/** 16 shuffles of 16 bytes: of four i32, those whose bit is set, moved together. Made by `configure`. */
export const SHUFFLES: usize = 512;
/** Room for one gathered chunk before it is copied out. Known to the host as SCRATCH and SCRATCH_BYTES. */
export const SCRATCH: usize = 4096;

/** Rows whose cache misses are overlapped: 64 addresses are 256 bytes, and more than a core has fill buffers for. */
export const TOUCH_ROWS: i32 = 64;
/**
 * Tables above this many bytes are touched ahead: half of a 512 kB L2. Below it there are no misses to overlap and the extra
 * pass costs 1 to 3 ns a key. ns per insert and hit, with and without (bench/kernels/table.mjs --variant
 * notouch:memory:TOUCH_BYTES=4294967295): 8-byte keys 100 k 31, 22 against 47, 40; 1 M 47, 48 against 93, 60; 4-byte keys
 * 1 M 39, 38 against 79, 50; byte strings 100 k 70, 88 against 93, 129.
 */
export const TOUCH_BYTES: usize = 262144;

/** No partner, no key. */
export const NONE: i32 = -1;
/** Dictionary maps: the value at this code is null. */
export const NULL_VALUE: i32 = -2;

/** Where the host's arena may begin: after static data, which only the debug build has. */
export function arenaStart(): usize {
  return __heap_base;
}

@inline
export function setResult<T>(index: usize, value: T): void {
  store<T>(RESULTS + (index << 3), value);
}

/** Bit `row` of the bitmap, or true where there is no bitmap. */
@inline
export function isValid(valid: usize, row: i32): bool {
  return valid == 0 || bitAt(valid, row);
}

@inline
export function bitAt(bits: usize, row: i32): bool {
  return ((<i32>load<u8>(bits + <usize>(<u32>row >> 3)) >> (row & 7)) & 1) != 0;
}

/** Element `index` (not negative) of an i32 array. */
@inline
export function i32At(base: usize, index: i32): i32 {
  return load<i32>(base + (<usize>index << 2));
}

@inline
export function setI32(base: usize, index: i32, value: i32): void {
  store<i32>(base + (<usize>index << 2), value);
}
