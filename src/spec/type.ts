/**
 * Column types as plain data: what a join needs to know of a type without knowing apache-arrow.
 * `src/arrow` produces them (`describeType`), in this shape.
 */

export interface PlainField {
  readonly name: string;
  readonly type: PlainType;
  readonly nullable: boolean;
}

/**
 * `name` is one of: null bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 utf8 largeutf8 utf8view binary
 * largebinary binaryview fixedsizebinary decimal date32 date64 time32 time64 timestamp duration interval list largelist fixedsizelist
 * struct map union dictionary. The other members are there for the types that have them.
 */
export interface PlainType {
  readonly name: string;
  /** time, timestamp, duration: s ms us ns; interval: month daytime monthdaynano; union: sparse dense */
  readonly unit?: string;
  readonly timezone?: string | null;
  readonly precision?: number;
  readonly scale?: number;
  /** decimal: bits; fixedsizebinary: bytes; fixedsizelist: elements */
  readonly width?: number;
  /** dictionary: the type of the codes */
  readonly index?: PlainType;
  /** dictionary: the type of the values */
  readonly values?: PlainType;
  readonly children?: readonly PlainField[];
}
