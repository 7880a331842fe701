import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ServerProcess } from "../support/server-process.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

/** The first ping of a worker comes 3 s after its start: those that crash here never ping. */
describe("a managed worker that crashes with its first job, before it has pinged", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    const forever = 'while :; do "$0" "$@"; done';
    server = await ServerProcess.start({
      commands: {
        program: [process.execPath, PROGRAM],
        again: ["sh", "-c", forever, process.execPath, PROGRAM],
      },
    });
  });
  afterAll(() => server.stop());

  test.concurrent("loses it, and the third loss ends the job with the exits", async () => {
    const endpoint = await server.commandEndpoint("program", { workersMax: 1 });
    const job = await server.run(endpoint, { exit: 9 });
    expect(await server.ended(endpoint, job)).toMatchObject({
      status: "FAILED",
      error:
        "the worker was lost 3 times, the last time because the worker ended " +
        "(exit code 9, exit code 9, exit code 9)",
      retries: 2,
    });
    const next = await server.run(endpoint);
    expect((await server.ended(endpoint, next)).status).toBe("COMPLETED");
  });

  test.concurrent("and starts again under the same id: the third loss ends the job as well", async () => {
    const endpoint = await server.commandEndpoint("again", { workersMax: 1 });
    const job = await server.run(endpoint, { exit: 9 });
    const record = await server.ended(endpoint, job);
    expect(record).toMatchObject({
      status: "FAILED",
      error:
        "the worker was lost 3 times, the last time because the worker no longer had the job " +
        "and sent no result",
    });
    const { json } = await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`);
    const { attempts } = json;
    expect(attempts).toHaveLength(3);
    expect(new Set(attempts.map(({ workerId }: { workerId: string }) => workerId)).size).toBe(1);
    const next = await server.run(endpoint);
    expect((await server.ended(endpoint, next)).status).toBe("COMPLETED");
  });
});
