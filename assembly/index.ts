/** The kernel module: raw memory in, raw memory out. No import, no allocator; the host's arena owns the memory. */
export { andBits, copyBits } from "./bits";
export { clearCells, markNulls, packBits, packFixed } from "./cells";
export { packCodes } from "./codes";
export { minMax } from "./extent";
export { configure } from "./hash";
export { insert4, insert8, probe4, probe8, rehash4, rehash8, relabel4, relabel8 } from "./bucket";
export { insertWide, probeWide, rehashWide, relabelWide } from "./swiss";
export { insertBytes, probeBytes, rehashBytes, relabelBytes } from "./bytes-table";
export { insertDirect, probeDirect, relabelDirect } from "./direct";
export { countDuplicates, countIds, numberGroups, numberRuns, scatterGroups, scatterIds } from "./groups";
export { expand, fillNulls, selectRows, summarize } from "./matches";
export { markMatches, scanMarks, spreadMarks } from "./marks";
export { arenaStart } from "./memory";
export { gatherPlaced, locate } from "./gather";
