/** Sides of as-of joins for tests: times of every type that may be one, keys of every type, and the options in sets where all pairs meet. */

import type { Table } from "apache-arrow";
import { pairwise, random } from "./axes.ts";
import type { Cell } from "./cell.ts";
import * as c from "./column.ts";
import { KEY_DOMAINS } from "./random.ts";
import type { AsofOptions } from "./run.ts";
import { table } from "./table.ts";

export interface Domain {
  readonly make: (cells: readonly Cell[]) => c.Column;
  /** Of times: in their order. */
  readonly values: readonly Cell[];
}

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const inf = Number.POSITIVE_INFINITY;

const INT8: Domain = { make: c.int8, values: [-128, -127, -1, 0, 1, 2, 126, 127] };
const INT64: Domain = {
  make: c.int64,
  values: [MIN, MIN + 1n, -(2n ** 53n) - 1n, -1n, 0n, 1n, 4096n, 2n ** 53n, 2n ** 53n + 1n, MAX - 1n, MAX],
};
const UINT64: Domain = { make: c.uint64, values: [0n, 1n, 4095n, 2n ** 53n + 1n, MAX, 2n ** 63n, 2n ** 64n - 2n, 2n ** 64n - 1n] };
const FLOAT64: Domain = { make: c.float64, values: [-inf, -1e300, -1, "-0", 0, 5e-324, 0.1, 1, 1.5, 1e16, 1e16 + 2, inf] };
const SECONDS: readonly Cell[] = [MIN, -9_223_372_037n, -1n, 0n, 1n, 2n, 9_223_372_036n, 9_223_372_037n, MAX];
const NANOS: readonly Cell[] = [MIN, -1_000_000_001n, -1_000_000_000n, -1n, 0n, 1n, 999_999_999n, 1_000_000_000n, 2_000_000_001n, MAX];
const MILLIS: readonly Cell[] = [MIN, -1001n, -1000n, -1n, 0n, 1n, 2n, 1000n, 2001n, MAX];
const DAYS: Domain = { make: c.date32, values: [-2147483648, -1, 0, 1, 2, 19_000, 2147483647] };
const DATES: Domain = { make: c.date64, values: [MIN, -86_400_000n, 0n, 1n, 86_400_000n, 86_400_001n, 1_641_600_000_000n, MAX] };

/** Types of times that meet, as left and right. */
export const TIMES: { readonly [name: string]: readonly [Domain, Domain] } = {
  int8: [INT8, INT8],
  "int16, uint8": [
    { make: c.int16, values: [-32768, -1, 0, 1, 128, 254, 255, 256, 32767] },
    { make: c.uint8, values: [0, 1, 127, 128, 254, 255] },
  ],
  "uint16, int8": [{ make: c.uint16, values: [0, 1, 2, 126, 127, 65535] }, INT8],
  "int32, uint32": [
    { make: c.int32, values: [-2147483648, -1, 0, 1, 2147483646, 2147483647] },
    { make: c.uint32, values: [0, 1, 2147483647, 2147483648, 4294967295] },
  ],
  int64: [INT64, INT64],
  "int64, uint64": [INT64, UINT64],
  "uint64, int64": [UINT64, INT64],
  "uint64, int8": [UINT64, INT8],
  uint64: [UINT64, UINT64],
  float64: [FLOAT64, FLOAT64],
  "float32, float64": [{ make: c.float32, values: [-inf, -1, "-0", 0, 0.10000000149011612, 1, 16777216, inf] }, FLOAT64],
  date32: [DAYS, DAYS],
  "date32, date64": [DAYS, DATES],
  "date64, date32": [DATES, DAYS],
  "timestamp s": [
    { make: c.timestamp("s"), values: SECONDS },
    { make: c.timestamp("s"), values: SECONDS },
  ],
  "timestamp s, ns": [
    { make: c.timestamp("s"), values: SECONDS },
    { make: c.timestamp("ns"), values: NANOS },
  ],
  "timestamp ns, s": [
    { make: c.timestamp("ns"), values: NANOS },
    { make: c.timestamp("s"), values: SECONDS },
  ],
  "timestamp ms, us": [
    { make: c.timestamp("ms"), values: MILLIS },
    { make: c.timestamp("us"), values: MILLIS },
  ],
  "timestamp us and ns of two zones": [
    { make: c.timestamp("us", "UTC"), values: NANOS },
    { make: c.timestamp("ns", "Europe/Berlin"), values: NANOS },
  ],
  "time32 s, time64 ns": [
    { make: c.time32("s"), values: [0, 1, 2, 3600, 86_399] },
    { make: c.time64("ns"), values: [0n, 1n, 999_999_999n, 1_000_000_000n, 3_600_000_000_001n, 86_399_999_999_999n] },
  ],
  "time64 us, time32 ms": [
    { make: c.time64("us"), values: [0n, 999n, 1000n, 1001n, 86_399_999_999n] },
    { make: c.time32("ms"), values: [0, 1, 2, 86_399_999] },
  ],
  "duration us, s": [
    { make: c.duration("us"), values: [MIN, -1n, 0n, 1n, 999_999n, 1_000_000n, 2_000_001n, MAX] },
    { make: c.duration("s"), values: [MIN, -1n, 0n, 1n, 2n, 9_223_372_036_854n, 9_223_372_036_855n, MAX] },
  ],
  "duration ms, ns": [
    { make: c.duration("ms"), values: MILLIS },
    { make: c.duration("ns"), values: NANOS },
  ],
};

