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

/** What a null-aware join asks of a pair: that the comparison of the keys is not FALSE, and that the filter is TRUE. */
export function planNotFalse(
  keys: readonly KeySpec[],
  expression: unknown | undefined,
  left: readonly PlainField[],
  right: readonly PlainField[],
): FilterSpec {
  const graph = new StepGraph();
  const compared = keys.map((key) => compareKey(graph, { left, right }, key));
  const conjuncts = compared.map(({ node }) => node);
  const texts = compared.map(({ text }) => text);
  if (expression !== undefined) {
    const tree = readExpression(expression);
    const text = printExpression(tree);
    conjuncts.push(...conjunctsOf(graph, { left, right }, tree));
    texts.push("op" in tree && tree.op === "or" ? `(${text})` : text);
  }
  return splitFilter(texts.join(" and "), conjuncts);
}

function compareKey(graph: StepGraph, fields: Fields, { left, right, nullsEqual }: KeySpec): { node: Node; text: string } {
  const [a, b] = [fieldOperand(graph, "left", left, fields.left[left]), fieldOperand(graph, "right", right, fields.right[right])];
  const [p, q] = [printExpression(a.from), printExpression(b.from)];
  const equal = `${p} = ${q}`;
  checkComparable(a, b, equal);
  return nullsEqual
    ? { node: graph.not(isDistinct(graph, a, b)), text: `${p} is not distinct from ${q}` }
    : { node: graph.not(graph.test("isTrue", graph.not(compare(graph, "eq", a, b)))), text: `(${equal}) is not false` };
}

/** What must be TRUE one by one. */
function conjunctsOf(graph: StepGraph, fields: Fields, tree: Expression): Node[] {
  return demandsOf(tree).map((demand) => truthOf(lower(graph, fields, demand), demand));
}

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

function splitFilter(text: string, all: readonly Node[]): FilterSpec {
  const conjuncts = all.filter(({ value }) => value !== true);
  if (conjuncts.some(({ value }) => value !== undefined)) return { text, never: true, left: NOTHING, right: NOTHING, conjuncts: [] };
  const parts = { left: new Map<Node, number>(), right: new Map<Node, number>() };
  const leaf = (node: Node): Extract<Step, { op: "part" }> | null => {
    const side = sideOf(node);
    if (!side) return null;
    const own = parts[side];
    if (!own.has(node)) own.set(node, own.size);
    return { op: "part", side, part: own.get(node) as number, lane: node.lane };
  };
  const pairs = conjuncts
    .filter((node) => !sideOf(node))
    .map((node): { conjunct: PairConjunct; cost: number } => {
      const { program, cost } = programOf(node, leaf);
      return { conjunct: { program, range: rangeOf(node, leaf) }, cost };
    });
  const sideFilter = (side: Side): SideFilter => {
    const own = conjuncts.filter((node) => sideOf(node) === side).map((node) => programOf(node));
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

/** `a < b` of a part of either side, as the left sees it; `not a < b` is `a >= b`. */
function rangeOf(node: Node, leaf: (node: Node) => Extract<Step, { op: "part" }> | null): RangeConjunct | null {
  const negated = node.head.op === "not";
  const { head, args } = negated ? node.args[0] : node;
  if (head.op !== "lt" || !isNumberLane(head.lane)) return null;
  const [a, b] = args.map(leaf);
  if (!a || !b) return null;
  const ops = a.side === "left" ? (["lt", "ge"] as const) : (["gt", "le"] as const);
  const [left, right] = a.side === "left" ? [a, b] : [b, a];
  return { op: ops[Number(negated)], left: left.part, right: right.part, lane: head.lane };
}
