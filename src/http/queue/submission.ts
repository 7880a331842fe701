import type { TraceContext } from "../../domain/trace-context.ts";
import type { JobPolicy } from "../../domain/policy.ts";
import { TRACE_MEMBER, withTrace } from "../../engine/body-trace.ts";
import { isNull, type JsonNode, membersOf, spanOf, valueOf } from "../json/json-node.ts";
import { scanJson } from "../json/json-scan.ts";
import { checkS3Config, checkWebhook, isEmptyText, objectOf, unknownMembers } from "./submission-members.ts";
import { invalid, NO_POLICY, type ParsedPolicy, parsePolicy, type Refusal } from "./submission-members.ts";

/** What a submission contains (spec 2.1). */
export interface ParsedSubmission {
  /** JSON object: the members that go to the worker, as sent, and the trace of the call. */
  readonly body: Uint8Array;
  /** JSON object as sent. */
  readonly s3Config: Uint8Array | undefined;
  /** JSON string as sent. */
  readonly webhook: Uint8Array | undefined;
  /** Only what the submission sets. */
  readonly policy: Partial<JobPolicy>;
  /** Names of members without a meaning here; of those of the policy with `policy.` before them. */
  readonly ignored: readonly string[];
}

/** Members that the worker does not get in the body: we set `id`, and store the others separately. */
const LEFT_OUT = new Set(["id", "webhook", "s3Config"]);

/**
 * Checks a submission without changing its bytes. `refusal` says why an address can never be called. The body
 * gets the `trace` of the call, unless it has a member of that name. Throws MALFORMED_JSON and INVALID_FIELD.
 */
export function parseSubmission(
  bytes: Uint8Array,
  refusal: Refusal,
  trace?: TraceContext,
): ParsedSubmission | Promise<ParsedSubmission> {
  const root = scanJson(bytes, 1, true);
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
  if (input === undefined) throw invalid("input is missing. Put the parameters of the job there.");
  if (input.type !== "object") throw invalid("input must be a JSON object.");
  /** Null counts as left out. */
  const given = (name: string): JsonNode | undefined =>
    isNull(bytes, members.get(name)) ? undefined : members.get(name);
  const address = given("webhook");
  const webhook = address && isEmptyText(address) ? undefined : address;
  if (webhook !== undefined) checkWebhook(bytes, webhook, refusal);
  const s3Config = given("s3Config");
  if (s3Config !== undefined) checkS3Config(valueOf(bytes, s3Config));
  const policy = given("policy");
  const kept = root.children.filter(
    ({ key = "" }) => !LEFT_OUT.has(key) && (key !== "policy" || policy !== undefined),
  );
  const sent = kept.length === root.children.length ? spanOf(bytes, root) : objectOf(bytes, kept);
  const unknown = members.size === 1 ? [] : unknownMembers(members);
  const parsed = (own: ParsedPolicy): ParsedSubmission => ({
    body: members.has(TRACE_MEMBER) ? sent : withTrace(sent, trace),
    webhook: webhook && bytes.slice(webhook.start, webhook.end),
    s3Config: s3Config && bytes.slice(s3Config.start, s3Config.end),
    policy: own.policy,
    ignored: [...unknown, ...own.ignored],
  });
  return policy === undefined ? parsed(NO_POLICY) : parsePolicy(bytes, policy).then(parsed);
}
