/** A segment with its regions resolved to views: what the gather loops read. */

/** Element i is row `rows[from + i]` (no rows: row `from + i`) of source `sources[from + i]` (no sources: of `source`). */
export interface Picks {
  readonly source: number;
  readonly sources: Int32Array | null;
  readonly rows: Int32Array | null;
  readonly from: number;
  readonly count: number;
  readonly hasNone: boolean;
}
