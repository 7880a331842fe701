import type { HandlerFile } from "./find-handler.ts";
import { NO_HANDLER } from "./no-handler.ts";

/** Why the worker of a handler does not run, and what to do. */
export function brokenSentence({ name, language }: HandlerFile, how: string): string {
  if (language === "typescript" && how === `exit code ${NO_HANDLER}`) {
    return `${name} has no handler. Export one, as default or as handler, or call start of @forebay/worker.`;
  }
  if (how === "exit code 0") {
    return `${name} ended without taking a job. Let it start a worker: runpod.serverless.start(...).`;
  }
  return `${name} could not be started (${how}). Mend what is said above.`;
}
