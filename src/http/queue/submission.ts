import { ForebayError } from "../../domain/errors.ts";
import type { TraceContext } from "../../domain/trace-context.ts";
import { EXECUTION_TIMEOUT, type DurationRule, type JobPolicy, TTL } from "../../domain/policy.ts";
import { TRACE_MEMBER, withTrace } from "../../engine/body-trace.ts";
import { type JsonNode, scanJson } from "../json/json-scan.ts";
import { isNull, LARGE, spanOf, valueOf } from "../json/json-text.ts";

/** What a submission says (spec 2.1). */
export interface ParsedSubmission {
  /** JSON object: the members that go to the worker, as sent, and the trace of the call. */
  readonly body: Uint8Array;
  /** JSON object as sent. */
  readonly s3Config: Uint8Array | undefined;
  /** JSON string as sent. */
  readonly webhook: Uint8Array | undefined;
  /** Only what the submission says. */
  readonly policy: Partial<JobPolicy>;
}

/** Members that are ours to set: a submission's own are left out. */
const RESERVED = new Set(["id"]);

type Refusal = (address: string) => string | undefined;

/** Optional members in which null means that they are not there. */
const NULLABLE = ["webhook", "policy", "s3Config"];

/**
 * Checks a submission without changing what it carries. `refusal` says why an address can never be called. It
 * gets the `trace` of its call unless it has a member of that name itself. Throws MALFORMED_JSON and
 * INVALID_FIELD.
 */
export function parseSubmission(
  bytes: Uint8Array,
  refusal: Refusal,
  trace?: TraceContext,
): ParsedSubmission | Promise<ParsedSubmission> {
  const root = scanJson(bytes, 1);
  return root instanceof Promise
    ? root.then((scanned) => submissionOf(bytes, scanned, refusal, trace))
    : submissionOf(bytes, root, refusal, trace);
}

function submissionOf(
  bytes: Uint8Array,
  root: JsonNode,
  refusal: Refusal,
  trace: TraceContext | undefined,
): ParsedSubmission | Promise<ParsedSubmission> {
  if (root.type !== "object") throw invalid("The body must be a JSON object with the member input.");
  const members = membersOf(root, "the body");
  const input = members.get("input");
  if (input === undefined) throw invalid("input is missing: it carries the parameters of the job.");
  if (input.type !== "object") throw invalid("input must be a JSON object.");
  for (const name of NULLABLE) if (isNull(bytes, members.get(name))) members.delete(name);
  const webhook = members.get("webhook");
  if (webhook !== undefined) checkWebhook(bytes, webhook, refusal);
  const s3Config = members.get("s3Config");
  if (s3Config !== undefined) checkS3Config(valueOf(bytes, s3Config));
  const kept = [...members.values()].filter(
    (member) => member !== s3Config && member !== webhook && !RESERVED.has(member.key ?? ""),
  );
  const isWhole = kept.length === root.children.length;
  const body = isWhole ? spanOf(bytes, root) : objectOf(bytes, kept);
  const parsed = {
    body: members.has(TRACE_MEMBER) ? body : withTrace(body, trace),
    webhook: webhook && bytes.slice(webhook.start, webhook.end),
    s3Config: s3Config && bytes.slice(s3Config.start, s3Config.end),
  };
  const policy = members.get("policy");
  if (policy === undefined) return { ...parsed, policy: {} };
  return parsePolicy(bytes, policy).then((said) => ({ ...parsed, policy: said }));
}

function membersOf(object: JsonNode, place: string): Map<string, JsonNode> {
  const members = new Map<string, JsonNode>();
  for (const member of object.children) {
    const key = member.key ?? "";
    if (members.has(key)) throw invalid(`${key} stands in ${place} more than once.`);
    members.set(key, member);
  }
  return members;
}

/** An object of the members given, each as it was sent. */
function objectOf(bytes: Uint8Array, members: readonly JsonNode[]): Uint8Array {
  const parts = members.flatMap(({ keyStart, end }, index) => [
    Buffer.from(index === 0 ? "{" : ","),
    bytes.subarray(keyStart, end),
  ]);
  return Buffer.concat([...parts, Buffer.from("}")]);
}

/** Spec 2.2. */
async function parsePolicy(bytes: Uint8Array, member: JsonNode): Promise<Partial<JobPolicy>> {
  if (member.type !== "object") throw invalid("policy must be a JSON object.");
  const span = spanOf(bytes, member);
  const members = membersOf(await scanJson(span, 1), "policy");
  const value = (name: string): unknown => {
    const node = members.get(name);
    return node === undefined ? undefined : valueOf(span, node);
  };
  const lowPriority = value("lowPriority");
  if (lowPriority !== undefined && typeof lowPriority !== "boolean")
    throw invalid("policy.lowPriority must be true or false.");
  const executionTimeout = durationOf("executionTimeout", value("executionTimeout"), EXECUTION_TIMEOUT);
  const ttl = durationOf("ttl", value("ttl"), TTL);
  return {
    ...(executionTimeout === undefined ? {} : { executionTimeout }),
    ...(ttl === undefined ? {} : { ttl }),
    ...(lowPriority === undefined ? {} : { lowPriority }),
  };
}

function durationOf(name: string, value: unknown, rule: DurationRule): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= rule.min && value <= rule.max)
    return value;
  const range = `between ${rule.min} and ${rule.max} (milliseconds)`;
  throw invalid(`policy.${name} is invalid; must be an integer ${range}.`);
}

export const WEBHOOK_LIMIT = 8_192;

/** Spec 6: what can never be called is refused, with a sentence that names the setting. */
function checkWebhook(bytes: Uint8Array, member: JsonNode, refusal: Refusal): void {
  const url = member.end - member.start <= WEBHOOK_LIMIT ? valueOf(bytes, member) : undefined;
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalid(`webhook must be an http or https address of at most ${WEBHOOK_LIMIT} characters.`);
  }
  const refused = refusal(url);
  if (refused !== undefined) throw invalid(refused);
}

const S3_FIELDS = new Set(["accessId", "accessSecret", "bucketName", "endpointUrl"]);

/** Spec 2.3: the four members are strings where they are there; others pass. */
function checkS3Config(value: unknown): void {
  if (value === LARGE) throw invalid("s3Config must be a JSON object of at most 65536 bytes.");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("s3Config must be a JSON object.");
  }
  for (const [name, field] of Object.entries(value)) {
    if (S3_FIELDS.has(name) && typeof field !== "string") throw invalid(`s3Config.${name} must be a string.`);
  }
}

function invalid(sentence: string): ForebayError {
  return new ForebayError("INVALID_FIELD", sentence);
}
