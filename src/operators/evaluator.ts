/**
 * Runs a `Program` over a tile of rows: one kernel call a step, vectors in registers that are made once.
 *
 *     steps      column 0   constant 5   lt 0 1   column 2   and 2 3
 *     registers  [i32...]   [5 5 5 5]    [bits]   [bits]     [bits]         2048 rows each: they stay in L1 and L2
 *
 * Three-valued: a vector has a bitmap of the rows that are not null, or none where all are. Bits are clear where null, so that a result's
 * set bits are the rows for which it is TRUE.
 * Cost: a call a step and tile (about 50 ns), beside the kernels' loops.
 */

import type { Kernel, Region } from "../kernel/contract.ts";
import type { Members, Operand, TextOperand } from "../kernel/expression-contract.ts";
import type { Lane, NumberLane, Program, Step } from "../spec/filter-spec.ts";
import { laneBytes } from "./column-loader.ts";

/** Rows of a tile: 16 kB of 64-bit values, so that the operands of a step lie in L1. */
export const TILE_ROWS = 2048;

export interface Vector {
  readonly lane: Lane;
  readonly values: Region;
  /** One value for all rows. */
  constant: boolean;
  /** Bytes of text. */
  data: Region | null;
  /** Bit i: row i is not null; null: none is. */
  valid: Region | null;
}

/** A register: where a step's vector goes. */
export interface Register extends Vector {
  /** For `valid`, where there are nulls. */
  readonly bitmap: Region;
}

/** Fills a register with what the program does not compute itself. */
export type Leaf = (step: Extract<Step, { op: "column" | "part" }>, register: Register, count: number) => void;

/** Room for a tile, and for what kernels read beyond it. */
export const tileBytes = (lane: Lane): number => (lane === "bits" ? TILE_ROWS / 8 : TILE_ROWS * laneBytes(lane)) + 64;

function laneOf(step: Step): Lane {
  switch (step.op) {
    case "column":
    case "part":
    case "constant":
    case "add":
    case "sub":
    case "mul":
    case "div":
    case "mod":
    case "neg":
    case "abs":
      return step.lane;
    case "convert":
      return step.to;
    case "widen":
      return "wide";
    case "unscale":
      return "f64";
    case "floorDivide":
    case "mixed":
      return "i64";
    default:
      return "bits";
  }
}

export class Evaluator {
  readonly #kernel: Kernel;
  readonly #steps: readonly Step[];
  readonly #registers: readonly Register[];
  readonly #leaf: Leaf;
  readonly #members = new Map<Step, Members>();
  readonly #failed: Region;
  readonly #temporary: Region;

  constructor(kernel: Kernel, program: Program, leaf: Leaf) {
    this.#kernel = kernel;
    this.#steps = program.steps;
    this.#leaf = leaf;
    this.#failed = kernel.alloc(tileBytes("bits"), "scratch");
    this.#temporary = kernel.alloc(tileBytes("bits"), "scratch");
    this.#registers = program.steps.map((step) => this.#makeRegister(step));
  }

  /** The result for rows [0, count) of the tile. Valid until the next call. */
  run(count: number): Vector {
    const { length } = this.#steps;
    for (let i = 0; i < length; i++) this.#run(this.#steps[i], this.#registers[i], count);
    return this.#registers[length - 1];
  }

