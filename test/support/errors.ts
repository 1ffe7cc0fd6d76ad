/** Errors are tested by code and by the words a person needs. */

import { expect } from "vitest";
import { ArrowJoinError, type ArrowJoinErrorCode } from "../../src/error.ts";

/** The call throws, or its promise rejects with, an ArrowJoinError of this code whose message has all these words. */
export async function expectError(
  call: () => unknown,
  code: ArrowJoinErrorCode,
  ...words: readonly (string | RegExp)[]
): Promise<ArrowJoinError> {
  let error: unknown;
  let result: unknown;
  try {
    result = await call();
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined) throw new Error(`no error, though ${code} was expected: ${String(result)}`);
  if (!(error instanceof ArrowJoinError))
    throw new Error(`not an ArrowJoinError: ${error instanceof Error ? error.stack : String(error)}`, { cause: error });
  expect(error.code, error.message).toBe(code);
  for (const word of words)
    expect(error.message, error.message).toMatch(word instanceof RegExp ? word : new RegExp(word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  return error;
}
