/**
 * `ExpressionKernels` over an instance: what filters run for every row is in assembly/compare.ts and assembly/arithmetic.ts, the rest are the
 * loops that both kernels inherit (ts/expressions.ts).
 *
 * A constant is an operand whose step is 0: the kernels read its repetitions again and again. O(1) a call beside the loop.
 */

import type { Region } from "../contract.ts";
import type { NumberLane, Operand, TextOperand } from "../expression-contract.ts";
import { WasmAsof } from "./asof.ts";

/** As numbered in assembly/arithmetic.ts; remainders of floats, and integers without their sign, are not there. */
const BIT_OPS = ["and", "or", "andNot", "xnor", "not"] as const;
const NUMBER_OPS = ["add", "sub", "mul", "div", "neg", "abs", "mod"] as const;

type BitOp = (typeof BIT_OPS)[number];
type NumberOp = (typeof NUMBER_OPS)[number];

/** 64 bytes of zeros below all regions, see assembly/memory.ts. */
const ZEROS = 0;

export class WasmExpressions extends WasmAsof {
  override compare(op: "eq" | "lt", lane: NumberLane, a: Operand, b: Operand, count: number, out: Region): void {
    const width = Number(lane.slice(1)) >> 3;
    const [x, y] = [this.at(a.region), this.at(b.region)];
    const float = Number(lane[0] === "f");
    const unsigned = Number(lane[0] === "u");
    const less = Number(op === "lt");
    const again = this.wasm.compare(less, width, float, unsigned, x, stepOf(a, 64), y, stepOf(b, 64), count, this.at(out));
    if (again) super.compare(op, lane, a, b, count, out);
  }

  override compareText(
    op: "eq" | "lt" | "startsWith" | "endsWith" | "contains",
    a: TextOperand,
    b: TextOperand,
    count: number,
    out: Region,
  ): void {
    if (op !== "eq" && op !== "lt") {
      super.compareText(op, a, b, count, out);
      return;
    }
    const [x, y] = [this.at(a.region), this.at(b.region)];
    const less = Number(op === "lt");
    this.wasm.compareText(less, x, stepOf(a, 8), this.at(a.data), y, stepOf(b, 8), this.at(b.data), count, this.at(out));
  }

  override bitwise(op: BitOp, a: Region, b: Region, count: number, out: Region): void {
    this.wasm.bitwise(BIT_OPS.indexOf(op), this.at(a), this.at(b), count, this.at(out));
  }

  override arithmetic(
    op: NumberOp,
    lane: "i64" | "u64" | "f64",
    a: Operand,
    b: Operand,
    count: number,
    out: Region,
    failed: Region,
  ): number {
    const code = NUMBER_OPS.indexOf(op);
    const [x, y, result, bits] = [this.at(a.region), this.at(b.region), this.at(out), this.at(failed)];
    if (lane === "f64" && op !== "mod") {
      this.wasm.computeFloats(code, x, stepOf(a, 16), y, stepOf(b, 16), count, result);
      if (op === "div") this.wasm.compare(0, 8, 1, 0, y, stepOf(b, 64), ZEROS, 0, count, bits);
      else this.fill(failed, 0, 0, Math.ceil(count / 64) * 8);
      return op === "div" ? this.wasm.copyBits(1, bits, bits, 0, count) : 0;
    }
    if (lane === "f64" || op === "neg" || op === "abs") return super.arithmetic(op, lane, a, b, count, out, failed);
    return this.wasm.computeLongs(code, Number(lane === "u64"), x, stepOf(a, 16), y, stepOf(b, 16), count, result, bits);
  }

  override bitsToBytes(bits: Region, count: number, out: Region, at: number): void {
    this.wasm.bitsToBytes(this.at(bits), count, this.at(out) + at);
  }

  /** 0 < byte. */
  override bytesToBits(bytes: Region, count: number, out: Region): void {
    this.wasm.compare(1, 1, 0, 1, ZEROS, 0, this.at(bytes), 64, count, this.at(out));
  }
}

const stepOf = ({ constant }: Operand, step: number): number => (constant ? 0 : step);
