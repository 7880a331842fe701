import { spawnSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** What a reader must know of the machine and the programs, one line each. */
export function machineLines(): string[] {
  const [{ model } = { model: "unknown processor" }] = cpus();
  const memory = Math.round(totalmem() / 1e9);
  const [load = 0] = loadavg();
  return [
    `${availableParallelism()} cores of ${model}, ${memory} GB, ${type()} ${release()}`,
    `load average ${load.toFixed(1)} before`,
    `Forebay ${firstLine("git", ["-C", ROOT, "describe", "--always", "--dirty"])}, Bun ${Bun.version}, ` +
      `Node ${firstLine("node", ["--version"])}`,
    `peers: ${[...npmPeers(), ...programs()].join(", ")}`,
  ];
}

function npmPeers(): string[] {
  const file = join(ROOT, "bench/peers/package.json");
  const { dependencies } = JSON.parse(readFileSync(file, "utf8")) as { dependencies: Record<string, string> };
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
}

function programs(): string[] {
  return (
    [
      ["redis-server", "--version"],
      ["psql", "--version"],
      ["beanstalkd", "-v"],
      ["mariadbd", "--version"],
    ] as const
  ).map(([program, flag]) => firstLine(program, [flag]));
}

function firstLine(program: string, args: readonly string[]): string {
  const { stdout, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error !== undefined) return `no ${program}`;
  return stdout.split("\n")[0]?.trim() ?? "";
}
