import type { ErrorCode } from "../../src/domain/errors.ts";
import { takesHead } from "../support/takes-head.ts";
import type { SeededRandom } from "../crash/seeded-random.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { objectText } from "./body-rule.ts";
import { type Draft, NO_JSON_TYPES } from "./draft.ts";
import { NO_DOCUMENTS } from "./no-documents.ts";
import type { Operation } from "./operation.ts";
import { ALL_OPERATIONS } from "./operations.ts";
import { pickOf, type World } from "./world.ts";

/** What a mutation did. */
export interface Mutated {
  readonly what: string;
  /** One of these must be the answer, if nothing else is wrong. */
  readonly codes: readonly ErrorCode[];
}

/** Makes one part of a draft wrong; undefined where the draft has no such part. */
type Mutation = (draft: Draft, random: SeededRandom, world: World) => Mutated | undefined;

/** Each kind of wrong, by the part that it touches. */
export const MUTATIONS = {
  key: wrongKey,
  method: wrongMethod,
  path: wrongPath,
  header: wrongHeader,
  query: wrongQuery,
  member: wrongMember,
  body: wrongBody,
  size: wrongSize,
} as const satisfies Record<string, Mutation>;

export type MutationName = keyof typeof MUTATIONS;

function wrongKey(draft: Draft, random: SeededRandom, world: World): Mutated | undefined {
  const { access, path } = draft.operation;
  if (access === "anyone") return undefined;
  const wrong: [string | undefined, ErrorCode][] = [
    [undefined, "KEY_MISSING"],
    ["", "KEY_MISSING"],
    ["wrong", "KEY_UNKNOWN"],
    ["Bearer wrong", "KEY_UNKNOWN"],
    [`${TEST_KEY}x`, "KEY_UNKNOWN"],
    [TEST_KEY.slice(0, -1), "KEY_UNKNOWN"],
    [TEST_KEY.toUpperCase(), "KEY_UNKNOWN"],
    ["k".repeat(8_000), "KEY_UNKNOWN"],
    ["__proto__", "KEY_UNKNOWN"],
    ["é😀", "KEY_UNKNOWN"],
    [`Basic ${TEST_KEY}`, "KEY_UNKNOWN"],
    [`${TEST_KEY} ${TEST_KEY}`, "KEY_UNKNOWN"],
  ];
  const token = foreignToken(draft, random, world);
  if (token !== undefined) wrong.push([token, "KEY_NOT_ALLOWED"], [`Bearer ${token}`, "KEY_NOT_ALLOWED"]);
  if (access === "worker") wrong.push([TEST_KEY, "KEY_NOT_ALLOWED"]);
  const [key, code] = pickOf(random, wrong);
  draft.key = key;
  return { what: `the key of ${path} is ${key?.slice(0, 40)}`, codes: [code] };
}

/** A worker's token of an endpoint that stays, where it opens nothing. */
function foreignToken({ operation, path }: Draft, random: SeededRandom, world: World): string | undefined {
  const tokens = world.endpoints
    .filter(({ isKept, id }) => isKept && (operation.access === "client" || !path.includes(id)))
    .flatMap(({ workers }) => workers.slice(0, 5).map(({ token }) => token));
  return tokens.length === 0 ? undefined : pickOf(random, tokens);
}

function wrongMethod(draft: Draft, random: SeededRandom): Mutated {
  const { path } = draft.operation;
  const here = ALL_OPERATIONS.filter((other) => other.path === path);
  const taken = new Set<string>(here.flatMap(({ methods }) => methods));
  if (taken.has("GET") && takesHead(path)) taken.add("HEAD");
  const others = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
  draft.method = pickOf(
    random,
    others.filter((method) => !taken.has(method)),
  );
  return { what: `${path} with ${draft.method}`, codes: ["METHOD_NOT_ALLOWED"] };
}

/** What is no id, and can be the name of an endpoint. */
const NO_IDS = new Set<string>([
  "...",
  "..%2f..%2fetc",
  "%00",
  "a%20b",
  "a.b",
  "a~b",
  "'or'1=1--",
  "$(id)",
  "😀",
  "é",
  `sync-${"0".repeat(124)}`,
]);

