import { expect, test } from "bun:test";
import { endpointFleet } from "../support/endpoint-fleet.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

test("a worker that does not call in its time is ended, and has failed", async () => {
  const server = await ServerProcess.start({
    commands: { silent: ["sh", "-c", "echo loading the model; exec sleep 1000"] },
    flags: { "worker-init-timeout-ms": "300" },
  });
  try {
    const endpoint = await server.commandEndpoint("silent", { workersMin: 1, workersMax: 1 });
    const fleet = await until("three have failed", async () => {
      const now = await endpointFleet(server, endpoint);
      return now.state === "CRASH_LOOP" && now;
    });
    expect(fleet.lastExit).toMatchObject({
      how: "it did not connect within 300 ms",
      lastLines: ["loading the model"],
    });
    await until("none is left of them", () => server.workerProcesses().length === 0);
  } finally {
    await server.stop();
  }
});
