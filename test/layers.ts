/**
 * Which file may import which: the table of the layers, and a checker that reads every import of a tree of sources.
 *
 *     entries ─▶ api ─▶ run ─▶ operators ─▶ arrow ─▶ (apache-arrow)
 *                 │      │         │          │
 *                 ▼      ▼         ▼          ▼
 *                spec   load    over the contract ─▶ contract ◀── kernel/wasm, kernel/ts       error.ts and plain-type.ts lie below them all
 *
 * `import type`, `export from`, `import()` and `typeof import()` count like any import. A tree is a map of path to text, so a test can
 * hand in a breach. Cost: one parse a file, about 1 ms.
 */

import { builtinModules } from "node:module";
import { posix } from "node:path";
import ts from "typescript";

export type Tree = ReadonlyMap<string, string>;

interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Erased by the compiler. */
  readonly type: boolean;
  readonly dynamic: boolean;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly file: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** Kernel files that reach no backend are written over the contract; those that reach one choose between them. */
const OVER_CONTRACT = ["error", "kernel/contract", "kernel"];
const BELOW_RUN = [...OVER_CONTRACT, "spec", "arrow", "operators"];
const BELOW_API = [...BELOW_RUN, "kernel/load", "run"];

/** Layer → the layers it may import, beside itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  error: [],
  "kernel/contract": ["error"],
  kernel: ["error", "kernel/contract"],
  // The loops over host buffers, which WebAssembly cannot read, are the twin's; the twin itself stands alone.
  "kernel/wasm": [...OVER_CONTRACT, "kernel/ts"],
  "kernel/ts": OVER_CONTRACT,
  "kernel/load": [...OVER_CONTRACT, "kernel/wasm", "kernel/ts"],
  spec: ["error"],
  arrow: ["error", "kernel/contract"],
  operators: [...OVER_CONTRACT, "spec", "arrow"],
  run: [...BELOW_RUN, "kernel/load"],
  api: ["error", "spec", "run"],
  cli: ["error", "spec", "arrow", "run", "api"],
  sql: ["error", "spec", "arrow", "run", "api"],
  node: ["error", "spec", "arrow", "run", "api"],
  "the main entry": ["error", "spec", "run", "api"],
  entries: [...BELOW_API, "api"],
};

const MAX_LINES = 450;
const NOT_A_NOUN = /^(utils?|helpers?|common)$/;
const MAY_USE_NODE = /^src\/(node\.ts$|node\/|cli\/)/;
/** The one file outside its layer that may be imported, and only by `import()`. */
const NODE_ENTRY = "src/node.ts";
const BACKEND = /^src\/kernel\/(wasm|ts)\//;
const builtins = new Set(builtinModules);

export function findBreaches(tree: Tree): string[] {
  const sources = new Map<string, Source>();
  for (const [path, text] of tree) sources.set(path, parse(path, text));
  const breaches: string[] = [];
  for (const source of sources.values()) {
    breaches.push(...namingBreaches(source), ...importBreaches(source, sources));
    if (source.path.startsWith("src/")) breaches.push(...codeBreaches(source));
  }
  return [...breaches, ...cycles(sources)].sort();
}

function parse(path: string, text: string): Source {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  return { path, text, file, imports: importsOf(file) };
}

/** Calls `visit` with every node below `node`, parents first. */
function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  ts.forEachChild(node, (child) => {
    visit(child);
    walk(child, visit);
  });
}

const lineOf = (node: ts.Node) => {
  const file = node.getSourceFile();
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
};

function importsOf(file: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (at: ts.Node, specifier: ts.Node | undefined, type: boolean, dynamic = false) => {
    if (specifier && ts.isStringLiteralLike(specifier)) found.push({ specifier: specifier.text, line: lineOf(at), type, dynamic });
  };
  walk(file, (node) => {
    // `import { type A }` keeps `import {}` at run time: only `import type` is erased.
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, node.importClause?.isTypeOnly === true);
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node, node.argument.literal, true);
    else if (ts.isExternalModuleReference(node)) add(node, node.expression, false);
    else if (ts.isCallExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node, node.arguments[0], false, true);
      else if (node.expression.getText() === "require") add(node, node.arguments[0], false);
    }
  });
  return found;
}

const isRelative = (specifier: string) => specifier.startsWith(".");
const resolve = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier).replace(/(?<!\.d)\.js$/, ".ts");

function layerOf(path: string, sources: ReadonlyMap<string, Source>): string | null {
  const [top, folder, ...rest] = path.split("/");
  if (top !== "src" || folder === undefined) return null;
  // Leaves: what every layer may import.
  if (path === "src/error.ts" || path === "src/plain-type.ts") return "error";
  if (path === "src/index.ts") return "the main entry";
  if (path === NODE_ENTRY) return "node";
  if (rest.length === 0) return "entries";
  if (folder !== "kernel") return folder in MAY_IMPORT ? folder : null;
  if (/^src\/kernel\/(\w+-)?contract\.ts$/.test(path)) return "kernel/contract";
  const backend = BACKEND.exec(path);
  if (backend) return `kernel/${backend[1]}`;
  return reaches(path, BACKEND, sources) ? "kernel/load" : "kernel";
}

