import { WAIT } from "../../domain/policy.ts";
import { awaitEnd } from "../../engine/await-end.ts";
import { found } from "../../engine/status.ts";
import { payloadReply } from "../answer-room.ts";
import { clientOperation } from "../client-operation.ts";
import { JOB } from "../answers/job.ts";
import { wait } from "../parameters.ts";
import { recordParts, shownPayloads } from "../present/record.ts";

/** The status when the job has ended or `wait` is over. The public SDKs call it after runsync. */
export const statusSync = clientOperation({
  id: "statusSync",
  method: "GET",
  path: "/v2/{endpoint}/status-sync/{job}",
  access: "read",
  limit: "status-sync",
  tag: "jobs",
  summary: "Wait for the end of a job",
  query: { wait: wait("90000") },
  answers: { 200: { description: "The job has ended, or the wait is over.", json: JOB } },
  async handle({ engine, auth, answers }, call, { endpoint, query }) {
    const [, id = ""] = call.parameters;
    const until = engine.clock.now() + (query().wait ?? WAIT.default);
    using held = auth.held(call.request);
    const job = found(await awaitEnd(engine, endpoint.id, id, until, held.signal), id);
    const { dialect } = call;
    // Awaited, because `held` is disposed of at the end.
    return await payloadReply(call, answers.clients, shownPayloads(job, dialect), () =>
      recordParts(engine, job, dialect),
    );
  },
});

/** Also as POST, because one public SDK posts. */
export const statusSyncByPost = {
  ...statusSync,
  id: "statusSyncByPost",
  method: "POST",
  summary: "Wait for the end of a job, by POST",
} as const;
