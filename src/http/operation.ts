import type { z } from "zod";
import type { ErrorCode } from "../domain/errors.ts";
import type { RateLimit } from "../domain/rate-limits.ts";
import type { Scope } from "../domain/scope.ts";
import type { Call, Dialect } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { parseBody } from "./parse-body.ts";
import { type Parameter, queryOf, type QueryOf, type QueryParameters } from "./parameters.ts";
import type { Reply } from "./reply.ts";
import type { Route } from "./router.ts";

/** Who may call an operation: keys with a scope, workers of the endpoint, or anyone. */
export type Opened = Scope | "worker" | "anyone";

/** JSON that is sent or answered, and an example of it. */
export interface Json<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly example: unknown;
}

/** The body that an operation takes. */
interface JsonBody<Schema extends z.ZodType = z.ZodType> extends Json<Schema> {
  readonly isRequired: boolean;
}

export interface AnswerHeader extends Parameter {
  /** Answers with Server-Sent Events do not have it. */
  readonly isOfJsonAlone?: true;
}

/** An answer without an error. */
export interface SuccessAnswer {
  readonly description: string;
  /** Left out if there is no body; by dialect if they differ. */
  readonly json?: Json | Readonly<Record<Dialect, Json>>;
  /** The media type of a body that is not JSON; besides `json`, the one that the caller can ask for. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, AnswerHeader>>;
}

/** The answers of an operation, by status. */
export type Answers = Readonly<Partial<Record<200 | 202 | 204 | 302 | 304 | 503, SuccessAnswer>>>;

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- it has no parameters
export type NoQuery = Readonly<Record<never, never>>;

/** What the router, the access rules and the OpenAPI document know of an operation. */
export interface Description<
  Id extends string = string,
  Query extends QueryParameters = QueryParameters,
  Body extends z.ZodType = z.ZodType,
  Answered extends Answers = Answers,
> {
  /** Unique. Generated clients use it as name. */
  readonly id: Id;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /**
   * Segments in braces stand for any id; `{endpoint}` also for any name; `{route}`, the last one, for the
   * rest of the path.
   */
  readonly path: `/${string}`;
  readonly access: Opened;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly body?: JsonBody<Body>;
  /** A body that is sent anyway is read to its end and ignored. */
  readonly passesOverBody?: true;
  readonly answers: Answered;
  /** Codes of errors, besides those that follow from the path, the key, the query and the body. */
  readonly errors?: readonly ErrorCode[];
  /** For a GET that does more than read. Any other GET allows HEAD too. */
  readonly refusesHead?: true;
}

/** One operation of the server. */
export interface Operation<
  Id extends string = string,
  Query extends QueryParameters = QueryParameters,
  Body extends z.ZodType = z.ZodType,
  Answered extends Answers = Answers,
> extends Description<Id, Query, Body, Answered> {
  /** How often clients may call it; undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /**
   * Answers its calls: checks that the caller may call it, then runs its handler. A copy at another path or
   * method has the access and limit of the original, because this checks those of the original.
   */
  readonly serve: (context: HttpContext) => Route["handle"];
}

/** What a handler gets besides the call. */
export interface Given<Query extends QueryParameters, Body extends z.ZodType> {
  /** The parameters of the query, by name. Throws INVALID_QUERY. */
  readonly query: () => QueryOf<Query>;
  /** Reads the body. Throws INVALID_FIELD with the name of the first bad member, and what reading throws. */
  readonly body: () => Promise<z.output<Body>>;
}

/** The definition of an operation: its description and its handler. */
export interface Definition<
  Id extends string,
  Query extends QueryParameters,
  Body extends z.ZodType,
  Answered extends Answers,
  ToHandler = Given<Query, Body>,
> extends Description<Id, Query, Body, Answered> {
  /** Parses, calls one verb of the engine and replies. It contains no rule. */
  readonly handle: (context: HttpContext, call: Call, given: ToHandler) => Reply | Promise<Reply>;
}

/**
 * An operation without a rate limit, whose handler itself checks the caller: for operations that anyone may
 * call, and the session of the console. Others are an `accountOperation`, `endpointOperation`,
 * `clientOperation` or `workerOperation`.
 */
export function operation<
  Id extends string,
  Query extends QueryParameters = NoQuery,
  Body extends z.ZodType = z.ZodNever,
  Answered extends Answers = Answers,
>(definition: Definition<Id, Query, Body, Answered>): Operation<Id, Query, Body, Answered> {
  const { handle } = definition;
  return {
    ...definition,
    rateLimit: undefined,
    serve: (context) => (call) => handle(context, call, givenOf(definition, context, call)),
  };
}

/** What a handler gets by its definition. */
export function givenOf<Query extends QueryParameters, Body extends z.ZodType>(
  definition: Pick<Description<string, Query, Body>, "id" | "query" | "body">,
  context: HttpContext,
  call: Call,
): Given<Query, Body> {
  const { id, query, body } = definition;
  return {
    query: () => queryOf(id, query, call),
    body() {
      if (body === undefined) throw new Error(`${id} is defined without a body`);
      return parseBody(context, call, body.schema);
    },
  };
}

/** The route of an operation on a server. */
export function routeOf(operation: Operation, context: HttpContext): Route {
  const { method, path } = operation;
  return { method, path, takesHead: takesHead(operation), handle: operation.serve(context) };
}

/** Whether its GET allows HEAD. A call of a worker does not: it is a sign of life. */
export function takesHead({ method, access, refusesHead }: Operation): boolean {
  return method === "GET" && access !== "worker" && refusesHead !== true;
}

/** The groups of operations, in the order of the document. */
export const TAGS = {
  jobs: "Submit jobs, and follow them to their end.",
  queue: "The queue of an endpoint.",
  history: "Find jobs on all endpoints, including finished jobs (docs/find-jobs.md).",
  openai: "The API of OpenAI: its clients work with the base URL `/v2/{endpoint}/openai/v1`.",
  endpoints: "Endpoints: a queue, and the workers behind it.",
  statistics: "Statistics of endpoints, and their current state.",
  webhooks: "Webhooks: calls when jobs end.",
  templates: "Templates: the image of workers and how to start it.",
  hosts: "Hosts: where workers run, and which worker has each GPU. For the operator.",
  registryLogins: "Registry logins: to pull private images.",
  keys: "API keys and their scopes.",
  accounts: "Accounts own endpoints, templates and keys. For the operator.",
  secrets: "The encryption of secrets at rest. For the operator.",
  server: "The server itself. Only the metrics need a key.",
  worker:
    "The protocol of workers, with a worker's token. `docs/worker-protocol.md` has its rules: " +
    "leases, proofs of receipt, denials.",
} as const;

export type Tag = keyof typeof TAGS;