/** Small numbers, where all rules of times meet. */
export const SMALL: readonly [Domain, Domain] = [
  { make: c.int32, values: Array.from({ length: 11 }, (_, i) => i - 5) },
  { make: c.int32, values: Array.from({ length: 11 }, (_, i) => i - 5) },
];

/** Types of keys that meet, as left and right. */
export const KEYS: { readonly [name: string]: readonly [Domain, Domain] } = {
  ...Object.fromEntries(Object.entries(KEY_DOMAINS).map(([name, domain]) => [name, [domain, domain]])),
  uint8: [
    { make: c.uint8, values: [0, 255, 128, 1] },
    { make: c.uint8, values: [0, 255, 128, 1] },
  ],
  decimal: [
    { make: c.decimal128(20, 2), values: [0n, 150n, -150n, 10n ** 19n] },
    { make: c.decimal128(20, 2), values: [0n, 150n, -150n, 10n ** 19n] },
  ],
  "utf8, dictionary": [KEY_DOMAINS.utf8, { ...KEY_DOMAINS["dictionary per batch"], values: KEY_DOMAINS.utf8.values }],
  "dictionary, utf8": [KEY_DOMAINS["dictionary per batch"], KEY_DOMAINS.utf8],
  "two dictionaries": [KEY_DOMAINS.dictionary, KEY_DOMAINS["dictionary per batch"]],
};

export interface SideOptions {
  readonly rows?: number;
  /** Of keys `k0`, `k1`, ... */
  readonly keys?: readonly Domain[];
  readonly name: "left" | "right" | "other";
  readonly missing?: boolean;
}

const NAN: { readonly [type: string]: Cell } = { Float32: "NaN(7fc00000)", Float64: "NaN(7ff8000000000000)" };

/** Sorted times with ties; one in seven is null, or NaN; one key in six is null. A row number, and a number for filters. */
export function side(seed: number, time: Domain, { rows = 12, keys = [], name, missing = true }: SideOptions): Table {
  const pick = random(Math.imul(seed + 1, 0x9e3779b1));
  const at = Array.from({ length: rows }, () => pick(time.values.length)).sort((a, b) => a - b);
  const none = NAN[String(time.make([]).type)] ?? null;
  const times = at.map((i) => (missing && pick(7) === 0 ? (pick(2) === 0 ? none : null) : time.values[i]));
  const [first, second] = [pick(rows + 1), pick(rows + 1)].sort((a, b) => a - b);
  return table(
    {
      [`${name}Row`]: c.int32(at.map((_, i) => i)),
      t: time.make(times),
      ...Object.fromEntries(
        keys.map((key, i) => [`k${i}`, key.make(at.map(() => (pick(6) === 0 ? null : key.values[pick(Math.min(4, key.values.length))])))]),
      ),
      v: c.int32(at.map(() => (pick(8) === 0 ? null : pick(20)))),
    },
    { split: [first, second - first, rows - second], slice: pick(2) === 0 },
  );
}

const OPTION_AXES = {
  direction: ["backward", "forward", "nearest"],
  allowExactMatches: [true, false],
  ties: ["adjacent", "first", "last"],
  how: ["left", "left ", "inner", "leftSemi", "leftAnti"],
  tolerance: [0, 1, 2, 3, 4],
} as const;

type Tolerances = readonly (AsofOptions["tolerance"] | undefined)[];

/** Options in which each two values meet; `tolerances` are five. */
export const optionSets = (seed: number, tolerances: Tolerances): readonly AsofOptions[] =>
  (pairwise(seed, OPTION_AXES) as unknown as { readonly [name: string]: unknown }[]).map((set) => {
    const tolerance = tolerances[set.tolerance as number];
    return { ...set, how: (set.how as string).trim(), tolerance } as AsofOptions;
  });
