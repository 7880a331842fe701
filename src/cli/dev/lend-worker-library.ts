import { createRequire } from "node:module";
import { plugin } from "bun";
import { errorCode } from "../../domain/errors.ts";

const NAME = "@forebay/worker";
const CLIENT = "@forebay/worker/client";

/**
 * Lets a handler import the worker library that Forebay brings along if its project has not installed one:
 * npm puts that library below `node_modules/forebay`, where imports of the project do not look.
 */
export async function lendWorkerLibrary(file: string): Promise<void> {
  if (isInstalledFor(file)) return;
  const worker = await import("@forebay/worker");
  const modules = { [NAME]: worker, [CLIENT]: await import("@forebay/worker/client") };
  plugin({
    name: "the worker library of Forebay",
    setup(build) {
      for (const [name, exports] of Object.entries(modules)) {
        build.module(name, () => ({ exports, loader: "object" }));
      }
    },
  });
}

function isInstalledFor(file: string): boolean {
  try {
    createRequire(file).resolve(NAME);
    return true;
  } catch (error) {
    if (errorCode(error) === "MODULE_NOT_FOUND") return false;
    throw error;
  }
}
