import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { sharedServers } from "./shared-servers.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

/** For a server that is missed, and another one that takes over. */
const LIMIT = 60_000;

describe("a paused release on two servers", () => {
  const servers = sharedServers();

  const start = () =>
    servers.startProcess({
      commands: {
        program: [process.execPath, PROGRAM],
        next: [process.execPath, PROGRAM, "next"],
      },
      flags: { "ping-interval-ms": "200", "drain-grace-ms": "1000" },
    });

  const newestOf = async (server: ServerProcess, endpoint: string) =>
    (await server.get(`/v1/endpoints/${endpoint}/releases`)).json.releases[0];

  test("is paused and resumed at either, and whoever takes over the workers keeps it so", async () => {
    const [a, b] = [await start(), await start()];
    const endpoint = await a.commandEndpoint("program", { workersMin: 1, workersMax: 1, releaseSurge: 0 });
    await until(
      "the first is complete",
      async () => (await newestOf(b, endpoint)).state === "COMPLETE",
      LIMIT,
    );
    const long = await a.run(endpoint, { sleep: 1_000 });
    await until("it runs", async () => (await b.status(endpoint, long)).status === "IN_PROGRESS");
    const own = a.workerProcesses().length > 0 ? a : b;
    const other = own === a ? b : a;

    // Nothing of the second one starts before the endpoint goes on.
    const path = `/v1/endpoints/${endpoint}`;
    await own.call("PATCH", path, { isPaused: true });
    const { templateId } = (await own.get(path)).json;
    await own.post(`/v1/templates/${templateId}/update`, { imageName: "process/next" });
    const paused = await other.call("PATCH", `${path}/releases/2`, { isPaused: true });
    expect([paused.status, paused.json.state]).toEqual([200, "PAUSED"]);
    expect(await newestOf(own, endpoint)).toEqual(paused.json);
    await other.call("PATCH", path, { isPaused: false });
    const ran = async (server: ServerProcess): Promise<string> =>
      (await server.ended(endpoint, await server.run(endpoint))).workerId;
    expect(await ran(other)).toEndWith("_1");

    await own.kill();
    await until("the other one has a worker", () => other.workerProcesses().length > 0, LIMIT);
    expect(await ran(other)).toEndWith("_1");
    expect((await newestOf(other, endpoint)).pausedAt).toBe(paused.json.pausedAt);
    await own.startAgain();
    const resumed = await own.call("PATCH", `${path}/releases/2`, { isPaused: false });
    expect([resumed.status, resumed.json.state]).toEqual([200, "ROLLING"]);
    await until("it is complete", async () => (await newestOf(other, endpoint)).state === "COMPLETE", LIMIT);
    expect(await ran(other)).toEndWith("_2");
  }, 150_000);
});
