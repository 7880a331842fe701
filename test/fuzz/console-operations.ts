import * as shapes from "./answer-shapes.ts";
import { SIGN_IN } from "./management-bodies.ts";
import { operation } from "./operation.ts";

/** docs/api.md, 4.C: who signs in at the console, and out. */
export const CONSOLE_OPERATIONS = {
  readSession: operation(
    { name: "read the session", path: "/console/session", access: "client" },
    shapes.SESSION,
  ),
  signIn: operation(
    {
      name: "sign in",
      methods: ["POST"],
      path: "/console/session",
      body: SIGN_IN,
      conflicts: ["KEY_UNKNOWN", "KEY_NOT_ALLOWED"],
    },
    shapes.SESSION,
  ),
  signOut: operation(
    { name: "sign out", methods: ["DELETE"], path: "/console/session", mayBeEmpty: true },
    undefined,
  ),
} as const;
