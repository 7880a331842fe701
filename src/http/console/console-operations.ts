import { ForebayError } from "../../domain/errors.ts";
import { operation } from "../operation.ts";
import { ASSETS, bundleOf, type ConsoleBundle } from "./console-bundle.ts";

/** Created at the first request, and kept. */
let bundle: Promise<ConsoleBundle> | undefined;

const frame = operation({
  id: "console",
  method: "GET",
  path: "/console",
  access: "anyone",
  tag: "server",
  summary: "The console: the page at which people see their queue and steer it",
  answers: { 200: { description: "Its frame.", mediaType: "text/html" } },
  async handle() {
    const headers = { ...SAFE, "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" };
    return { status: 200, headers, body: frameOf(await bundled()) };
  },
});

const asset = operation({
  id: "consoleAsset",
  method: "GET",
  path: "/console/assets/{asset}",
  access: "anyone",
  tag: "server",
  summary: "The console: its script and style",
  answers: {
    200: { description: "A part of it, by a name that its frame tells.", mediaType: "text/javascript" },
  },
  async handle(_context, { request, parameters: [name = ""] }) {
    const found = (await bundled()).assets.get(name);
    if (found === undefined) throw new ForebayError("ROUTE_NOT_FOUND", `There is no path ${ASSETS}${name}.`);
    const headers = { ...SAFE, "content-type": found.mediaType, ...KEPT };
    const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    if (!takesGzip) return { status: 200, headers, body: found.bytes };
    return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: found.gzipped };
  },
});

/** The page for people to see and manage their queue: static files, which need no key. */
export const CONSOLE_OPERATIONS = [frame, asset] as const;

async function bundled(): Promise<ConsoleBundle> {
  try {
    return await (bundle ??= load());
  } catch (error) {
    bundle = undefined;
    throw error;
  }
}

async function load(): Promise<ConsoleBundle> {
  const { consoleFiles } = await import("./console-files.ts");
  return bundleOf(await consoleFiles(ASSETS));
}

/** Cached for ever: a name never stands for another content. */
const KEPT = { "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" } as const;

/**
 * Only scripts, styles and calls of this server; no other page shows this one in a frame; and no function of
 * the browser turns text into a script or HTML (threat T7).
 */
const SAFE = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** Two waterfalls and a pool. */
const ICON =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" ' +
      'fill="#0a6475"/><path d="M7 20c3-3 6-3 9 0s6 3 9 0M7 25c3-3 6-3 9 0s6 3 9 0M11 7v7M21 7v7" ' +
      'fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>',
  );

function frameOf({ script, style }: ConsoleBundle): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Forebay</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${ASSETS}${style}">
<script type="module" src="${ASSETS}${script}"></script>
</head>
<body><noscript>The console needs JavaScript. The API and the command line do not.</noscript></body>
</html>
`;
}
