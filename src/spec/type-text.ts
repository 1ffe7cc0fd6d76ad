/** Plain types as people read them in messages and in `explain()`: `int64`, `timestamp(us, UTC)`, `dictionary(int32, utf8)`. */

import type { PlainType } from "./type.ts";

export function typeText(type: PlainType): string {
  switch (type.name) {
    case "timestamp":
      return type.timezone ? `timestamp(${type.unit}, ${type.timezone})` : `timestamp(${type.unit})`;
    case "time32":
    case "time64":
    case "duration":
    case "interval":
      return `${type.name}(${type.unit})`;
    case "decimal":
      return `decimal${type.width}(${type.precision}, ${type.scale})`;
    case "fixedsizebinary":
      return `fixedsizebinary(${type.width})`;
    case "dictionary":
      return `dictionary(${type.index ? typeText(type.index) : "?"}, ${type.values ? typeText(type.values) : "?"})`;
    case "fixedsizelist":
      return `fixedsizelist(${type.width}, ${childText(type)})`;
    case "list":
    case "struct":
    case "map":
      return `${type.name}(${childText(type)})`;
    default:
      return type.name;
  }
}

function childText(type: PlainType): string {
  return (type.children ?? []).map((child) => `${child.name}: ${typeText(child.type)}`).join(", ");
}
