/**
 * What contiguous groups replace: rows of equal key linked through an array, as many hash joins keep them. Compiled by
 * bench/existence/chain.mjs for comparison only.
 *
 *     heads   key 0 ─▶ 3     key 1 ─▶ 0
 *     next    row 3 ─▶ 5 ─▶ 8 ─▶ NONE          one dependent load a pair: rows of a key are all over the array
 *
 * Memory is the caller's: it grows the module's own and passes addresses.
 */

const NONE: i32 = -1;

// @ts-ignore: decorator
@inline
function at(base: usize, index: i32): usize {
  return base + (<usize>index << 2);
}

/** Links the rows of each key in ascending order. `heads` is filled with NONE before. */
export function link(keys: usize, rows: i32, heads: usize, next: usize): void {
  for (let row = rows - 1; row >= 0; row--) {
    const head = at(heads, load<i32>(at(keys, row)));
    store<i32>(at(next, row), load<i32>(head));
    store<i32>(head, row);
  }
}

/**
 * Writes pairs of the probe rows [cursor.row, to), at most `limit`; returns how many. The cursor is two i32: probe row, and the build row
 * to go on with (NONE: the row has not begun).
 */
export function expand(keys: usize, cursor: usize, to: i32, heads: usize, next: usize, outProbe: usize, outBuild: usize, limit: i32): i32 {
  let row = load<i32>(cursor);
  let build = load<i32>(cursor, 4);
  let count = 0;
  while (row < to) {
    if (build == NONE) build = load<i32>(at(heads, load<i32>(at(keys, row))));
    while (build != NONE && count < limit) {
      store<i32>(at(outProbe, count), row);
      store<i32>(at(outBuild, count), build);
      build = load<i32>(at(next, build));
      ++count;
    }
    if (build != NONE) break;
    ++row;
  }
  store<i32>(cursor, row);
  store<i32>(cursor, build, 4);
  return count;
}
