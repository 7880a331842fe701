import { RATE_LIMITS, RATE_WINDOW, MANAGEMENT_RATE_LIMIT, type RateLimit } from "../../domain/rate-limits.ts";
import packageRecord from "../../../package.json" with { type: "json" };
import { ACCESS, type Opened } from "../access.ts";
import type { Dialect } from "../call.ts";
import { Components, type JsonSchema } from "./components.ts";
import { type Answer, type Json, type OperationDescription, type Parameter, TAGS } from "./description.ts";
import { isOpenAiPath } from "../openai/openai-error.ts";
import { codesOf, ERROR_SCHEMA, errorAnswers, errorExamples, OPENAI_ERROR_SCHEMA } from "./error-answers.ts";
import { INTRODUCTION } from "./introduction.ts";
import { OPERATIONS } from "./operations.ts";

/** The OpenAPI 3.1 document of a dialect: what the schemas, the tables and the descriptions say. */
export function openApiDocument(dialect: Dialect): object {
  const components = new Components();
  const paths = Object.fromEntries(
    Object.entries(OPERATIONS).map(([path, methods]) => [
      path,
      {
        parameters: pathParameters(path),
        ...Object.fromEntries(
          Object.entries<OperationDescription>(methods).map(([method, description]) => [
            method.toLowerCase(),
            operation({ path, opened: openedOf(path, method), description, dialect }, components),
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
      schemas: { ...components.schemas, Error: ERROR_SCHEMA, OpenAiError: OPENAI_ERROR_SCHEMA },
      examples: errorExamples(),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

interface Described {
  readonly path: string;
  readonly opened: Opened;
  readonly description: OperationDescription;
  readonly dialect: Dialect;
}

function operation(described: Described, components: Components): object {
  const { path, opened, description, dialect } = described;
  const { id, tag, summary, query = {}, headers = {}, body, answers } = description;
  const limit = limitOf(path, opened);
  const limitHeaders = limit === undefined ? {} : RATE_LIMIT_HEADERS;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description.description === undefined ? {} : { description: description.description }),
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
      ...errorAnswers(codesOf(path, opened, description), isOpenAiPath(path)),
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          success(answer, dialect, limitHeaders, components),
        ]),
      ),
    },
    security: securityOf(opened),
    ...(limit === undefined ? {} : { "x-rate-limit": { ...limit, within: RATE_WINDOW } }),
  };
}

function openedOf(path: string, method: string): Opened {
  const rows: Readonly<Record<string, Readonly<Record<string, Opened>>>> = ACCESS;
  const opened = rows[path]?.[method];
  if (opened === undefined) throw new Error(`the table of access has no ${method} ${path}`);
  return opened;
}

function success(answer: Answer, dialect: Dialect, limitHeaders: object, components: Components): object {
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

/** Of Server-Sent Events the schema is that of one event. */
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

/** What stands in braces. */
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

/** Those that are no ids. */
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

/** Of the operation, or of the management API as a whole (docs/api.md, 8). */
function limitOf(path: string, opened: Opened): RateLimit | undefined {
  if (opened === "anyone" || opened === "worker") return undefined;
  if (path.startsWith("/v1/") || path === "/metrics") return MANAGEMENT_RATE_LIMIT;
  const limits: Readonly<Record<string, RateLimit>> = RATE_LIMITS;
  return limits[path.split("/")[3] ?? ""];
}

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

/** Any one of the forms; a key needs the scope named. */
function securityOf(opened: Opened): object[] {
  if (opened === "anyone") return [];
  if (opened === "worker") return [{ workerToken: [] }, { rawWorkerToken: [] }];
  return [{ bearerKey: [opened] }, { rawKey: [opened] }];
}
