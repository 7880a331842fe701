import type { z } from "zod";
import type { ErrorCode } from "../../domain/errors.ts";
import type { ACCESS } from "../access.ts";
import type { Dialect } from "../call.ts";

/** JSON that is sent or answered, and an example of it. */
export interface Json {
  readonly schema: z.ZodType;
  readonly example: unknown;
}

/** A parameter of the query, or a header; `schema` is JSON Schema. */
export interface Parameter {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface AnswerHeader extends Parameter {
  /** Events come without it. */
  readonly isOfJsonAlone?: true;
}

/** An answer that is no error. */
export interface Answer {
  readonly description: string;
  /** Left out where there is no body; by dialect where they differ. */
  readonly json?: Json | Readonly<Record<Dialect, Json>>;
  /** The media type of a body that is no JSON; beside `json`, the one that the caller can ask for. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, AnswerHeader>>;
}

/** What the OpenAPI document says of an operation beside what the table of access and its path tell. */
export interface OperationDescription {
  /** Unique; clients are generated with it as name. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly body?: Json & { readonly isRequired: boolean };
  /** A body that is sent all the same is read to its end. */
  readonly passesOverBody?: true;
  readonly answers: Readonly<Partial<Record<200 | 204 | 302 | 304 | 503, Answer>>>;
  /** Codes of errors beside those that follow from the path, the key, the query and the body. */
  readonly errors?: readonly ErrorCode[];
}

/** The groups of operations, in the order of the document. */
export const TAGS = {
  jobs: "Submit jobs, and follow them to their end.",
  queue: "The queue of an endpoint.",
  openai: "The API of OpenAI: its clients work with the base URL `/v2/{endpoint}/openai/v1`.",
  endpoints: "Endpoints: a queue, and the workers behind it.",
  statistics: "What has happened on endpoints, and how it is with them now.",
  webhooks: "Webhooks: the calls that tell the ends of jobs.",
  templates: "Templates: what a worker is made of.",
  registryLogins: "Registry logins: with what private images are fetched.",
  keys: "API keys and their scopes.",
  accounts: "Accounts own endpoints, templates and keys. For the operator.",
  secrets: "The encryption of secrets at rest. For the operator.",
  server: "The server itself. Only the metrics need a key.",
  worker:
    "The protocol of workers, with a worker's token. `docs/worker-protocol.md` tells its rules: " +
    "leases, proofs of receipt, denials.",
} as const;

export type Tag = keyof typeof TAGS;

/** A description for each operation that there is: one that is missing, or too many, is a type error. */
export type Described<Path extends keyof typeof ACCESS = keyof typeof ACCESS> = {
  readonly [P in Path]: { readonly [Method in keyof (typeof ACCESS)[P]]: OperationDescription };
};
