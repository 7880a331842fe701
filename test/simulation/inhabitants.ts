import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { digestOf } from "../../src/engine/digest.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createDefaultAccount } from "../../src/engine/records/accounts.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { putRecord } from "../../src/engine/records/put-record.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { ExchangeWorker } from "./exchange-worker.ts";
import { SdkWorker } from "./sdk-worker.ts";
import type { SimulatedWorker } from "./worker.ts";
import type { World } from "./world.ts";

/** A token that ends in "many" is shared. */
const TOKENS = ["wsdk0", "wexchange0", "wbatch0", "wsdk1", "wmany1"];

/**
 * Two endpoints. On the first one jobs have all the time that they need, and stay; on the second one they run
 * out of time and go. Ids and tokens are given: a random one could change the order of things.
 */
export async function createEndpoints(engine: Engine): Promise<void> {
  await createDefaultAccount(engine);
  const common = { rateLimits: RAISED_LIMITS };
  await createEndpoint(engine, DEFAULT_ACCOUNT.id, { id: "e0", name: "steady", ...common });
  const hasty = { executionTimeoutMs: 20_000, runRetentionMs: 15_000, runsyncRetentionMs: 15_000 };
  await createEndpoint(engine, DEFAULT_ACCOUNT.id, { id: "e1", name: "hasty", ...common, ...hasty });
  for (const id of TOKENS) {
    await putRecord(engine, "worker", {
      id,
      account: DEFAULT_ACCOUNT.id,
      endpoint: id.endsWith("1") ? "e1" : "e0",
      many: id === "wmany1",
      managed: false,
      digest: digestOf(tokenOf(id)),
    });
  }
}

export function createWorkers(world: World): readonly SimulatedWorker[] {
  const parts = (endpoint: string, id: string, token = id) => ({
    endpoint,
    id,
    token: tokenOf(token),
    name: token === id ? id : `${token}-${id}`,
  });
  return [
    new SdkWorker(world, parts("e0", "wsdk0"), false, 1),
    new ExchangeWorker(world, parts("e0", "wexchange0")),
    new SdkWorker(world, parts("e0", "wbatch0"), false, 3),
    new SdkWorker(world, parts("e1", "wsdk1"), false, 2),
    new SdkWorker(world, parts("e1", "silent1", "wmany1"), true, 1),
    new SdkWorker(world, parts("e1", "silent2", "wmany1"), true, 2),
  ];
}

function tokenOf(id: string): string {
  return `fbw_${id}`;
}
