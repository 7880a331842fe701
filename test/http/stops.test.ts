import { expect, test } from "bun:test";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";

test("a job that was stopped, retried and handed out again can be stopped again at once", async () => {
  const clock = new ManualClock();
  const server = await TestServer.start({ clock });
  const endpoint = await server.endpoint();
  const worker = await server.worker(endpoint);
  const id = await server.run(endpoint, {}, { policy: { executionTimeout: 5_001 } });
  await worker.take();
  await clock.advance(6_000);
  expect((await worker.stops()).json).toEqual({ jobsToStop: [id] });
  const next = worker.stops();
  await worker.ping();
  await server.post(`/v2/${endpoint}/retry/${id}`);
  expect((await worker.take(1)).json.id).toBe(id);
  await server.post(`/v2/${endpoint}/cancel/${id}`);
  expect((await next).json).toEqual({ jobsToStop: [id] });
  await server.stop();
});
