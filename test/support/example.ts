/**
 * Runs an example of the documentation as a reader would: imports are the packages, and the comment lines after a `console.log` are what it
 * must print.
 */

import { format } from "node:util";
import * as arrow from "apache-arrow";
import * as library from "../../src/index.ts";
import * as node from "../../src/node.ts";

const MODULES: Readonly<Record<string, unknown>> = { "apache-arrow": arrow, "arrow-join": library, "arrow-join/node": node };

export interface Ran {
  readonly printed: readonly string[];
  readonly promised: readonly string[];
}

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<void>;

export async function runExample(source: string): Promise<Ran> {
  const promised = source
    .split("\n")
    .filter((line) => /^\s*\/\/ /.test(line))
    .map((line) => line.replace(/^\s*\/\/ /, ""));
  const trailing = source.split("\n").flatMap((line) => /console\.log.*; \/\/ (.*)$/.exec(line)?.[1] ?? []);
  const body = source.replace(
    /^import \{([^}]*)\} from "([^"]+)";$/gm,
    (_, names: string, module: string) => `const {${names}} = modules[${JSON.stringify(module)}];`,
  );
  const printed: string[] = [];
  const print = { log: (...values: unknown[]) => printed.push(...format(...values).split("\n")) };
  await new AsyncFunction("modules", "console", body)(MODULES, print);
  return { printed, promised: [...promised, ...trailing] };
}

/** The fenced `js` blocks of a Markdown text. */
export const markdownExamples = (text: string): string[] => [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match) => match[1]);

/** The `@example` blocks of the docstrings of a source file. */
export function docstringExamples(text: string): string[] {
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(([docstring]) => {
    const lines = docstring.split("\n").map((line) => line.replace(/^\s*\* ?/, ""));
    const start = lines.findIndex((line) => line.startsWith("@example"));
    if (start < 0) return [];
    const rest = lines.slice(start + 1);
    const end = rest.findIndex((line) => line.startsWith("@") || line === "/");
    return [rest.slice(0, end < 0 ? rest.length : end).join("\n")];
  });
}
