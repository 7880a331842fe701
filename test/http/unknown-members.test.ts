import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Store } from "../../src/store/store.ts";
import { TestServer } from "../support/test-server.ts";

const SECRET = "a-member-that-nobody-knows";

let server: TestServer;
let endpoint: string;
let template: string;

beforeAll(async () => {
  server = await TestServer.start();
  ({ id: template } = (await server.post("/v1/templates", { name: "t", imageName: "process/hello" })).json);
  endpoint = await server.endpoint({ templateId: template, workersMax: 0 });
  await server.worker(endpoint);
  await server.registryLogin();
  await server.key("read");
  await server.account();
  await addMember(server.forebay.engine.store);
  await server.forebay.engine.configuration.refresh();
});
afterAll(() => server.stop());

/** As if a later version had stored more in every record. */
async function addMember(store: Store): Promise<void> {
  for (const { record } of await store.changesSince(0)) {
    if (record === undefined) continue;
    const body = JSON.stringify({ ...JSON.parse(record.body), addedLater: SECRET });
    const step = { step: "put", record: { ...record, version: record.version + 1, body } } as const;
    expect((await store.apply([step], server.forebay.engine.clock.now()))[0].outcome).toBe("written");
  }
}

test("a member that a record has and no answer names is shown nowhere", async () => {
  const { engine } = server.forebay;
  for (const kind of [
    "endpoint",
    "template",
    "key",
    "account",
    "registryLogin",
    "worker",
    "release",
  ] as const)
    expect(JSON.stringify(engine.configuration.all(kind))).toContain(SECRET);
  const job = await server.run(endpoint);
  const paths = [
    "/v1/endpoints?includeTemplate=true&includeWorkers=true",
    `/v1/endpoints/${endpoint}?includeTemplate=true&includeWorkers=true`,
    `/v1/endpoints/${endpoint}/releases`,
    `/v1/endpoints/${endpoint}/workers`,
    `/v1/endpoints/${endpoint}/webhooks`,
    `/v1/endpoints/${endpoint}/webhook-secret`,
    `/v1/endpoints/${endpoint}/statistics`,
    `/v1/endpoints/${endpoint}/jobs/${job}`,
    `/v2/${endpoint}/status/${job}`,
    `/v2/${endpoint}/requests`,
    `/v2/${endpoint}/health`,
    "/v1/statistics",
    "/v1/templates",
    "/sdk/v1/templates",
    `/v1/templates/${template}`,
    "/v1/containerregistryauth",
    "/v1/keys",
    "/v1/accounts",
    "/v1/hosts",
    "/v1/hosts/local",
    "/console/session",
    "/metrics",
  ];
  for (const path of paths) {
    const { status, text } = await server.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("addedLater");
  }
  const changed = [
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { workersMax: 1 }),
    await server.post(`/v1/templates/${template}/update`, { readme: "changed" }),
    await server.call("PATCH", `/v1/templates/${template}`, { isPublic: true }),
  ];
  for (const { status, text } of changed) expect([status, text.includes(SECRET)]).toEqual([200, false]);
  expect(JSON.stringify(server.log)).not.toContain(SECRET);
});
