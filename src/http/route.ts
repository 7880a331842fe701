import type { Call } from "./call.ts";

/** One operation. Its handler parses, calls one verb of the engine and replies; it holds no rule. */
export interface Route {
  readonly methods: readonly ("GET" | "HEAD" | "POST" | "PATCH" | "DELETE")[];
  /** Segments in braces stand for any id; `{route}`, the last one, for all that is left of the path. */
  readonly path: `/${string}`;
  readonly handle: (call: Call) => Response | Promise<Response>;
}
