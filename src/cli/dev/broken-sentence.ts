import type { HandlerFile } from "./find-handler.ts";
import { NO_HANDLER } from "./no-handler.ts";

/** Why the worker of a handler does not run, and what to do. */
export function brokenSentence({ name, language }: HandlerFile, how: string): string {
  if (language === "typescript" && how === `exit code ${NO_HANDLER}`) {
    return `${name} has no handler. Export one, as default or as handler, or call start of @forebay/worker.`;
  }
  if (how === "exit code 0") {
    const advice = 'End it with runpod.serverless.start({"handler": …}).';
    return `${name} has no handler: it ended without starting a worker. ${advice}`;
  }
  return `${name} could not be started (${how}). Fix the error above.`;
}
