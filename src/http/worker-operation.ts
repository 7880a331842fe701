import type { z } from "zod";
import type { WorkerIdentity } from "../domain/worker.ts";
import { callingWorker } from "./context.ts";
import type { Answers, Definition, Given, NoQuery, Operation } from "./operation.ts";
import { queryOf, type QueryParameters } from "./parameters.ts";

/** What a handler gets besides the call. It reads the body itself, whose payloads stay bytes. */
interface WorkerGiven<Query extends QueryParameters> extends Pick<Given<Query, z.ZodNever>, "query"> {
  readonly worker: WorkerIdentity;
}

/**
 * An operation of the protocol of workers (docs/worker-protocol.md): endpoint and worker id are the first two
 * parameters of the path. Refuses callers without a token of a worker of this endpoint.
 */
export function workerOperation<
  Id extends string,
  Query extends QueryParameters = NoQuery,
  Body extends z.ZodType = z.ZodNever,
  Answered extends Answers = Answers,
>(
  definition: Omit<Definition<Id, Query, Body, Answered, WorkerGiven<Query>>, "access" | "tag"> & {
    readonly path: `/v2/{endpoint}/${string}/{worker}${string}`;
  },
): Operation<Id, Query, Body, Answered> {
  const { id, query, handle } = definition;
  return {
    ...definition,
    access: "worker",
    tag: "worker",
    rateLimit: undefined,
    serve: (context) => (call) =>
      handle(context, call, {
        worker: callingWorker(context, call),
        query: () => queryOf(id, query, call),
      }),
  };
}
