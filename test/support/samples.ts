/** A column of every supported type, each with nulls and with the values that break naive code. At least five rows each. */

import type { Column } from "./column.ts";
import * as c from "./column.ts";

const INT64_MAX = 2n ** 63n - 1n;

/** Types that may be keys: at least four different values, a repeated one and a null. */
export const KEY_TYPES: { readonly [name: string]: Column } = {
  int8: c.int8([-128, null, 127, 0, -1, 127]),
  int16: c.int16([-32768, null, 32767, 0, -1, 0]),
  int32: c.int32([-2147483648, null, 2147483647, 0, -1, 0]),
  int64: c.int64([-(2n ** 63n), null, INT64_MAX, 0n, -1n, 2n ** 53n, 2n ** 53n + 1n, 0n]),
  uint8: c.uint8([0, null, 255, 128, 1, 255]),
  uint16: c.uint16([0, null, 65535, 32768, 1, 0]),
  uint32: c.uint32([0, null, 4294967295, 2147483648, 1, 4294967295]),
  uint64: c.uint64([0n, null, 2n ** 64n - 1n, 2n ** 63n, 1n, 2n ** 53n + 1n, 2n ** 53n, 0n]),
  bool: c.bool([true, null, false, true, true]),
  float16: c.float16([1.5, null, -0, 0, "NaN(7e00)", "NaN(fe01)", -2, Number.POSITIVE_INFINITY]),
  float32: c.float32([1.5, null, -0, 0, "NaN(7fc00000)", "NaN(ffc00001)", 0.10000000149011612, Number.NEGATIVE_INFINITY]),
  float64: c.float64([1.5, null, -0, 0, "NaN(7ff8000000000000)", "NaN(fff8000000000001)", 0.1, 5e-324]),
  date32: c.date32([-1, null, 0, 19000, 19000]),
  date64: c.date64([-86_400_000n, null, 0n, 1_641_600_000_000n, 0n]),
  "timestamp s": c.timestamp("s")([-1n, null, 0n, INT64_MAX, 0n]),
  "timestamp ms with zone": c.timestamp("ms", "Europe/Berlin")([1n, null, 0n, 1_700_000_000_000n, 1n]),
  "timestamp us": c.timestamp("us")([1n, null, 0n, 1_700_000_000_000_001n, 1n]),
  "timestamp ns with zone": c.timestamp("ns", "UTC")([1n, null, 0n, 1_700_000_000_000_000_001n, 1n]),
  "binary[1]": c.fixedSizeBinary(1)(["00", null, "ff", "01", "00"]),
  "binary[3]": c.fixedSizeBinary(3)(["000001", null, "ff0001", "010001", "000001"]),
  "binary[4]": c.fixedSizeBinary(4)(["00000001", null, "ff000001", "00000002", "00000001"]),
  "binary[8]": c.fixedSizeBinary(8)(wide(8)),
  "binary[16]": c.fixedSizeBinary(16)(wide(16)),
  "binary[20]": c.fixedSizeBinary(20)(wide(20)),
  "binary[32]": c.fixedSizeBinary(32)(wide(32)),
  "binary[40]": c.fixedSizeBinary(40)(wide(40)),
  utf8: c.utf8(["", null, "a", "ä€😀", "a\u0000", "a\u0000\u0000", "\ufeffbom", "a long string that fits no register", "a"]),
  binary: c.binary(["", null, "00", "0000", "ff80", "00"]),
  "dictionary int8": c.dictionary(c.utf8(["x", null, "", "y", "x", "zz"]), { index: "int8" }),
  "dictionary int16": c.dictionary(c.utf8(["x", null, "", "y", "x", "zz"]), { index: "int16", perBatch: true }),
  "dictionary int32": c.dictionary(c.utf8(["x", null, "", "y", "x", "zz"]), { index: "int32", perBatch: true, repeated: true }),
  "dictionary int64": c.dictionary(c.utf8(["x", null, "", "y", "x", "zz"]), { index: "int64" }),
  "dictionary uint8": c.dictionary(c.utf8(["x", null, "", "y", "x", null]), { index: "uint8", nullValue: true }),
  "dictionary uint16": c.dictionary(c.utf8(["x", null, "", "y", "x", "zz"]), { index: "uint16", chunks: 2 }),
  "dictionary uint32": c.dictionary(c.utf8(["x", null, "", "y", "x", "zz"]), { index: "uint32", perBatch: true, nullValue: true }),
  "dictionary uint64": c.dictionary(c.utf8(["x", null, "", "y", "x", "zz"]), { index: "uint64", perBatch: true }),
};

