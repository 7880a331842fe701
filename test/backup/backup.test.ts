import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import { contentsOf, copyKey, dataOf, forebay, LARGE, manifestIn } from "./backup-world.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");
const COMMANDS = { program: [process.execPath, PROGRAM] };

describe("a backup", () => {
  let server: ServerProcess;
  let restored: ServerProcess | undefined;
  let file: string;
  let target: string;
  beforeEach(async () => {
    restored = undefined;
    server = await ServerProcess.start({ commands: COMMANDS });
    file = join(server.directory, "forebay.tar");
    target = join(server.directory, "restored");
  });
  afterEach(async () => {
    await restored?.stop();
    await server.stop();
  });

  const restore = async (...words: string[]) => {
    copyKey(server, target);
    return forebay(undefined, "restore", file, "--data", target, ...words);
  };
  const startRestored = async (): Promise<ServerProcess> => {
    restored = await ServerProcess.start({ commands: COMMANDS, flags: { data: target } });
    return restored;
  };
  const openTransfer = () =>
    fetch(`${server.url}/v1/backup`, {
      method: "POST",
      headers: { authorization: TEST_KEY, "content-type": "application/json" },
      body: "{}",
    });

  test("of a running server is restored with its jobs, large payloads and settings", async () => {
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const done = await server.run(endpoint, LARGE);
    await worker.take();
    await worker.done(done, { output: LARGE });
    const waiting = await server.run(endpoint, { n: 2 });
    const saved = await forebay(server, "backup", file);
    expect([saved.status, saved.stdout]).toEqual([0, ""]);
    expect(saved.stderr).toContain("The key file is not in this backup");
    const manifest = manifestIn(file);
    expect(manifest.damaged).toEqual([]);
    expect(manifest.counts).toMatchObject({ "jobs COMPLETED": 1, "jobs IN_QUEUE": 1, "large payloads": 2 });
    expect(manifest.files.map(({ path }) => path.replace(/\/.*/, "/"))).toEqual([
      "forebay.db",
      "payloads/",
      "payloads/",
    ]);
    expect(readdirSync(server.directory).filter((name) => name.includes("part"))).toEqual([]);
    expect((await restore()).status).toBe(0);
    const second = await startRestored();
    expect(await second.status(endpoint, done)).toMatchObject({ status: "COMPLETED", output: LARGE });
    const again = await second.worker(endpoint);
    expect((await again.take()).json).toMatchObject({ id: waiting, input: { n: 2 } });
  });

  test("restored beside its original leaves the workers of that alone", async () => {
    const endpoint = await server.commandEndpoint("program");
    const go = join(server.directory, "go");
    const job = await server.run(endpoint, { until: go });
    const pid = await until("its worker runs the job", async () => {
      const { workerId } = await server.status(endpoint, job);
      return workerId === undefined ? undefined : server.workerProcesses(workerId)[0];
    });
    expect((await forebay(server, "backup", file)).status).toBe(0);
    expect((await restore()).status).toBe(0);
    const second = await startRestored();
    const record = await until("the restored job runs at a worker of the restored server", async () => {
      const found = await second.status(endpoint, job);
      return second.workerProcesses(found.workerId).length > 0 && found;
    });
    expect(record.retries).toBeUndefined();
    await second.kill();
    await second.startAgain();
    expect(server.workerProcesses()).toEqual([pid]);
    writeFileSync(go, "");
    expect(await server.ended(endpoint, job)).toMatchObject({ status: "COMPLETED" });
    await second.ended(endpoint, job);
  });

  test("of a server that was killed has what lay in its write-ahead log, and changes nothing", async () => {
    const endpoint = await server.endpoint();
    const job = await server.run(endpoint, LARGE);
    await server.kill();
    const before = contentsOf(dataOf(server));
    const { status } = await forebay(undefined, "backup", file, "--data", dataOf(server));
    expect(status).toBe(0);
    expect(contentsOf(dataOf(server))).toEqual(before);
    expect((await restore()).status).toBe(0);
    expect(await (await startRestored()).status(endpoint, job)).toMatchObject({ status: "IN_QUEUE" });
    await server.startAgain();
    expect(await server.status(endpoint, job)).toMatchObject({ status: "IN_QUEUE" });
  });

  test("of a directory that a server uses is refused, with the command that works", async () => {
    const { status, stderr } = await forebay(undefined, "backup", file, "--data", dataOf(server));
    expect(status).toBe(2);
    expect(stderr).toContain("Back it up while it runs: forebay backup <file> --server");
    expect(existsSync(file)).toBe(false);
  });

  test("with a damaged payload and one that is missing is made, and says so with exit code 1", async () => {
    const endpoint = await server.endpoint();
    await server.run(endpoint, LARGE);
    await server.run(endpoint, LARGE);
    const payloads = join(dataOf(server), "payloads");
    const [first = "", second = ""] = readdirSync(payloads);
    const bytes = await Bun.file(join(payloads, first)).bytes();
    bytes[50_000] = (bytes[50_000] ?? 0) ^ 1;
    writeFileSync(join(payloads, first), bytes);
    await Bun.file(join(payloads, second)).delete();
    const { status, stderr } = await forebay(server, "backup", file);
    expect(status).toBe(1);
    expect(stderr).toContain("2 payloads were damaged or missing before the backup");
    const { damaged } = manifestIn(file);
    expect(damaged).toContainEqual(expect.stringMatching(`${first} is not what was written: its CRC-32`));
    expect(damaged).toContainEqual(expect.stringMatching(`${second} is missing`));
    expect((await restore()).status).toBe(0);
  });

  test("that its reader gives up leaves nothing behind, and the next one works", async () => {
    const endpoint = await server.endpoint();
    for (let jobs = 0; jobs < 100; jobs++) await server.run(endpoint, LARGE);
    const reader = (await openTransfer()).body?.getReader();
    await reader?.read();
    expect((await openTransfer()).status).toBe(400);
    await server.post(`/v2/${endpoint}/purge-queue`);
    await reader?.cancel();
    await until("the purged payloads go when nothing reads them any more", () => {
      const scratch = readdirSync(dataOf(server)).filter((name) => name.startsWith("backup-scratch"));
      return scratch.length === 0 && readdirSync(join(dataOf(server), "payloads")).length === 0;
    });
    expect((await forebay(server, "backup", file)).status).toBe(0);
  });

  test("keeps payload files that are removed while it is read", async () => {
    const endpoint = await server.endpoint();
    for (let jobs = 0; jobs < 100; jobs++) await server.run(endpoint, LARGE);
    const response = await openTransfer();
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body ?? []) {
      if (pieces.push(piece) === 2) await server.post(`/v2/${endpoint}/purge-queue`);
    }
    writeFileSync(file, Buffer.concat(pieces));
    expect(manifestIn(file)).toMatchObject({ damaged: [], counts: { "large payloads": 100 } });
    expect((await restore()).status).toBe(0);
  });

  test("whose server or command is killed leaves no file, and harms nothing", async () => {
    const endpoint = await server.endpoint();
    let job = "";
    for (let jobs = 0; jobs < 200; jobs++) job = await server.run(endpoint, LARGE);
    const scratch = (): string[] =>
      readdirSync(dataOf(server)).filter((name) => name.startsWith("backup-scratch"));
    const begun = () => {
      const env = { ...process.env, ...server.env };
      const main = join(import.meta.dir, "../../src/cli/main.ts");
      return Bun.spawn([process.execPath, main, "backup", file], { env, stderr: "pipe" });
    };
    const isUnderWay = () => (scratch().length > 0 || existsSync(file) ? true : undefined);

    const killed = begun();
    await until("the backup is under way", isUnderWay);
    killed.kill("SIGKILL");
    await killed.exited;
    expect(existsSync(file)).toBe(false);
    await until("the server has ended it", () => scratch().length === 0);

    const cut = begun();
    await until("the backup is under way", isUnderWay);
    await server.kill();
    expect(await cut.exited).toBe(2);
    expect(await new Response(cut.stderr).text()).toMatch(/^forebay backup: .*\n$/);
    expect(existsSync(file)).toBe(false);
    await server.startAgain();
    expect(scratch()).toEqual([]);
    expect(await server.status(endpoint, job)).toMatchObject({ status: "IN_QUEUE" });
    expect((await forebay(server, "backup", file)).status).toBe(0);
    expect((await restore()).status).toBe(0);
  });

  test("needs a key with the scope admin", async () => {
    const { authorization } = await server.key("manage");
    const { status, stderr } = await forebay(
      server,
      "backup",
      file,
      "--key",
      authorization.slice("Bearer ".length),
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining("requires a key with the scope admin")]);
    expect(existsSync(file)).toBe(false);
  });
});
