import { takesHead as takesHeadOf } from "../../src/http/operation.ts";
import { OPERATIONS } from "../../src/http/operations.ts";

/** The document of the API has a second address. */
const PATHS: ReadonlySet<string> = new Set([
  ...OPERATIONS.filter(takesHeadOf).map(({ path }) => path),
  "/v1/openapi.json",
]);

/** Whether a path takes HEAD, because its GET only reads. */
export function takesHead(path: string): boolean {
  return PATHS.has(path);
}