/** Two values that differ only in the first or only in the last byte. */
function wide(bytes: number): (string | null)[] {
  const zeros = "00".repeat(bytes - 1);
  return [`${zeros}01`, null, `01${zeros}`, `${zeros}02`, `${zeros}01`, "ff".repeat(bytes)];
}

/** Types that are only carried along. */
export const PAYLOAD_TYPES: { readonly [name: string]: Column } = {
  decimal128: c.decimal128(38, 2)([0n, null, 10n ** 37n, -(10n ** 37n), -1n]),
  "time32 s": c.time32("s")([0, null, 86399, 1, 2]),
  "time32 ms": c.time32("ms")([0, null, 86_399_999, 1, 2]),
  "time64 us": c.time64("us")([0n, null, 86_399_999_999n, 1n, 2n]),
  "time64 ns": c.time64("ns")([0n, null, 86_399_999_999_999n, 1n, 2n]),
  "duration s": c.duration("s")([0n, null, -1n, 2n ** 62n, 1n]),
  "duration ns": c.duration("ns")([0n, null, -1n, 2n ** 62n, 1n]),
  null: c.nullType([null, null, null, null, null]),
  "list of int32": c.list(c.int32(), [[1, null, 2], null, [], [3], [4, 5, 6, 7]]),
  "list of bool": c.list(c.bool(), [[true, null, false], null, [], [true], [false, false, true, true]]),
  "list of lists of utf8": c.list(c.list(c.utf8()), [[["a"], null, []], null, [], [["b", null, "cc"]], [["d"], ["e", "f"]]]),
  "fixed-size list of int16": c.fixedSizeList(3, c.int16(), [[1, 2, 3], null, [null, 4, null], [5, 6, 7], [8, 9, 10]]),
  "fixed-size list of bool": c.fixedSizeList(3, c.bool(), [
    [true, false, null],
    null,
    [true, true, true],
    [false, false, false],
    [null, null, null],
  ]),
  struct: c.struct({ a: c.int64(), b: c.utf8(), c: c.bool() }, [
    { a: 1n, b: "x", c: true },
    null,
    { a: null, b: null, c: null },
    { a: 2n, b: "", c: false },
    { a: 3n, b: "yy", c: null },
  ]),
  "struct of lists": c.struct({ a: c.list(c.float64()), b: c.struct({ d: c.fixedSizeBinary(3)() }) }, [
    { a: [1.5], b: { d: "010203" } },
    null,
    { a: null, b: null },
    { a: [], b: { d: null } },
    { a: ["-0", null], b: { d: "ffffff" } },
  ]),
  map: c.map(c.utf8(), c.int32(), [
    [["k", 1]],
    null,
    [],
    [
      ["a", null],
      ["b", 2],
    ],
    [["c", 3]],
  ]),
  "list of structs of bool": c.list(c.struct({ a: c.bool(), b: c.utf8() }), [
    [{ a: true, b: "x" }, null],
    null,
    [],
    [{ a: null, b: null }],
    [
      { a: false, b: "y" },
      { a: true, b: "z" },
    ],
  ]),
  "fixed-size list of utf8": c.fixedSizeList(2, c.utf8(), [["a", "b"], null, [null, "c"], ["", ""], ["dd", null]]),
  "list of decimals": c.list(c.decimal128(20, 1)(), [[1n, null], null, [], [-1n], [10n ** 19n]]),
  "list of fixed-size binary": c.list(c.fixedSizeBinary(3)(), [["010203", null], null, [], ["ffffff"], ["000000", "000001"]]),
  "list of dictionaries": c.list(c.dictionary(c.utf8(), { perBatch: true, index: "int8" }), [
    ["a", null, "b"],
    null,
    [],
    ["c"],
    ["a", "d"],
  ]),
  "struct of a dictionary": c.struct({ a: c.dictionary(c.utf8(), { perBatch: true, index: "int16" }) }, [
    { a: "x" },
    null,
    { a: null },
    { a: "y" },
    { a: "x" },
  ]),
};

export const EVERY_TYPE: { readonly [name: string]: Column } = { ...KEY_TYPES, ...PAYLOAD_TYPES };
