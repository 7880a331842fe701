import * as worker from "@forebay/worker";
import * as client from "@forebay/worker/client";

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
