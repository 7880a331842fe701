import { takesHead as takesHeadOf } from "../../src/http/operation.ts";
import { OPERATIONS } from "../../src/http/operations.ts";

const PATHS: ReadonlySet<string> = new Set(OPERATIONS.filter(takesHeadOf).map(({ path }) => path));

/** Whether a path takes HEAD, because its GET only reads. */
export function takesHead(path: string): boolean {
  return PATHS.has(path);
}