function reaches(start: string, wanted: RegExp, sources: ReadonlyMap<string, Source>): boolean {
  const seen = new Set([start]);
  for (const path of seen) {
    if (wanted.test(path)) return true;
    for (const { specifier } of sources.get(path)?.imports ?? []) if (isRelative(specifier)) seen.add(resolve(path, specifier));
  }
  return false;
}

function importBreaches(source: Source, sources: ReadonlyMap<string, Source>): string[] {
  const { path, imports } = source;
  const top = path.split("/")[0];
  const layer = layerOf(path, sources);
  if (top === "src" && layer === null) return [`${path}: a folder of src/ that is no layer`];
  const breaches: string[] = [];
  for (const found of imports) {
    const why = top === "src" ? whyNotFromSource(path, layer!, found, sources) : whyNotFromOutside(path, found);
    if (why !== null) breaches.push(`${path}:${found.line} imports ${found.specifier}: ${why}`);
  }
  return breaches;
}

function whyNotFromSource(path: string, layer: string, found: Import, sources: ReadonlyMap<string, Source>): string | null {
  const { specifier } = found;
  if (!isRelative(specifier)) {
    if (specifier.startsWith("node:") || builtins.has(specifier))
      return MAY_USE_NODE.test(path) ? null : "node: belongs to src/node and src/cli";
    if (specifier === "apache-arrow" || specifier.startsWith("apache-arrow/"))
      return layer === "arrow" || found.type ? null : "outside src/arrow only `import type`";
    return layer === "cli" || layer === "sql" ? null : "the package has no dependency but apache-arrow";
  }
  const target = resolve(path, specifier);
  if (!target.startsWith("src/")) return "src/ imports only src/";
  if (target === NODE_ENTRY && found.dynamic) return null;
  const other = layerOf(target, sources);
  if (other === layer || (other !== null && MAY_IMPORT[layer]!.includes(other))) return null;
  return `${layer} may not import ${other ?? target}`;
}

/** assembly/ imports itself; bench/ and examples/ the built package; kernel experiments what they like. */
function whyNotFromOutside(path: string, { specifier }: Import): string | null {
  const top = path.split("/")[0]!;
  if (!["assembly", "bench", "examples"].includes(top) || path.startsWith("bench/kernels/")) return null;
  if (!isRelative(specifier)) return top === "assembly" && !specifier.startsWith("~lib/") ? "assembly/ imports only itself" : null;
  const folders = top === "assembly" ? /^assembly\// : /^(bench|examples)\//;
  if (folders.test(resolve(path, specifier))) return null;
  return top === "assembly" ? "assembly/ imports only itself" : `${top}/ uses the built package, by its name`;
}

function namingBreaches({ path, text }: Source): string[] {
  const breaches: string[] = [];
  const vague = path.split("/").find((part) => NOT_A_NOUN.test(part.replace(/\..*$/, "")));
  if (vague !== undefined) breaches.push(`${path}: ${vague} names nothing`);
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  if (/^(src|assembly)\//.test(path) && lines > MAX_LINES) breaches.push(`${path}: ${lines} lines, at most ${MAX_LINES}`);
  return breaches;
}

function codeBreaches({ path, file }: Source): string[] {
  const breaches: string[] = [];
  const breach = (node: ts.Node, what: string) => void breaches.push(`${path}:${lineOf(node)} ${what}`);
  walk(file, (node) => {
    if (ts.isEnumDeclaration(node)) breach(node, "an enum: use a union of literals");
    else if (ts.isExportAssignment(node) || node.kind === ts.SyntaxKind.DefaultKeyword) {
      if (!ts.isDefaultClause(node.parent)) breach(node, "a default export");
    } else if (ts.isExportSpecifier(node) && node.name.text === "default") breach(node, "a default export");
    else if (ts.isIdentifier(node) && node.text === "WebAssembly" && !path.startsWith("src/kernel/"))
      breach(node, "WebAssembly outside src/kernel");
  });
  return breaches;
}

/** One line for each cycle a depth-first walk closes. */
function cycles(sources: ReadonlyMap<string, Source>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string) => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push(`cycle: ${[...trail.slice(at), path].join(" -> ")}`);
    if (at >= 0 || done.has(path)) return;
    trail.push(path);
    for (const { specifier, dynamic } of sources.get(path)?.imports ?? []) {
      if (!isRelative(specifier)) continue;
      const target = resolve(path, specifier);
      if (sources.has(target) && !(dynamic && target === NODE_ENTRY)) visit(target);
    }
    trail.pop();
    done.add(path);
  };
  for (const path of sources.keys()) visit(path);
  return found;
}
