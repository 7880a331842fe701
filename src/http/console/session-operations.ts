import { z } from "zod";
import type { Access } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { Engine } from "../../engine/engine.ts";
import { endSession } from "../../engine/records/ended-sessions.ts";
import { presentSession, SESSION, type SessionAnswer } from "../answers/key.ts";
import { requireScope } from "../opened.ts";
import { operation } from "../operation.ts";
import { jsonValue, noContent, type Reply } from "../reply.ts";
import { beginSession, forgetSession } from "./console-session.ts";
import { isOwnOrigin } from "./same-origin.ts";

const SET_COOKIE = {
  "Set-Cookie": { description: "The session, or its end.", schema: { type: "string" } },
};

const signIn = operation({
  id: "signIn",
  method: "POST",
  path: "/console/session",
  // The key is in the body.
  access: "anyone",
  tag: "server",
  summary: "Begin a session of the console with a key",
  description: "The session is a cookie of this server's pages, for 12 hours. It opens what the key opens.",
  body: {
    schema: z.strictObject({ key: z.string().min(1, "is empty").max(1_024) }),
    example: { key: "fbk_k2b7x9m4qd1s8f_…" },
    isRequired: true,
  },
  answers: { 200: { description: "What the key opens.", json: SESSION, headers: SET_COOKIE } },
  errors: ["KEY_UNKNOWN", "KEY_NOT_ALLOWED"],
  async handle({ engine, auth, publicUrl }, { request }, { body }) {
    refuseOtherPages(request, publicUrl());
    const { key } = await body();
    const access = auth.accessOf(key.trim());
    requireScope(access, "read", "The console");
    const answer = jsonValue(shown(engine, access));
    const cookie = beginSession(engine.secrets, engine.clock, key.trim(), isSecure(request, publicUrl()));
    return withCookie(answer, cookie);
  },
});

const readSession = operation({
  id: "readSession",
  method: "GET",
  path: "/console/session",
  access: "read",
  tag: "server",
  summary: "Ask what the key of a session opens",
  description: "Or of the `Authorization` header, as any call.",
  answers: { 200: { description: "What it opens.", json: SESSION } },
  handle({ engine, auth }, call) {
    const access = auth.access(call);
    requireScope(access, "read");
    return jsonValue(shown(engine, access));
  },
});

const signOut = operation({
  id: "signOut",
  method: "DELETE",
  path: "/console/session",
  // Signing out needs no key.
  access: "anyone",
  tag: "server",
  summary: "End the session of the console",
  description:
    "The session ends on every server: here at once, on others that share the database within a second. " +
    "A copy of the cookie no longer works.",
  answers: { 204: { description: "The session has ended.", headers: SET_COOKIE } },
  errors: ["KEY_NOT_ALLOWED"],
  async handle({ engine, auth, publicUrl }, { request }) {
    refuseOtherPages(request, publicUrl());
    const signedIn = auth.signedIn(request);
    // Before the browser drops the cookie: if this fails, a second click tries again.
    if (signedIn !== undefined) await endSession(engine, signedIn.key, signedIn.session);
    return withCookie(noContent(), forgetSession(isSecure(request, publicUrl())));
  },
});

/** The session of a person at the console: begin it with a key, read it, end it. */
export const SESSION_OPERATIONS = [signIn, readSession, signOut] as const;

/** By the page's own address: a proxy in front can use TLS for a server that does not. */
function isSecure({ headers }: Request, publicUrl: string): boolean {
  return publicUrl.startsWith("https:") || (headers.get("origin") ?? "").startsWith("https:");
}

function shown({ configuration }: Engine, access: Access): SessionAnswer {
  const { name = access.account } = configuration.get("account", access.account) ?? {};
  return presentSession(access, name);
}

/** No other page can sign a person in with a key that is not theirs, or out. Programs send no Origin. */
function refuseOtherPages(request: Request, publicUrl: string): void {
  if (!request.headers.has("origin") || isOwnOrigin(request, publicUrl)) return;
  throw new ForebayError(
    "KEY_NOT_ALLOWED",
    "Only the console of this server can start and end its sessions.",
  );
}

function withCookie(reply: Reply, cookie: string): Reply {
  return { ...reply, headers: { ...reply.headers, "set-cookie": cookie, "cache-control": "no-store" } };
}
