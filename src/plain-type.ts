/**
 * Column types as plain data: what a join needs to know of a type without knowing apache-arrow. `src/arrow` makes them
 * (`describeType`), the layers above plan with them. Below every layer: it imports nothing.
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

/** A type as people read it: `int64`, `timestamp(us, UTC)`, `dictionary(int32, utf8)`. Equal texts are equal types, but for ids and flags. */
export function typeText({ name, unit, timezone, precision, scale, width, index, values, children = [] }: PlainType): string {
  const decimal = name === "decimal";
  const inner = [unit, timezone, precision, scale, decimal ? null : width, index && typeText(index), values && typeText(values)]
    .concat(children.map((child) => `${child.name}: ${typeText(child.type)}`))
    .filter((part) => part != null);
  return (decimal ? name + width : name) + (inner.length > 0 ? `(${inner.join(", ")})` : "");
}

/** Whether the type is or holds a dictionary. */
export function hasDictionary({ name, children = [] }: PlainType): boolean {
  return name === "dictionary" || children.some((child) => hasDictionary(child.type));
}
