/** What `FilteredState` reads and writes of left rows and their candidates. */

/** What a round reads and writes; taken anew where regions may have moved. */
export interface CandidateViews {
  readonly times: Float64Array;
  readonly leftTimes: Float64Array;
  readonly next: Int32Array;
  readonly prev: Int32Array;
  readonly firsts: Int32Array;
  readonly back: Int32Array;
  readonly anchor: Int32Array;
  readonly best: Int32Array;
  readonly flags: Int32Array;
  readonly refs: Int32Array;
  readonly probe: Int32Array;
  readonly build: Int32Array;
  readonly ids: Int32Array | null;
}

export const NO_VIEWS = {} as CandidateViews;
