import { createHash } from "node:crypto";
import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { type TraceContext, traceContext } from "../../domain/trace-context.ts";
import { nextTurn } from "../../engine/next-turn.ts";
import { type Submission, submit, type Submitted } from "../../engine/submit.ts";
import { freeStored, MB, readBody } from "../body.ts";
import { requireJson } from "../body-headers.ts";
import type { Call } from "../call.ts";
import { clientOperation } from "../client-operation.ts";
import type { HttpContext } from "../context.ts";
import { SUBMITTED } from "../answers/job.ts";
import { noteIgnored } from "../ignored.ts";
import { jsonReply } from "../reply.ts";
import { parseSubmission } from "./submission.ts";
import { IDEMPOTENCY_KEY, SUBMISSION, SUBMISSION_HEADERS } from "./submission-schema.ts";

/** Spec 8. */
export const SUBMISSION_LIMITS = { run: 10 * MB, runsync: 20 * MB } as const;

/** Spec 4.A, run. */
export const run = clientOperation({
  id: "run",
  method: "POST",
  path: "/v2/{endpoint}/run",
  access: "write",
  limit: "run",
  tag: "jobs",
  summary: "Submit a job",
  description:
    "Answers the job's id at once. The result stays for 30 minutes after the end, or as the endpoint says. " +
    "A body has at most 10 MB.",
  headers: SUBMISSION_HEADERS,
  body: SUBMISSION,
  answers: { 200: { description: "The job is stored.", json: SUBMITTED } },
  errors: ["IDEMPOTENCY_MISMATCH", "QUEUE_FULL", "STORAGE_FULL", "SHUTTING_DOWN"],
  async handle(context, call, { endpoint }) {
    const { id, state } = await submitCall(context, call, endpoint, "run");
    return jsonReply([`{"id":"${id}","status":"${state}"}`]);
  },
});

/**
 * Reads a submission, stores its job, and returns the job's id and state. The result is kept for at least
 * `retention` ms, or longer if the endpoint says so.
 */
export async function submitCall(
  context: HttpContext,
  call: Call,
  endpoint: Endpoint,
  kind: "run" | "runsync",
  retention = 0,
): Promise<Submitted> {
  requireJson(call);
  using body = await readBody(call, context.bodies.clients, SUBMISSION_LIMITS[kind]);
  const { bytes } = body;
  const key = idempotencyKeyOf(call);
  const idempotency = key === undefined ? undefined : { key, digest: await digestOf(bytes) };
  const trace = callTrace(call);
  const { webhookRefusal } = context.engine;
  const parsed = parseSubmission(bytes, webhookRefusal, trace);
  const { ignored, ...submission } = parsed instanceof Promise ? await parsed : parsed;
  if (ignored.length > 0) noteIgnored(call, ignored);
  const job: Submission = { endpoint: endpoint.id, kind, retention, idempotency, trace, ...submission };
  // Awaited: the body keeps its room until the job is stored.
  const submitted = await submit(context.engine, job);
  freeStored(body, job.body);
  return submitted;
}

/** The trace that the call belongs to; undefined if it has none, or an invalid one. */
export function callTrace({ request: { headers } }: Pick<Call, "request">): TraceContext | undefined {
  const parent = headers.get("traceparent");
  return parent === null ? undefined : traceContext(parent, headers.get("tracestate"));
}

/** The Idempotency-Key of the submission; undefined without one. Throws INVALID_HEADER. */
function idempotencyKeyOf({ request }: Call): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (IDEMPOTENCY_KEY.test(key)) return key;
  throw new ForebayError(
    "INVALID_HEADER",
    "Idempotency-Key is invalid; must be 1 to 255 visible ASCII characters, such as a UUID.",
  );
}

/** How much is hashed at once, bytes: a millisecond's work. */
const SLICE = 524_288;

/** SHA-256. */
async function digestOf(body: Uint8Array): Promise<Uint8Array> {
  const hash = createHash("sha256").update(body.subarray(0, SLICE));
  for (let start = SLICE; start < body.length; start += SLICE) {
    await nextTurn();
    hash.update(body.subarray(start, start + SLICE));
  }
  return hash.digest();
}
