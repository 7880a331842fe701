import { spawn } from "node:child_process";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "./free-port.ts";
import { asPostgresUser, postgresPrograms } from "./postgres-programs.ts";
import { FAST_DIRECTORY, giveToPostgres, SUPERUSER } from "./postgres-server.ts";
import { killIfThere, processesIn } from "./processes.ts";
import { until } from "./until.ts";

const STANDBY = "forebay_standby";

/** How long the two may take for anything, ms. */
const LIMIT = 30_000;

/** No commit is acknowledged before the standby has it on its disk; also after it has become the primary. */
const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  `synchronous_standby_names = 'FIRST 1 (${STANDBY})'`,
  "wal_keep_size = '256MB'",
  "wal_retrieve_retry_interval = '100ms'",
  // Nothing of a killed one stays outside of its directory.
  "dynamic_shared_memory_type = mmap",
];

const IS_CAUGHT_UP = `
  SELECT flush_lsn >= $1::pg_lsn AS it FROM pg_stat_replication WHERE sync_state = 'sync'`;

interface Node {
  readonly port: number;
  readonly directory: string;
}

/** A primary and its synchronous standby. Each can be killed; the standby takes over when told to. */
export class PostgresPair implements AsyncDisposable {
  readonly directory: string;
  readonly #programs: string;
  #primary: Node;
  #standby: Node;
  #nodes = 0;

  private constructor(directory: string, programs: string, ports: readonly [number, number]) {
    this.directory = directory;
    this.#programs = programs;
    this.#primary = this.#node(ports[0]);
    this.#standby = this.#node(ports[1]);
  }

  static async start(): Promise<PostgresPair> {
    const programs = postgresPrograms();
    if (programs === undefined) throw new Error("PostgreSQL is not installed");
    const directory = await mkdtemp(join(FAST_DIRECTORY, "forebay-pair-"));
    await giveToPostgres(directory);
    const pair = new PostgresPair(directory, programs, [await freePort(), await freePort()]);
    const { directory: data, port } = pair.#primary;
    await pair.#run("initdb", "-D", data, "-U", SUPERUSER, "--auth=trust", "-E", "UTF8", "--locale=C", "-N");
    await pair.#configure(data, [...SETTINGS, `port = ${port}`]);
    await pair.#control(pair.#primary, "start");
    await pair.startStandby();
    return pair;
  }

  /** Names both, so that whoever asks has to find the primary. */
  get url(): string {
    const hosts = [this.#primary, this.#standby].map(({ port }) => `127.0.0.1:${port}`).toSorted();
    return `postgres://${SUPERUSER}@${hosts.join(",")}/postgres?target_session_attrs=read-write`;
  }

  get primaryUrl(): string {
    return urlOf(this.#primary);
  }

  get standbyUrl(): string {
    return urlOf(this.#standby);
  }

  /** Asks the primary, as the superuser. */
  async ask<Row>(text: string, parameters: readonly string[] = []): Promise<Row[]> {
    const connection = new SQL(this.primaryUrl, { max: 1 });
    try {
      return await connection.unsafe(text, [...parameters]);
    } finally {
      await connection.close({ timeout: 0 });
    }
  }

  /** From now on nothing reaches the standby, and no commit is acknowledged. */
  async cutOff(): Promise<void> {
    for (const { pid } of await this.ask<{ pid: number }>("SELECT pid FROM pg_stat_replication"))
      process.kill(pid, "SIGSTOP");
  }

  /** The primary dies with all its connections, the standby takes over; nobody stands by then. */
  async failOver(): Promise<void> {
    await this.#kill(this.#primary);
    await this.#control(this.#standby, "promote");
    [this.#primary, this.#standby] = [this.#standby, this.#node(this.#primary.port)];
  }

  async killStandby(): Promise<void> {
    await this.#kill(this.#standby);
    this.#standby = this.#node(this.#standby.port);
  }

  /** A new one, from a copy of the primary; until it stands by, no commit is acknowledged. */
  async startStandby(): Promise<void> {
    const { directory, port } = this.#standby;
    const from = `host=127.0.0.1 port=${this.#primary.port} user=${SUPERUSER}`;
    await this.#run("pg_basebackup", "-d", from, "-D", directory, "-R", "-X", "stream", "-c", "fast", "-N");
    // By this name it is waited for; the copy, which could still fail, has another one.
    const source = `primary_conninfo = '${from} application_name=${STANDBY}'`;
    await this.#configure(directory, [source, `port = ${port}`]);
    await this.#control(this.#standby, "start");
    await this.caughtUp();
  }

  /** Resolves when the standby has all that the primary has by now. */
  async caughtUp(): Promise<void> {
    const lsn = await until("the primary answers", () => this.#position(), LIMIT);
    await until(
      "the standby has caught up",
      async () => {
        const [row] = await this.ask<{ it: boolean }>(IS_CAUGHT_UP, [lsn]).catch(() => []);
        return row?.it === true;
      },
      LIMIT,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kill(this.#primary);
    await this.#kill(this.#standby);
    await rm(this.directory, { recursive: true });
  }

  async #position(): Promise<string | undefined> {
    const rows = await this.ask<{ lsn: string }>("SELECT pg_current_wal_flush_lsn()::text AS lsn").catch(
      () => [],
    );
    return rows[0]?.lsn;
  }

  #node(port: number): Node {
    return { port, directory: join(this.directory, `node-${++this.#nodes}`) };
  }

  /** All its processes at once, as when the machine goes. */
  async #kill({ directory }: Node): Promise<void> {
    const state = await readFile(join(directory, "postmaster.pid"), "utf8").catch(() => "");
    const [postmaster = 0, ...lines] = state.split("\n");
    if (Number(postmaster) > 0) killIfThere(Number(postmaster));
    await until("it has ended", () => {
      const left = processesIn(directory);
      for (const pid of left) killIfThere(pid);
      return left.length === 0;
    });
    const [, segment] = (lines[5] ?? "").trim().split(/\s+/);
    if (segment !== undefined) await run("ipcrm", ["-m", segment]);
    await rm(directory, { recursive: true, force: true });
  }

  async #configure(data: string, lines: readonly string[]): Promise<void> {
    await appendFile(join(data, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
  }

  #control({ directory }: Node, ...action: string[]): Promise<void> {
    const log = join(this.directory, "log");
    return this.#run(
      "pg_ctl",
      "-D",
      directory,
      "-s",
      "-w",
      "-t",
      String(LIMIT / 1_000),
      "-l",
      log,
      ...action,
    );
  }

  #run(program: string, ...args: string[]): Promise<void> {
    const [first = "", ...rest] = [...asPostgresUser(), join(this.#programs, program), ...args];
    return run(first, rest);
  }
}

function urlOf({ port }: Node): string {
  return `postgres://${SUPERUSER}@127.0.0.1:${port}/postgres`;
}

/** The test goes on meanwhile. */
function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (piece: Buffer) => (said += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    // What it has started may hold its output open.
    child.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args.join(" ")} failed: ${said}`));
    });
  });
}
