import type { Call } from "./call.ts";
import type { Reply } from "./reply.ts";

/** One operation. Its handler parses, calls one verb of the engine and replies; it holds no rule. */
export interface Route {
  /** GET brings HEAD with it where it only reads (`takesHead`). */
  readonly methods: readonly ("GET" | "POST" | "PATCH" | "DELETE")[];
  /**
   * Segments in braces stand for any id, `{endpoint}` for any name as well; `{route}`, the last one, for all
   * that is left of the path.
   */
  readonly path: `/${string}`;
  readonly handle: (call: Call) => Reply | Promise<Reply>;
}
