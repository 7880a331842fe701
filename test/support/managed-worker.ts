import type { WorkerPlace } from "../../src/domain/worker.ts";
import { createWorkerToken, type WorkerKind } from "../../src/engine/records/worker-tokens.ts";
import { workerEnvironment } from "../../src/engine/worker-environment.ts";
import type { TestServer } from "./test-server.ts";
import { TestWorker } from "./test-worker.ts";

/** Its workers send no heartbeats by themselves. ms */
const PING_INTERVAL = 10_000;

/**
 * A worker of the test, with the record of one that Forebay has started on this host, of version 3 of the
 * endpoint. It has a provider that the server does not have, so that nobody ends it.
 */
export async function managedWorker(
  { forebay, url }: TestServer,
  endpoint: string,
  { host, gpus }: WorkerPlace,
): Promise<TestWorker> {
  const { engine } = forebay;
  const record = engine.configuration.get("endpoint", endpoint);
  if (record === undefined) throw new Error(`there is no endpoint ${endpoint}`);
  const devices = gpus.map(({ uuid }) => ({ device: uuid, card: uuid }));
  const kind: WorkerKind = { many: false, managed: true, provider: "docker", version: 3, host, gpus };
  const created = await createWorkerToken(engine, record, { ...kind, allocation: { host, devices } });
  return new TestWorker(workerEnvironment(created, url, PING_INTERVAL), created.record.id);
}
