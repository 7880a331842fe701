import type { JobRecord } from "../../domain/job.ts";
import { WAIT } from "../../domain/policy.ts";
import { isTerminal, type JobState } from "../../domain/transitions.ts";
import { awaitEnd } from "../../engine/await-end.ts";
import type { Engine } from "../../engine/engine.ts";
import { AnswerRoom, largeBytes } from "../answer-room.ts";
import { clientOperation } from "../client-operation.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { JOB } from "../answers/job.ts";
import { milliseconds, plainText } from "../parameters.ts";
import { recordParts, runningText, shownPayloads } from "../present/record.ts";
import { heldReply } from "../late-reply.ts";
import { joined, type Part } from "../reply.ts";
import { submitCall } from "./run.ts";
import { SUBMISSION, SUBMISSION_HEADERS } from "./submission-schema.ts";

/**
 * Spec 4.A, runsync. The call is held for `wait`. The result is kept as long, but at least as long as the
 * endpoint says (design, row 3). Then the answer is the job's record, in any state. A header with the id
 * comes first, so that a caller can read the job if its connection breaks (row 22).
 */
export const runsync = clientOperation({
  id: "runsync",
  method: "POST",
  path: "/v2/{endpoint}/runsync",
  access: "write",
  limit: "runsync",
  tag: "jobs",
  summary: "Submit a job and wait for its end",
  description:
    "Status 200 and the job's id, in a header, leave as soon as the job is stored; the record follows when " +
    "it has ended, or when the wait is over: then the job goes on. Whatever state it ends in, the answer " +
    "is 200. Should the key be revoked meanwhile, an `Error` stands in the place of the record. A body has " +
    "at most 20 MB.",
  query: { wait: milliseconds(WAIT, "How long the call is held, ms, and the result kept. Default: 90000.") },
  headers: SUBMISSION_HEADERS,
  body: SUBMISSION,
  answers: {
    200: {
      description: "The job has ended, or the wait is over.",
      json: JOB,
      headers: { "X-Job-Id": plainText("The id of the job, which comes before its record.") },
    },
  },
  errors: ["IDEMPOTENCY_MISMATCH", "QUEUE_FULL", "STORAGE_FULL", "SHUTTING_DOWN", "PAYLOAD_DAMAGED"],
  async handle(context, call, { endpoint, query }) {
    const { engine } = context;
    const { wait } = query();
    const { id, state } = await submitCall(context, call, endpoint, "runsync", wait);
    const until = engine.clock.now() + (wait ?? WAIT.default);
    return heldReply(context, call, { "x-job-id": id }, async function* () {
      using held = context.auth.held(call.request);
      const job = await awaitEnd(engine, endpoint.id, id, until, held.signal);
      if (job === undefined) yield goneRecord(engine, endpoint.id, id, state);
      else if (largeBytes(shownPayloads(job, call.dialect)) === 0) {
        yield joined(await recordParts(engine, job, call.dialect));
      } else yield* largeRecord(context, call, job, until);
    });
  },
});

/** The record, once there is room for its payloads. */
async function* largeRecord(
  { engine, answers }: HttpContext,
  call: Call,
  job: JobRecord,
  until: number,
): AsyncGenerator<Part> {
  const bytes = largeBytes(shownPayloads(job, call.dialect));
  const room = new AnswerRoom(call, answers.clients);
  room.closeWhenAnswered();
  if (await room.tryEnter(bytes, Math.max(0, until - engine.clock.now()))) {
    call.allowSilence(answers.clients.silence);
    yield* room.pieces(await recordParts(engine, job, call.dialect));
  } else {
    // The same answer as after the wait: callers continue with status, and nothing is lost.
    yield runningText(job);
  }
}

/**
 * The record of a job that disappeared while its caller waited. Purge-queue removed it (design, row 10), or
 * it went with its endpoint. If an earlier call with the same key created it, `state` can be final (row 22).
 */
function goneRecord({ configuration }: Engine, endpoint: string, id: string, state: JobState): string {
  if (isTerminal(state)) return `{"id":"${id}","status":"${state}"}`;
  const known = configuration.get("endpoint", endpoint);
  const isThere = known !== undefined && known.deletedAt === undefined;
  const error = isThere ? "removed by purge-queue" : "removed with its endpoint";
  return `{"id":"${id}","status":"CANCELLED","error":"${error}"}`;
}
