// The worker library of the Forebay under test, which BENCH_BUILD names.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const file = process.versions.bun === undefined ? "sdk/dist/index.js" : "sdk/src/index.ts";
export const { start } = await import(pathToFileURL(join(process.env.BENCH_BUILD, file)).href);
