import { expect, test } from "bun:test";
import { PROTOCOLS, SdkWorker } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

test("a job that runs for longer than every lease stays with its worker", async () => {
  const flags = { "ping-interval-ms": "100", "delivery-lease-ms": "1300", "worker-lease-ms": "1300" };
  const server = await TestServer.start({ flags });
  const mayEnd = Promise.withResolvers<void>();
  const begun: string[] = [];
  const jobs = PROTOCOLS.map(async (protocol) => {
    const endpoint = await server.endpoint();
    const handler = async (): Promise<string> => {
      begun.push(protocol);
      await mayEnd.promise;
      return protocol;
    };
    const worker = await SdkWorker.start(server, endpoint, { handler, protocol });
    const { json } = await server.post(`/v2/${endpoint}/runsync`, { input: {} });
    return { worker, json };
  });
  await until("both jobs run", () => begun.length === PROTOCOLS.length);
  const since = performance.now();
  await until("the leases would have ended", () => performance.now() - since > 2_600);
  mayEnd.resolve();
  for (const [index, job] of jobs.entries()) {
    const { worker, json } = await job;
    expect(json).toMatchObject({ status: "COMPLETED", output: PROTOCOLS[index], workerId: worker.id });
    // It would be there if the job had been lost.
    expect(json).not.toHaveProperty("retries");
  }
  expect(begun.toSorted()).toEqual(PROTOCOLS.toSorted());
  process.emit("SIGTERM");
  for (const job of jobs) await (await job).worker.ended;
  await server.stop();
}, 10_000);
