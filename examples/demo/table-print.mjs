/**
 * Prints rows as a table that lines up in a terminal: text to the left, numbers to the right, a rule under the header.
 *
 *     airport             flights
 *     ──────────────────  ───────
 *     Phoenix Sky Harbor   66 583
 *
 * Colour only where a person looks (a TTY without NO_COLOR), so that a log or a pipe gets plain text. O(cells).
 */

/** Longer texts end in "…": the widest preview then fits 80 columns. */
const MAX_TEXT = 22;

const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
const paint = (code) => (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint("1");
export const dim = paint("2");
export const green = paint("32");
export const red = paint("31");

/** 3000000 -> "3 000 000" */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, " ");
}

/** Milliseconds in the unit a person would say. */
export function duration(ms) {
  return ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function megabytes(bytes) {
  return `${grouped(Math.round(bytes / 1e6))} MB`;
}

/**
 * @param {Record<string, string | number | null | undefined>[]} rows
 * @param {string[]} [columns] names and order; by default those of the first row
 * @returns {string} indented by two spaces, without a final newline
 */
export function formatTable(rows, columns = Object.keys(rows[0] ?? {})) {
  const numeric = columns.map((name) =>
    rows.every((row) => row[name] == null || typeof row[name] === "number" || /^[−-]?[\d .,]+( ?[%×]| ms)?$|^[–∅]$/.test(row[name])),
  );
  const cells = rows.map((row) => columns.map((name) => (row[name] == null ? "" : String(row[name]))));
  const widths = columns.map((name, c) => cells.reduce((width, row) => Math.max(width, row[c].length), name.length));
  const line = (row, style) =>
    `  ${row.map((cell, c) => style(numeric[c] ? cell.padStart(widths[c]) : cell.padEnd(widths[c]))).join("  ")}`.trimEnd();
  return [
    line(columns, bold),
    line(
      widths.map((width) => "─".repeat(width)),
      dim,
    ),
    ...cells.map((row) => line(row, String)),
  ].join("\n");
}

/** The first `count` rows of an Arrow table as text: a null is "∅", a timestamp "2001-01-01 06:55". */
export function preview(table, count) {
  const rows = [];
  for (let r = 0; r < Math.min(count, table.numRows); r++) {
    const row = {};
    table.schema.fields.forEach((field, c) => {
      row[field.name] = cellText(table.getChildAt(c).get(r), field.type);
    });
    rows.push(row);
  }
  return formatTable(
    rows,
    table.schema.fields.map((field) => field.name),
  );
}

function cellText(value, type) {
  if (value === null) return "∅";
  // apache-arrow's get() answers timestamps of every unit in milliseconds
  if (String(type).startsWith("Timestamp")) return new Date(Number(value)).toISOString().slice(0, 16).replace("T", " ");
  return typeof value === "string" && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT - 1)}…` : value;
}
