import type { Access, ApiKey } from "../domain/account.ts";
import { ForebayError } from "../domain/errors.ts";
import type { WorkerToken } from "../domain/worker.ts";
import type { Engine } from "../engine/engine.ts";
import { resolveEndpoint } from "../engine/records/find-endpoint.ts";
import { ADMIN_KEY, isSignedOut, type SessionKey } from "../engine/records/ended-sessions.ts";
import type { Bearer } from "../engine/records/record-copy.ts";
import type { Call } from "./call.ts";
import { type KeySession, sessionCookieOf, sessionIn } from "./console/console-session.ts";
import { type Credential, credentialReader, isSame, type Secret, sessionOver } from "./credentials.ts";
import { type Revocable, whileKnown } from "./while-known.ts";

/** Tells who sends a request (spec 5; design, row 21). */
export interface Auth {
  /** What the key opens. Throws KEY_MISSING, KEY_UNKNOWN, and KEY_NOT_ALLOWED for the token of a worker. */
  access(call: Caller): Access;
  /** For a call that is held: ends when the caller has gone, or when the key opens nothing any more. */
  held(request: Request): Revocable;
  /** What this text opens as a key, whoever sends it. Throws KEY_UNKNOWN and KEY_NOT_ALLOWED. */
  accessOf(secret: string): Access;
  /** The session of the request's cookie, and its key; undefined when there is none, or it is over. */
  signedIn(request: Request): SignedIn | undefined;
  /** The token of a worker of the endpoint with this id or name. Throws the same. */
  worker(call: Caller, endpoint: string): WorkerToken;
}

/** Who sends a request; it is noted there that the key is valid. */
export type Caller = Pick<Call, "request" | "hasKey">;

/** Somebody who is signed in at the console. */
export interface SignedIn {
  readonly key: SessionKey;
  readonly session: KeySession;
}

/** How many credentials are remembered by their headers. */
const REMEMBERED = 10_000;

/** A longer header is read anew each time: it can be padded with spaces to the limit of the runtime. */
const LONGEST_REMEMBERED = 256;

/** `FOREBAY_ADMIN_KEY` opens what an admin of the default account does. */
const ADMIN: Access = { account: ADMIN_KEY.account, scopes: ["admin"] };

/**
 * `adminKey`, where one is set, may do everything. A key is looked up by the id in it and compared by its
 * SHA-256 in constant time; a token of a worker is looked up by its SHA-256, which nobody can choose, so that
 * the time of the look-up tells nothing of those there are. A request without the header is looked at for a
 * session of the console, whose page is at `publicUrl` or at the host that was asked for.
 */
export function auth(engine: Engine, adminKey: string, publicUrl: () => string): Auth {
  const { configuration } = engine;
  const reader = credentialReader(engine.secrets, engine.clock, adminKey, publicUrl);
  /**
   * By header, those that have opened something, the oldest first: no guess gets here. Whom a secret belongs
   * to is looked up each time.
   */
  const remembered = new Map<string, Credential>();

  function credentialOf(request: Request): Credential {
    const header = request.headers.get("authorization") ?? "";
    return remembered.get(header) ?? reader.credentialOf(request, header);
  }

  function shown(call: Caller, credential: Credential): void {
    call.hasKey = true;
    const { header } = credential;
    if (header === undefined || header.length > LONGEST_REMEMBERED || remembered.has(header)) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size === REMEMBERED) remembered.delete(oldest);
    remembered.set(header, credential);
  }

  function bearerOf(secret: Secret): Bearer | "admin" {
    const { digest, keyId, isAdmin } = secret;
    if (isAdmin) return "admin";
    const bearer =
      keyId === undefined ? configuration.bearer(digest) : keyBearer(configuration.get("key", keyId));
    if (bearer === undefined || !isValid(bearer, secret)) throw keyUnknown();
    return bearer;
  }

  function isValid(bearer: Bearer, secret: Secret): boolean {
    // Its token goes a moment after the endpoint itself.
    if (bearer.kind === "worker") return configuration.get("endpoint", bearer.token.endpoint) !== undefined;
    const { key } = bearer;
    if (secret.rightFor === key) return true;
    const { digest } = secret;
    if (isSame(digest, key.digest)) {
      secret.rightFor = key;
      return true;
    }
    const { previous } = key;
    return previous !== undefined && isSame(digest, previous.digest) && engine.clock.now() < previous.until;
  }

  /** Whether this is the id or name of the token's endpoint. One that is being deleted has its id alone. */
  function isNamed({ account, endpoint }: WorkerToken, text: string): boolean {
    return endpoint === text || resolveEndpoint(engine, account, text)?.id === endpoint;
  }

  function keyOf({ secret, session }: Credential): ApiKey | "admin" {
    const bearer = bearerOf(secret);
    if (bearer !== "admin" && bearer.kind === "worker") {
      throw new ForebayError(
        "KEY_NOT_ALLOWED",
        "A worker's token opens only the paths of workers. Use an API key.",
      );
    }
    const key = bearer === "admin" ? bearer : bearer.key;
    if (session !== undefined && isOver(session, sessionKey(key))) throw sessionOver();
    return key;
  }

  function isOver(session: KeySession, key: SessionKey): boolean {
    return engine.clock.now() >= session.until || isSignedOut(engine, key, session);
  }

  function accessOf(credential: Credential): Access {
    const key = keyOf(credential);
    if (key === "admin") return ADMIN;
    engine.keysUsed.set(key.id, engine.clock.now());
    return key;
  }

  return {
    accessOf: (text) => accessOf({ secret: reader.secretOf(text) }),

    access(call) {
      const credential = credentialOf(call.request);
      const access = accessOf(credential);
      shown(call, credential);
      return access;
    },

    held(request) {
      const credential = credentialOf(request);
      const key = keyOf(credential);
      return whileKnown(engine, {
        key: sessionKey(key),
        session: credential.session,
        gone: request.signal,
        check: () => void keyOf(credential),
      });
    },

    signedIn(request) {
      const cookie = sessionCookieOf(request);
      const session = cookie === undefined ? undefined : sessionIn(engine.secrets, engine.clock, cookie);
      if (session === undefined) return undefined;
      try {
        return { key: sessionKey(keyOf({ secret: reader.secretOf(session.key), session })), session };
      } catch (error) {
        if (error instanceof ForebayError && error.code === "KEY_UNKNOWN") return undefined;
        throw error;
      }
    },

    worker(call, endpoint) {
      const credential = credentialOf(call.request);
      const bearer = bearerOf(credential.secret);
      shown(call, credential);
      if (bearer !== "admin" && bearer.kind === "worker" && isNamed(bearer.token, endpoint))
        return bearer.token;
      throw new ForebayError(
        "KEY_NOT_ALLOWED",
        `This path needs a token of endpoint ${endpoint}: POST /v1/endpoints/${endpoint}/workers makes one.`,
      );
    },
  };
}

function keyBearer(key: ApiKey | undefined): Bearer | undefined {
  return key === undefined ? undefined : { kind: "key", key };
}

function sessionKey(key: ApiKey | "admin"): SessionKey {
  return key === "admin" ? ADMIN_KEY : key;
}

function keyUnknown(): ForebayError {
  return new ForebayError("KEY_UNKNOWN", "The key in the Authorization header is not known here.");
}
