import { ForebayError } from "../../domain/errors.ts";
import type { ReadyAnswer } from "../answers/server.ts";
import { jsonValue } from "../reply.ts";
import type { Route, Router } from "../router.ts";

const READYZ: Route = {
  method: "GET",
  path: "/readyz",
  takesHead: true,
  handle: () => jsonValue({ status: "starting" } satisfies ReadyAnswer, 503),
};

/**
 * Answers while the server starts. The port is bound before the data is opened, so that a taken port changes
 * nothing.
 */
export const startingRouter: Router = (method, path) => {
  if (path === READYZ.path && (method === "GET" || method === "HEAD")) {
    return { route: READYZ, parameters: [] };
  }
  throw new ForebayError("STARTING", "The server is starting. Try again in a moment.");
};