  #makeRegister(step: Step): Register {
    const kernel = this.#kernel;
    const lane = laneOf(step);
    const constant = step.op === "constant" && lane !== "bits";
    const values = kernel.alloc(constant ? 128 : tileBytes(lane), "scratch");
    const bitmap = kernel.alloc(tileBytes("bits"), "scratch");
    const register: Register = { lane, values, bitmap, constant, data: null, valid: null };
    if (step.op === "constant") this.#setConstant(register, step.value);
    return register;
  }

  #setConstant(register: Register, value: string | number | boolean | null): void {
    const kernel = this.#kernel;
    const { lane, values, bitmap } = register;
    kernel.fill(values, 0, 0, values.bytes);
    if (lane === "text") register.data = kernel.alloc(64, "scratch");
    if (value === null) {
      kernel.fill(bitmap, 0, 0, bitmap.bytes);
      register.valid = bitmap;
    } else if (lane === "bits") kernel.fill(values, value ? 255 : 0, 0, TILE_ROWS / 8);
    else if (lane === "text") {
      const bytes = new TextEncoder().encode(String(value));
      register.data = kernel.alloc(bytes.length + 64, "scratch");
      kernel.write(register.data, 0, bytes);
      kernel.i32(values)[1] = bytes.length;
    } else kernel.write(values, 0, repeated(lane, value));
  }

  #run(step: Step, out: Register, count: number): void {
    switch (step.op) {
      case "constant":
        return;
      case "column":
      case "part":
        return this.#leaf(step, out, count);
      case "and":
      case "or":
        return this.#runLogic(step.op, step.args, out, count);
      default:
        return this.#runOn(step, step.args.map((arg) => this.#registers[arg]) as [Register, Register], out, count);
    }
  }

  #runOn(
    step: Exclude<Step, { op: "constant" | "column" | "part" | "and" | "or" }>,
    [a, b]: [Register, Register],
    out: Register,
    count: number,
  ): void {
    const kernel = this.#kernel;
    out.valid = this.#bothValid(a, b ?? a, out, count);
    switch (step.op) {
      case "isNull":
        if (a.valid) kernel.bitwise("not", a.valid, a.valid, count, out.values);
        else kernel.fill(out.values, 0, 0, TILE_ROWS / 8);
        out.valid = null;
        return;
      case "isTrue":
        kernel.bitwise("and", a.values, a.values, count, out.values);
        out.valid = null;
        return;
      case "not":
        if (a.valid) kernel.bitwise("andNot", a.valid, a.values, count, out.values);
        else kernel.bitwise("not", a.values, a.values, count, out.values);
        return;
      case "eq":
      case "lt":
        this.#compare(step.op, step.lane, a, b, out, count);
        break;
      case "among":
        kernel.among(step.lane, step.lane === "text" ? textOf(a) : operand(a), this.#membersOf(step), count, out.values);
        break;
      case "startsWith":
      case "endsWith":
      case "contains":
        kernel.compareText(step.op, textOf(a), textOf(b), count, out.values);
        break;
      case "eqScaled":
      case "ltScaled": {
        const floatFirst = a.lane === "f64";
        const [floats, wides] = floatFirst ? [a, b] : [b, a];
        const op = step.op === "eqScaled" ? "eq" : "lt";
        kernel.compareScaled(op, operand(floats), operand(wides), step.scale, floatFirst, count, out.values);
        break;
      }
      case "add":
      case "sub":
      case "mul":
      case "div":
      case "mod":
      case "neg":
      case "abs":
        this.#fail(kernel.arithmetic(step.op, step.lane, operand(a), operand(b ?? a), count, out.values, this.#failed), out, count);
        return;
      case "mixed":
        this.#fail(kernel.mixedArithmetic(step.of, operand(a), operand(b), step.unsigned, count, out.values, this.#failed), out, count);
        return;
      case "convert":
        this.#fail(kernel.convert(step.from, step.to, a.values, count, out.values, this.#failed), out, count);
        return;
      case "widen":
        kernel.widen(step.from, 32, a.values, BigInt(step.factor), count, out.values);
        return;
      case "unscale":
        kernel.unscale(a.values, step.scale, count, out.values);
        return;
      case "floorDivide":
        kernel.floorDivide(a.values, BigInt(step.divisor), count, out.values);
        return;
    }
    // Bits are clear where null.
    if (out.valid) kernel.bitwise("and", out.values, out.valid, count, out.values);
  }

  #compare(op: "eq" | "lt", lane: Lane, a: Register, b: Register, out: Register, count: number): void {
    const kernel = this.#kernel;
    if (lane === "text") kernel.compareText(op, textOf(a), textOf(b), count, out.values);
    else if (lane === "wide") kernel.compareWide(op, operand(a), operand(b), count, out.values);
    else if (lane === "bits") kernel.bitwise(op === "eq" ? "xnor" : "andNot", ...booleans(op, a, b), count, out.values);
    else kernel.compare(op, lane, operand(a), operand(b), count, out.values);
  }

  #membersOf(step: Extract<Step, { op: "among" }>): Members {
    let members = this.#members.get(step);
    if (!members) this.#members.set(step, (members = this.#kernel.members(step.lane, step.values)));
    return members;
  }

  /** TRUE bits are and-ed (or-ed), FALSE bits or-ed (and-ed); what is neither is null. */
  #runLogic(op: "and" | "or", args: readonly number[], out: Register, count: number): void {
    const kernel = this.#kernel;
    const [falses, all] = [this.#failed, this.#temporary];
    const other = op === "and" ? "or" : "and";
    let nullable = false;
    args.forEach((arg, i) => {
      const { values, valid } = this.#registers[arg];
      const mine = i === 0 ? falses : all;
      if (valid) kernel.bitwise("andNot", valid, values, count, mine);
      else kernel.bitwise("not", values, values, count, mine);
      nullable ||= valid !== null;
      if (i > 0) kernel.bitwise(other, falses, all, count, falses);
      kernel.bitwise(op, i === 0 ? values : out.values, values, count, out.values);
    });
    out.valid = nullable ? out.bitmap : null;
    if (nullable) kernel.bitwise("or", out.values, falses, count, out.bitmap);
  }

  /** Rows that are null in neither. */
  #bothValid(a: Register, b: Register, out: Register, count: number): Region | null {
    if (!a.valid || !b.valid || a === b) return a.valid ?? b.valid;
    this.#kernel.bitwise("and", a.valid, b.valid, count, out.bitmap);
    return out.bitmap;
  }

  /** Rows that failed are null. */
  #fail(failures: number, out: Register, count: number): void {
    if (failures === 0) return;
    const kernel = this.#kernel;
    if (out.valid) kernel.bitwise("andNot", out.valid, this.#failed, count, out.bitmap);
    else kernel.bitwise("not", this.#failed, this.#failed, count, out.bitmap);
    out.valid = out.bitmap;
  }
}

const operand = ({ values, constant }: Vector): Operand => ({ region: values, constant });
const textOf = ({ values, constant, data }: Vector): TextOperand => ({ region: values, constant, data: data as Region });
/** FALSE is below TRUE: a < b is b and not a. */
const booleans = (op: "eq" | "lt", a: Vector, b: Vector): [Region, Region] => (op === "eq" ? [a.values, b.values] : [b.values, a.values]);

const ARRAYS = {
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

/** 64 bytes of one value. */
function repeated(lane: NumberLane | "wide", value: string | number | boolean): Uint8Array {
  if (lane === "wide" || lane === "i64" || lane === "u64") {
    const words = new BigUint64Array(8);
    const width = lane === "wide" ? 4 : 1;
    for (let i = 0; i < 8; i++) words[i] = BigInt.asUintN(64, BigInt(String(value)) >> BigInt(64 * (i % width)));
    return new Uint8Array(words.buffer);
  }
  const array = ARRAYS[lane];
  return new Uint8Array(new array(64 / array.BYTES_PER_ELEMENT).fill(Number(value)).buffer);
}
