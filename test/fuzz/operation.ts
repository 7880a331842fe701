import type { ErrorCode } from "../../src/domain/errors.ts";
import type * as shapes from "./answer-shapes.ts";
import type { BodyRule } from "./body-rule.ts";

/** A parameter of a query: values that must be accepted, and values that must be refused. */
export interface QueryRule {
  readonly valid: readonly [string, ...string[]];
  readonly wrong: readonly string[];
  /** It may come several times. */
  readonly isList?: true;
}

/** What the documents say of one operation. */
export interface Operation {
  readonly name: string;
  readonly methods: readonly [string, ...string[]];
  readonly path: string;
  /** What can stand for `{route}` in the path; one empty text where it has none. */
  readonly routes: readonly [string, ...string[]];
  readonly access: "client" | "worker" | "anyone";
  readonly query: Readonly<Record<string, QueryRule>>;
  readonly body: BodyRule | undefined;
  /** It takes no body, and reads what is sent all the same to its end. */
  readonly passesOverBody: boolean;
  /** Whether its call may be held: then its caller may lose patience. */
  readonly isHeld: boolean;
  /** What it answers 200 with, by dialect; undefined where it never does. */
  readonly ok: Readonly<Record<"spec" | "sdk", shapes.Shape>> | undefined;
  /** Whether it may answer 204. */
  readonly mayBeEmpty: boolean;
  /** Codes with which a valid call may be answered, by what others have done meanwhile. */
  readonly conflicts: readonly ErrorCode[];
  /**
   * What cannot be kept ends its job: job-done takes any body, because its worker would not send a better
   * one.
   */
  readonly takesAnyBody: boolean;
}

type Given = Pick<Operation, "name" | "path"> & Partial<Operation>;

/** An operation of which only what it has is given. */
export function operation(given: Given, ok: shapes.Shape | Operation["ok"]): Operation {
  return {
    methods: ["GET"],
    routes: [""],
    access: given.path.startsWith("/v") ? "client" : "anyone",
    query: {},
    body: undefined,
    passesOverBody: false,
    isHeld: false,
    mayBeEmpty: false,
    conflicts: [],
    takesAnyBody: false,
    ...given,
    ok: ok !== undefined && "safeParse" in ok ? { spec: ok, sdk: ok } : ok,
  };
}

/** What is no number in a query. */
export const NO_NUMBERS = [
  "",
  " ",
  "-1",
  "1.5",
  "0x10",
  "5000abc",
  "1e4",
  "٣٠٠٠",
  "null",
  "9".repeat(20),
  "[]",
  "+1000",
];

const ANYONES: readonly ErrorCode[] = ["INVALID_HEADER", "ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED"];
const WITH_A_KEY: readonly ErrorCode[] = ["KEY_MISSING", "KEY_UNKNOWN", "KEY_NOT_ALLOWED"];
const OF_A_BODY: readonly ErrorCode[] = ["BODY_TOO_LARGE", "MEDIA_TYPE_NOT_SUPPORTED", "INCOMPLETE_BODY"];

/** Every code with which the operation may answer whatever is sent. */
export function codesOf({
  access,
  path,
  query,
  body,
  passesOverBody,
  conflicts,
  name,
}: Operation): Set<string> {
  const codes = new Set<ErrorCode>([...ANYONES, ...conflicts]);
  const add = (isSo: boolean, more: readonly ErrorCode[]): void => {
    if (isSo) for (const code of more) codes.add(code);
  };
  add(access !== "anyone", WITH_A_KEY);
  add(access === "client" && path.includes("{endpoint}"), ["ENDPOINT_NOT_FOUND"]);
  add(access === "client" && path.includes("{job}"), ["JOB_NOT_FOUND"]);
  add(path.includes("{template}") || name === "create an endpoint", ["TEMPLATE_NOT_FOUND"]);
  add(path.includes("{registryLogin}"), ["REGISTRY_LOGIN_NOT_FOUND"]);
  add(path.includes("{host}"), ["HOST_NOT_FOUND"]);
  add(path.includes("{key}"), ["KEY_NOT_FOUND"]);
  add(path.includes("{operation}"), ["JOB_OPERATION_NOT_FOUND"]);
  add(path.includes("{delivery}"), ["DELIVERY_NOT_FOUND"]);
  add(name === "create a key", ["ACCOUNT_NOT_FOUND", "ENDPOINT_NOT_FOUND"]);
  add(/^\/v(?:1|2\/[^{])/.test(path) && body !== undefined, ["NAME_TAKEN"]);
  add(access === "worker" || Object.keys(query).length > 0, ["INVALID_QUERY"]);
  add(body !== undefined, ["MALFORMED_JSON", "INVALID_FIELD"]);
  add(body !== undefined || passesOverBody, OF_A_BODY);
  add(name === "run" || name === "runsync", ["IDEMPOTENCY_MISMATCH"]);
  return codes;
}

/** A list that comes page by page; the cursor is that of 0000000000000001.a */
export const PAGED = {
  limit: { valid: ["1", "20", "1000"], wrong: [...NO_NUMBERS, "0", "1001"] },
  cursor: { valid: ["MDAwMDAwMDAwMDAwMDAwMS5h"], wrong: ["", "x", "~"] },
} as const;
