import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { z } from "zod";
import type { Config } from "../config/config.ts";
import { dockerEngine } from "../fleet/docker/docker-engine.ts";
import { type ReachedEngine, reachEngine } from "../fleet/docker/reach-engine.ts";
import { loadCommands } from "../fleet/process/commands.ts";
import { systemClock } from "../host/system-clock.ts";
import { fault, type Finding, ok, sentenceOf, warn } from "./finding.ts";

const PART = "providers";

/** How long an engine may take to answer, ms. */
const PATIENCE = 5_000;

const VERSION = z.looseObject({
  Version: z.string(),
  ApiVersion: z.string(),
  Components: z.array(z.looseObject({ Name: z.string() })).optional(),
});

const INFO = z.looseObject({
  CgroupVersion: z.string().optional(),
  MemoryLimit: z.boolean().optional(),
});

/** Checks what starts workers: the registered commands and the Docker Engine. */
export async function checkProviders(config: Config): Promise<Finding[]> {
  return [...(await checkCommands(config)), ...(await checkDocker(config))];
}

async function checkCommands({ commands: path }: Config): Promise<Finding[]> {
  if (path === "") return [ok(PART, "no commands are registered except process/hello")];
  try {
    const commands = [...(await loadCommands(path))];
    const missing = commands.filter(([, [program = ""]]) => !isProgram(program));
    if (missing.length === 0)
      return [ok(PART, `${path}: the programs of all ${commands.length} commands exist`)];
    return missing.map(([name, [program]]) =>
      fault(PART, `process/${name}: the program ${program} does not exist`, `Install it, or fix ${path}.`),
    );
  } catch (error) {
    return [fault(PART, sentenceOf(error), "Fix the file: docs/operate.md shows its format.")];
  }
}

function isProgram(program: string): boolean {
  const places = isAbsolute(program)
    ? [program]
    : (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false; // the system says no in many ways
    }
  });
}

async function checkDocker(config: Config): Promise<Finding[]> {
  const { dockerHost } = config;
  if (dockerHost === "") return [];
  let reached: ReachedEngine | undefined;
  try {
    reached = await reachEngine(config, systemClock());
    await reached.ready;
    const engine = dockerEngine(reached.address, systemClock());
    const call = { method: "GET", patience: PATIENCE } as const;
    const version = await engine.call({ ...call, path: "/version" }, VERSION);
    const info = await engine.call({ ...call, path: "/info" }, INFO);
    const isPodman = version.Components?.some(({ Name }) => /podman/i.test(Name)) ?? false;
    const name = isPodman ? "podman" : "Docker";
    const cgroup = `cgroup ${info.CgroupVersion ?? "1"}`;
    const said = `${dockerHost}: ${name} ${version.Version}, API ${version.ApiVersion}, ${cgroup}`;
    if (info.MemoryLimit !== false) return [ok(PART, said)];
    const mend = "Enable the memory controller of its cgroups.";
    return [warn(PART, `${said}; it cannot limit the memory of containers`, mend)];
  } catch (error) {
    const mend = "Start the engine, allow the user of the server to use its socket, or fix --docker-host.";
    return [fault(PART, `${dockerHost}: ${sentenceOf(error)}`, mend)];
  } finally {
    await reached?.close();
  }
}
