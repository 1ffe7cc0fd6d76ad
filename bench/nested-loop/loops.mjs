/**
 * The nested loops one writes by hand, for these columns and this condition and nothing else: typed arrays without nulls, `&&` that short-cuts,
 * an early end where a row needs one partner only. A process runs one of them, so the engine compiles it for its element types alone.
 *
 * Each returns the pairs it looked at, and row ids; -1 is no partner.
 */

/** x < y and z <> w. */
export const lessAndNot = {
  inner([x, z], [y, w]) {
    const [probe, build] = [[], []];
    for (let i = 0; i < x.length; i++) {
      const [a, b] = [x[i], z[i]];
      for (let j = 0; j < y.length; j++) {
        if (a < y[j] && b !== w[j]) {
          probe.push(i);
          build.push(j);
        }
      }
    }
    return { pairs: x.length * y.length, left: probe, right: build };
  },
  left([x, z], [y, w]) {
    const [probe, build] = [[], []];
    for (let i = 0; i < x.length; i++) {
      const [a, b] = [x[i], z[i]];
      const before = probe.length;
      for (let j = 0; j < y.length; j++) {
        if (a < y[j] && b !== w[j]) {
          probe.push(i);
          build.push(j);
        }
      }
      if (probe.length > before) continue;
      probe.push(i);
      build.push(-1);
    }
    return { pairs: x.length * y.length, left: probe, right: build };
  },
  full([x, z], [y, w]) {
    const [probe, build] = [[], []];
    const matched = new Uint8Array(y.length);
    for (let i = 0; i < x.length; i++) {
      const [a, b] = [x[i], z[i]];
      const before = probe.length;
      for (let j = 0; j < y.length; j++) {
        if (a < y[j] && b !== w[j]) {
          probe.push(i);
          build.push(j);
          matched[j] = 1;
        }
      }
      if (probe.length > before) continue;
      probe.push(i);
      build.push(-1);
    }
    for (let j = 0; j < y.length; j++) {
      if (matched[j] === 1) continue;
      probe.push(-1);
      build.push(j);
    }
    return { pairs: x.length * y.length, left: probe, right: build };
  },
  leftSemi: (l, r) => existing(l, r, true),
  leftAnti: (l, r) => existing(l, r, false),
};

function existing([x, z], [y, w], wanted) {
  const rows = [];
  let pairs = 0;
  for (let i = 0; i < x.length; i++) {
    const [a, b] = [x[i], z[i]];
    let j = 0;
    while (j < y.length && !(a < y[j] && b !== w[j])) j++;
    pairs += Math.min(j + 1, y.length);
    if (j < y.length === wanted) rows.push(i);
  }
  return { pairs, left: rows };
}

/** (x + y) % 1000 = 0. */
export const remainder = {
  inner([x], [y]) {
    const [probe, build] = [[], []];
    for (let i = 0; i < x.length; i++) {
      const a = x[i];
      for (let j = 0; j < y.length; j++) {
        if ((a + y[j]) % 1000 === 0) {
          probe.push(i);
          build.push(j);
        }
      }
    }
    return { pairs: x.length * y.length, left: probe, right: build };
  },
};
