import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TestServer } from "../support/test-server.ts";

const EXAMPLE = join(import.meta.dir, "../../examples/vllm");
const read = (name: string): string => readFileSync(join(EXAMPLE, name), "utf8");

describe("examples/vllm", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  test("its template and its endpoint are taken as they are, and every member is kept", async () => {
    const template = JSON.parse(read("template.json"));
    const { id } = (await server.post("/v1/templates", template)).json;
    expect((await server.get(`/v1/templates/${id}`)).json).toMatchObject(template);
    const endpoint = { ...JSON.parse(read("endpoint.json")), templateId: id };
    const made = await server.post("/v1/endpoints", endpoint);
    expect(made.status).toBe(200);
    expect((await server.get(`/v1/endpoints/${made.json.id}`)).json).toMatchObject(endpoint);
  });

  test("its README asks for the model, and scales by the calls, that the template names", () => {
    const { env, imageName } = JSON.parse(read("template.json"));
    const page = read("README.md");
    expect(page).toContain(`model="${env.MODEL_NAME}"`);
    expect(page).toContain(`(${imageName.split(":")[1]})`);
    expect(String(JSON.parse(read("endpoint.json")).scalerValue)).toBe(env.MAX_CONCURRENCY);
  });
});
