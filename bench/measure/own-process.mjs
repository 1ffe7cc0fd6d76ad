/**
 * Runs one case of a bench in a process of its own: code specialised for other types, and what another case left in the heap, are not
 * part of it. Ten million strings and their `Map` do not fit in the default heap of a small machine, either.
 */

import { fork } from "node:child_process";

/**
 * @param {URL} file a module that calls `answer`
 * @param {Record<string, unknown>} options plain data
 * @returns {Promise<any>} what it answers
 */
export function inOwnProcess(file, options) {
  return new Promise((resolve, reject) => {
    const child = fork(file, [JSON.stringify(options)], { execArgv: ["--expose-gc", "--max-old-space-size=8192"] });
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`${JSON.stringify(options)}: the process ended with ${signal ?? code}`)));
  });
}

/** The other end: `run` gets the options; what it returns is sent, or printed where the file was started by hand. */
export async function answer(run) {
  const result = await run(JSON.parse(process.argv[2]));
  if (process.send) process.send(result);
  else console.log(JSON.stringify(result, null, 2));
}
