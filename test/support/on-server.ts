import type { TestClient } from "./test-client.ts";
import { TestWorker } from "./test-worker.ts";

/** The same worker, with its calls sent to another server. */
export function onServer(worker: TestWorker, from: TestClient, to: TestClient): TestWorker {
  const env = Object.entries(worker.env).map(([name, value]) => [name, value.replace(from.url, to.url)]);
  return new TestWorker(Object.fromEntries(env), worker.id);
}
