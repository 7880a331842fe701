import { z } from "zod";
import { id } from "./members.ts";

/** The answers to workers (docs/worker-protocol.md). */
const takenJob = z
  .looseObject({ id, input: z.looseObject({}) })
  .meta({ id: "TakenJob", description: "A job for a worker: its id and the members of its submission." });

const A_JOB = {
  id: "01990a4c-5f6a-7000-8c1e-0242ac120002-u1",
  input: { name: "world" },
  policy: { executionTimeout: 60_000, ttl: 3_600_000 },
};

export const TAKEN_JOB = { schema: takenJob, example: A_JOB };

export const TAKEN_JOBS = { schema: z.array(takenJob).min(1), example: [A_JOB] };

export const STOPS = {
  schema: z.strictObject({ jobsToStop: z.array(id).min(1) }),
  example: { jobsToStop: [A_JOB.id] },
};

export const ACCEPTED = { schema: z.strictObject({}), example: {} };

export const EXCHANGED = {
  schema: z
    .strictObject({
      jobs: z.array(z.strictObject({ attempt: z.int().min(1), job: takenJob })),
      stop: z.array(id).meta({ description: "Jobs that the worker must stop." }),
      ignored: z.array(z.string()).meta({ description: "Jobs of whose news nothing was stored." }),
    })
    .meta({ id: "Exchanged", description: "What the server has for a worker." }),
  example: { jobs: [{ attempt: 1, job: A_JOB }], stop: [], ignored: [] },
};
