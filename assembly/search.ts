/**
 * Candidate pairs tested by one comparison of two numbers, in one pass: nothing is copied, only pairs that pass are written.
 *
 *     probe value   7 7 7 7 ...          one register a group
 *     build values  3 9 7 8 ...          in group order: 16 a step, compared to a mask
 *
 * Values are ordinals (unsigned, order-preserving, 4 or 8 bytes): one comparison serves every lane. O(candidates), for groups of 100 rows
 * 0.4 ns a candidate and 1.5 ns a pair that passes (bench/kernels/pairs.mjs), a third of taking, comparing and selecting.
 */
import { NONE, SHUFFLES, i32At, setI32, setResult } from "./memory";

/** Candidates of one step. */
const STEP: i32 = 16;

/** Bits of the STEP values from `at` on that fulfil the comparison with the splatted `value`. */
@inline
export function maskAt<T>(at: usize, value: v128, equal: bool, swap: bool): i32 {
  const lanes = 16 / <i32>sizeof<T>();
  let mask = 0;
  for (let i = 0; i < STEP; i += lanes, at += 16) {
    let found = v128.load(at);
    // There is no unsigned comparison of 8 bytes; with their top bits flipped they compare as signed.
    if (sizeof<T>() == 8) found = v128.xor(found, i64x2.splat(i64.MIN_VALUE));
    let bits: v128;
    if (equal) bits = v128.eq<T>(found, value);
    else if (sizeof<T>() == 8) bits = swap ? v128.lt<i64>(value, found) : v128.lt<i64>(found, value);
    else bits = swap ? v128.lt<u32>(value, found) : v128.lt<u32>(found, value);
    mask |= v128.bitmask<T>(bits) << i;
  }
  return mask;
}

/** The shuffle of each set of four. Called once an instance. */
export function makeShuffles(): void {
  for (let four = 0; four < 16; ++four) {
    let to = SHUFFLES + (<usize>four << 4);
    for (let lane = 0; lane < 4; ++lane) {
      if (!((four >> lane) & 1)) continue;
      store<u32>(to, 0x03020100 + lane * 0x04040404);
      to += 4;
    }
  }
}

@inline
function search<T>(
  equal: bool, swap: bool, negate: bool, probe: usize, byRow: usize, byGroup: usize, handles: usize, row: i32, pos: i32, to: i32,
  offsets: usize, rows: usize, probeBase: i32, outProbe: usize, outBuild: usize, room: i32, budget: i32,
): void {
  const flip = negate ? 0xffff : 0;
  let kept = 0;
  let tested = 0;
  while (row < to && tested < budget && kept + STEP <= room) {
    const handle = i32At(handles, row);
    if (handle == NONE) {
      ++row;
      continue;
    }
    const value = load<T>(probe + <usize>row * sizeof<T>());
    if (handle > NONE) {
      const found = load<T>(byRow + <usize>handle * sizeof<T>());
      const holds = equal ? found == value : swap ? value < found : found < value;
      setI32(outProbe, kept, probeBase + row);
      setI32(outBuild, kept, handle);
      kept += i32(holds != negate);
      ++tested;
      ++row;
      continue;
    }
    const splat = sizeof<T>() == 8 ? v128.xor(v128.splat<T>(value), i64x2.splat(i64.MIN_VALUE)) : v128.splat<T>(value);
    const probeRow = i32x4.splat(probeBase + row);
    const group = offsets + (<usize>(-2 - handle) << 2);
    const first = load<i32>(group);
    const end = load<i32>(group, 4);
    let at = first + pos;
    for (; at < end && tested < budget && kept + STEP <= room; at += STEP) {
      const count = min(STEP, end - at);
      let mask = (maskAt<T>(byGroup + <usize>at * sizeof<T>(), splat, equal, swap) ^ flip) & ((1 << count) - 1);
      tested += count;
      if (!mask) continue;
      const source = rows + (<usize>at << 2);
      if (!(mask & (mask - 1))) {
        setI32(outProbe, kept, probeBase + row);
        setI32(outBuild, kept++, i32At(source, ctz(mask)));
        continue;
      }
      // Four at a time, moved together by a shuffle: no branch depends on which they are.
      for (let i = 0; i < STEP; i += 4, mask >>= 4) {
        const four = mask & 15;
        const place = <usize>kept << 2;
        v128.store(outBuild + place, i8x16.swizzle(v128.load(source + (<usize>i << 2)), v128.load(SHUFFLES + (<usize>four << 4))));
        v128.store(outProbe + place, probeRow);
        kept += popcnt(four);
      }
    }
    if (at < end) pos = at - first;
    else {
      pos = 0;
      ++row;
    }
  }
  setResult<i32>(0, row);
  setResult<i32>(1, pos);
  setResult<i32>(2, tested);
  setResult<i32>(3, kept);
}

/** Results: row, pos, tested, kept. `equal`: equality; else found < value, with `swap` value < found; `negate`: what does not fulfil it. */
export function searchPairs(
  width: i32, equal: bool, swap: bool, negate: bool, probe: usize, byRow: usize, byGroup: usize, handles: usize, row: i32, pos: i32, to: i32,
  offsets: usize, rows: usize, probeBase: i32, outProbe: usize, outBuild: usize, room: i32, budget: i32,
): void {
  if (width == 4) {
    search<u32>(
      equal, swap, negate, probe, byRow, byGroup, handles, row, pos, to, offsets, rows, probeBase, outProbe, outBuild, room, budget,
    );
  } else {
    search<u64>(
      equal, swap, negate, probe, byRow, byGroup, handles, row, pos, to, offsets, rows, probeBase, outProbe, outBuild, room, budget,
    );
  }
}
