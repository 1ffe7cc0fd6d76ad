/**
 * The steps of all programs of a filter while they are made: a graph in which equal steps on equal operands are one node.
 *
 *     left.a + 1 > right.b  and  left.a + 1 < 9         [0] column a   [1] constant 1   [2] add 0 1   [3] column b   [4] lt 3 2 ...
 *
 * Invariants
 * - operands come before their step, so ascending ids are an order of evaluation;
 * - a step without columns below is a `constant`: what has constant operands is computed here, what cannot be computed is refused;
 * - TRUE, FALSE and NULL among the operands of `and`, `or`, `not` are simplified away, as far as three-valued logic allows.
 *
 * Cost: O(1) a step, by a hash of its text.
 */

import type { Expression } from "./expression.ts";
import type { Lane, NumberLane, Program, Step } from "./filter-spec.ts";
import { foldStep, type Head } from "./fold-constant.ts";
import type { Side } from "./join-spec.ts";
import type { Constant } from "./literal.ts";
import { refuse } from "./print-expression.ts";

export interface Node {
  readonly id: number;
  readonly head: Head;
  readonly args: readonly Node[];
  /** Of the result. */
  readonly lane: Lane;
  /** Which columns it reads: 1 the left's, 2 the right's, 3 of both, 0 none. */
  readonly sides: number;
  /** Undefined: no constant. */
  readonly value: Constant | undefined;
}

const SIDE_BITS = { left: 1, right: 2 } as const;

/** Rough cost of a row, in number comparisons: what decides which condition of a pair is tested first. */
const COSTS: { readonly [op: string]: number } = {
  ...{ add: 1, sub: 1, mul: 2, div: 3, mod: 3, neg: 1, abs: 1, mixed: 10, convert: 1, floorDivide: 3, unscale: 20, widen: 20 },
  ...{ eq: 1, lt: 1, among: 30, eqScaled: 40, ltScaled: 40, startsWith: 15, endsWith: 15, contains: 30 },
};
const LANE_COSTS: { readonly [lane: string]: number } = { wide: 20, text: 15 };

/** So many constants are looked up faster than compared one by one: a comparison costs 0.2 ns of numbers, 5 of text, a look-up 15 and 30. */
const MANY: { readonly [lane: string]: number } = Object.fromEntries(
  ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"].map((lane) => [lane, 32]).concat([["text", 8]]),
);

export class StepGraph {
  /** What is being lowered: for the error if a constant cannot be computed. */
  at: Expression | string = "";
  readonly #nodes = new Map<string, Node>();

  column(side: Side, column: number, lane: Lane): Node {
    return this.#node({ op: "column", column, lane }, [], SIDE_BITS[side]);
  }

  constant(lane: Lane, value: Constant): Node {
    return this.#node({ op: "constant", lane, value: jsonForm(value) }, [], 0, value);
  }

  /** A step whose result is null where an operand is. */
  emit(head: Head, ...args: readonly Node[]): Node {
    const values = args.map((arg) => arg.value);
    if (values.includes(null)) return this.constant(resultLane(head), null);
    if (values.includes(undefined)) return this.#node(head, args);
    const value = foldStep(head, values as NonNullable<Constant>[]);
    if (value === undefined) refuse(this.at, "this constant cannot be computed: overflow, division by zero or a value outside its type");
    return this.constant(resultLane(head), value);
  }

