import type { Endpoint } from "../../domain/endpoint.ts";
import { submit, type Submitted } from "../../engine/submit.ts";
import { MB, withBody } from "../body.ts";
import type { Call } from "../call.ts";
import { clientBody, type HttpContext } from "../context.ts";
import { requireJson } from "../media-type.ts";
import { callTrace } from "./call-trace.ts";
import { idempotencyOf } from "./idempotency.ts";
import { parseSubmission } from "./submission.ts";

/** Spec 8. */
export const SUBMISSION_LIMITS = { run: 10 * MB, runsync: 20 * MB } as const;

/**
 * Reads a submission, stores its job and answers the job's id and state. The result stays for `retention` ms
 * at least, or for as long as the endpoint says.
 */
export async function submitCall(
  context: HttpContext,
  call: Call,
  endpoint: Endpoint,
  kind: "run" | "runsync",
  retention = 0,
): Promise<Submitted> {
  requireJson(call);
  return withBody(call, clientBody(context, SUBMISSION_LIMITS[kind]), async (body) => {
    const idempotency = await idempotencyOf(call, body);
    const trace = callTrace(call);
    const submission = await parseSubmission(body, context.engine.webhookRefusal, trace);
    const job = { endpoint: endpoint.id, kind, retention, idempotency, trace, ...submission };
    return submit(context.engine, job);
  });
}
