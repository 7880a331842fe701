import { z } from "zod";
import { ACCEPTED } from "../answers/worker-protocol.ts";
import { MAX_TAKE, MAX_WAIT } from "./exchange-body.ts";

// What workers send, for the OpenAPI document. The server checks the bytes, and never creates values of them
// (decision 0020). `test/openapi/bodies.test.ts` checks that both agree.

const output = z.unknown().optional();
const error = z.unknown().optional().meta({ description: "Null, false, 0 and the empty string are none." });
const stopPod = z.unknown().optional().meta({ description: "true: the worker wants to be replaced." });

export const JOB_RESULT = z
  .looseObject({
    output: output.meta({ description: "What the job has come to." }),
    error,
    status: z.unknown().optional().meta({ description: "IN_PROGRESS: `output` is a progress value." }),
    stopPod,
  })
  .meta({
    id: "JobResult",
    description: "Whatever cannot be kept as a result is answered 200 as well, and ends the job FAILED.",
  });

export const JOB_CHUNK = z.looseObject({ output, metrics: z.unknown().optional() }).meta({
  id: "JobChunk",
  description:
    "Larger ones than 1 MB are split; what cannot be kept is answered 200, and ends the job FAILED.",
});

const subject = { id: z.string(), attempt: z.int().min(1) };

export const EXCHANGE = z
  .looseObject({
    alive: z.array(z.string()).optional().meta({ description: "The other jobs that the worker has." }),
    chunks: z.array(z.looseObject({ ...subject, output, metrics: z.unknown().optional() })).optional(),
    progress: z.array(z.looseObject({ ...subject, value: z.unknown() })).optional(),
    results: z.array(z.looseObject({ ...subject, output, error, stopPod })).optional(),
    take: z.int().min(0).max(MAX_TAKE).optional().meta({ description: "How many jobs it can take." }),
    wait: z.int().min(0).max(MAX_WAIT).optional().meta({ description: "How long it waits for news, ms." }),
  })
  .meta({ id: "Exchange", description: "What a worker has for the server." });

/** The answer to a report. */
export const KEPT = { description: "It is stored, or late and ignored.", json: ACCEPTED };
