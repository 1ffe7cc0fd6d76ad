/**
 * The host gathers: from buffers where they lie into buffers of the host, shared by both kernels.
 *
 * WebAssembly cannot read JavaScript's buffers, and copying a payload in and out costs more than a typed-array loop unless the column
 * is small (see `gatherPlaced`), so the WASM kernel uses these too. Views of a segment's regions are resolved by the kernel: `rows` and
 * `segSources` are whole-region views, element i of a segment is `rows[segment.from + i]`; null where the segment has none.
 */

export { countBits } from "./bits.ts";
export { gatherBits } from "./gather-bits.ts";
export { gatherCodes } from "./gather-codes.ts";
export { gatherBytes, gatherFixedLists, gatherLists, gatherOffsets } from "./gather-lists.ts";
export { gatherWords } from "./gather-words.ts";
