import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import { until } from "../../test/support/until.ts";
import type { Contestant } from "../contestant.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { startWorkerProgram } from "./forebay.ts";
import { redisStore } from "./library-peer.ts";
import { buildWaverless, type WaverlessPrograms } from "./waverless-build.ts";

const KEY = "bench";
const USER = "bench";
const WORKERS = 64;
/** Its job-take answers at once: workers ask again after as many ms. */
const PAUSE = 50;

/** The open server of the same API and worker protocol, on MariaDB with READ COMMITTED, and Redis. */
export function waverless(name: string, source: string | undefined): Contestant {
  let known: ReturnType<typeof buildWaverless> | undefined;
  const build = () => (known ??= buildWaverless(source));
  return {
    name,
    isPeer: true,
    share: 1 / 20,
    missing() {
      const built = build();
      return "reason" in built ? built.reason : undefined;
    },
    async start(milestones) {
      const built = build();
      if ("reason" in built) throw new Error(built.reason);
      const directory = temporaryDirectory("waverless-run-");
      const [port, redis, database] = [
        await freePort(),
        await redisStore("always")(),
        await startMariadb(built),
      ];
      writeFileSync(join(directory, "config.yaml"), configOf(port, redis.address, database.port));
      const config = { CONFIG_PATH: join(directory, "config.yaml") };
      const server = new MeasuredProcess([built.server], config);
      await until("waverless answers", () => answers(port), 60_000);
      const endpoints = [{ endpoint: "bench", token: KEY }];
      const workers = startWorkerProgram({ port, workers: WORKERS, endpoints, milestones, pause: PAUSE });
      await workers.line("ready");
      return {
        target: { ports: [port], path: "/v1/bench/run", statusPath: "/v1/bench/status", key: KEY },
        servers: [server],
        stores: [redis.process, database.process],
        workers: [workers],
        ran: (jobs) => workers.line(`ran ${jobs}`, 3_600_000),
        async clean() {
          await redis.clean();
          for (const one of [directory, database.directory]) rmSync(one, { recursive: true, force: true });
        },
      };
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
  return answer?.ok === true;
}

function configOf(port: number, redis: string, database: number): string {
  const sections = {
    server: { port, mode: "release", api_key: KEY, base_url: `http://127.0.0.1:${port}` },
    redis: { addr: `127.0.0.1:${redis.replace("redis:", "")}`, password: "", db: 0 },
    mysql: { host: "127.0.0.1", port: database, user: USER, password: USER, database: "waverless" },
    queue: { concurrency: 10, max_retry: 3, task_timeout: 3_600, task_retention: 86_400 },
    worker: { heartbeat_interval: 10, heartbeat_timeout: 60, default_concurrency: 1 },
    logger: { level: "error", output: "console" },
    k8s: { enabled: false },
    autoscaler: { enabled: false },
    // The provider that starts nothing.
    providers: { deployment: "docker", metadata: "mysql" },
  };
  // JSON is YAML.
  return JSON.stringify(sections);
}

/** A MariaDB with the tables and one endpoint. Each commit is on the disk. */
async function startMariadb({ schema, sql }: WaverlessPrograms) {
  const directory = temporaryDirectory("mariadb-bench-");
  const data = join(directory, "data");
  mkdirSync(data);
  const socket = join(directory, "socket");
  const port = await freePort();
  const asRoot = process.getuid?.() === 0 ? ["--user=root"] : [];
  const common = ["--no-defaults", `--datadir=${data}`, ...asRoot];
  call("mariadb-install-db", [...common, "--auth-root-authentication-method=normal", "--skip-test-db"]);
  const server = new MeasuredProcess([
    "mariadbd",
    ...common,
    `--socket=${socket}`,
    `--port=${port}`,
    "--bind-address=127.0.0.1",
    "--transaction-isolation=READ-COMMITTED",
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-buffer-pool-size=512M",
    "--max-connections=300",
    "--skip-log-bin",
    `--log-error=${join(directory, "log")}`,
  ]);
  const run = (statements: string, ...database: string[]): void =>
    call("mariadb", ["--no-defaults", "-u", "root", `--socket=${socket}`, ...database], statements);
  await until("MariaDB answers", () => isUp(socket), 60_000);
  const users = ["localhost", "127.0.0.1"].map(
    (host) =>
      `CREATE USER ${USER}@'${host}' IDENTIFIED BY '${USER}'; GRANT ALL ON waverless.* TO ${USER}@'${host}';`,
  );
  run(`CREATE DATABASE waverless; ${users.join(" ")}`);
  run(sql, "waverless");
  call(schema, [`${USER}:${USER}@tcp(127.0.0.1:${port})/waverless?charset=utf8mb4&parseTime=True&loc=UTC`]);
  run(
    `INSERT INTO endpoints (endpoint, spec_name, image, replicas, status, created_at, updated_at, description)
     VALUES ('bench', 'bench', 'bench', 1, 'active', now(3), now(3), '')`,
    "waverless",
  );
  return { process: server, port, directory };
}

function isUp(socket: string): boolean {
  const args = ["--no-defaults", "-u", "root", `--socket=${socket}`, "-e", "SELECT 1"];
  return spawnSync("mariadb", args, { stdio: "ignore" }).status === 0;
}

function call(program: string, args: readonly string[], input = ""): void {
  const { status, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr.trim().slice(-500)}`);
}
