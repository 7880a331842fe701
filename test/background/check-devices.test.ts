import { expect, test } from "bun:test";
import { fleetWorkers } from "../../src/background/fleet-workers.ts";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { createTemplate } from "../../src/engine/records/templates.ts";
import { fixedHosts, localHost } from "../../src/fleet/hosts.ts";
import type { Provider, WorkerExit } from "../../src/fleet/provider.ts";
import { cardsOf } from "../support/gpu-inventories.ts";
import { TestEngine } from "../support/test-engine.ts";
import { until } from "../support/until.ts";

test("a worker that runs with other GPUs than the ledger says is stopped, with an error", async () => {
  const on = await TestEngine.start(undefined, "test", () => true);
  const running = new Map<string, readonly string[]>();
  const workers = fleetWorkers(
    on.engine,
    fixedHosts(localHost(providerOn(running), { gpus: () => cardsOf(2) })),
    () => "http://server",
  );
  const template = { ...TEMPLATE_DEFAULTS, name: "template", imageName: "process/wait" };
  const { id: templateId } = await createTemplate(on.engine, DEFAULT_ACCOUNT.id, template);
  const given = { name: "endpoint", templateId, gpuCount: 1 };
  const endpoint = await createEndpoint(on.engine, DEFAULT_ACCOUNT.id, given);
  await workers.start(endpoint);
  await workers.start(endpoint);
  await until("both run", () => running.size === 2);
  await workers.tidy();
  expect(running.size).toBe(2);

  const [right = "", wrong = ""] = running.keys();
  running.set(wrong, running.get(right) ?? []);
  await workers.tidy();
  await until("it is stopped", () => running.size === 1);
  await workers.settleExits();
  expect((await on.engine.store.allocations()).map(({ worker }) => worker)).toEqual([right]);
  const told = { worker: wrong, ledger: "GPU-1", running: "GPU-0" };
  expect(on.log.errors.map(({ fields }) => fields)).toEqual([told]);
  on.log.entries.splice(0);
  await on.stop();
});

/** A provider that remembers the GPUs of its workers, as a Docker Engine does. */
function providerOn(running: Map<string, readonly string[]>): Provider {
  let onExit: (exit: WorkerExit) => void = () => undefined;
  return {
    name: "process",
    outlivesServer: false,
    devices: running,
    refusal: () => undefined,
    hasImage: async () => true,
    async start({ worker, gpus = [] }) {
      running.set(
        worker,
        gpus.map(({ uuid }) => uuid),
      );
      return { pinnedImage: undefined };
    },
    async stop(worker) {
      if (running.delete(worker)) onExit({ worker, how: "exit code 0", lastLines: [] });
    },
    list: async () => [...running.keys()],
    onExit(listener) {
      onExit = listener;
    },
    kept: async () => [],
    forget: async () => undefined,
    close: async () => undefined,
  };
}