  logic(op: "and" | "or", args: readonly Node[]): Node {
    const decisive = op === "or";
    if (args.some(({ value }) => value === decisive)) return this.constant("bits", decisive);
    let rest = [...new Set(args)].filter(({ value }) => value !== !decisive);
    // What one side decides becomes one operand: it is computed once a row, and pairs read one bit.
    for (const bits of [1, 2]) {
      const mine = rest.filter(({ sides }) => sides === bits);
      if (mine.length > 1 && mine.length < rest.length) rest = [...rest.filter(({ sides }) => sides !== bits), this.#node({ op }, mine)];
    }
    if (op === "or") rest = this.#gather(rest);
    return rest.length === 0 ? this.constant("bits", !decisive) : rest.length === 1 ? rest[0] : this.#node({ op }, rest);
  }

  /** Equality of one value with many constants is one look-up. */
  #gather(alternatives: readonly Node[]): Node[] {
    const byOperand = new Map<Node, Node[]>();
    for (const { head, args } of alternatives) {
      if (head.op !== "eq") continue;
      const [x, constant] = args[0].value === undefined ? args : [args[1], args[0]];
      const known = byOperand.get(x);
      if (constant.value === undefined) continue;
      if (known) known.push(constant);
      else byOperand.set(x, [constant]);
    }
    const gathered = [...byOperand].filter(([{ lane }, { length }]) => length >= (MANY[lane] ?? Number.POSITIVE_INFINITY));
    if (gathered.length === 0) return [...alternatives];
    const operands = new Set(gathered.map(([x]) => x));
    const isGathered = ({ head, args }: Node) =>
      head.op === "eq" && args.some((arg, i) => operands.has(arg) && args[1 - i].value !== undefined);
    const looks = gathered.map(([x, constants]) => {
      const values = constants.map(({ value }) => jsonForm(value as Constant) as string | number);
      return this.#node({ op: "among", lane: x.lane as NumberLane | "text", values }, [x]);
    });
    return [...alternatives.filter((node) => !isGathered(node)), ...looks];
  }

  not(a: Node): Node {
    if (a.value !== undefined) return this.constant("bits", a.value === null ? null : !a.value);
    return a.head.op === "not" ? a.args[0] : this.#node({ op: "not" }, [a]);
  }

  /** `isNull` and `isTrue` are never null. */
  test(op: "isNull" | "isTrue", a: Node): Node {
    if (a.value !== undefined) return this.constant("bits", a.value === (op === "isTrue" || null));
    return this.#node({ op }, [a]);
  }

  #node(head: Head, args: readonly Node[], sides = args.reduce((bits, arg) => bits | arg.sides, 0), value?: Constant): Node {
    const key = JSON.stringify([head, head.op === "column" ? sides : args.map((arg) => arg.id)]);
    let node = this.#nodes.get(key);
    if (!node) {
      node = { id: this.#nodes.size, head, args, lane: resultLane(head), sides, value };
      this.#nodes.set(key, node);
    }
    return node;
  }
}

/** The program of a node; `leaf` gives the step for those at which to stop. */
export function programOf(root: Node, leaf: (node: Node) => Step | null = () => null): { program: Program; cost: number } {
  const leaves = new Map<Node, Step>();
  const found = new Set([root]);
  // A Set's iteration comes to what is added meanwhile.
  for (const node of found) {
    const step = leaf(node);
    if (step) leaves.set(node, step);
    else for (const arg of node.args) found.add(arg);
  }
  const nodes = [...found].sort((a, b) => a.id - b.id);
  const position = new Map(nodes.map((node, i) => [node, i]));
  let cost = 0;
  const steps = nodes.map((node): Step => {
    const step = leaves.get(node);
    if (step) return step;
    const { head, args } = node;
    const own = COSTS[head.op] ?? 0;
    cost += own === 1 && args.length === 2 ? (LANE_COSTS[args[0].lane] ?? own) : own;
    return (args.length ? { ...head, args: args.map((arg) => position.get(arg)) } : head) as Step;
  });
  return { program: { steps }, cost };
}

/** Null where the node is a constant or reads both sides. */
export const sideOf = ({ sides }: Node): Side | null => (sides === SIDE_BITS.left ? "left" : sides === SIDE_BITS.right ? "right" : null);

function resultLane(head: Head): Lane {
  switch (head.op) {
    case "eq":
    case "lt":
    case "among":
      return "bits";
    case "convert":
      return head.to;
    case "widen":
      return "wide";
    case "unscale":
      return "f64";
    case "floorDivide":
    case "mixed":
      return "i64";
    default:
      return "lane" in head ? head.lane : "bits";
  }
}

/** As in `LiteralNode`. */
function jsonForm(value: Constant): string | number | boolean | null {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return Object.is(value, -0) ? "-0" : value;
}
