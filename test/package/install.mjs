/**
 * The package as a user gets it: built, packed, and installed from the tarball beside apache-arrow into a fresh folder outside this
 * repository, so that nothing is found by accident.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

const ARROW_VERSION = "21.2.0";

/** Returns the folder of the program that depends on it, the tarball, and what removes both. */
export function installPackage() {
  const folder = mkdtempSync(join(tmpdir(), "arrow-join-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync(process.execPath, [join(root, "build/build.mjs")], { stdio: "inherit" });
    const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
      cwd: root,
      encoding: "utf8",
    });
    const { filename, size, files } = [JSON.parse(packed)].flat()[0];
    console.log(`packed ${filename}: ${(size / 1000).toFixed(0)} kB, ${files.length} files`);
    const tarball = join(folder, filename);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "program", private: true }));
    execFileSync(
      "npm",
      ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", tarball, `apache-arrow@${ARROW_VERSION}`],
      {
        cwd: folder,
        stdio: "inherit",
      },
    );
    return { folder, tarball, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
