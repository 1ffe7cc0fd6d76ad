/**
 * The questions the demo asks, as data: which tables, which options, and what a plain loop says the answer's size must be.
 */

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {"western" | "airports"} right the flights are always the left side
 * @property {[string, string]} keys
 * @property {"inner" | "left" | "leftAnti" | "rightSemi" | "rightAnti"} how
 * @property {string[]} select
 * @property {string} expected which of the counts of plain-loop.mjs
 * @property {boolean} race timed against the other ways
 */

/** @type {Question[]} */
export const QUESTIONS = [
  {
    title: "flights with their western origin",
    right: "western",
    keys: ["origin", "iata"],
    how: "inner",
    select: ["left.date", "left.origin", "right.name", "right.state", "left.destination", "left.distance"],
    expected: "fromWest",
    race: true,
  },
  {
    title: "all flights with their western destination",
    right: "western",
    keys: ["destination", "iata"],
    how: "left",
    select: ["left.date", "left.origin", "left.destination", "right.name", "right.state", "right.longitude"],
    expected: "flights",
    race: true,
  },
  {
    title: "flights whose origin is not western",
    right: "western",
    keys: ["origin", "iata"],
    how: "leftAnti",
    select: ["left.date", "left.origin", "left.destination", "left.distance", "left.delay"],
    expected: "notFromWest",
    race: true,
  },
  {
    title: "airports without a departure",
    right: "airports",
    keys: ["origin", "iata"],
    how: "rightAnti",
    select: ["right.iata", "right.name", "right.city", "right.state", "right.country"],
    expected: "withoutDeparture",
    race: true,
  },
  {
    title: "airports with departures",
    right: "airports",
    keys: ["origin", "iata"],
    how: "rightSemi",
    select: ["right.iata", "right.name", "right.city", "right.state", "right.country"],
    expected: "withDeparture",
    race: false,
  },
];

/** The options of `join` for a question. @param {Question} question */
export function joinOptions({ keys: [left, right], how, select }) {
  return { on: { [left]: right }, how, select };
}

/** The call as one would type it. @param {Question} question */
export function callText({ right, keys: [left, key], how }) {
  return `join(flights, ${right}, { on: { ${left}: "${key}" }, how: "${how}" })`;
}
