import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";

/** Larger than what the database holds itself. */
const LARGE = { text: "x".repeat(100_000) };

describe("a data directory of which something is missing", () => {
  let server: ServerProcess;
  let data: string;
  let endpoint: string;
  let job: string;
  beforeEach(async () => {
    server = await ServerProcess.start();
    data = join(server.directory, "data");
    // Its environment is sealed.
    const { json } = await server.post("/v1/templates", {
      name: "t",
      imageName: "process/hello",
      env: { A: "b" },
    });
    endpoint = await server.endpoint({ templateId: json.id, workersMax: 0 });
    job = await server.run(endpoint, LARGE);
  });
  afterEach(async () => {
    rmSync(data, { recursive: true, force: true });
    await server.stop();
  });

  const file = (name: string): string => join(data, name);
  const remove = (...names: string[]): void => {
    for (const name of names) rmSync(file(name));
  };
  const payloads = (): string[] => readdirSync(file("payloads"));

  const databaseFiles = (): string[] =>
    readdirSync(data)
      .filter((name) => name.startsWith("forebay.db"))
      .toSorted();

  /** What the start and the doctor say, which leave everything as it is. */
  const refused = async (...args: string[]): Promise<string> => {
    const settings = ["--port", "0", "--data", data, ...args];
    const before = databaseFiles();
    const doctor = await new ForebayCommand(["doctor", ...settings]).ended();
    const serve = await new ForebayCommand(["serve", ...settings, "--admin-key", TEST_KEY]).ended();
    expect([serve.status, serve.stdout]).toEqual([2, ""]);
    const sentence = serve.stderr.slice("forebay serve: ".length).trim();
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toContain(sentence);
    expect(databaseFiles()).toEqual(before);
    return sentence;
  };
  const served = async (...args: string[]): Promise<string> => {
    const settings = ["--port", "0", "--data", data, "--admin-key", TEST_KEY];
    const { status, stderr } = await new ForebayCommand(["serve", ...settings, ...args]).ended();
    expect(status).toBe(2);
    return stderr;
  };
  const expectServed = async (): Promise<void> => {
    await server.startAgain();
    expect((await server.status(endpoint, job)).status).toBe("IN_QUEUE");
  };
  const stopped = () => server.terminate();
  const killed = () => server.kill();

  test.each([
    ["the database is deleted after a stop", stopped, () => remove("forebay.db"), "forebay.db is missing"],
    [
      "the database is emptied after a stop",
      stopped,
      () => truncateSync(file("forebay.db")),
      "forebay.db is empty",
    ],
    ["the database is deleted after a kill", killed, () => remove("forebay.db"), "forebay.db is missing"],
    [
      "the database is emptied after a kill",
      killed,
      () => truncateSync(file("forebay.db")),
      "forebay.db is empty",
    ],
    ["the log is deleted after a kill", killed, () => remove("forebay.db-wal"), "forebay.db-wal is missing"],
    [
      "both are deleted after a kill",
      killed,
      () => remove("forebay.db", "forebay.db-wal"),
      "forebay.db is missing",
    ],
  ])("when %s, is refused, and keeps its payloads", async (_, end, lose, named) => {
    await end();
    const before = payloads();
    expect(before).toHaveLength(1);
    lose();
    const sentence = await refused();
    expect(sentence).toStartWith(join(data, named));
    expect(sentence).toContain("from a backup");
    expect(payloads()).toEqual(before);
  });

  test("when all but the payloads is deleted, is refused", async () => {
    await stopped();
    for (const name of readdirSync(data)) {
      if (name !== "payloads") rmSync(file(name), { recursive: true });
    }
    expect(await refused()).toStartWith(`${file("forebay.db")} is missing`);
    expect(payloads()).toHaveLength(1);
  });

  test("when there was a server and nothing but its name is left, is refused", async () => {
    await stopped();
    for (const name of readdirSync(data)) {
      if (name !== "identity") rmSync(file(name), { recursive: true });
    }
    expect(await refused()).toStartWith(`${file("forebay.db")} is missing`);
  });

  test("when the database is another one without tables, is refused", async () => {
    await stopped();
    remove("forebay.db");
    const made = spawnSync(process.execPath, [
      "-e",
      `const { Database } = require("bun:sqlite");
       new Database(${JSON.stringify(file("forebay.db"))}).run("PRAGMA application_id = 1")`,
    ]);
    expect(made.status).toBe(0);
    expect(await refused()).toStartWith(`${file("forebay.db")} has no tables`);
    expect(payloads()).toHaveLength(1);
  });

  test("when the key file is gone, is refused, and no other key is made", async () => {
    await stopped();
    renameSync(`${data}.key`, `${data}.key.backup`);
    expect(await served()).toStartWith(
      `forebay serve: ${data}.key is missing. It holds the key that encrypts the secrets`,
    );
    expect(existsSync(`${data}.key`)).toBe(false);
    renameSync(`${data}.key.backup`, `${data}.key`);
    await expectServed();
  });

  test("when the key is another one, is refused", async () => {
    await stopped();
    const right = `${data}.key.right`;
    renameSync(`${data}.key`, right);
    writeFileSync(`${data}.key`, "another-key\n");
    expect(await served()).toContain(`The key in ${data}.key cannot decrypt the secrets in this data.`);
    expect(await served("--secret-key", "another")).toContain(
      "FOREBAY_SECRET_KEY cannot decrypt the secrets",
    );
    renameSync(right, `${data}.key`);
    await expectServed();
  });

  test("serves again when the missing file is back", async () => {
    await killed();
    renameSync(file("forebay.db-wal"), join(server.directory, "wal"));
    await refused();
    renameSync(join(server.directory, "wal"), file("forebay.db-wal"));
    await expectServed();
  });

  test("needs no log after a stop in order: a copy of the directory is a backup", async () => {
    await stopped();
    expect(existsSync(file("forebay.db-wal"))).toBe(false);
    expect(spawnSync("cp", ["-a", data, join(server.directory, "backup")]).status).toBe(0);
    await server.startAgain();
    await server.post(`/v2/${endpoint}/purge-queue`);
    await killed();
    for (const name of readdirSync(data)) rmSync(file(name), { recursive: true });
    expect(spawnSync("cp", ["-a", `${join(server.directory, "backup")}/.`, data]).status).toBe(0);
    await expectServed();
  });

  test("is refused when a backup was copied over the files of a killed server", async () => {
    await stopped();
    expect(spawnSync("cp", ["-a", data, join(server.directory, "backup")]).status).toBe(0);
    await server.startAgain();
    await killed();
    expect(spawnSync("cp", ["-a", `${join(server.directory, "backup")}/.`, data]).status).toBe(0);
    expect(await refused()).toContain("Empty the directory, then restore the backup.");
  });
});
