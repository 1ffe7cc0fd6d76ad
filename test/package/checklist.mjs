/**
 * A list of named checks for programs that run outside vitest, against the installed package. Prints each as it ends and closes with
 * `N passed, N failed`; the exit code is 1 when one failed or none ran.
 */

import { spawnSync } from "node:child_process";

export function checklist() {
  let passed = 0;
  let failed = 0;
  return {
    /** Runs `body`; it fails by throwing. */
    async check(name, body) {
      try {
        await body();
        passed += 1;
        console.log(`  passed  ${name}`);
      } catch (error) {
        failed += 1;
        console.log(`  FAILED  ${name}\n${String(error?.stack ?? error).replace(/^/gm, "          ")}`);
      }
    },

    /** Runs a command as one check; its output is shown when it fails. */
    async command(name, command, args, cwd) {
      await this.check(name, () => {
        const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
        if (status !== 0) throw error ?? `${command} exited with ${status}\n${stdout}${stderr}`;
      });
    },

    /** Runs a Node program that keeps a checklist of its own, and counts its checks here. */
    program(name, file, cwd) {
      console.log(name);
      const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd, encoding: "utf8" });
      process.stdout.write(stdout.replace(/\n\d+ passed, \d+ failed\n$/, ""));
      const counts = /^(\d+) passed, (\d+) failed$/m.exec(stdout);
      passed += Number(counts?.[1] ?? 0);
      failed += Number(counts?.[2] ?? 0);
      if (counts !== null && (status === 0) === (counts[2] === "0")) return;
      failed += 1;
      console.log(`  FAILED  ${file} exited with ${status}\n${stderr}`);
    },

    close() {
      console.log(`\n${passed} passed, ${failed} failed`);
      process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
    },
  };
}
