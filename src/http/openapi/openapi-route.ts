import { createHash } from "node:crypto";
import type { Dialect } from "../call.ts";
import { JSON_TYPE } from "../reply.ts";
import type { Route } from "../route.ts";
import { openApiDocument } from "./document.ts";

/** The OpenAPI document of the dialect that the path asks for, made when it is first asked for. */
export function openApiRoute(): Route {
  const made = new Map<Dialect, Made>();
  return {
    methods: ["GET"],
    path: "/openapi.json",
    handle({ request, dialect }) {
      let document = made.get(dialect);
      if (document === undefined) made.set(dialect, (document = make(dialect)));
      const { bytes, etag } = document;
      const headers = { ...JSON_TYPE, etag, "cache-control": "no-cache" };
      const known = request.headers.get("if-none-match")?.split(/\s*,\s*/) ?? [];
      if (known.includes(etag)) return { status: 304, headers, body: null };
      return { status: 200, headers, body: bytes };
    },
  };
}

interface Made {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

function make(dialect: Dialect): Made {
  const bytes = Buffer.from(JSON.stringify(openApiDocument(dialect)));
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
