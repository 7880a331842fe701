import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { joinedArgs, splitArgs } from "../../src/domain/template.ts";
import type { Answer } from "../support/answer.ts";
import { TestServer } from "../support/test-server.ts";

const SCALING = { type: "QUEUE_DELAY", queueDelay: 4 };

describe("the management API v2", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(() => server.stop());

  const create = (fields: object, headers?: Record<string, string>): Promise<Answer> =>
    server.post("/v2/serverless", { name: "chat", type: "QUEUE", scaling: SCALING, ...fields }, headers);
  const change = (id: string, fields: object): Promise<Answer> =>
    server.call("PATCH", `/v2/serverless/${id}`, fields);
  const templates = async (): Promise<string[]> =>
    (await server.get("/v1/templates")).json.map(({ id }: { id: string }) => id);

  test("a creation is answered 201, a deletion 204, everything else 200", async () => {
    const { status, json } = await create({ image: "team/worker:1" });
    expect(status).toBe(201);
    expect((await server.get(`/v2/serverless/${json.id}`)).status).toBe(200);
    expect((await server.call("DELETE", `/v2/serverless/${json.id}`)).status).toBe(204);
  });

  test("an endpoint with an image has a template of its own, which goes with it", async () => {
    const { json: made } = await create({ image: "team/worker:1", disk: 20 });
    const [own = ""] = await templates();
    expect((await server.get(`/v1/endpoints/${made.id}`)).json.templateId).toBe(own);
    expect((await server.get("/v2/templates")).json.templates).toEqual([]);
    await change(made.id, { image: "team/worker:2" });
    const [next = "", ...others] = await templates();
    expect(others).toEqual([]);
    expect(next).not.toBe(own);
    expect((await server.get(`/v2/serverless/${made.id}`)).json).toMatchObject({
      image: "team/worker:2",
      disk: 20,
    });
    await server.call("DELETE", `/v2/serverless/${made.id}`);
    expect(await templates()).toEqual([]);
  });

  test("a template in use by another endpoint stays when its owner goes", async () => {
    const { json: made } = await create({ image: "team/worker:1" });
    const [own = ""] = await templates();
    await server.post("/v1/endpoints", { name: "other", templateId: own });
    await server.call("DELETE", `/v2/serverless/${made.id}`);
    expect(await templates()).toEqual([own]);
  });

  test("a refused creation or change leaves no template", async () => {
    await create({ image: "team/worker:1" });
    const before = await templates();
    expect((await create({ image: "team/worker:2" })).json.code).toBe("NAME_TAKEN");
    const { json: second } = await create({ name: "second", image: "team/worker:2" });
    const both = await templates();
    expect((await change(second.id, { name: "chat", image: "team/worker:3" })).json.code).toBe("NAME_TAKEN");
    expect(await templates()).toEqual(both);
    expect(both.length).toBe(before.length + 1);
    expect((await server.get(`/v2/serverless/${second.id}`)).json.image).toBe("team/worker:2");
  });

  test("with a template and container members, the endpoint gets a copy, with its variables", async () => {
    const fields = { name: "base", imageName: "team/worker:1", env: { A: "1", B: "2" } };
    const templateId = (await server.post("/v1/templates", fields)).json.id;
    const { json: linked } = await create({ templateId, env: { B: "3" } });
    expect(linked).toMatchObject({ templateId, image: "team/worker:1", env: { B: "3" } });
    const { json: copied } = await create({ name: "copy", templateId, disk: 10, env: { B: "3" } });
    expect(copied).toMatchObject({ image: "team/worker:1", disk: 10, env: { A: "1", B: "3" } });
    expect(copied.templateId).toBeUndefined();
    await server.call("PATCH", `/v1/templates/${templateId}`, { imageName: "team/worker:2" });
    expect((await server.get(`/v2/serverless/${linked.id}`)).json.image).toBe("team/worker:2");
    expect((await server.get(`/v2/serverless/${copied.id}`)).json.image).toBe("team/worker:1");
  });

  test("the hidden variables of another account's template are not copied", async () => {
    const secret = { name: "public", imageName: "team/worker:1", env: { TOKEN: "s3cr3t" }, isPublic: true };
    const templateId = (await server.post("/v1/templates", secret)).json.id;
    const stranger = await server.key("manage", { account: await server.account() });
    const refused = await create({ templateId, disk: 10 }, stranger);
    expect([refused.status, refused.json.code]).toEqual([422, "INVALID_FIELD"]);
    expect(refused.text).not.toContain("s3cr3t");
    const linked = await create({ templateId }, stranger);
    expect(linked.json).toMatchObject({ image: "team/worker:1", env: {} });
  });

  test("a key without the scope gets 403, an unknown member 422 with its name, as a problem", async () => {
    const reader = await server.key("read");
    const refused = await server.get("/v2/serverless", reader);
    expect([refused.status, refused.json.title]).toEqual([403, "Forbidden"]);
    const unknown = await create({ image: "team/worker:1", imageName: "team/worker:1" });
    const sentence = 'The body has an unknown member "imageName".';
    expect(unknown.status).toBe(422);
    expect(unknown.headers.get("content-type")).toBe("application/problem+json");
    expect(unknown.json).toEqual({
      title: "Unprocessable Content",
      status: 422,
      detail: sentence,
      errors: [sentence],
      error: sentence,
      code: "INVALID_FIELD",
    });
  });

  test.each([
    [{ type: "LOAD_BALANCER" }, "type"],
    [{ networkVolumes: ["vol-1"] }, "networkVolumes"],
    [{ gpu: { pools: ["NVIDIA L40S"], excludedTypes: ["NVIDIA L40"] } }, "gpu.excludedTypes"],
    [{ scaling: { type: "QUEUE_DELAY", requestCount: 1 } }, "scaling"],
    [{ gpu: { pools: ["ANY"] }, cpu: [{ id: "cpu", vcpuCount: 2 }] }, "cpu"],
    [{ image: undefined }, "image"],
  ])("%j is refused, and the sentence names %s", async (fields, named) => {
    const { status, json } = await create({ image: "team/worker:1", ...fields });
    expect(status).toBe(422);
    expect(json.detail).toStartWith(`${named}: `);
  });

  test("the compute of an endpoint cannot change from CPUs to GPUs, or back", async () => {
    const { json: cpus } = await create({ image: "a", cpu: [{ id: "cpu5c", vcpuCount: 2 }] });
    expect(cpus).toMatchObject({ gpu: null, cpu: [{ id: "cpu5c", vcpuCount: 2 }] });
    expect((await change(cpus.id, { gpu: { pools: ["ANY"] } })).json.detail).toStartWith("gpu: ");
    const { json: gpus } = await create({ name: "gpus", image: "a", gpu: { pools: ["ANY"], count: 2 } });
    expect(gpus.gpu).toMatchObject({ pools: ["ANY"], count: 2 });
    expect((await change(gpus.id, { cpu: [{ id: "cpu", vcpuCount: 2 }] })).json.detail).toStartWith("cpu: ");
    const { json: pinned } = await change(gpus.id, { gpu: { pools: ["NVIDIA L40S"] } });
    expect(pinned.gpu).toMatchObject({ pools: ["NVIDIA L40S"], count: 2 });
  });

  test.each(["pods", "clusters/x", "account/ssh-keys", "billing/serverless", "network-volumes"])(
    "/v2/%s is answered NOT_SUPPORTED, by every method",
    async (path) => {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        const { status, json } = await server.call(method, `/v2/${path}`);
        expect([status, json.code]).toEqual([404, "NOT_SUPPORTED"]);
      }
    },
  );

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "/v2/%s/x is an unknown path, because no object has such a member of its own",
    async (word) => {
      const { status, json } = await server.get(`/v2/${word}/x`);
      expect([status, json.code]).toEqual([404, "ROUTE_NOT_FOUND"]);
    },
  );

  test("any GPU or one of a type is any GPU", async () => {
    const { json } = await create({ image: "a", gpu: { pools: ["ANY", "NVIDIA L40S"] } });
    expect(json.gpu.pools).toEqual(["ANY"]);
    const { json: pinned } = await change(json.id, { gpu: { pools: ["NVIDIA L40S"] } });
    expect(pinned.gpu.pools).toEqual(["NVIDIA L40S"]);
    const { json: any } = await change(json.id, { gpu: { pools: ["NVIDIA L40S", "ANY"] } });
    expect(any.gpu.pools).toEqual(["ANY"]);
  });

  test("args have at most 1,000 words and 65,536 characters", async () => {
    expect((await create({ image: "a", args: "x ".repeat(1_000) })).status).toBe(201);
    const wordy = await create({ name: "wordy", image: "a", args: "x ".repeat(1_001) });
    expect([wordy.status, wordy.json.detail]).toEqual([422, "args: must have at most 1000 words."]);
    const long = await create({ name: "long", image: "a", args: "x".repeat(65_537) });
    expect([long.status, long.json.detail]).toEqual([422, "args: must have at most 65536 characters."]);
  });
});

test.each([
  ["python -u handler.py", ["python", "-u", "handler.py"]],
  [`sh -c 'a "b" $c'`, ["sh", "-c", 'a "b" $c']],
  [String.raw`a\ b "c \"d\" \n" ''`, ["a b", String.raw`c "d" \n`, ""]],
  ["  a   'not closed", ["a", "not closed"]],
  ["", []],
])("args %j are the words %j", (args, words) => {
  expect(splitArgs(args)).toEqual(words);
  expect(splitArgs(joinedArgs(words))).toEqual(words);
});
