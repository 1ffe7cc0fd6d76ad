/**
 * The shapes of another copy's objects: only what is read of them, which has had these names in every version of apache-arrow since 14.
 *
 * Types without code. Nothing here says that a value has the shape: `input.ts` asks before it believes.
 */

/** What is read of a type; every version since 14 has these under these names. */
export interface RawType {
  readonly typeId: number;
  readonly isSigned?: boolean;
  readonly bitWidth?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly unit?: number;
  readonly timezone?: string | null;
  readonly byteWidth?: number;
  readonly listSize?: number;
  readonly keysSorted?: boolean;
  readonly mode?: number;
  readonly id?: number;
  readonly isOrdered?: boolean;
  readonly indices?: RawType;
  readonly dictionary?: RawType;
  readonly children?: readonly RawField[] | null;
}

export interface RawField {
  readonly name: string;
  readonly type: RawType;
  readonly nullable: boolean;
  readonly metadata?: Map<string, string> | null;
}

/** What is read of a Data; every version since 14 has these under these names. */
export interface RawData {
  readonly type: RawType;
  readonly length: number;
  readonly offset: number;
  readonly values?: ArrayBufferView | null;
  readonly valueOffsets?: ArrayBufferView | null;
  readonly nullBitmap?: ArrayBufferView | null;
  readonly children?: readonly RawData[] | null;
  readonly dictionary?: RawVector | null;
}

export interface RawVector {
  readonly data: readonly RawData[];
  readonly isMemoized?: boolean;
}

export interface RawSchema {
  readonly fields: readonly RawField[];
  readonly metadata?: Map<string, string> | null;
}

export interface RawBatch {
  readonly schema: RawSchema;
  readonly data: RawData;
}
