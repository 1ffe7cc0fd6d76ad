/**
 * From an expression and two schemas to a `FilterSpec`: checked, typed and lowered, then split (picture in `filter-spec.ts`).
 *
 * - Conjuncts that read one side become conditions of that side, constant ones are decided here.
 * - In the others, whatever reads one side only and is as large as possible becomes a part of that side: conversions and arithmetic are done
 *   once a row, and pairs only meet what they must. Equal parts are one.
 *
 * Cost: O(nodes of the tree) and, where `and`, `in` and literals do not fold, as many steps; a tree has at most 10 000 nodes.
 */

import type { PlainField } from "../plain-type.ts";
import type { Expression } from "./expression.ts";
import type { FilterSpec, Lane, NumberLane, PairConjunct, RangeConjunct, SideFilter, Step } from "./filter-spec.ts";
import type { KeySpec, Side } from "./join-spec.ts";
import { compare, isDistinct } from "./lower-comparison.ts";
import { type Fields, fieldOperand, lower } from "./lower-expression.ts";
import { printExpression } from "./print-expression.ts";
import { readExpression } from "./read-expression.ts";
import { type Node, programOf, StepGraph, sideOf } from "./step-graph.ts";
import { checkComparable, truthOf } from "./type-expression.ts";

/** The filter of a join. Throws INVALID_EXPRESSION, naming the part of the expression that is wrong and what would be right. */
export function planFilter(expression: unknown, left: readonly PlainField[], right: readonly PlainField[]): FilterSpec {
  const tree = readExpression(expression);
  return splitFilter(printExpression(tree), conjunctsOf(new StepGraph(), { left, right }, tree));
}

/** What must be TRUE: its node, and what it was in the expression. */
interface Conjunct {
  readonly node: Node;
  readonly text: string;
  readonly from: Expression | null;
}

/** What a null-aware join asks of a pair: that the comparison of the keys is not FALSE, and that the filter is TRUE. */
export function planNotFalse(
  keys: readonly KeySpec[],
  expression: unknown | undefined,
  left: readonly PlainField[],
  right: readonly PlainField[],
): FilterSpec {
  const graph = new StepGraph();
  const conjuncts = keys.map((key) => compareKey(graph, { left, right }, key));
  const texts = conjuncts.map(({ text }) => text);
  if (expression !== undefined) {
    const tree = readExpression(expression);
    conjuncts.push(...conjunctsOf(graph, { left, right }, tree));
    texts.push(conjunctText(tree));
  }
  return splitFilter(texts.join(" and "), conjuncts);
}

function compareKey(graph: StepGraph, fields: Fields, { left, right, nullsEqual }: KeySpec): Conjunct {
  const [a, b] = [fieldOperand(graph, "left", left, fields.left[left]), fieldOperand(graph, "right", right, fields.right[right])];
  const [p, q] = [printExpression(a.from), printExpression(b.from)];
  const equal = `${p} = ${q}`;
  checkComparable(a, b, equal);
  return nullsEqual
    ? { node: graph.not(isDistinct(graph, a, b)), text: `${p} is not distinct from ${q}`, from: null }
    : { node: graph.not(graph.test("isTrue", graph.not(compare(graph, "eq", a, b)))), text: `(${equal}) is not false`, from: null };
}

/** What must be TRUE one by one. */
function conjunctsOf(graph: StepGraph, fields: Fields, tree: Expression): Conjunct[] {
  return demandsOf(tree).map((from) => ({ node: truthOf(lower(graph, fields, from), from), text: conjunctText(from), from }));
}

const conjunctText = (tree: Expression): string =>
  "op" in tree && tree.op === "or" ? `(${printExpression(tree)})` : printExpression(tree);

/** The conditions of which each must be TRUE. `between` makes two, each of which sorted search may answer. */
export function demandsOf(tree: Expression): readonly Expression[] {
  if (!("op" in tree)) return [tree];
  const [x, low, high] = tree.args;
  if (tree.op === "and") return tree.args.flatMap(demandsOf);
  return tree.op === "between"
    ? [
        { op: "ge", args: [x, low] },
        { op: "le", args: [x, high] },
      ]
    : [tree];
}

// Splitting

const NOTHING: SideFilter = { columns: [], conjuncts: [], parts: [] };

function splitFilter(text: string, all: readonly Conjunct[]): FilterSpec {
  const conjuncts = all.filter(({ node }) => node.value !== true);
  if (conjuncts.some(({ node }) => node.value !== undefined)) return { text, never: true, left: NOTHING, right: NOTHING, conjuncts: [] };
  const parts = { left: new Map<Node, number>(), right: new Map<Node, number>() };
  const leaf = (node: Node): Extract<Step, { op: "part" }> | null => {
    const side = sideOf(node);
    if (!side) return null;
    const own = parts[side];
    if (!own.has(node)) own.set(node, own.size);
    return { op: "part", side, part: own.get(node) as number, lane: node.lane };
  };
  const pairs = conjuncts
    .filter(({ node }) => !sideOf(node))
    .map(({ node, text, from }): { conjunct: PairConjunct; cost: number } => {
      const { program, cost } = programOf(node, leaf);
      return { conjunct: { program, range: rangeOf(node, from, leaf), text }, cost };
    });
  const sideFilter = (side: Side): SideFilter => {
    const own = conjuncts.filter(({ node }) => sideOf(node) === side).map(({ node }) => programOf(node));
    const made = [...parts[side].keys()].map((node) => ({ program: programOf(node).program, lane: node.lane }));
    const steps = [...own, ...made].flatMap(({ program }) => program.steps);
    const columns = new Set(steps.flatMap((step) => (step.op === "column" ? [step.column] : [])));
    return { columns: [...columns].sort((a, b) => a - b), conjuncts: own.sort(byCost).map(({ program }) => program), parts: made };
  };
  return {
    text,
    never: false,
    left: sideFilter("left"),
    right: sideFilter("right"),
    conjuncts: pairs.sort(byCost).map(({ conjunct }) => conjunct),
  };
}

const byCost = (a: { cost: number }, b: { cost: number }) => a.cost - b.cost;

const isNumberLane = (lane: Lane): lane is NumberLane => lane !== "wide" && lane !== "text" && lane !== "bits";

/** `a < b` or `a = b` of a part of either side, as the left sees it; `not a < b` is `a >= b`. */
function rangeOf(node: Node, from: Expression | null, leaf: (node: Node) => Extract<Step, { op: "part" }> | null): RangeConjunct | null {
  const negated = node.head.op === "not";
  const { head, args } = negated ? node.args[0] : node;
  if ((head.op !== "lt" && (head.op !== "eq" || negated)) || !isNumberLane(head.lane)) return null;
  const [a, b] = args.map(leaf);
  if (!a || !b) return null;
  const ops = head.op === "eq" ? (["eq"] as const) : a.side === "left" ? (["lt", "ge"] as const) : (["gt", "le"] as const);
  const [left, right] = a.side === "left" ? [a, b] : [b, a];
  return {
    op: ops[Number(negated)],
    left: left.part,
    right: right.part,
    lane: head.lane,
    texts: { left: operandText(from, "left"), right: operandText(from, "right") },
  };
}

/** The operand of a comparison, negated or not, that reads this side. */
function operandText(from: Expression | null, side: Side): string {
  if (!from || !("op" in from)) return "";
  const [a, b] = from.args;
  return b ? printExpression(readsSide(a, side) ? a : b) : operandText(a, side);
}

const readsSide = (tree: Expression, side: Side): boolean =>
  "op" in tree ? tree.args.some((arg) => readsSide(arg, side)) : "side" in tree && tree.side === side;
