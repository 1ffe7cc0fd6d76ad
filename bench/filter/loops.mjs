/**
 * The loops that a filter is measured against: what one writes by hand for one condition, over typed arrays and groups that are laid
 * out already: probe row p has the build rows rows[offsets[g]] ... with g = groupOf[p], or the one row groupOf[p] (`unique`).
 *
 * Each condition as one writes it first (`branchy`), and without a branch on its result (`branchless`), which wins where it is hard to
 * predict. A process runs one condition, so the engine compiles each for its element type alone. All return how many pairs passed.
 */

// ── x[p] < y[b] ──────────────────────────────────────────────────────────────────────────────────

export const less = {
  branchy({ groupOf, offsets, rows, outProbe, outBuild }, [x], [y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const value = x[p];
      const end = offsets[groupOf[p] + 1];
      for (let i = offsets[groupOf[p]]; i < end; i++) {
        const b = rows[i];
        if (value < y[b]) {
          outProbe[count] = p;
          outBuild[count++] = b;
        }
      }
    }
    return count;
  },
  branchless({ groupOf, offsets, rows, outProbe, outBuild }, [x], [y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const value = x[p];
      const end = offsets[groupOf[p] + 1];
      for (let i = offsets[groupOf[p]]; i < end; i++) {
        const b = rows[i];
        outProbe[count] = p;
        outBuild[count] = b;
        count += value < y[b] ? 1 : 0;
      }
    }
    return count;
  },
};

/**
 * Integers below 2^30: the sign of the difference is the answer. `ordered` is for comparison only: y was brought into the order of the
 * groups before, as the kernels do it.
 */
export const lessInt32 = {
  ...less,
  branchless({ groupOf, offsets, rows, outProbe, outBuild }, [x], [y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const value = x[p];
      const end = offsets[groupOf[p] + 1];
      for (let i = offsets[groupOf[p]]; i < end; i++) {
        const b = rows[i];
        outProbe[count] = p;
        outBuild[count] = b;
        count += (value - y[b]) >>> 31;
      }
    }
    return count;
  },
  ordered({ groupOf, offsets, rows, outProbe, outBuild }, [x], [y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const value = x[p];
      const end = offsets[groupOf[p] + 1];
      for (let i = offsets[groupOf[p]]; i < end; i++) {
        if (value < y[i]) {
          outProbe[count] = p;
          outBuild[count++] = rows[i];
        }
      }
    }
    return count;
  },
};

export const lessUnique = {
  branchy({ groupOf, outProbe, outBuild }, [x], [y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const b = groupOf[p];
      if (x[p] < y[b]) {
        outProbe[count] = p;
        outBuild[count++] = b;
      }
    }
    return count;
  },
  branchless({ groupOf, outProbe, outBuild }, [x], [y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const b = groupOf[p];
      outProbe[count] = p;
      outBuild[count] = b;
      count += (x[p] - y[b]) >>> 31;
    }
    return count;
  },
};

// ── v[p] < w[b] and x[p] > y[b] ──────────────────────────────────────────────────────────────────

export const lessAndGreater = {
  branchy({ groupOf, offsets, rows, outProbe, outBuild }, [v, x], [w, y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const first = v[p];
      const second = x[p];
      const end = offsets[groupOf[p] + 1];
      for (let i = offsets[groupOf[p]]; i < end; i++) {
        const b = rows[i];
        if (first < w[b] && second > y[b]) {
          outProbe[count] = p;
          outBuild[count++] = b;
        }
      }
    }
    return count;
  },
  branchless({ groupOf, offsets, rows, outProbe, outBuild }, [v, x], [w, y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const first = v[p];
      const second = x[p];
      const end = offsets[groupOf[p] + 1];
      for (let i = offsets[groupOf[p]]; i < end; i++) {
        const b = rows[i];
        outProbe[count] = p;
        outBuild[count] = b;
        count += ((first - w[b]) & (y[b] - second)) >>> 31;
      }
    }
    return count;
  },
};

// ── x[p] + y[b] > limit ──────────────────────────────────────────────────────────────────────────

/** @param {number} limit below 2^31, as are the sums */
export const sumAbove = (limit) => ({
  branchy({ groupOf, offsets, rows, outProbe, outBuild }, [x], [y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const value = x[p];
      const end = offsets[groupOf[p] + 1];
      for (let i = offsets[groupOf[p]]; i < end; i++) {
        const b = rows[i];
        if (value + y[b] > limit) {
          outProbe[count] = p;
          outBuild[count++] = b;
        }
      }
    }
    return count;
  },
  branchless({ groupOf, offsets, rows, outProbe, outBuild }, [x], [y]) {
    let count = 0;
    for (let p = 0; p < groupOf.length; p++) {
      const value = x[p];
      const end = offsets[groupOf[p] + 1];
      for (let i = offsets[groupOf[p]]; i < end; i++) {
        const b = rows[i];
        outProbe[count] = p;
        outBuild[count] = b;
        count += (limit - (value + y[b])) >>> 31;
      }
    }
    return count;
  },
});
