import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { type Handler, start } from "@forebay/worker";
import * as worker from "@forebay/worker";
import * as client from "@forebay/worker/client";

/**
 * Runs a handler in TypeScript or JavaScript. If the file starts a worker itself, it is the program;
 * otherwise a worker runs its export. `onMissing` is called if the file does neither. `file` is absolute.
 */
export async function runFile(file: string, onMissing: () => void): Promise<void> {
  // The handler sees itself as the program, without our arguments.
  process.argv.splice(1, Infinity, file);
  // Every worker listens for the signal that ends it.
  let hasStarted = false;
  process.on("newListener", (event: string) => {
    if (event === "SIGTERM") hasStarted = true;
  });
  provideLibrary(dirname(file));
  const handler = handlerOf(await load(file));
  if (handler === undefined) {
    // A worker keeps the process running.
    process.on("beforeExit", () => {
      if (!hasStarted) onMissing();
    });
  } else if (!hasStarted) {
    await start({ handler, return_aggregate_stream: true });
  }
}

async function load(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    // Shows the place in the source, which the stack of a syntax error lacks.
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

const LIBRARY = { "@forebay/worker": worker, "@forebay/worker/client": client };

/**
 * Lets a handler import the worker library without installing it. If the handler's project has installed the
 * library, that version is used.
 */
export function provideLibrary(directory: string): void {
  const missing = Object.entries(LIBRARY).filter(([name]) => !isInstalled(name, directory));
  Bun.plugin({
    name: "forebay worker library",
    setup(build) {
      for (const [name, exports] of missing) build.module(name, () => ({ exports, loader: "object" }));
    },
  });
}

function isInstalled(name: string, directory: string): boolean {
  try {
    Bun.resolveSync(name, directory);
    return true;
  } catch (error) {
    if (error instanceof ResolveMessage) return false;
    throw error;
  }
}
