import { beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { putRecord } from "../../src/engine/records/put-record.ts";
import { countRun } from "../../src/engine/records/template-uses.ts";
import { createWorkerToken, deleteWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { sharedServers } from "./shared-servers.ts";

const MINUTE = 60_000;

describe("templates and registry logins of two servers on one database", () => {
  const servers = sharedServers();
  let a: TestServer;
  let b: TestServer;
  beforeEach(async () => {
    a = await servers.start();
    b = await servers.start();
  });

  const named = (fields: object = {}) => ({
    name: crypto.randomUUID(),
    imageName: "team/worker:1",
    ...fields,
  });
  const template = async (): Promise<string> => (await a.post("/v1/templates", named())).json.id;
  const known = (path: string) => until("both know it", async () => (await b.get(path)).status === 200);

  /** Codes of a removal on one and of what needs the record on the other, both at once. */
  async function race(removed: string, needs: () => Promise<{ status: number; json: { code?: string } }>) {
    const [removal, put] = await Promise.all([b.call("DELETE", removed), needs()]);
    return [removal.json?.code ?? removal.status, put.json.code ?? put.status];
  }

  test("R30: a template deleted on one, an endpoint made of it on the other: one is refused", async () => {
    for (let n = 0; n < 10; n++) {
      const templateId = await template();
      const path = `/v1/templates/${templateId}`;
      await known(path);
      const codes = await race(path, () =>
        a.post("/v1/endpoints", { name: crypto.randomUUID(), templateId }),
      );
      expect([
        ["IN_USE", 200],
        [204, "TEMPLATE_NOT_FOUND"],
      ]).toContainEqual(codes);
    }
  });

  test("R30: a login deleted on one while a template names it on the other: one is refused", async () => {
    for (let n = 0; n < 10; n++) {
      const containerRegistryAuthId = await a.registryLogin();
      const path = `/v1/containerregistryauth/${containerRegistryAuthId}`;
      await known(path);
      const codes = await race(path, () => a.post("/v1/templates", named({ containerRegistryAuthId })));
      expect([
        ["IN_USE", 200],
        [204, "INVALID_FIELD"],
      ]).toContainEqual(codes);
    }
  });

  test("2.8 runtimeInMin: a run that two servers count is counted once", async () => {
    const id = await template();
    const [one, other] = [a.forebay.engine, b.forebay.engine];
    const fields = { name: crypto.randomUUID(), templateId: id };
    const endpoint = await createEndpoint(one, DEFAULT_ACCOUNT.id, fields);
    const now = one.clock.now();
    const minutes = async (server: TestServer) => (await server.get(`/v1/templates/${id}`)).json.runtimeInMin;
    const kind = { many: false, managed: true, provider: "docker", template: id };
    const run = async (engine: typeof one): Promise<string> => {
      const { record } = await createWorkerToken(engine, endpoint, kind);
      await putRecord(engine, "worker", { ...record, runsSince: now - 10 * MINUTE });
      return record.id;
    };
    for (let n = 1; n <= 5; n++) {
      const worker = await run(n % 2 === 0 ? one : other);
      await Promise.all([one, other].map((engine) => engine.configuration.refresh()));
      expect([await minutes(a), await minutes(b)]).toEqual([10 * n, 10 * n]);
      await Promise.all([one, other].map((engine) => countRun(engine, worker, now)));
      await deleteWorkerToken(one, worker);
      await Promise.all([one, other].map((engine) => engine.configuration.refresh()));
      expect([await minutes(a), await minutes(b)]).toEqual([10 * n, 10 * n]);
    }
    // At the same time, one worker on each.
    const [here, there] = [await run(one), await run(other)];
    await Promise.all([countRun(one, here, now), countRun(other, there, now)]);
    await Promise.all([one, other].map((engine) => engine.configuration.refresh()));
    expect([await minutes(a), await minutes(b)]).toEqual([70, 70]);
  });
});
