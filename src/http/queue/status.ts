import { STATUS_TTL } from "../../domain/policy.ts";
import { status as read, statusWithTtl } from "../../engine/status.ts";
import { payloadReply } from "../answer-room.ts";
import { clientOperation } from "../client-operation.ts";
import { methodNotAllowed } from "../errors-with-headers.ts";
import { requireScope } from "../opened.ts";
import { JOB } from "../answers/job.ts";
import { milliseconds } from "../parameters.ts";
import { recordParts, shownPayloads } from "../present/record.ts";

/** Spec 4.A, status. */
export const status = clientOperation({
  id: "status",
  method: "GET",
  path: "/v2/{endpoint}/status/{job}",
  access: "read",
  limit: "status",
  tag: "jobs",
  summary: "Read a job",
  query: {
    ttl: milliseconds(
      STATUS_TTL,
      "The job's ttl ends that many ms from now; of a job that has ended, its record. Needs the scope write.",
    ),
  },
  answers: { 200: { description: "The job.", json: JOB } },
  async handle({ engine, answers }, call, { endpoint, access, query }) {
    const [, id = ""] = call.parameters;
    const { ttl } = query();
    if (ttl !== undefined && call.request.method === "HEAD") throw methodNotAllowed("HEAD", ["GET", "POST"]);
    if (ttl !== undefined) requireScope(access, "write", "The parameter ttl");
    const job =
      ttl === undefined
        ? await read(engine, endpoint.id, id)
        : await statusWithTtl(engine, endpoint.id, id, ttl);
    const { dialect } = call;
    return payloadReply(call, answers.clients, shownPayloads(job, dialect), () =>
      recordParts(engine, job, dialect),
    );
  },
});

/** Also as POST, because one public SDK posts. */
export const statusByPost = {
  ...status,
  id: "statusByPost",
  method: "POST",
  summary: "Read a job, by POST",
} as const;
