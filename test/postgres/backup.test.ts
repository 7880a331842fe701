import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../support/free-port.ts";
import { asPostgresUser, postgresPrograms } from "../support/postgres-programs.ts";
import { giveToPostgres, type PostgresServer, startPostgres, SUPERUSER } from "../support/postgres-server.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const LARGE = { text: "x".repeat(100_000) };

describe("a backup on PostgreSQL is made with the tools of PostgreSQL", () => {
  let postgres: PostgresServer;
  let archive: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    archive = join(postgres.directory, "archive");
    mkdirSync(archive);
    await giveToPostgres(archive);
    await postgres.run("ALTER SYSTEM SET archive_mode = 'on'");
    await postgres.run(`ALTER SYSTEM SET archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`);
    postgres.stop("fast");
    postgres.start();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  const program = (name: string): string => join(postgresPrograms() ?? "", name);
  /** The server of the test goes on meanwhile. */
  async function run(name: string, ...args: string[]): Promise<void> {
    const child = Bun.spawn([...asPostgresUser(), program(name), ...args], { cwd: "/", stderr: "pipe" });
    const [status, said] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    expect({ name, status, said: status === 0 ? "" : said }).toEqual({ name, status: 0, said: "" });
  }
  const serve = (url: string): Promise<TestServer> =>
    TestServer.start({ flags: { "database-url": url, "secret-key": "the same" } });
  const archived = (): Promise<{ last: string | null }[]> =>
    postgres.run("SELECT last_archived_wal AS last FROM pg_stat_archiver");

  test("forebay backup says so", async () => {
    const server = await serve(postgres.url("postgres"));
    try {
      const { status, json } = await server.post("/v1/backup", {});
      expect([status, json.code]).toEqual([400, "NOT_IN_DIRECTORY"]);
      expect(json.error).toContain("pg_dump or pg_basebackup: docs/backup.md shows how");
    } finally {
      await server.stop();
    }
  });

  test("pg_dump while a server runs, and pg_restore into an empty database", async () => {
    await postgres.run("CREATE DATABASE origin");
    await postgres.run("CREATE DATABASE restored");
    const server = await serve(postgres.url("origin"));
    const endpoint = await server.endpoint();
    const job = await server.run(endpoint, LARGE);
    const dump = join(postgres.directory, "forebay.dump");
    await run("pg_dump", "--format=custom", `--file=${dump}`, postgres.url("origin"));
    const later = await server.run(endpoint);
    await server.stop();
    await run("pg_restore", "--exit-on-error", `--dbname=${postgres.url("restored")}`, dump);
    const restored = await serve(postgres.url("restored"));
    try {
      const worker = await restored.worker(endpoint);
      expect((await worker.take()).json).toMatchObject({ id: job, input: LARGE });
      expect((await restored.get(`/v2/${endpoint}/status/${later}`)).status).toBe(404);
    } finally {
      await restored.stop();
    }
  });

  test("point-in-time recovery up to an instant between two jobs", async () => {
    const server = await serve(postgres.url("postgres"));
    const endpoint = await server.endpoint();
    const base = join(postgres.directory, "base");
    await run(
      "pg_basebackup",
      "-h",
      "127.0.0.1",
      "-p",
      String(postgres.port),
      "-U",
      SUPERUSER,
      "-D",
      base,
      "-X",
      "none",
      "--checkpoint=fast",
    );
    const first = await server.run(endpoint, LARGE);
    const [instant] = await postgres.run<{ now: string }>("SELECT clock_timestamp()::text AS now");
    const second = await server.run(endpoint);
    await server.stop();
    const [segment] = await postgres.run<{ name: string }>(
      "SELECT pg_walfile_name(pg_current_wal_lsn()) AS name",
    );
    await postgres.run("SELECT pg_switch_wal()");
    await until("the write-ahead log is archived", async () => {
      const [{ last } = { last: null }] = await archived();
      return last !== null && last >= (segment?.name ?? "");
    });

    const port = await freePort();
    const settings = [
      `port = ${port}`,
      "archive_mode = off",
      `restore_command = 'cp ${archive}/%f %p'`,
      `recovery_target_time = '${instant?.now}'`,
      "recovery_target_action = promote",
    ];
    appendFileSync(join(base, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
    const control = (...args: string[]): Promise<void> =>
      run("pg_ctl", "-D", base, "-s", "-w", "-l", join(postgres.directory, "recovered.log"), ...args);
    spawnSync("touch", [join(base, "recovery.signal")]);
    spawnSync("chown", ["--reference", base, join(base, "recovery.signal")]);
    await control("start");
    try {
      const url = `postgres://${SUPERUSER}@127.0.0.1:${port}/postgres`;
      await until("the recovery has ended", async () => !(await isRecovering(url)));
      const recovered = await serve(url);
      try {
        const worker = await recovered.worker(endpoint);
        expect((await worker.take()).json).toMatchObject({ id: first, input: LARGE });
        expect((await recovered.get(`/v2/${endpoint}/status/${second}`)).status).toBe(404);
        const third = await recovered.run(endpoint, { n: 3 });
        await worker.done(first, { output: 1 });
        expect((await worker.take()).json).toMatchObject({ id: third });
      } finally {
        await recovered.stop();
      }
    } finally {
      await control("stop", "-m", "immediate");
    }
  });
});

async function isRecovering(url: string): Promise<boolean> {
  const connection = new SQL(url, { max: 1 });
  try {
    const [row] = await connection.unsafe("SELECT pg_is_in_recovery() AS it");
    return row.it;
  } finally {
    await connection.close();
  }
}