/** Dot segments are not among them: what they resolve to is another path, which may be there. */
const BROKEN_IDS: readonly string[] = ["", "%zz", "%", "%c0%af", ...NO_IDS, "0".repeat(10_000)];

const BROKEN_ROUTES = ["", "v1//models", "%00", "v1/%zz", "%", "v1/a%20b", "$(id)", "v1/😀", "é"] as const;

function wrongPath(draft: Draft, random: SeededRandom): Mutated {
  const places = [...draft.operation.path.matchAll(/\{\w+\}/g)].length;
  const roll = places === 0 ? 1 : random.next();
  if (roll < 0.6) {
    const segments = draft.operation.path.split("/");
    const indexes = segments.flatMap((segment, index) => (segment.startsWith("{") ? [index] : []));
    const sent = draft.path.split("/");
    const index = pickOf(random, indexes);
    const isRoute = segments[index] === "{route}";
    // Nothing in the last place is a trailing slash.
    const ids = BROKEN_IDS.filter((broken) => broken !== "" || index < sent.length - 1);
    const id = isRoute ? random.pick(BROKEN_ROUTES) : pickOf(random, ids);
    sent.splice(index, isRoute ? sent.length : 1, id);
    draft.path = sent.join("/");
    const isName = ["{endpoint}", "{gpu}"].includes(segments[index] ?? "") && NO_IDS.has(id);
    const ofClients = segments[index] === "{gpu}" ? "NOT_SUPPORTED" : "ENDPOINT_NOT_FOUND";
    const unknown = draft.operation.access === "worker" ? "KEY_NOT_ALLOWED" : ofClients;
    return { what: `the id ${id.slice(0, 40)}`, codes: [isName ? unknown : "ROUTE_NOT_FOUND"] };
  }
  const { path } = draft;
  const wrong = [
    `${path}//`,
    `/${path}`,
    ...(draft.operation.path.endsWith("{route}") ? [] : [`${path}/x/y/z`]),
    path.replace("/", "/x"),
    path.toUpperCase(),
    path.replaceAll("/", "%2F").replace("%2F", "/%2F"),
    "/__proto__/constructor",
    "/sdk/sdk/v2",
  ];
  draft.path = pickOf(random, wrong);
  return { what: `the path ${draft.path.slice(0, 80)}`, codes: ["ROUTE_NOT_FOUND"] };
}

const NO_IDEMPOTENCY_KEYS = ["", "a b", "😀", "é", "k".repeat(256)] as const;

/** Two equal ones: two different ones are refused by the runtime itself. */
const LENGTH = "content-length";

function wrongHeader(draft: Draft, random: SeededRandom): Mutated | undefined {
  const { body, passesOverBody, access, takesAnyBody, name } = draft.operation;
  const wrong: [string, string, ErrorCode][] = [];
  // An answer to HEAD has no body that could say so.
  if (draft.method !== "HEAD") {
    wrong.push(["host", "second.example", "INVALID_HEADER"], [LENGTH, "sent twice", "INVALID_HEADER"]);
  }
  if (access !== "anyone") wrong.push(["authorization", "second", "KEY_UNKNOWN"]);
  if ((body !== undefined || passesOverBody) && !takesAnyBody) {
    const encoding = random.pick(["br", "zstd", "identity, gzip", "😀"]);
    wrong.push(["content-encoding", encoding, "MEDIA_TYPE_NOT_SUPPORTED"]);
  }
  // Whoever signs in has no key in the header.
  if (body !== undefined && access === "anyone") {
    wrong.push(["content-type", random.pick(NO_JSON_TYPES), "MEDIA_TYPE_NOT_SUPPORTED"]);
  }
  if (name === "run" || name === "runsync") {
    wrong.push(["idempotency-key", random.pick(NO_IDEMPOTENCY_KEYS), "INVALID_HEADER"]);
  }
  if (wrong.length === 0) return undefined;
  const [header, value, code] = pickOf(random, wrong);
  const what = `the header ${header}: ${value.slice(0, 40)}`;
  if (header === LENGTH) {
    draft.lengths = random.pick([2, 3]);
    return { what, codes: [code] };
  }
  if (header === "content-type") draft.headers = draft.headers.filter(([other]) => other !== header);
  draft.headers.push([header, value]);
  return { what, codes: [code] };
}

