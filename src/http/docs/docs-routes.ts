import type { Route } from "../route.ts";
import type { PageFile, PagePath } from "./page-files.ts";

/** The page that shows the OpenAPI document and sends calls: static files, which need no key. */
export function docsRoutes(): Route[] {
  return PATHS.map((path) => {
    let file: Promise<PageFile> | undefined;
    return {
      methods: ["GET"],
      path,
      async handle({ request }) {
        const { mediaType, bytes, gzipped } = await (file ??= load(path));
        const headers = { ...SAFE, "content-type": `${mediaType}; charset=utf-8` };
        const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
        if (!takesGzip || gzipped === undefined) return { status: 200, headers, body: bytes };
        return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: gzipped };
      },
    };
  });
}

const PATHS: readonly PagePath[] = [
  "/docs",
  "/docs/page.css",
  "/docs/page.js",
  "/docs/curl-line.js",
  "/docs/swagger-ui.css",
  "/docs/swagger-ui.js",
];

/** The texts have 2 MB, so they are loaded at the first request. */
async function load(path: PagePath): Promise<PageFile> {
  const { pageFile } = await import("./page-files.ts");
  return pageFile(path);
}

/** Scripts, styles and calls only from this server: nothing inline, no `eval`, no frame around it. */
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
