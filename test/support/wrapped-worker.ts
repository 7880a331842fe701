import { join } from "node:path";
import { ChildWorker } from "./child-worker.ts";
import type { TestClient } from "./test-client.ts";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");

/**
 * `forebay worker` with these arguments; it knows the server and the key of the test. In a directory, if one
 * is given: its jobs then have theirs in `jobs` below it.
 */
export function wrappedWorker(server: TestClient, args: readonly string[], directory?: string): ChildWorker {
  const jobs = directory === undefined ? {} : { TMPDIR: join(directory, "jobs") };
  const environment = { ...server.env, ...jobs };
  return new ChildWorker([process.execPath, MAIN, "worker", ...args], environment, directory);
}
