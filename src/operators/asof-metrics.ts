/** What an as-of join has done and holds, input by input. */

export interface AsofInputMetrics {
  /** left, right, right1, ... */
  readonly name: string;
  readonly rows: number;
  readonly batches: number;
  /** Batches that wait to be read: an input is asked for more only while they are few, or a left row needs them. */
  readonly queuedBatches: number;
  /** Rows held: those that wait, those within reach, of a right the last of each key too. */
  readonly heldRows: number;
  /** Bytes of the batches and copies held, each buffer once. 0 for a one-shot join, whose inputs are the caller's. */
  readonly heldBytes: number;
  /** Distinct `by` keys met so far, of either side; of the left 0. */
  readonly keys: number;
  /** Rows let go before their batches' last, and rows copied out of batches that were let go. */
  readonly purgedRows: number;
  readonly compactedRows: number;
  /** Rows of histories kept for conditions on both sides. */
  readonly historyRows: number;
  /** How far the left is ahead, in the unit of the left's time: its last time read minus this input's; null before both have one, and for the left. */
  readonly lag: number | null;
}

export interface AsofMetrics {
  /** The left, then the rights. */
  readonly inputs: readonly AsofInputMetrics[];
}
