import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { compareClocks } from "../../src/doctor/check-clock.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { formsOf } from "../canaries/forms-of.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freePort } from "../support/free-port.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { postgresPrograms } from "../support/postgres-programs.ts";
import { startPostgres, SUPERUSER } from "../support/postgres-server.ts";
import { ServerProcess } from "../support/server-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

const SECRETS = {
  adminKey: "canary-admin-key-0001",
  secretKey: "canary-secret-key-0002",
  previousKey: "canary-previous-key-0003",
  password: "canary-database-password-0004",
};

interface Examined {
  readonly status: number | null;
  readonly findings: readonly Finding[];
  /** The findings of a part, as `state says`. */
  of(part: Finding["part"]): string[];
}

/** Runs the doctor for people and for programs: both tell the same, and no secret. */
async function examined(args: readonly string[], env: Record<string, string> = {}): Promise<Examined> {
  // One after the other: each looks for a moment whether the port is free.
  const people = await new ForebayCommand(["doctor", ...args], { env }).ended();
  const program = await new ForebayCommand(["doctor", ...args, "--json"], { env }).ended();
  for (const secret of Object.values(SECRETS).flatMap(formsOf)) {
    for (const { stdout, stderr } of [people, program]) expect(stdout + stderr).not.toContain(secret);
  }
  const { findings, isFaulty }: { findings: Finding[]; isFaulty: boolean } = JSON.parse(program.stdout);
  expect(people.stdout.trimEnd().split("\n").length).toBe(findings.length);
  for (const { part, says, mend } of findings) {
    expect(people.stdout).toMatch(new RegExp(`^(ok|warn|fault) +${part} `, "m"));
    if (!/[0-9]/.test(says)) expect(people.stdout).toContain(says);
    if (mend !== undefined) expect(people.stdout).toContain(mend);
  }
  expect([people.status, program.status, people.stderr]).toEqual([isFaulty ? 1 : 0, isFaulty ? 1 : 0, ""]);
  const of: Examined["of"] = (part) =>
    findings.filter((each) => each.part === part).map(({ state, says }) => `${state} ${says}`);
  return { status: program.status, findings, of };
}

/** Every file below a directory with its content and its times. */
function traceOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { mtimeMs, mode, size } = statSync(join(directory, name));
      const isFile = statSync(join(directory, name)).isFile();
      const bytes = isFile ? readFileSync(join(directory, name)) : "";
      return `${name} ${mtimeMs} ${mode} ${size} ${createHash("sha256").update(bytes).digest("hex")}`;
    });
}

