import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { type Handler, start } from "@forebay/worker";
import { NO_HANDLER } from "./no-handler.ts";
import { provideLibrary } from "./provide-library.ts";

/** Every worker listens for the signal that ends it. */
let hasStarted = false;

/**
 * What `forebay dev` runs for a handler in TypeScript or JavaScript: the program if it starts a worker by
 * itself, or else a worker of what it exports.
 */
export async function runHandler(file: string): Promise<void> {
  // The handler is the program, with no arguments of ours.
  process.argv.splice(1, Infinity, file);
  provideLibrary(dirname(file));
  process.on("newListener", (event: string) => {
    if (event === "SIGTERM") hasStarted = true;
  });
  const handler = handlerOf(await load(file));
  if (handler === undefined) {
    // A worker, or whatever leads to one, keeps the process running.
    process.on("beforeExit", () => {
      if (!hasStarted) process.exit(NO_HANDLER);
    });
  } else if (!hasStarted) {
    await start({ handler, return_aggregate_stream: true });
  }
}

async function load(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    // With the place in the source, which the stack of a syntax error does not have.
    console.error(error);
    process.exit(1);
  }
}

/** The default export or the export `handler`, of a module of either kind. */
function handlerOf(exported: unknown): Handler | undefined {
  const byDefault = memberOf(exported, "default");
  return [byDefault, memberOf(exported, "handler"), memberOf(byDefault, "handler")].find(isHandler);
}

function memberOf(value: unknown, name: "default" | "handler"): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
