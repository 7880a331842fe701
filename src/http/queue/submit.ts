import type { Endpoint } from "../../domain/endpoint.ts";
import { submit, type Submitted } from "../../engine/submit.ts";
import { MB, readBody, requireJson } from "../body.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { idempotencyOf } from "./idempotency.ts";
import { parseSubmission } from "./submission.ts";

/** Spec 8. */
export const SUBMISSION_LIMITS = { run: 10 * MB, runsync: 20 * MB } as const;

/**
 * Reads a submission, stores its job and answers the job's id and state. The result stays for `retention` ms
 * at least, or for as long as the endpoint says.
 */
export async function submitCall(
  { engine }: HttpContext,
  call: Call,
  endpoint: Endpoint,
  kind: "run" | "runsync",
  retention = 0,
): Promise<Submitted> {
  requireJson(call);
  const body = await readBody(call, SUBMISSION_LIMITS[kind]);
  const idempotency = idempotencyOf(call, body);
  const submission = await parseSubmission(body);
  return submit(engine, { endpoint: endpoint.id, kind, retention, idempotency, ...submission });
}
