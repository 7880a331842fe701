import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Answer, Body, OperationId, Query } from "../../src/http/operation-types.ts";
import { OPERATIONS } from "../../src/http/operations.ts";
import { TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

test("types by the id of an operation fit what the server takes and answers", async () => {
  const body: Body<"createEndpoint"> = { name: "chat", workersMax: 2 };
  const created: Answer<"createEndpoint"> = (await server.post("/v1/endpoints", body)).json;
  const query: Query<"listEndpoints"> = { includeTemplate: false, includeWorkers: true };
  const listed: Answer<"listEndpoints"> = (
    await server.get(`/v1/endpoints?includeWorkers=${query.includeWorkers}`)
  ).json;
  expect(listed.map(({ name, workersMax, workers }) => ({ name, workersMax, workers }))).toEqual([
    { name: created.name, workersMax: body.workersMax ?? 0, workers: [] },
  ]);
});

test("what no operation has is a type error", () => {
  // @ts-expect-error -- there is no such operation
  const id: OperationId = "makeEndpoint";
  // @ts-expect-error -- there is no such member
  const body: Body<"createEndpoint"> = { name: "chat", workersMost: 2 };
  const nothing: Body<"listKeys">[] = [];
  // @ts-expect-error -- a number
  const limit: Query<"listKeys">["limit"] = "1";
  const answer = (job: Answer<"status">, keys: Answer<"listKeys">): unknown => [
    job.workerId,
    keys.nextCursor,
    // @ts-expect-error -- there is no such member
    job.worker,
    // @ts-expect-error -- there is no such member
    keys.cursor,
  ];
  expect([id, body, nothing, limit, answer]).toHaveLength(5);
  expect(OPERATIONS.map((operation) => operation.id as string)).not.toContain(id);
});
