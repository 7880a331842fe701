import type { z } from "zod";
import type { Json } from "./operation.ts";
import type { OPERATIONS } from "./operations.ts";
import type { QueryOf, QueryParameters } from "./parameters.ts";

// Types of what operations take and answer, by their ids, for the clients in this repository:
// `Body<"createKey">`, `Answer<"readEndpoint">`. They follow from the definitions, so a change that breaks a
// client fails the type check. Import them as types only: then nothing of the server is loaded.

type Defined = (typeof OPERATIONS)[number];

/** The id of an operation, as in the OpenAPI document (`operationId`). */
export type OperationId = Defined["id"];

type WithId<Id extends OperationId> = Extract<Defined, { readonly id: Id }>;

/** What a caller sends as JSON; never for an operation without a body. */
export type Body<Id extends OperationId> =
  WithId<Id> extends { readonly body?: { readonly schema: infer Schema extends z.ZodType } }
    ? z.input<Schema>
    : never;

/** The parameters of the query as they are read: numbers and booleans, not text. */
export type Query<Id extends OperationId> =
  WithId<Id> extends { readonly query?: infer Parameters extends QueryParameters }
    ? QueryOf<Parameters>
    : never;

/** The JSON of an answer with status 200, in the spec's own dialect; never where that is no JSON. */
export type Answer<Id extends OperationId> = WithId<Id>["answers"] extends {
  readonly 200: { readonly json: infer Shown };
}
  ? JsonOf<Shown>
  : never;

type JsonOf<Shown> =
  Shown extends Json<infer Schema>
    ? z.output<Schema>
    : Shown extends { readonly spec: Json<infer Schema> }
      ? z.output<Schema>
      : never;
