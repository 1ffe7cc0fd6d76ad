/**
 * The joins that every kind of program runs: one definition for ES modules, CommonJS and the browser, each with the apache-arrow that
 * this program itself loads.
 */

/** Two small tables with utf8 and dictionary columns, nulls and keys without a partner. */
export function smallTables({ Dictionary, Int32, Table, Utf8, vectorFromArray }) {
  const dictionary = new Dictionary(new Utf8(), new Int32());
  const left = new Table({
    id: vectorFromArray([1, 2, null, 3, 2], new Int32()),
    name: vectorFromArray(["ä", "b", "c", null, "eeee"], new Utf8()),
    kind: vectorFromArray(["new", "old", "new", "old", "new"], dictionary),
  });
  const right = new Table({
    id: vectorFromArray([2, 1, 4, 2], new Int32()),
    city: vectorFromArray(["Oslo", "Łódź", "Rome", null], new Utf8()),
    zone: vectorFromArray(["north", "east", "south", "east"], dictionary),
  });
  return { left, right };
}

/** `smallTables` joined on `id`, `how: "left"`, in left order. */
export const smallRows = [
  { id: 1, name: "ä", kind: "new", city: "Łódź", zone: "east" },
  { id: 2, name: "b", kind: "old", city: "Oslo", zone: "north" },
  { id: 2, name: "b", kind: "old", city: null, zone: "east" },
  { id: null, name: "c", kind: "new", city: null, zone: null },
  { id: 3, name: null, kind: "old", city: null, zone: null },
  { id: 2, name: "eeee", kind: "new", city: "Oslo", zone: "north" },
  { id: 2, name: "eeee", kind: "new", city: null, zone: "east" },
];

/** The filter of `filteredRows`: reads both sides, strings and a dictionary. */
export const smallFilter = (l, r) => l.name.ge("b").and(r.zone.ne(l.kind)).and(r.city.isNotNull());

/** `smallTables` joined on `id` with `smallFilter`, `how: "leftMark"`: row numbers of the left and whether they have a partner. */
export const filteredMarks = [true, true, false, false, true];

/** Two tables of plain rows: enough for several output batches of a stream. Every left row whose id divides by 3 has one partner. */
export function largeTables({ Int32, Table, Utf8, vectorFromArray }, rows = 20_000) {
  const ids = Int32Array.from({ length: rows }, (_, row) => (row * 7919) % rows);
  const partners = Int32Array.from({ length: Math.ceil(rows / 3) }, (_, row) => row * 3);
  const left = new Table({ id: vectorFromArray(ids, new Int32()), row: vectorFromArray(Int32Array.from(ids.keys()), new Int32()) });
  const right = new Table({
    id: vectorFromArray(partners, new Int32()),
    text: vectorFromArray(
      Array.from(partners, (id) => `p${id}`),
      new Utf8(),
    ),
  });
  return { left, right };
}

/** What `largeTables` joined on `id` must give, inner, in left order: by a plain loop over the left rows. */
export function largeRows(rows = 20_000) {
  const found = [];
  for (let row = 0; row < rows; row += 1) {
    const id = (row * 7919) % rows;
    if (id % 3 === 0) found.push({ id, row, text: `p${id}` });
  }
  return found;
}

/** The rows of a table as plain objects. */
export const rowsOf = (table) => table.toArray().map((row) => row.toJSON());
