import { ForebayError } from "../../domain/errors.ts";
import { EXECUTION_TIMEOUT, type DurationRule, type JobPolicy, TTL } from "../../domain/policy.ts";
import { tagsFault } from "../../domain/tags.ts";
import { TRACE_MEMBER } from "../../engine/body-trace.ts";
import { isNull, type JsonNode, LARGE, membersOf, spanOf, valueOf } from "../json/json-node.ts";
import { scanJson } from "../json/json-scan.ts";

/** Why an address can never be called; undefined if it can be. */
export type Refusal = (address: string) => string | undefined;

const MEANT = new Set(["input", "webhook", "policy", "s3Config", TRACE_MEMBER]);

/** Names of members that have no meaning here; the worker gets them. */
export function unknownMembers(members: ReadonlyMap<string, JsonNode>): string[] {
  return [...members.keys()].filter((name) => !MEANT.has(name));
}

export interface ParsedPolicy {
  /** Only what the submission sets. */
  readonly policy: Partial<JobPolicy>;
  /** Members without a meaning, with `policy.` before their names. */
  readonly ignored: readonly string[];
}

export const NO_POLICY: ParsedPolicy = { policy: {}, ignored: [] };

const POLICY_FIELDS = new Set(["executionTimeout", "lowPriority", "tags", "ttl"]);

/** Spec 2.2: the policy, and the members that have no meaning. Throws INVALID_FIELD. */
export async function parsePolicy(bytes: Uint8Array, member: JsonNode): Promise<ParsedPolicy> {
  if (member.type !== "object") throw invalid("policy must be a JSON object.");
  const span = spanOf(bytes, member);
  const members = membersOf(await scanJson(span, 1), "policy");
  /** Null counts as left out. */
  const value = (name: string): unknown => {
    const node = members.get(name);
    return node === undefined ? undefined : (valueOf(span, node) ?? undefined);
  };
  const lowPriority = value("lowPriority");
  if (lowPriority !== undefined && typeof lowPriority !== "boolean")
    throw invalid("policy.lowPriority must be true or false.");
  const executionTimeout = durationOf("executionTimeout", value("executionTimeout"), EXECUTION_TIMEOUT);
  const ttl = durationOf("ttl", value("ttl"), TTL);
  const tags = tagsOf(value("tags"));
  const policy = {
    ...(executionTimeout === undefined ? {} : { executionTimeout }),
    ...(ttl === undefined ? {} : { ttl }),
    ...(lowPriority === undefined ? {} : { lowPriority }),
    ...(tags === undefined ? {} : { tags }),
  };
  const ignored = [...members.keys()].filter((name) => !POLICY_FIELDS.has(name));
  return { policy, ignored: ignored.map((name) => `policy.${name}`) };
}

export function isEmptyText({ type, start, end }: JsonNode): boolean {
  return type === "string" && end - start === '""'.length;
}

/**
 * The policy of a submission, in the body that was stored of it. Throws INVALID_FIELD, also for a body of an
 * older version that no worker could read.
 */
export async function policyIn(body: Uint8Array): Promise<Partial<JobPolicy>> {
  const policy = membersOf(await scanJson(body, 1, true), "the body").get("policy");
  return policy === undefined || isNull(body, policy) ? {} : (await parsePolicy(body, policy)).policy;
}

export const WEBHOOK_LIMIT = 8_192;

/** Spec 6: refuses an address that can never be called, naming the setting. Throws INVALID_FIELD. */
export function checkWebhook(bytes: Uint8Array, member: JsonNode, refusal: Refusal): void {
  const url = member.end - member.start <= WEBHOOK_LIMIT ? valueOf(bytes, member) : undefined;
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalid(`webhook must be an HTTP or HTTPS address of at most ${WEBHOOK_LIMIT} characters.`);
  }
  const refused = refusal(url);
  if (refused !== undefined) throw invalid(refused);
}

const S3_FIELDS = new Set(["accessId", "accessSecret", "bucketName", "endpointUrl"]);

/** Spec 2.3: the four members, if given, must be strings. Others are passed on. Throws INVALID_FIELD. */
export function checkS3Config(value: unknown): void {
  if (value === LARGE) throw invalid("s3Config must be a JSON object of at most 65536 bytes.");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("s3Config must be a JSON object.");
  }
  for (const [name, field] of Object.entries(value)) {
    if (S3_FIELDS.has(name) && typeof field !== "string") throw invalid(`s3Config.${name} must be a string.`);
  }
}

/** An object of these members, each as it was sent. */
export function objectOf(bytes: Uint8Array, members: readonly JsonNode[]): Uint8Array {
  const parts = members.flatMap(({ keyStart, end }, index) => [
    Buffer.from(index === 0 ? "{" : ","),
    bytes.subarray(keyStart, end),
  ]);
  return Buffer.concat([...parts, Buffer.from("}")]);
}

export function invalid(sentence: string): ForebayError {
  return new ForebayError("INVALID_FIELD", sentence);
}

function durationOf(name: string, value: unknown, rule: DurationRule): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= rule.min && value <= rule.max)
    return value;
  const range = `between ${rule.min} and ${rule.max} (milliseconds)`;
  throw invalid(`policy.${name} is invalid; must be an integer ${range}.`);
}

/** An empty list counts as left out. */
function tagsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const fault = tagsFault(value);
  if (fault !== undefined) throw invalid(`policy.tags ${fault}.`);
  // Tested above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const tags = value as string[];
  return tags.length === 0 ? undefined : tags;
}
