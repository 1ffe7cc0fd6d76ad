/** The kernel module: raw memory in, raw memory out. No import, no allocator; the host's arena owns the memory. */
export { copyBits } from "./bits";
export { nullCells, packBits, packFixed } from "./cells";
export { packCodes } from "./codes";
export { minMax } from "./extent";
export { configure } from "./hash";
export { rehash, relabel, seek } from "./tables";
export { relabelDirect, seekDirect } from "./direct";
export { countDuplicates, countIds, numberGroups, numberRuns, scatterGroups, scatterIds } from "./groups";
export { expand, fillNulls, selectRows, summarize } from "./matches";
export { markMatches, scanMarks, spreadMarks } from "./marks";
export { arenaStart } from "./memory";
export { gatherPlaced, locate } from "./gather";
export { keepRows, measurePairs, selectPairs, takePairs, takeRows } from "./pairs";
export { ordinals, testExtremes, updateExtremes } from "./extremes";
export { countBytes, moveKeys } from "./sort";
export { compare, compareText } from "./compare";
export { bitsToBytes, bitwise, computeFloats, computeLongs } from "./arithmetic";
export { searchPairs } from "./search";