function wrongQuery(draft: Draft, random: SeededRandom): Mutated | undefined {
  const rules = Object.entries(draft.operation.query);
  if (rules.length === 0) return undefined;
  const [name, { valid, wrong, isList = false }] = pickOf(random, rules);
  draft.query = draft.query.filter(([other]) => other !== name);
  if (!isList && (wrong.length === 0 || random.chance(0.2))) {
    const value = encodeURIComponent(random.pick(valid));
    draft.query.push([name, value], [name, value]);
    return { what: `${name} twice in the query`, codes: ["INVALID_QUERY"] };
  }
  const value = pickOf(random, wrong);
  draft.query.push([name, encodeURIComponent(value)]);
  return { what: `${name}=${value} in the query`, codes: ["INVALID_QUERY"] };
}

function wrongMember(draft: Draft, random: SeededRandom): Mutated | undefined {
  const { body } = draft.operation;
  const { members } = draft;
  if (body === undefined || members === undefined) return undefined;
  const required = Object.keys(body.members).filter((name) => body.members[name]?.isRequired);
  const codes = [body.refusal];
  const without = (name: string): void => void (draft.members = members.filter(([other]) => other !== name));
  const roll = random.next();
  if (roll < 0.1 && required.length > 0) {
    const name = pickOf(random, required);
    without(name);
    return { what: `${name} is missing`, codes };
  }
  if (roll < 0.2 && body.refusesDoubles && members.length > 0) {
    const [name, json] = pickOf(random, members);
    members.push([name, json]);
    return { what: `${name} stands in the body twice`, codes };
  }
  if (roll < 0.3 && !body.isOpen) {
    const name = random.pick(["unknown", "id", "account", "__proto__", "toString"]);
    members.push([name, "{}"]);
    return { what: `the member ${name}, which is not known`, codes };
  }
  const rules = Object.entries(body.members).filter(([, { wrong }]) => wrong.length > 0);
  if (rules.length === 0) return undefined;
  const [name, { wrong }] = pickOf(random, rules);
  const json = pickOf(random, wrong);
  without(name);
  draft.members?.splice(random.integer(0, members.length), 0, [name, json]);
  return { what: `${name}: ${json.slice(0, 80)}`, codes };
}

function wrongBody(draft: Draft, random: SeededRandom): Mutated | undefined {
  const { body, takesAnyBody } = draft.operation;
  if (body === undefined || takesAnyBody) return undefined;
  const document = pickOf(random, NO_DOCUMENTS);
  draft.bytes = Buffer.from(document);
  const start = draft.bytes.subarray(0, 40).toString();
  return { what: `a body like ${start}`, codes: ["MALFORMED_JSON", "INVALID_FIELD"] };
}

function wrongSize(draft: Draft, random: SeededRandom): Mutated | undefined {
  const { operation, members } = draft;
  if (operation.takesAnyBody || (operation.body === undefined && !operation.passesOverBody)) return undefined;
  const limit = operation.body?.limit ?? 1_048_576;
  const isSent = limit < 2_000_000 && random.chance(0.2);
  if (isSent) draft.bytes = Buffer.from(objectText([...(members ?? []), ["x", `"${"x".repeat(limit)}"`]]));
  else {
    draft.bytes = Buffer.of();
    draft.announced = limit + random.pick([1, 1_000, 30 * 1_048_576]);
  }
  return { what: `a body of more than ${limit} bytes`, codes: ["BODY_TOO_LARGE"] };
}

/** The parts of an operation's requests that can be wrong; those with more to go wrong come more often. */
export function mutationsOf(operation: Operation): MutationName[] {
  const { access, query, body, passesOverBody, takesAnyBody } = operation;
  const names: MutationName[] = ["method", "path", "header"];
  if (access !== "anyone") names.push("key");
  if (Object.keys(query).length > 0) names.push("query", "query");
  if (body !== undefined && !takesAnyBody) names.push("body", "body", "member", "member", "member", "member");
  if ((body !== undefined || passesOverBody) && !takesAnyBody) names.push("size");
  return names;
}
