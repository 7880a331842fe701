import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { goProgram } from "../contestants/go.ts";
import { PGMQ, WAVERLESS } from "../contestants/peer-source.ts";

const PEERS = join(import.meta.dir, "../peers");

/** What a reader must know of the machine and the programs, one line each. */
export function machineLines(build: string, other: string | undefined): string[] {
  const [{ model } = { model: "unknown processor" }] = cpus();
  const memory = Math.round(totalmem() / 1e9);
  const [load = 0] = loadavg();
  return [
    `${availableParallelism()} cores of ${model}, ${memory} GB, ${type()} ${release()}`,
    `databases in ${tmpdir()} on ${lastLine("df", ["--output=source,fstype", tmpdir()])}`,
    `load average ${load.toFixed(1)} before`,
    `Forebay ${versionOf(build)}, Bun ${Bun.version}, Node ${lastLine("node", ["--version"])}`,
    other === undefined
      ? `peers: ${[...npmPeers(), ...goPeers(), ...fetchedPeers(), ...programs()].join(", ")}`
      : `other build: Forebay ${versionOf(other)}`,
  ];
}

function versionOf(build: string): string {
  return lastLine("git", ["-C", build, "describe", "--always", "--dirty"]);
}

function npmPeers(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(PEERS, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
}

function goPeers(): string[] {
  const modules = readFileSync(join(PEERS, "river/go.mod"), "utf8");
  const river = /riverqueue\/river (v\S+)/.exec(modules)?.[1] ?? "";
  const go = lastLine(goProgram() ?? "go", ["version"]);
  return [go, `River ${river}`];
}

function fetchedPeers(): string[] {
  return [WAVERLESS, PGMQ].map(({ name, commit }) => `${name} ${commit.slice(0, 9)}`);
}

function programs(): string[] {
  return (
    [
      ["redis-server", "--version"],
      ["psql", "--version"],
      ["beanstalkd", "-v"],
      ["mariadbd", "--version"],
    ] as const
  ).map(([program, flag]) => lastLine(program, [flag]));
}

function lastLine(program: string, args: readonly string[]): string {
  const { stdout, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error !== undefined) return `no ${program}`;
  return stdout.trim().split("\n").at(-1)?.replaceAll(/\s+/g, " ") ?? "";
}
