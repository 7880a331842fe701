import { createHash } from "node:crypto";
import { z } from "zod";
import type { Dialect } from "../call.ts";
import { type Operation, operation } from "../operation.ts";
import { JSON_TYPE } from "../reply.ts";
import { openApiDocument } from "./document.ts";

/** The OpenAPI document of all operations, in the dialect of the path. It is created at the first request. */
export function openApiOperation(all: () => readonly Operation[]) {
  const made = new Map<Dialect, Made>();
  return operation({
    id: "openapi",
    method: "GET",
    path: "/openapi.json",
    access: "anyone",
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
    handle(_context, { request, dialect }) {
      let document = made.get(dialect);
      if (document === undefined) made.set(dialect, (document = make(all(), dialect)));
      const { bytes, etag } = document;
      const headers = { ...JSON_TYPE, etag, "cache-control": "no-cache" };
      const known = request.headers.get("if-none-match")?.split(/\s*,\s*/) ?? [];
      if (known.includes(etag)) return { status: 304, headers, body: null };
      return { status: 200, headers, body: bytes };
    },
  });
}

interface Made {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

function make(operations: readonly Operation[], dialect: Dialect): Made {
  const bytes = Buffer.from(JSON.stringify(openApiDocument(operations, dialect)));
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
