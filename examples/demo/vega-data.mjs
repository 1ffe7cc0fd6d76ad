/**
 * Where the data of `vega-datasets` lies on this disk. The package exports no subpath, hence the way over its main file.
 */

import { createRequire } from "node:module";
import { join } from "node:path";

/** @param {string} name of a file of the package's data folder */
export function vegaFile(name) {
  return join(createRequire(import.meta.url).resolve("vega-datasets"), "../../data", name);
}
