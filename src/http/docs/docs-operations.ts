import { operation } from "../operation.ts";
import type { PageFile, PagePath } from "./page-files.ts";

/** The page that shows the OpenAPI document and sends calls: static files, which need no key. */
export const DOCS_OPERATIONS = [
  pageOperation("docs", "/docs", "its frame", "text/html"),
  pageOperation("docsStyle", "/docs/page.css", "its style", "text/css"),
  pageOperation("docsScript", "/docs/page.js", "its script", "text/javascript"),
  pageOperation("docsCurlLine", "/docs/curl-line.js", "a part of its script", "text/javascript"),
  pageOperation("docsSwaggerStyle", "/docs/swagger-ui.css", "the style of Swagger UI", "text/css"),
  pageOperation("docsSwaggerScript", "/docs/swagger-ui.js", "the script of Swagger UI", "text/javascript"),
] as const;

function pageOperation<Id extends string>(id: Id, path: PagePath, what: string, mediaType: string) {
  let file: Promise<PageFile> | undefined;
  return operation({
    id,
    method: "GET",
    path,
    access: "anyone",
    tag: "server",
    summary: `The API page: ${what}`,
    answers: { 200: { description: what, mediaType } },
    async handle(_context, { request }) {
      const { mediaType: type, bytes, gzipped } = await (file ??= load(path));
      const headers = { ...SAFE, "content-type": `${type}; charset=utf-8` };
      const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
      if (!takesGzip || gzipped === undefined) return { status: 200, headers, body: bytes };
      return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: gzipped };
    },
  });
}

/** The texts have 2 MB, so they are loaded at the first request. */
async function load(path: PagePath): Promise<PageFile> {
  const { pageFile } = await import("./page-files.ts");
  return pageFile(path);
}

/** Only scripts, styles and calls of this server: nothing inline, no `eval`, no frame around it. */
const SAFE = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
  vary: "accept-encoding",
} as const;
