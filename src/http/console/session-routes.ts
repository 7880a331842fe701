import { z } from "zod";
import { ForebayError } from "../../domain/errors.ts";
import { endSession } from "../../engine/records/ended-sessions.ts";
import { presentSession, type SessionAnswer } from "../answers/key.ts";
import { requireScope } from "../opened.ts";
import type { HttpContext } from "../context.ts";
import { parseBody } from "../manage/parse-body.ts";
import { jsonValue, noContent, type Reply } from "../reply.ts";
import type { Route } from "../route.ts";
import { beginSession, forgetSession } from "./console-session.ts";
import { isOwnOrigin } from "./same-origin.ts";
import type { Access } from "../../domain/account.ts";

export const SIGN_IN = z.strictObject({ key: z.string().min(1, "is empty").max(1_024) });

/** The session of a person at the console: begin it with a key, ask whose it is, end it. */
export function sessionRoutes(context: HttpContext): Route[] {
  const { engine, auth, publicUrl } = context;

  /** The page's own address says it best: a proxy in front may speak TLS for a server that does not. */
  function isSecure({ headers }: Request): boolean {
    return publicUrl().startsWith("https:") || (headers.get("origin") ?? "").startsWith("https:");
  }

  function shown(access: Access): SessionAnswer {
    const { name = access.account } = engine.configuration.get("account", access.account) ?? {};
    return presentSession(access, name);
  }

  return [
    {
      methods: ["POST"],
      path: "/console/session",
      async handle(call) {
        refuseOtherPages(call.request, publicUrl());
        const { key } = await parseBody(context, call, SIGN_IN);
        const access = auth.accessOf(key.trim());
        requireScope(access, "read", "The console");
        const answer = jsonValue(shown(access));
        const cookie = beginSession(engine.secrets, engine.clock, key.trim(), isSecure(call.request));
        return withCookie(answer, cookie);
      },
    },
    {
      methods: ["GET"],
      path: "/console/session",
      handle(call) {
        const access = auth.access(call);
        requireScope(access, "read");
        return jsonValue(shown(access));
      },
    },
    {
      methods: ["DELETE"],
      path: "/console/session",
      async handle({ request }) {
        refuseOtherPages(request, publicUrl());
        const signedIn = auth.signedIn(request);
        // Before the browser forgets the cookie: if this fails, a second click tries again.
        if (signedIn !== undefined) await endSession(engine, signedIn.key, signedIn.session);
        return withCookie(noContent(), forgetSession(isSecure(request)));
      },
    },
  ];
}

/** No other page signs a person in, with a key that is not theirs, or out. Programs say no Origin. */
function refuseOtherPages(request: Request, publicUrl: string): void {
  if (!request.headers.has("origin") || isOwnOrigin(request, publicUrl)) return;
  throw new ForebayError("KEY_NOT_ALLOWED", "Only the console of this server begins and ends its sessions.");
}

function withCookie(reply: Reply, cookie: string): Reply {
  return { ...reply, headers: { ...reply.headers, "set-cookie": cookie, "cache-control": "no-store" } };
}
