import { closeSync, openSync, readSync, statSync } from "node:fs";
import { extname } from "node:path";

/** The call that starts a worker, in each language of the worker SDKs. */
const STARTS_WORKER: Readonly<Record<string, RegExp>> = {
  py: /\brunpod\s*\.\s*serverless\b|\bfrom\s+runpod\s+import\b[^\n]*\bserverless\b/,
  js: /["']@forebay\/worker["']/,
};

const LANGUAGES: Readonly<Record<string, string>> = {
  ".py": "py",
  ".ts": "js",
  ".mts": "js",
  ".cts": "js",
  ".tsx": "js",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
};

/** A program imports what it uses within its first bytes. */
const LOOKED = 262_144;

/**
 * The script in a command that starts a worker itself, with a worker SDK. Undefined: its text shows none, so
 * it runs one job and exits.
 */
export function workerScript(words: readonly string[]): string | undefined {
  const script = words.find((word) => extname(word) in LANGUAGES && isFile(word));
  const pattern = script === undefined ? undefined : STARTS_WORKER[LANGUAGES[extname(script)] ?? ""];
  return script !== undefined && pattern?.test(beginningOf(script)) === true ? script : undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function beginningOf(path: string): string {
  const bytes = Buffer.alloc(LOOKED);
  const file = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(file, bytes)).toString();
  } finally {
    closeSync(file);
  }
}
