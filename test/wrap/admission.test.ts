import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ChildWorker } from "../support/child-worker.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { wrappedWorker } from "../support/wrapped-worker.ts";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");
const CAT = ["--exec", "cat"];

describe("a worker without code registers itself", () => {
  let server: ServerProcess;
  const workers: ChildWorker[] = [];
  beforeEach(async () => {
    server = await ServerProcess.start();
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) {
      worker.signal("SIGTERM");
      expect(await worker.exit()).toBe(0);
    }
    await server.stop();
  });

  const start = async (...args: string[]): Promise<void> => {
    const worker = wrappedWorker(server, args);
    workers.push(worker);
    await worker.line("takes jobs");
  };

  test("with an endpoint by its name", async () => {
    const endpoint = await server.endpoint({ name: "a name – 二" });
    await start("--endpoint", "a name – 二", ...CAT);
    expect(await server.ended(endpoint, await server.run(endpoint, { a: 1 }))).toMatchObject({
      output: { a: 1 },
    });
  });

  test("with an endpoint that it makes, and that the others find", async () => {
    await Promise.all([1, 2, 3].map(() => start("--endpoint", "chat", "--create", ...CAT)));
    const { json } = await server.get("/v1/endpoints");
    expect(json.map(({ name }: { name: string }) => name)).toEqual(["chat"]);
    const [{ id }] = json;
    await until("three workers are ready", async () => (await server.health(id)).workers.ready === 3);
    expect(await server.ended(id, await server.run(id, { a: 1 }))).toMatchObject({ output: { a: 1 } });
  });

  test("or connects with the environment that worker env printed", async () => {
    const endpoint = await server.endpoint();
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
    const worker = new ChildWorker([process.execPath, MAIN, "worker", ...CAT], json.env);
    workers.push(worker);
    await worker.line("takes jobs");
    const record = await server.ended(endpoint, await server.run(endpoint, { a: 1 }));
    expect(record).toMatchObject({ output: { a: 1 }, workerId: json.workerId });
  });

  test("survives a killed server: the job that ran meanwhile ends once, and the next one runs", async () => {
    const endpoint = await server.endpoint();
    const go = join(server.directory, "go");
    const wait = `until test -e '${go}'; do sleep 0.02; done; echo "done"; echo begun >>'${go}'`;
    const worker = new ChildWorker(
      [process.execPath, MAIN, "worker", "--endpoint", endpoint, "--", "sh", "-c", wait],
      server.env,
    );
    workers.push(worker);
    const job = await server.run(endpoint);
    await until("it runs", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS");
    await server.kill();
    await worker.line("trying again until it answers");
    await Bun.write(go, "");
    await server.startAgain();
    expect(await server.ended(endpoint, job)).toMatchObject({ status: "COMPLETED", output: "done" });
    expect(await Bun.file(go).text()).toBe("begun\n");
    const next = await server.run(endpoint);
    expect(await server.ended(endpoint, next)).toMatchObject({ status: "COMPLETED", output: "done" });
  });
});
