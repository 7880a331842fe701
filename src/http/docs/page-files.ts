import { promisify } from "node:util";
import { gzip } from "node:zlib";
import curlLine from "./page/curl-line.js" with { type: "text" };
import style from "./page/page.css" with { type: "text" };
import frame from "./page/page.htm" with { type: "text" };
import script from "./page/page.js" with { type: "text" };
import swaggerScript from "./vendor/swagger-ui-bundle.js" with { type: "text" };
import swaggerStyle from "./vendor/swagger-ui.css" with { type: "text" };

/** A file of the page, as bytes for browsers with and without gzip. */
export interface PageFile {
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Undefined for a small file, which is sent as it is. */
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
}

const SMALL = 10_000;
const SCRIPT = "text/javascript";

const TEXTS = {
  "/docs": ["text/html", frame],
  "/docs/page.css": ["text/css", style],
  "/docs/page.js": [SCRIPT, script],
  "/docs/curl-line.js": [SCRIPT, curlLine],
  "/docs/swagger-ui.css": ["text/css", swaggerStyle],
  "/docs/swagger-ui.js": [SCRIPT, swaggerScript],
} as const;

export type PagePath = keyof typeof TEXTS;

/** Compresses a file of the page, outside the main thread. */
export async function pageFile(path: PagePath): Promise<PageFile> {
  const [mediaType, text] = TEXTS[path];
  const bytes = new TextEncoder().encode(text);
  const isSmall = bytes.length < SMALL;
  const gzipped = isSmall ? undefined : new Uint8Array(await promisify(gzip)(bytes, { level: 9 }));
  return { mediaType, bytes, gzipped };
}
