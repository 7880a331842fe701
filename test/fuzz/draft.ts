import type { SeededRandom } from "../crash/seeded-random.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { type Members, objectText, validMembers } from "./body-rule.ts";
import type { Operation } from "./operation.ts";
import type { KnownWorker, World } from "./world.ts";

/** A request in parts, each of which can be made wrong. */
export interface Draft {
  readonly operation: Operation;
  readonly dialect: "spec" | "sdk";
  method: string;
  /** The path behind the dialect's base. */
  path: string;
  query: [name: string, encoded: string][];
  headers: [name: string, value: string][];
  /** The value of the Authorization header; undefined for none. */
  key: string | undefined;
  /** What the body is made of, where it is an object. */
  members: Members | undefined;
  /** The body as it is sent, if it is not made of members. */
  bytes: Uint8Array | undefined;
  /** A length that is announced, and not sent. */
  announced: number | undefined;
  /** How often the Content-Length header is sent. */
  lengths: number;
}

/** What stands in the braces of an operation's path, and whose worker calls. */
export interface Target {
  readonly endpoint?: string;
  readonly job?: string;
  readonly template?: string;
  readonly registryLogin?: string;
  readonly host?: string;
  readonly key?: string;
  readonly delivery?: string;
  readonly operation?: string;
  readonly version?: string;
  readonly route?: string;
  readonly worker?: KnownWorker;
}

/** A request that must be accepted, if what it names is there. */
export function validDraft(operation: Operation, target: Target, random: SeededRandom, world: World): Draft {
  const { access, body, passesOverBody, query } = operation;
  const secret = access === "worker" ? (target.worker?.token ?? "") : TEST_KEY;
  const draft: Draft = {
    operation,
    dialect: random.chance(0.3) ? "sdk" : "spec",
    method: random.pick(operation.methods),
    path: pathOf(operation, target),
    query: Object.entries(query)
      .filter(() => random.chance(0.3))
      .map(([name, { valid }]) => [name, encodeURIComponent(random.pick(valid))]),
    headers: [],
    key: access === "anyone" ? undefined : `${random.pick(["", "Bearer ", "bearer ", "BEARER "])}${secret}`,
    members: body === undefined ? undefined : validMembers(body, random, world),
    bytes: passesOverBody && random.chance(0.3) ? Buffer.from(random.pick(["{}", "x", '{"a":'])) : undefined,
    announced: undefined,
    lengths: 1,
  };
  if (random.chance(0.1)) draft.query.push(["unknown", "%F0%9F%98%80"]);
  if (body !== undefined || passesOverBody) addContentType(draft, random);
  return draft;
}

export function pathOf(
  { path, routes }: Operation,
  {
    endpoint = "",
    job = "",
    template = "",
    registryLogin = "",
    host = "local",
    key = "",
    delivery = "msg_none",
    operation = "none",
    version = "1",
    route = routes[0],
    worker,
  }: Target,
): string {
  return path
    .replace("{endpoint}", endpoint)
    .replace("{worker}", worker?.id ?? "nobody")
    .replace("{job}", job || "none")
    .replace("{template}", template)
    .replace("{registryLogin}", registryLogin)
    .replace("{host}", host)
    .replace("{cpu}", "cpu")
    .replace("{gpu}", "NVIDIA%20L40S")
    .replace("{key}", key)
    .replace("{delivery}", delivery)
    .replace("{operation}", operation)
    .replace("{version}", version)
    .replace("{route}", route);
}

/** The body as it is sent; empty where there is none. */
export function bodyOf({ bytes, members }: Draft): Uint8Array {
  return bytes ?? (members === undefined ? Buffer.of() : Buffer.from(objectText(members)));
}

/** The bytes of the request. */
export function requestBytes(draft: Draft): Uint8Array {
  const { method, dialect, path, query, headers, key, members, announced, lengths } = draft;
  const hasBody = draft.bytes !== undefined || members !== undefined;
  const encoded = query.map(([name, value]) => `${name}=${value}`).join("&");
  const target = `${dialect === "sdk" ? "/sdk" : ""}${path}${encoded === "" ? "" : `?${encoded}`}`;
  const all = [["host", "localhost"], ...(key === undefined ? [] : [["authorization", key]]), ...headers];
  const body = bodyOf(draft);
  const isBare = !hasBody && (method === "GET" || method === "HEAD");
  const length = announced ?? (isBare && lengths === 1 ? undefined : body.length);
  if (length !== undefined) {
    for (let count = 0; count < lengths; count++) all.push(["content-length", String(length)]);
  }
  const lines = all.map(([name = "", value = ""]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`), body]);
}

const JSON_TYPES = [
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  'application/json;\tcharset="UTF-8"',
  "application/vnd.api+json",
] as const;

/** With a key or token they are JSON as well. */
export const NO_JSON_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "application/jsonx",
  "json",
  ";",
  "😀",
] as const;

function addContentType(draft: Draft, random: SeededRandom): void {
  if (random.chance(0.1)) return;
  const hasKey = draft.operation.access !== "anyone";
  const type = hasKey && random.chance(0.5) ? random.pick(NO_JSON_TYPES) : random.pick(JSON_TYPES);
  draft.headers.push(["content-type", type]);
}
