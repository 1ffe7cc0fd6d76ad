/**
 * Interleaved rounds and their medians. On a noisy machine only runs that stand side by side can be compared, so every round
 * runs every way once, beginning with another one each time, and ratios are taken inside a round before their median.
 */

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @template {Record<string, number>} Sample
 * @param {Record<string, () => Sample>} ways
 * @param {number} rounds
 * @param {{ collect?: boolean }} [options] `collect`: garbage before each run. It also throws away compiled code that refers to what it
 * frees (a join of 10 M candidates then takes twice as long) and leaves caches cold: only where what is left behind is large.
 * @returns {Record<string, Sample[]>} one sample a round
 */
export function interleaved(ways, rounds, { collect = true } = {}) {
  const names = Object.keys(ways);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      if (collect) collectGarbage();
      samples[name].push(ways[name]());
    }
  }
  return samples;
}

/** One way's garbage is not another's time. Needs `--expose-gc`, without which it does nothing. */
export function collectGarbage() {
  globalThis.gc?.();
}

/** Member by member. @param {Record<string, number>[]} samples */
export function medianOf(samples) {
  return Object.fromEntries(Object.keys(samples[0]).map((key) => [key, median(samples.map((sample) => sample[key]))]));
}

/** How many times longer `slow` took than `fast`, round by round; where one ran only once, against that run. */
export function ratio(slow, fast, key = "wallMs") {
  return median(fast.map((sample, round) => slow[Math.min(round, slow.length - 1)][key] / sample[key]));
}
