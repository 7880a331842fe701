import { z } from "zod";
import { SIGN_IN } from "../../console/session-routes.ts";
import { SESSION } from "../../answers/key.ts";
import { HEALTHY, NOT_READY, READY } from "../../answers/server.ts";
import type { Described, OperationDescription } from "../description.ts";

const DISK = "`disk` is the file system with the data directory of this server.";

const HEALTHZ: OperationDescription = {
  id: "healthz",
  tag: "server",
  summary: "Ask whether the process runs",
  answers: {
    200: {
      description: "It runs. The time is the one by which it counts deadlines.",
      json: HEALTHY,
    },
  },
};

const READYZ: OperationDescription = {
  id: "readyz",
  tag: "server",
  summary: "Ask whether the server takes requests",
  answers: {
    200: { description: `It does. ${DISK}`, json: READY },
    503: {
      description: `It is starting, it was told to stop, or its database does not answer. ${DISK}`,
      json: NOT_READY,
    },
  },
};

const OPENAPI: OperationDescription = {
  id: "openapi",
  tag: "server",
  summary: "This document",
  answers: {
    200: {
      description: "An OpenAPI 3.1 document.",
      json: {
        schema: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
        example: { openapi: "3.1.1", paths: {} },
      },
      headers: { ETag: { description: "Its version.", schema: { type: "string" } } },
    },
    304: { description: "The caller has it already (If-None-Match)." },
  },
};

const SET_COOKIE = {
  "Set-Cookie": { description: "The session, or its end.", schema: { type: "string" } },
} as const;

const METRICS: OperationDescription = {
  id: "metrics",
  tag: "server",
  summary: "What Prometheus scrapes",
  description:
    "In the text format of Prometheus, of all accounts. docs/metrics.md tells what each one means.",
  answers: { 200: { description: "The metrics.", mediaType: "text/plain" } },
};

/** A file of the page that shows the document. */
function file(id: string, what: string, mediaType: string): { readonly GET: OperationDescription } {
  const answers = { 200: { description: what, mediaType } };
  return { GET: { id, tag: "server", summary: `The API page: ${what}`, answers } };
}

/** Who signs in at the console, and out. */
const SESSION_OPERATIONS: Described<"/console/session">["/console/session"] = {
  POST: {
    id: "signIn",
    tag: "server",
    summary: "Begin a session of the console with a key",
    description: "The session is a cookie of this server's pages, for 12 hours. It opens what the key opens.",
    body: { schema: SIGN_IN, example: { key: "fbk_k2b7x9m4qd1s8f_…" }, isRequired: true },
    answers: { 200: { description: "What the key opens.", json: SESSION, headers: SET_COOKIE } },
    errors: ["KEY_UNKNOWN", "KEY_NOT_ALLOWED"],
  },
  GET: {
    id: "readSession",
    tag: "server",
    summary: "Ask what the key of a session opens",
    description: "Or of the `Authorization` header, as any call.",
    answers: { 200: { description: "What it opens.", json: SESSION } },
  },
  DELETE: {
    id: "signOut",
    tag: "server",
    summary: "End the session of the console",
    description:
      "The session ends on every server: here at once, on others that share the database within a second. " +
      "A copy of the cookie opens nothing any more.",
    answers: { 204: { description: "The session has ended.", headers: SET_COOKIE } },
    errors: ["KEY_NOT_ALLOWED"],
  },
};

/** What is of the server itself (docs/api.md, 4.C). */
export const SERVER_OPERATIONS = {
  "/": {
    GET: {
      id: "start",
      tag: "server",
      summary: "Go to the console",
      answers: {
        302: {
          description: "The console is at `Location`. The body names what else is here.",
          mediaType: "text/plain",
          headers: { Location: { description: "`/console`.", schema: { type: "string" } } },
        },
      },
    },
  },
  "/metrics": { GET: METRICS },
  "/healthz": { GET: HEALTHZ },
  "/readyz": { GET: READYZ },
  "/openapi.json": { GET: OPENAPI },
  "/docs": file("docs", "its frame", "text/html"),
  "/docs/page.css": file("docsStyle", "its style", "text/css"),
  "/docs/page.js": file("docsScript", "its script", "text/javascript"),
  "/docs/curl-line.js": file("docsCurlLine", "a part of its script", "text/javascript"),
  "/docs/swagger-ui.css": file("docsSwaggerStyle", "the style of Swagger UI", "text/css"),
  "/docs/swagger-ui.js": file("docsSwaggerScript", "the script of Swagger UI", "text/javascript"),
  "/console": {
    GET: {
      id: "console",
      tag: "server",
      summary: "The console: the page at which people see their queue and steer it",
      answers: { 200: { description: "Its frame.", mediaType: "text/html" } },
    },
  },
  "/console/assets/{asset}": {
    GET: {
      id: "consoleAsset",
      tag: "server",
      summary: "The console: its script and style",
      answers: {
        200: { description: "A part of it, by a name that its frame tells.", mediaType: "text/javascript" },
      },
    },
  },
  "/console/session": SESSION_OPERATIONS,
} as const satisfies Partial<Described>;
