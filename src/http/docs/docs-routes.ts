import type { ACCESS } from "../access.ts";
import type { Reply } from "../reply.ts";
import type { Route } from "../route.ts";
import element from "./page/element.js" with { type: "text" };
import operationView from "./page/operation-view.js" with { type: "text" };
import style from "./page/page.css" with { type: "text" };
import frame from "./page/page.htm" with { type: "text" };
import script from "./page/page.js" with { type: "text" };
import schemaTree from "./page/schema-tree.js" with { type: "text" };
import tryIt from "./page/try-it.js" with { type: "text" };

/** The page that shows the OpenAPI document and lets one try it: static files, which need no key. */
export function docsRoutes(): Route[] {
  return Object.entries(FILES).map(([path, [mediaType, text]]) => {
    const headers = { ...SAFE, "content-type": `${mediaType}; charset=utf-8` };
    const handle = (): Reply => ({ status: 200, headers, body: text });
    return { methods: ["GET"], path: pathOf(path), handle };
  });
}

type PagePath = Extract<keyof typeof ACCESS, `/docs${string}`>;

const SCRIPT = "text/javascript";

/** By path: the media type of a file, and its text, which is a part of the program. */
const FILES: Readonly<Record<PagePath, readonly [mediaType: string, text: string]>> = {
  "/docs": ["text/html", frame],
  "/docs/page.css": ["text/css", style],
  "/docs/page.js": [SCRIPT, script],
  "/docs/element.js": [SCRIPT, element],
  "/docs/operation-view.js": [SCRIPT, operationView],
  "/docs/schema-tree.js": [SCRIPT, schemaTree],
  "/docs/try-it.js": [SCRIPT, tryIt],
};

/** Nothing runs, and nothing is asked, but what comes from this server; nobody frames it. */
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
} as const;

function pathOf(path: string): Route["path"] {
  return `/${path.slice(1)}`;
}
