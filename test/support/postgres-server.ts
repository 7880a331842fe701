import { existsSync } from "node:fs";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "./free-port.ts";
import { asPostgresUser, postgresPrograms, postgresUser } from "./postgres-programs.ts";

/** A PostgreSQL that tests have databases of. */
export interface PostgresDatabases extends AsyncDisposable {
  /** The address of a database; `postgres` is one that is always there. */
  url(database: string): string;
  /** An empty database: a new one, or one that was given back. */
  lendDatabase(): Promise<LentDatabase>;
  /** Runs statements as the superuser, or whoever was given. */
  run<Row>(text: string, database?: string): Promise<Row[]>;
}

/** A PostgreSQL of its own, in a directory of its own. */
export interface PostgresServer extends PostgresDatabases {
  readonly directory: string;
  readonly port: number;
  stop(mode: "fast" | "immediate"): void;
  start(): void;
}

export interface LentDatabase {
  readonly url: string;
  /** Empties it. */
  giveBack(): Promise<void>;
}

export const SUPERUSER = "forebay";

/** Memory, where there is such a directory: an fsync costs nothing there. */
export const FAST_DIRECTORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** How long a server may take to start or stop, in seconds. */
const LIMIT = "60";

/** Starts a server; `settings` are lines of postgresql.conf. */
export async function startPostgres(
  settings: readonly string[] = [],
  parent = FAST_DIRECTORY,
): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed");
  const directory = await mkdtemp(join(parent, "forebay-postgres-"));
  await giveToPostgres(directory);
  const data = join(directory, "data");
  const port = await freePort();
  call(join(programs, "initdb"), [
    "-D",
    data,
    "-U",
    SUPERUSER,
    "--auth=trust",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
  ]);
  const lines = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${directory}'`,
  ];
  await writeFile(join(data, "postgresql.auto.conf"), [...lines, ...settings, ""].join("\n"));
  const control = (...args: string[]): void =>
    call(join(programs, "pg_ctl"), [
      "-D",
      data,
      "-s",
      "-w",
      "-t",
      LIMIT,
      "-l",
      join(directory, "log"),
      ...args,
    ]);
  const url = (database: string): string => `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`;
  control("start");

  /** To make a database takes long, so those that were given back are lent again. */
  const free: string[] = [];
  let databases = 0;

  async function create(): Promise<string> {
    const name = `test_${++databases}`;
    await run(`CREATE DATABASE ${name}`);
    return name;
  }

  async function run<Row>(text: string, database = "postgres"): Promise<Row[]> {
    const connection = new SQL(url(database), { max: 1 });
    try {
      return await connection.unsafe(text);
    } finally {
      await connection.close();
    }
  }

  return {
    directory,
    port,
    url,
    run,
    async lendDatabase() {
      const database = free.pop() ?? (await create());
      return {
        url: url(database),
        async giveBack() {
          await run("DROP SCHEMA IF EXISTS forebay CASCADE", database);
          free.push(database);
        },
      };
    },
    stop: (mode) => control("stop", "-m", mode),
    start: () => control("start"),
    async [Symbol.asyncDispose]() {
      control("stop", "-m", "immediate");
      await rm(directory, { recursive: true });
    },
  };
}

function call(program: string, args: readonly string[]): void {
  const [first = program, ...rest] = [...asPostgresUser(), program, ...args];
  const { status, stderr } = spawnSync(first, rest, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    cwd: "/",
  });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

/** Makes a directory that of the user who runs it. */
export async function giveToPostgres(directory: string): Promise<void> {
  if (asPostgresUser().length === 0) return;
  const id = (flag: string): number =>
    Number(spawnSync("id", [flag, postgresUser()], { encoding: "utf8" }).stdout.trim());
  await chown(directory, id("-u"), id("-g"));
  await chmod(directory, 0o755);
}