describe("forebay doctor", () => {
  test("before the first start nothing is wrong, and nothing is made", async () => {
    await using directory = await temporaryDirectory();
    const data = join(directory.path, "data");
    const { status, findings, of } = await examined(["--data", data, "--port", String(await freePort())]);
    expect(status).toBe(0);
    expect(findings.filter(({ state }) => state === "fault")).toEqual([]);
    expect(new Set(findings.map(({ part }) => part))).toEqual(
      new Set<Finding["part"]>([
        ...(["configuration", "data", "keys", "store", "clock"] as const),
        ...(["providers", "port", "limits", "versions"] as const),
      ]),
    );
    expect(of("store")).toEqual([`ok there is no data in ${data} yet`]);
    expect(existsSync(data)).toBe(false);
    expect(readdirSync(directory.path)).toEqual([]);
  });

  test("a server that runs answers and knows the key; one that was stopped does not", async () => {
    const { adminKey, secretKey, previousKey } = SECRETS;
    const env = {
      FOREBAY_ADMIN_KEY: adminKey,
      FOREBAY_SECRET_KEY: secretKey,
      FOREBAY_SECRET_KEY_PREVIOUS: previousKey,
    };
    const server = await ServerProcess.start({ env, args: ["--no-demo"] });
    try {
      const data = join(server.directory, "data");
      const { port, origin } = new URL(server.url);
      const args = ["--data", data, "--port", port];
      const running = await examined(args, { ...env, FOREBAY_URL: origin, FOREBAY_KEY: adminKey });
      expect(running.findings.filter(({ state }) => state !== "ok" && state !== "warn")).toEqual([]);
      expect(running.of("store")).toEqual([`ok ${data}: a running server uses it`]);
      expect(running.of("port")[0]).toMatch(/^ok Forebay \S+ answers at port/);
      expect(running.of("server")).toEqual([
        expect.stringMatching(/^ok \S+ and this program are both Forebay \S+$/),
        "ok it is ready",
        "ok its clock agrees with the clock of this machine",
        "ok the key is valid and can manage endpoints",
      ]);
      const stranger = await examined([...args, "--server", origin, "--key", "another-key"], env);
      expect(stranger.of("server").at(-1)).toMatch(/^warn the key is unknown, or cannot manage endpoints/);

      await server.terminate();
      const before = traceOf(data);
      const stopped = await examined([...args, "--server", origin], env);
      expect(stopped.status).toBe(1);
      expect(stopped.of("store")).toEqual([
        `ok ${data}: no server uses it`,
        expect.stringMatching(/^ok its schema is that of this version/),
      ]);
      expect(stopped.of("port")).toEqual([`ok port ${port} of 127.0.0.1 is free`]);
      expect(stopped.of("server")).toEqual([`fault no Forebay server answers at ${origin}`]);
      expect(traceOf(data)).toEqual(before);
    } finally {
      await server.stop();
    }
  });

  test("a server whose clock was set is told, and by how much; one of the same clock never is", async () => {
    const clockOf = async (server: TestServer): Promise<string | undefined> => {
      const { of } = await examined(["--server", server.url, "--port", "0"]);
      return of("server").find((line) => line.includes("clock"));
    };
    for (const [set, said] of [
      [3_600_000, /^warn its clock is 3\d{3}\.\d s ahead of the clock of this machine$/],
      [-3_600_000, /^warn its clock is 3\d{3}\.\d s behind the clock of this machine$/],
    ] as const) {
      const server = await TestServer.start({ clock: new ManualClock(Date.now() + set) });
      expect(await clockOf(server)).toMatch(said);
      await server.stop();
    }
    const same = await TestServer.start();
    expect(await clockOf(same)).toBe("ok its clock agrees with the clock of this machine");
    await same.stop();
  });

  test("workers that send no heartbeats are a warning for each endpoint, with what to do", async () => {
    // However long the doctor takes, no worker is lost meanwhile.
    const flags = { "take-hold-ms": "1", "worker-lease-ms": "1h" };
    const server = await TestServer.start({ flags });
    const key = (await server.key("manage")).authorization.replace("Bearer ", "");
    const workersOf = async (): Promise<string[]> => {
      const { of, status } = await examined(["--server", server.url, "--key", key, "--port", "0"]);
      expect(status).toBe(0);
      return of("workers");
    };
    expect(await workersOf()).toEqual([]);
    const endpoint = await server.endpoint({ name: "quiet" });
    const workers = await server.workers(endpoint, 5);
    const [first] = workers;
    await first?.take();
    expect(await workersOf()).toEqual([
      expect.stringMatching(
        new RegExp(`^warn 1 worker does not send heartbeats at endpoint quiet \\(${endpoint}\\): \\S+$`),
      ),
    ]);
    for (const worker of workers) await worker.take();
    expect(await workersOf()).toEqual([
      expect.stringMatching(/^warn 5 workers do not send heartbeats at endpoint quiet \S+ (\S+, ){3}…$/),
    ]);
    for (const worker of workers) await worker.ping([]);
    expect(await workersOf()).toEqual(["ok all workers send heartbeats"]);
    await server.stop();
  });

  test("a way that takes long is no difference between two clocks, and hides none that is longer", () => {
    const told = (asked: number, time: number, answered: number): string => {
      const { state, says } = compareClocks({ part: "server", asked, time, answered, mend: "Mend it." });
      return `${state} ${says}`;
    };
    const agree = "ok its clock agrees with the clock of this machine";
    // However long the way was, and whichever half of it took all the time.
    for (const time of [10_000, 12_000, 14_000]) expect(told(10_000, time, 14_000)).toBe(agree);
    // The 20 ms by which a server may be behind after a restart.
    expect(told(10_000, 9_980, 10_002)).toBe(agree);
    expect(told(10_000, 9_000, 10_002)).toBe("warn its clock is 1.0 s behind the clock of this machine");
    expect(told(10_000, 15_000, 14_000)).toBe("warn its clock is 3.0 s ahead of the clock of this machine");
  });

  test("each problem is a fault or a warning of its own, with what to do", async () => {
    await using directory = await temporaryDirectory();
    const data = join(directory.path, "data");
    await mkdir(data);
    await chmod(data, 0o755);
    const database = new Database(join(data, "forebay.db"), { create: true });
    database.run("PRAGMA user_version = 9999");
    database.close();
    const commands = join(directory.path, "commands.json");
    await writeFile(commands, '{"a": ["/no/such/program"], "b": ["sh", "-c"]}');
    const taken = createServer();
    const port = await new Promise<number>((resolve) =>
      taken.listen(0, "127.0.0.1", () => {
        const address = taken.address();
        resolve(typeof address === "object" ? (address?.port ?? 0) : 0);
      }),
    );
    taken.on("connection", (socket) => socket.destroy());
    try {
      const env = {
        FOREBAY_DATA: data,
        FOREBAY_PROT: "1",
        FOREBAY_COMMANDS: commands,
        FOREBAY_DOCKER_HOST: `unix://${directory.path}/none.sock`,
        FOREBAY_DOCKER_TLS: directory.path,
        FOREBAY_DATABASE_LISTEN_URL: `postgres://a:${SECRETS.password}@host/a`,
        FOREBAY_ADMIN_KEY: "short",
      };
      const flags = ["--port", String(port), "--worker-lease-ms", "2000", "--body-budget-mb", "999999"];
      const { status, findings, of } = await examined(flags, env);
      expect(status).toBe(1);
      expect(of("configuration")).toEqual([
        "fault FOREBAY_ADMIN_KEY: expected 16 or more printable characters without spaces",
        expect.stringMatching(
          /^fault FOREBAY_WORKER_LEASE_MS is 2000, FOREBAY_PING_INTERVAL_MS 3000: workers/,
        ),
        "warn FOREBAY_DATABASE_LISTEN_URL has no effect: there is no database",
        "warn FOREBAY_DOCKER_TLS has no effect: only an engine on tcp:// uses TLS",
        expect.stringMatching(/^warn containers call the server at FOREBAY_PUBLIC_URL/),
        "warn FOREBAY_PROT is set, but is not a setting",
      ]);
      expect(of("data")).toContain(`warn other users of this machine can read ${data}`);
      expect(of("keys")[0]).toMatch(/^fault \S+ is missing, and the secrets of the data cannot be decrypted/);
      expect(of("store")[1]).toMatch(/^fault This data was written by a newer Forebay \(schema 9999/);
      expect(of("providers")[0]).toBe("fault process/a: the program /no/such/program does not exist");
      expect(of("providers")[1]).toMatch(/^fault unix:.*it cannot be reached/);
      expect(of("port")).toEqual([`fault port ${port} of 127.0.0.1 is in use by another program`]);
      expect(of("limits").some((line) => /^warn \d+ MB of memory/.test(line))).toBe(true);
      for (const { state, mend } of findings) expect(mend !== undefined).toBe(state !== "ok");

      await writeFile(join(data, "moved"), "postgres\n");
      await writeFile(`${data}.key`, "");
      const moved = await examined(flags, env);
      expect(moved.of("store")[0]).toMatch(/^fault the data of .* was moved to a database/);
      expect(moved.of("keys")[0]).toMatch(/^fault .* is empty. It should hold the key/);
      await writeFile(`${data}.key`, "a key\n");
      await chmod(`${data}.key`, 0o644);
      expect((await examined(flags, env)).of("keys")).toEqual([
        `warn other users of this machine can read ${data}.key`,
      ]);
    } finally {
      taken.close();
    }
  });

  test.skipIf(postgresPrograms() === undefined)("looks at a PostgreSQL, and prints no password", async () => {
    await using directory = await temporaryDirectory();
    await using postgres = await startPostgres(["max_connections = 14"]);
    const url = postgres.url("postgres").replace(`${SUPERUSER}@`, `${SUPERUSER}:${SECRETS.password}@`);
    const port = String(await freePort());
    const args = ["--data", join(directory.path, "data"), "--database-url", url, "--port", port];
    const { status, of } = await examined(args, { FOREBAY_SECRET_KEY: SECRETS.secretKey });
    expect(status).toBe(0);
    expect(of("store")).toEqual([
      expect.stringMatching(/^ok postgres:\/\/\S+: PostgreSQL \d+.*, and its commits are durable$/),
      expect.stringMatching(/^(ok|warn) \d+ of 14 connections are in use, and a server needs 13$/),
      "ok it has no data of Forebay yet: the first start creates the tables",
      "ok its clock agrees with the clock of this machine",
    ]);
    expect(await postgres.run("SELECT 1 FROM pg_namespace WHERE nspname = 'forebay'")).toEqual([]);
    await postgres.run("ALTER SYSTEM SET fsync = off");
    await postgres.run("SELECT pg_reload_conf()");
    expect((await examined(args)).of("store")[0]).toMatch(/^fault .*fsync = off, so it may lose/);
    postgres.stop("fast");
    expect((await examined(args)).of("store")[0]).toMatch(/^fault .*the database cannot be reached/);
    postgres.start();
  });
});
