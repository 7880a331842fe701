import { expect, test } from "bun:test";
import { TestServer } from "../support/test-server.ts";

const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

test("T14: names that pollute objects are data or refused, wherever they stand", async () => {
  const server = await TestServer.start();
  const endpoint = await server.endpoint();
  const worker = await server.worker(endpoint);
  const before = Object.getOwnPropertyNames(Object.prototype);
  for (const name of NAMES) {
    const value = `{"${name}":{"polluted":1}}`;
    for (const body of [
      `{"input":{},"policy":${value}}`,
      `{"input":{},"s3Config":${value}}`,
      `{"input":${value},"${name}":{"polluted":1}}`,
    ]) {
      const { json } = await server.post(`/v2/${endpoint}/run`, body);
      const { text } = await worker.take(1);
      expect(JSON.parse(text).id).toBe(json.id);
      await worker.done(json.id, { output: null });
    }
    // An environment has it as any other name, but for the one that would be lost.
    const wish = `{"name":"of ${name}","imageName":"team/worker:1","env":{"${name}":"1"}}`;
    const template = await server.post("/v1/templates", wish);
    if (name === "__proto__") expect(template.json.code).toBe("INVALID_FIELD");
    else expect((await server.get(`/v1/templates/${template.json.id}`)).text).toContain(`{"${name}":"1"}`);
    const own = `{"name":"endpoint of ${name}","env":{"${name}":"1"}}`;
    const made = await server.post("/v1/endpoints", own);
    if (name === "__proto__") expect(made.json.code).toBe("INVALID_FIELD");
    else expect((await server.get(`/v1/endpoints/${made.json.id}`)).text).toContain(`{"${name}":"1"}`);
    const nested = `{"name":"n","imageName":"team/worker:1","env":${value}}`;
    expect((await server.post("/v1/templates", nested)).json.code).toBe("INVALID_FIELD");
    for (const member of ["rateLimits", "webhookHeaders", "env"]) {
      const change = await server.call("PATCH", `/v1/endpoints/${endpoint}`, `{"${member}":${value}}`);
      expect([name, member, change.json.code]).toEqual([name, member, "INVALID_FIELD"]);
    }
    for (const path of ["requests", "health", "status/absent"]) {
      const { status } = await server.get(`/v2/${endpoint}/${path}?${name}=1&${name}[polluted]=1`);
      expect([200, 400, 404]).toContain(status);
    }
    expect((await server.get(`/v2/${endpoint}/requests?status=${name}`)).status).toBe(400);
    expect((await server.get(`/v1/endpoints/${name}`)).status).toBe(404);
  }
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  await server.stop();
});
