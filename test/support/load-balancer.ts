import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { until } from "./until.ts";

/** Where the settings of a load balancer lie, and how it is run with them. */
export interface BalancerProgram {
  readonly file: string;
  readonly command: (configuration: string, directory: string) => readonly string[];
}

export const NGINX: BalancerProgram = {
  file: "nginx.conf",
  command: (configuration, directory) => {
    const own = `daemon off; pid ${directory}/pid; error_log ${directory}/log;`;
    return ["/usr/sbin/nginx", "-c", configuration, "-p", directory, "-g", own];
  },
};

export const HAPROXY: BalancerProgram = {
  file: "haproxy.cfg",
  command: (configuration) => ["/usr/sbin/haproxy", "-db", "-f", configuration],
};

export interface Balancer extends AsyncDisposable {
  readonly url: string;
}

/** Runs a load balancer as `deploy` has it, but for the addresses, in front of two servers. */
export async function startBalancer(program: BalancerProgram, servers: readonly string[]): Promise<Balancer> {
  const directory = await temporaryDirectory();
  const port = await freePort();
  const [first = "", second = ""] = servers.map((url) => new URL(url).host);
  const settings = readFileSync(join(import.meta.dir, "../../deploy", program.file), "utf8")
    .replaceAll("forebay-1:8000", first)
    .replaceAll("forebay-2:8000", second)
    .replace("listen 8080", `listen 127.0.0.1:${port}`)
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace("worker_processes auto", "worker_processes 1");
  const configuration = join(directory.path, program.file);
  await writeFile(configuration, settings);
  const [command = "", ...args] = program.command(configuration, directory.path);
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"], detached: true });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await until(`${command} listens`, () => isListening(port));
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
