/**
 * `ExpressionKernels` over an instance: what filters run for every row is in assembly/compare.ts and assembly/arithmetic.ts, the rest are the
 * loops that both kernels inherit (ts/expressions.ts).
 *
 * A constant is an operand whose step is 0: the kernels read its repetitions again and again. O(1) a call beside the loop.
 */

import type { Region } from "../contract.ts";
import type { NumberLane, Operand, TextOperand } from "../expression-contract.ts";
import { WasmPairs } from "./pairs.ts";

/** As numbered in assembly/arithmetic.ts. */
const BIT_OPS = ["and", "or", "andNot", "xnor", "not"] as const;
const NUMBER_OPS = ["add", "sub", "mul", "div"] as const;

type BitOp = (typeof BIT_OPS)[number];
type NumberOp = (typeof NUMBER_OPS)[number] | "mod" | "neg" | "abs";

/** 64 bytes of zeros below all regions, see assembly/memory.ts. */
const ZEROS = 0;

export class WasmExpressions extends WasmPairs {
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
    const code = (NUMBER_OPS as readonly string[]).indexOf(op);
    if (code < 0) return super.arithmetic(op, lane, a, b, count, out, failed);
    const [x, y] = [this.at(a.region), this.at(b.region)];
    const float = Number(lane === "f64");
    const unsigned = Number(lane === "u64");
    return this.wasm.arithmetic(code, float, unsigned, x, stepOf(a, 16), y, stepOf(b, 16), count, this.at(out), this.at(failed));
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
