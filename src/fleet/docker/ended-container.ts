import { z } from "zod";
import { maskTokens } from "../logs/log-line.ts";
import { LAST_LINES } from "../provider.ts";
import { outOfMemory } from "../worker-machine.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";
import { readOutput } from "./container-output.ts";

const MB = 1_048_576;

const CONTAINER = z.object({
  State: z.object({ Status: z.string(), ExitCode: z.number(), OOMKilled: z.boolean().optional() }),
  HostConfig: z.object({ Memory: z.number() }),
});

interface ContainerEnd {
  readonly how: string;
  readonly lastLines: readonly string[];
}

/** How a container ended, and its last output, also if it is there no more. Throws EngineFault. */
export async function endOf(engine: DockerEngine, container: string): Promise<ContainerEnd> {
  try {
    return await endOfPresent(engine, container);
  } catch (error) {
    if (!(error instanceof EngineFault && error.status === 404)) throw error;
    return { how: "its container was removed", lastLines: [] };
  }
}

async function endOfPresent(engine: DockerEngine, container: string): Promise<ContainerEnd> {
  const path = `/containers/${container}`;
  const { State, HostConfig } = await engine.call({ method: "GET", path: `${path}/json` }, CONTAINER);
  if (State.Status === "created") return { how: "it was created but never started", lastLines: [] };
  const lastLines: string[] = [];
  const query = { stdout: "1", stderr: "1", tail: String(LAST_LINES) };
  try {
    const answer = await engine.open({ method: "GET", path: `${path}/logs`, query });
    await readOutput(answer, (_, line) => lastLines.push(maskTokens(line)));
  } catch (error) {
    // The exit is known anyway: some log drivers cannot be read.
    if (!(error instanceof EngineFault) || error.isAway) throw error;
  }
  return { how: howOf(State, HostConfig.Memory), lastLines: lastLines.slice(-LAST_LINES) };
}

type State = z.output<typeof CONTAINER>["State"];

function howOf({ ExitCode, OOMKilled = false }: State, memory: number): string {
  if (OOMKilled) return outOfMemory(Math.round(memory / MB));
  // Exit codes as shells report signals.
  const signal = { 137: "SIGKILL", 143: "SIGTERM" }[ExitCode];
  return signal === undefined ? `exit code ${ExitCode}` : `signal ${signal}`;
}
