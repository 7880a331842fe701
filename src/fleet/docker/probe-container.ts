import { z } from "zod";
import type { Clock } from "../../domain/clock.ts";
import type { SmiAnswer } from "../gpu/nvidia-smi-output.ts";
import { SMI_LATE, SMI_PATIENCE } from "../gpu/run-nvidia-smi.ts";
import { readOutput } from "./container-output.ts";
import { labelled, removeContainer } from "./deployment-objects.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";

/** A container that runs `nvidia-smi` once. It has no network, and no label of a worker. */
export interface Probe {
  /** The engine's id of the image. Most have no `nvidia-smi`: the NVIDIA runtime adds it. */
  readonly image: string;
  /** The arguments of `nvidia-smi`. */
  readonly args: readonly string[];
  /** What asks the engine for devices. */
  readonly devices: object;
  /** Who runs it. Only one probe of an owner is there at a time. */
  readonly owner: string;
}

/** The label with the owner of a probe. */
const OWNER = "io.forebay.gpu-probe";

/** How long the engine may take to remove a probe, ms: a broken driver can make that hang, too. */
const REMOVAL = 5_000;

const CONTAINERS = z.array(z.object({ Id: z.string() }));
const CREATED = z.object({ Id: z.string() });
const ENDED = z.object({ StatusCode: z.number() });

/**
 * What `nvidia-smi` prints in a container. Removes the container, also one that a killed server left behind.
 * Throws EngineFault: the engine refused it, or the program took longer than SMI_PATIENCE.
 */
export async function runProbe(engine: DockerEngine, clock: Clock, probe: Probe): Promise<SmiAnswer> {
  // One that cannot be removed hangs in a broken driver. Then there must not be more of them.
  await removeProbes(engine, probe.owner);
  const body = probeBody(probe);
  const { Id } = await engine.call({ method: "POST", path: "/containers/create", body }, CREATED);
  try {
    await engine.send({ method: "POST", path: `/containers/${Id}/start` });
    const exitCode = await exitOf(engine, clock, Id);
    const query = { stdout: "1", stderr: "1" };
    const lines = { stdout: [] as string[], stderr: [] as string[] };
    const answer = await engine.open({ method: "GET", path: `/containers/${Id}/logs`, query });
    const cancel = clock.after(SMI_PATIENCE, () => answer.destroy());
    await readOutput(answer, (stream, line) => void lines[stream].push(line)).finally(cancel);
    // A list of cards that is cut off would look like cards that are gone.
    if (!answer.complete) throw tooLate();
    return { stdout: lines.stdout.join("\n"), stderr: lines.stderr.join("\n"), exitCode };
  } finally {
    // Otherwise the next probe removes it.
    await removeContainer(engine, Id, REMOVAL).catch(unlessFault);
  }
}

function probeBody({ image, args, devices, owner }: Probe): object {
  return {
    Image: image,
    Entrypoint: ["nvidia-smi"],
    Cmd: args,
    Labels: { [OWNER]: owner },
    HostConfig: {
      NetworkMode: "none",
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      DeviceRequests: [devices],
    },
  };
}

async function removeProbes(engine: DockerEngine, owner: string): Promise<void> {
  const query = { all: "1", ...labelled({ [OWNER]: owner }) };
  const left = await engine.call({ method: "GET", path: "/containers/json", query }, CONTAINERS);
  for (const { Id } of left) await removeContainer(engine, Id, REMOVAL);
}

async function exitOf(engine: DockerEngine, clock: Clock, container: string): Promise<number> {
  const ending = new AbortController();
  const cancel = clock.after(SMI_PATIENCE, () => ending.abort());
  try {
    const call = { method: "POST", path: `/containers/${container}/wait`, signal: ending.signal } as const;
    return (await engine.call(call, ENDED)).StatusCode;
  } catch (error) {
    throw ending.signal.aborted ? tooLate() : error;
  } finally {
    cancel();
  }
}

function tooLate(): EngineFault {
  return new EngineFault(SMI_LATE.replace(/\.$/, ""), 200);
}

function unlessFault(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error;
}
