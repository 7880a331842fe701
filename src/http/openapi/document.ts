import { RATE_WINDOW } from "../../domain/rate-limits.ts";
import packageRecord from "../../../package.json" with { type: "json" };
import type { Dialect } from "../call.ts";
import { type Json, type Opened, type Operation, type SuccessAnswer, TAGS } from "../operation.ts";
import { errorShapeOf } from "../error-shapes.ts";
import type { Parameter } from "../parameters.ts";
import { Components, type JsonSchema } from "./components.ts";
import { ERROR_SCHEMAS } from "./error-schemas.ts";
import { codesOf, errorAnswers, errorExamples } from "./error-answers.ts";

/** The text above all operations, in Markdown. */
const INTRODUCTION = `Forebay is a serverless job queue. Submit a job to an endpoint with \`run\` or
\`runsync\`; a worker takes it, and its result comes back by \`runsync\`, \`status\` or \`stream\`.

**Keys.** Send \`Authorization: Bearer <key>\`, or the key as it is. A key has scopes, each containing
those before it: read, write, manage, admin; every operation names the one that it needs. Workers have
tokens of their own.

**Endpoints** stand in a path by their id or their name. **Bodies** are JSON, whatever content type they have.
HEAD works wherever GET only reads.

**Errors** are JSON: what was wrong and what to do, a \`code\`, and the status. 429 and 503 tell in
\`Retry-After\` when to try again. A path with another method is answered 405 \`METHOD_NOT_ALLOWED\`, any
other path 404 \`ROUTE_NOT_FOUND\`. Only the runtime's own refusals of malformed HTTP (400, 413, 431, 505)
have no body.

**Dialects.** Every path is there a second time under \`/sdk\`, where \`stream\` answers an object, a
running job shows its last progress value as \`output\`, and templates have \`isRunpod\`: what the public
SDKs expect. \`/sdk/openapi.json\` describes it.`;

/** The OpenAPI 3.1 document of these operations, in a dialect: what their definitions say. */
export function openApiDocument(operations: readonly Operation[], dialect: Dialect): object {
  const components = new Components();
  const paths = Object.fromEntries(
    [...Map.groupBy(operations, ({ path }) => path)].map(([path, ofPath]) => [
      path,
      {
        parameters: pathParameters(path),
        ...Object.fromEntries(
          ofPath.map((operation) => [
            operation.method.toLowerCase(),
            described(operation, dialect, components),
          ]),
        ),
      },
    ]),
  );
  return {
    openapi: "3.1.1",
    info: {
      title: "Forebay",
      version: packageRecord.version,
      summary: "A serverless job queue",
      description: INTRODUCTION,
    },
    servers: [
      dialect === "sdk"
        ? { url: "/sdk", description: "The dialect of the public SDKs." }
        : {
            url: "/",
            description: "This server. `/sdk/openapi.json` describes the dialect of the public SDKs.",
          },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...components.schemas, ...ERROR_SCHEMAS },
      examples: errorExamples(),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function described(operation: Operation, dialect: Dialect, components: Components): object {
  const { id, path, access, tag, summary, query = {}, headers = {}, body, answers } = operation;
  const limit = operation.rateLimit;
  const limitHeaders = limit === undefined ? {} : RATE_LIMIT_HEADERS;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    parameters: [...parameters("query", query), ...parameters("header", headers)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.isRequired,
            content: content(body, components.add(body.schema, "input")),
          },
        }),
    responses: {
      ...errorAnswers(codesOf(operation), errorShapeOf(path)),
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          success(answer, dialect, limitHeaders, components),
        ]),
      ),
    },
    security: securityOf(access),
    ...(limit === undefined ? {} : { "x-rate-limit": { ...limit, within: RATE_WINDOW } }),
  };
}

function success(
  answer: SuccessAnswer,
  dialect: Dialect,
  limitHeaders: object,
  components: Components,
): object {
  const { description, json, mediaType, headers = {} } = answer;
  const shown = json === undefined || "schema" in json ? json : json[dialect];
  const all = {
    ...Object.fromEntries(
      Object.entries(headers).map(([name, { description, schema, isOfJsonAlone = false }]) => [
        name,
        { description, required: !isOfJsonAlone, schema },
      ]),
    ),
    ...limitHeaders,
  };
  return {
    description,
    ...(Object.keys(all).length === 0 ? {} : { headers: all }),
    ...(shown === undefined && mediaType === undefined
      ? {}
      : {
          content: {
            ...(shown === undefined ? {} : content(shown, components.add(shown.schema, "output"))),
            ...(mediaType === undefined ? {} : { [mediaType]: { schema: SCHEMAS_OF[mediaType] ?? TEXT } }),
          },
        }),
  };
}

const TEXT = { type: "string" };

/** For Server-Sent Events this is the schema of one event. */
const SCHEMAS_OF: Readonly<Record<string, object>> = {
  "application/x-tar": { type: "string", format: "binary" },
  "text/event-stream": { type: "object", properties: { data: TEXT, event: TEXT, id: TEXT } },
};

function content({ example }: Json, schema: JsonSchema): object {
  return { "application/json": { schema, example } };
}

function parameters(place: "query" | "header", all: Readonly<Record<string, Parameter>>): object[] {
  return Object.entries(all).map(([name, { description, schema }]) => ({
    name,
    in: place,
    description,
    schema,
  }));
}

/** The parameters in braces. */
function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    Object.assign({ name, in: "path", required: true }, PATH_PARAMETERS[name] ?? idNamed(name)),
  );
}

function idNamed(name: string): object {
  return {
    description: `The id of the ${name}.`,
    schema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,128}$" },
  };
}

/** The parameters that are not ids. */
const PATH_PARAMETERS: Readonly<Record<string, object>> = {
  endpoint: {
    description: "The id of the endpoint, or its name, percent-encoded. An id goes before a name.",
    schema: { type: "string", minLength: 1, maxLength: 191, pattern: "^[^\\u0000]*$" },
  },
  route: {
    description: "A path of OpenAI, such as `v1/chat/completions`.",
    schema: { type: "string", pattern: "^[A-Za-z0-9_.~:@+,=-]+(/[A-Za-z0-9_.~:@+,=-]+)*$" },
  },
  version: { description: "The version of the release.", schema: { type: "integer", minimum: 1 } },
};

const RATE_LIMIT_HEADERS = {
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
  RateLimit: { $ref: "#/components/headers/RateLimit" },
};

const HEADERS = {
  RateLimitPolicy: header("The limit: `q` requests within `w` s.", '"run";q=1000;w=10'),
  RateLimit: header("What is left: `r` more within the next `t` s.", '"run";r=993;t=4'),
  RetryAfter: {
    description: "After how many seconds the call may go well.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
};

function header(description: string, example: string): object {
  return { description, required: true, schema: { type: "string" }, example };
}

const SECURITY_SCHEMES = {
  bearerKey: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer <key>`." },
  rawKey: { type: "apiKey", in: "header", name: "Authorization", description: "An API key as it is." },
  workerToken: {
    type: "http",
    scheme: "bearer",
    description: "The token of a worker, of its endpoint only.",
  },
  rawWorkerToken: { type: "apiKey", in: "header", name: "Authorization", description: "The same as it is." },
};

/** Any one of these forms; a key needs the scope. */
function securityOf(opened: Opened): object[] {
  if (opened === "anyone") return [];
  if (opened === "worker") return [{ workerToken: [] }, { rawWorkerToken: [] }];
  return [{ bearerKey: [opened] }, { rawKey: [opened] }];
}
