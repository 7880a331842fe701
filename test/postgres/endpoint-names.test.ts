import { beforeEach, describe, expect, test } from "bun:test";
import { ManualClock } from "../support/manual-clock.ts";
import { pollOnce } from "../support/still-servers.ts";
import type { TestServer } from "../support/test-server.ts";
import { sharedServers } from "./shared-servers.ts";

describe("an endpoint's name on two servers", () => {
  const servers = sharedServers();
  let a: TestServer;
  let b: TestServer;
  beforeEach(async () => {
    const clock = new ManualClock();
    a = await servers.start({}, clock);
    b = await servers.start(servers.deaf(), clock);
  });

  const idOn = async (server: TestServer, name: string): Promise<string> => {
    const { json } = await server.get(`/v1/endpoints/${name}`);
    return json.id ?? json.code;
  };
  const health = async (name: string): Promise<number> => (await b.get(`/v2/${name}/health`)).status;

  test("works there at once when it is new: of a new endpoint, or after a rename", async () => {
    for (let round = 0; round < 5; round++) {
      const id = await a.endpoint({ name: `chat ${round}` });
      const job = await b.post(`/v2/chat%20${round}/run`, { input: {} });
      expect(job.status).toBe(200);
      expect(await a.status(id, job.json.id)).toMatchObject({ status: "IN_QUEUE" });
      await a.call("PATCH", `/v1/endpoints/${id}`, { name: `talk-${round}` });
      expect(await health(`talk-${round}`)).toBe(200);
      expect(await idOn(b, `talk-${round}`)).toBe(id);
    }
  });

  test("is followed at once by management, and forgotten by the queue with the next poll", async () => {
    const first = await a.endpoint({ name: "chat" });
    expect(await health("chat")).toBe(200);
    await a.call("PATCH", "/v1/endpoints/chat", { name: "old" });
    const second = await a.endpoint({ name: "chat" });
    expect(await idOn(b, "chat")).toBe(second);
    const job = (await b.post("/v2/chat/run", { input: {} })).json.id;
    expect((await a.get(`/v2/${second}/status/${job}`)).status).toBe(200);
    expect(await health(first)).toBe(200);

    expect((await a.call("DELETE", "/v1/endpoints/chat")).status).toBe(204);
    await pollOnce(b);
    expect(await health("chat")).toBe(404);
  });

  test("is given to one of two endpoints, however many ask for it on both", async () => {
    for (let round = 0; round < 10; round++) {
      const wish = { name: `wanted-${round}` };
      const answers = await Promise.all([a, b, a, b].map((server) => server.post("/v1/endpoints", wish)));
      const codes = answers.map(({ json }) => json.code ?? "made").toSorted();
      expect(codes).toEqual(["NAME_TAKEN", "NAME_TAKEN", "NAME_TAKEN", "made"]);
      const made = answers.find(({ status }) => status === 200)?.json.id;
      expect([await idOn(a, wish.name), await idOn(b, wish.name)]).toEqual([made, made]);
    }
  });

  test("opens nothing there to a key that is bound to another one", async () => {
    await a.endpoint({ name: "mine" });
    await a.endpoint({ name: "theirs" });
    const bound = await a.key("manage", { endpoints: ["mine"] });
    for (const server of [a, b]) {
      expect((await server.get("/v2/mine/health", bound)).status).toBe(200);
      expect((await server.get("/v2/theirs/health", bound)).json.code).toBe("ENDPOINT_NOT_FOUND");
    }
  });
});
