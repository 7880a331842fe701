import { cancel as cancelJob } from "../../engine/cancel.ts";
import { retry as retryJob } from "../../engine/retry.ts";
import { passOverBody } from "../body.ts";
import { clientOperation } from "../client-operation.ts";
import { CANCELLED, SUBMITTED } from "../answers/job.ts";
import { jsonReply } from "../reply.ts";

/** Spec 4.A, cancel. A body is ignored. */
export const cancel = clientOperation({
  id: "cancel",
  method: "POST",
  path: "/v2/{endpoint}/cancel/{job}",
  access: "write",
  limit: "cancel",
  tag: "jobs",
  summary: "Cancel a job",
  description: "Answers at once; the worker stops the job. A job that has ended is not changed.",
  passesOverBody: true,
  answers: { 200: { description: "The job and its true state.", json: CANCELLED } },
  async handle({ engine }, call, { endpoint }) {
    const [, id = ""] = call.parameters;
    await passOverBody(call);
    const { state } = await cancelJob(engine, endpoint.id, id);
    return jsonReply([`{"id":"${id}","status":"${state}"}`]);
  },
});

/** Spec 4.A, retry. A body is ignored. */
export const retry = clientOperation({
  id: "retry",
  method: "POST",
  path: "/v2/{endpoint}/retry/{job}",
  access: "write",
  limit: "retry",
  tag: "jobs",
  summary: "Run a failed job again",
  description: "Takes a job that is FAILED or TIMED_OUT: same id, same input, a new ttl of the same length.",
  passesOverBody: true,
  answers: { 200: { description: "The job waits again.", json: SUBMITTED } },
  errors: ["NOT_RETRYABLE", "QUEUE_FULL"],
  async handle({ engine }, call, { endpoint }) {
    const [, id = ""] = call.parameters;
    await passOverBody(call);
    const { state } = await retryJob(engine, endpoint.id, id);
    return jsonReply([`{"id":"${id}","status":"${state}"}`]);
  },
});
