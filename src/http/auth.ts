import type { Access, ApiKey } from "../domain/account.ts";
import { ForebayError } from "../domain/errors.ts";
import type { WorkerToken } from "../domain/worker.ts";
import type { Engine } from "../engine/engine.ts";
import { resolveEndpoint } from "../engine/records/find-endpoint.ts";
import { ADMIN_KEY, isSignedOut, type SessionKey } from "../engine/records/ended-sessions.ts";
import type { Bearer } from "../engine/records/record-copy.ts";
import { isAdmitted } from "../engine/worker-service.ts";
import type { Call } from "./call.ts";
import { type KeySession, sessionCookieOf, sessionIn } from "./console/console-session.ts";
import {
  type Credential,
  type CredentialReader,
  credentialReader,
  isSame,
  type Secret,
  sessionOver,
} from "./credentials.ts";
import { type Revocable, whileKnown } from "./while-known.ts";

/** Who sends a request. The check notes in it that the key is valid. */
export type Caller = Pick<Call, "request" | "hasKey">;

/** A person who is signed in at the console. */
export interface SignedIn {
  readonly key: SessionKey;
  readonly session: KeySession;
}

/** How many credentials are cached by their headers. */
const MOST_CACHED = 10_000;

/** A longer header is not cached: it can be padded with spaces up to the limit of the runtime. */
const LONGEST_CACHED = 256;

/** `FOREBAY_ADMIN_KEY` opens what an admin of the default account does. */
const ADMIN: Access = { account: ADMIN_KEY.account, scopes: ["admin"] };

/**
 * Finds out who sends a request (spec 5; design, row 21). A key is found by the id in it and compared by its
 * SHA-256 in constant time. The token of a worker is found by its SHA-256. Nobody can choose that, so the
 * time of the search shows nothing about other tokens. `adminKey` opens everything, unless it is empty.
 */
export class Auth {
  readonly #engine: Engine;
  readonly #reader: CredentialReader;
  /** Credentials that were valid, by header, the oldest first. Their owners are looked up each time. */
  readonly #cache = new Map<string, Credential>();

  /** The page of the console is at `publicUrl`, or at the host that a request asks for. */
  constructor(engine: Engine, adminKey: string, publicUrl: () => string) {
    this.#engine = engine;
    this.#reader = credentialReader(engine.secrets, engine.clock, adminKey, publicUrl);
  }

  /** What the key opens. Throws KEY_MISSING, KEY_UNKNOWN, and KEY_NOT_ALLOWED for the token of a worker. */
  access(call: Caller): Access {
    const credential = this.#credentialOf(call.request);
    const access = this.#accessOf(credential);
    this.#accept(call, credential);
    return access;
  }

  /** The token of a worker of the endpoint with this id or name. Throws the same. */
  worker(call: Caller, endpoint: string): WorkerToken {
    const credential = this.#credentialOf(call.request);
    const bearer = this.#bearerOf(credential.secret);
    this.#accept(call, credential);
    if (bearer !== "admin" && bearer.kind === "worker" && this.#isNamed(bearer.token, endpoint))
      return bearer.token;
    throw new ForebayError(
      "KEY_NOT_ALLOWED",
      `This path needs a token of endpoint ${endpoint}: POST /v1/endpoints/${endpoint}/workers creates one.`,
    );
  }

  /** For a call that is held: ends when the caller disconnects, or when the key is revoked. */
  held(request: Request): Revocable {
    const credential = this.#credentialOf(request);
    return whileKnown(this.#engine, {
      key: sessionKey(this.#keyOf(credential)),
      session: credential.session,
      gone: request.signal,
      check: () => void this.#keyOf(credential),
    });
  }

  /** What this text opens as a key, whoever sends it. Throws KEY_UNKNOWN and KEY_NOT_ALLOWED. */
  accessOf(text: string): Access {
    return this.#accessOf({ secret: this.#reader.secretOf(text) });
  }

  /** The session of the request's cookie, and its key; undefined if there is none, or it has ended. */
  signedIn(request: Request): SignedIn | undefined {
    const { secrets, clock } = this.#engine;
    const cookie = sessionCookieOf(request);
    const session = cookie === undefined ? undefined : sessionIn(secrets, clock, cookie);
    if (session === undefined) return undefined;
    try {
      const key = this.#keyOf({ secret: this.#reader.secretOf(session.key), session });
      return { key: sessionKey(key), session };
    } catch (error) {
      if (error instanceof ForebayError && error.code === "KEY_UNKNOWN") return undefined;
      throw error;
    }
  }

  #credentialOf(request: Request): Credential {
    const header = request.headers.get("authorization") ?? "";
    return this.#cache.get(header) ?? this.#reader.credentialOf(request, header);
  }

  /** Notes that the credential is valid. No guess reaches the cache. */
  #accept(call: Caller, credential: Credential): void {
    call.hasKey = true;
    const { header } = credential;
    const cache = this.#cache;
    if (header === undefined || header.length > LONGEST_CACHED || cache.has(header)) return;
    const [oldest] = cache.keys();
    if (oldest !== undefined && cache.size === MOST_CACHED) cache.delete(oldest);
    cache.set(header, credential);
  }

  #accessOf(credential: Credential): Access {
    const key = this.#keyOf(credential);
    if (key === "admin") return ADMIN;
    this.#engine.keysUsed.set(key.id, this.#engine.clock.now());
    return key;
  }

  #keyOf({ secret, session }: Credential): ApiKey | "admin" {
    const bearer = this.#bearerOf(secret);
    if (bearer !== "admin" && bearer.kind === "worker") {
      throw new ForebayError(
        "KEY_NOT_ALLOWED",
        "A worker token opens only the paths of workers. Use an API key.",
      );
    }
    const key = bearer === "admin" ? bearer : bearer.key;
    if (session !== undefined && this.#isOver(session, sessionKey(key))) throw sessionOver();
    return key;
  }

  #isOver(session: KeySession, key: SessionKey): boolean {
    return this.#engine.clock.now() >= session.until || isSignedOut(this.#engine, key, session);
  }

  #bearerOf(secret: Secret): Bearer | "admin" {
    const { digest, keyId, isAdmin } = secret;
    if (isAdmin) return "admin";
    const { configuration } = this.#engine;
    const bearer =
      keyId === undefined ? configuration.bearer(digest) : keyBearer(configuration.get("key", keyId));
    if (bearer === undefined || !this.#isValid(bearer, secret)) throw keyUnknown();
    return bearer;
  }

  #isValid(bearer: Bearer, secret: Secret): boolean {
    if (bearer.kind === "worker") return isAdmitted(this.#engine, bearer.token);
    const { key } = bearer;
    if (secret.rightFor === key) return true;
    if (isSame(secret.digest, key.digest)) {
      secret.rightFor = key;
      return true;
    }
    const { previous } = key;
    if (previous === undefined || !isSame(secret.digest, previous.digest)) return false;
    return this.#engine.clock.now() < previous.until;
  }

  /** Whether this is the id or name of the token's endpoint. One that is being deleted has its id alone. */
  #isNamed({ account, endpoint }: WorkerToken, text: string): boolean {
    return endpoint === text || resolveEndpoint(this.#engine, account, text)?.id === endpoint;
  }
}

function keyBearer(key: ApiKey | undefined): Bearer | undefined {
  return key === undefined ? undefined : { kind: "key", key };
}

function sessionKey(key: ApiKey | "admin"): SessionKey {
  return key === "admin" ? ADMIN_KEY : key;
}

function keyUnknown(): ForebayError {
  return new ForebayError("KEY_UNKNOWN", "The key in the Authorization header is unknown. Check it.");
}
