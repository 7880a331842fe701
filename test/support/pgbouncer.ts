import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { asPostgresUser } from "./postgres-programs.ts";
import { SUPERUSER, type PostgresServer } from "./postgres-server.ts";
import { until } from "./until.ts";

/** Where Debian puts it, not on everybody's PATH. */
const PROGRAM = "/usr/sbin/pgbouncer";

/** Whether PgBouncer is installed. */
export function hasPgbouncer(): boolean {
  return existsSync(PROGRAM);
}

export interface Pgbouncer extends AsyncDisposable {
  /** The address of the same database through the pooler. */
  through(url: string): string;
}

/** Starts a PgBouncer in front of a PostgreSQL: each transaction may get another connection. */
export async function startPgbouncer(postgres: PostgresServer): Promise<Pgbouncer> {
  const port = await freePort();
  const path = join(postgres.directory, "pgbouncer.ini");
  const settings = [
    "[databases]",
    `* = host=127.0.0.1 port=${postgres.port} user=${SUPERUSER}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 5",
    "",
  ];
  await writeFile(path, settings.join("\n"));
  const command = [...asPostgresUser(), PROGRAM, "-q", path];
  const child = spawn(command[0] ?? PROGRAM, command.slice(1), { stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await until("PgBouncer listens", () => isListening(port));
  return {
    through: (url) => url.replace(`:${postgres.port}/`, `:${port}/`),
    async [Symbol.asyncDispose]() {
      // With the program that runs it as another user.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
