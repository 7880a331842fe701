import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { type DockerEngine, dockerEngine } from "../fleet/docker/docker-engine.ts";
import { isOnThisMachine } from "../fleet/docker/engine-address.ts";
import {
  deviceRequest,
  type EngineDevices,
  engineDevices,
  gpuRefusal,
} from "../fleet/docker/engine-devices.ts";
import { EngineGpus } from "../fleet/docker/engine-gpus.ts";
import { runProbe } from "../fleet/docker/probe-container.ts";
import { reachEngine } from "../fleet/docker/reach-engine.ts";
import { ReadyImages } from "../fleet/docker/ready-image.ts";
import { declaredGpus } from "../fleet/gpu/declared-gpus.ts";
import { type GpuDevice, type GpuInventory, hasGpus } from "../fleet/gpu/gpu-inventory.ts";
import { NvidiaGpus } from "../fleet/gpu/nvidia-gpus.ts";
import { devicesListed, LIST_SLICES } from "../fleet/gpu/nvidia-smi-output.ts";
import { ownNvidiaSmi } from "../fleet/gpu/run-nvidia-smi.ts";
import { systemClock } from "../host/system-clock.ts";
import { fault, type Finding, ok, sentenceOf, warn } from "./finding.ts";

const PART = "gpus";

/** The owner of the probes of all doctors: the next one removes what a killed one left behind. */
const OWNER = "doctor";

const QUIET: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Lists the GPUs of this machine and of the engine. Starts a container for each GPU of the engine, and checks
 * that it sees no other. Changes nothing else, but pulls the image of the probe if it is not there.
 */
export async function checkGpus(config: Config): Promise<Finding[]> {
  const clock = systemClock();
  const machine = await new NvidiaGpus(ownNvidiaSmi(clock)).read();
  return [...machineFindings(machine), ...(await checkEngine(config, machine, clock))];
}

function machineFindings(machine: GpuInventory): Finding[] {
  if (!hasGpus(machine)) return [ok(PART, "this machine has no GPU: nvidia-smi is missing, or lists none")];
  const processes =
    "processes get their GPU with CUDA_VISIBLE_DEVICES, which a program can change; this was not tested";
  return [...listed("this machine", machine), ...(machine.devices.length === 0 ? [] : [ok(PART, processes)])];
}

function listed(where: string, { devices, outOfUse, fault: unread }: GpuInventory): Finding[] {
  const repair = "Check dmesg and nvidia-smi on that machine.";
  return [
    ...devices.map((device) => ok(PART, `${where}: ${shown(device)}`)),
    ...outOfUse.map(({ uuid, index, reason }) =>
      fault(PART, `${where}: GPU ${index ?? uuid ?? ""} is out of use: ${withoutDot(reason)}`, repair),
    ),
    ...(unread === undefined
      ? []
      : [warn(PART, `${where}: ${withoutDot(unread)}`, "See docs/docker.md#gpus.")]),
  ];
}

function shown({ index, name, memoryMb, uuid }: GpuDevice): string {
  const memory = memoryMb === undefined ? "" : `, ${memoryMb} MB`;
  return `GPU ${index}, ${name}${memory}, ${uuid}`;
}

async function checkEngine(config: Config, machine: GpuInventory, clock: Clock): Promise<Finding[]> {
  if (config.dockerHost === "") return [];
  try {
    const reached = await reachEngine(config, clock);
    try {
      await reached.ready;
      const isHere = isOnThisMachine(reached.address);
      return await engineFindings(config, dockerEngine(reached.address, clock), { isHere, machine, clock });
    } finally {
      await reached.close();
    }
  } catch (error) {
    return [
      fault(PART, `${config.dockerHost}: ${sentenceOf(error)}`, "Start the engine, or fix --docker-host."),
    ];
  }
}

interface Machine {
  readonly isHere: boolean;
  readonly machine: GpuInventory;
  readonly clock: Clock;
}

async function engineFindings(config: Config, engine: DockerEngine, here: Machine): Promise<Finding[]> {
  const { dockerHost, dockerGpuProbe: probeImage, dockerGpus } = config;
  const { isHere, machine, clock } = here;
  const its = await engineDevices(engine);
  const refusal = gpuRefusal(its);
  if (refusal !== undefined)
    return [warn(PART, `${dockerHost}: ${refusal}`, "Upgrade podman if workers need GPUs.")];
  const gpus = new EngineGpus({ engine, isHere, probeImage, owner: OWNER, clock, log: QUIET });
  const isSame = isHere && probeImage === "" && hasGpus(machine);
  const inventory = declaredGpus(dockerGpus) ?? (isSame ? machine : await gpus.read());
  const { devices } = inventory;
  const found = hasGpus(inventory) ? listed(dockerHost, inventory) : [ok(PART, `${dockerHost} has no GPU`)];
  if (devices.length === 0) return found;
  if (probeImage === "") {
    const mend = "Name a probe image with --docker-gpu-probe, such as one with CUDA.";
    return [...found, warn(PART, `${dockerHost}: the GPUs of containers were not tested`, mend)];
  }
  const { id } = await new ReadyImages(engine, clock, QUIET).ready(probeImage, undefined);
  for (const device of devices) found.push(await probed(engine, clock, id, device, its));
  return found;
}

/** Whether a container that gets this GPU sees it, and no other. */
async function probed(
  engine: DockerEngine,
  clock: Clock,
  image: string,
  { uuid }: GpuDevice,
  its: EngineDevices,
): Promise<Finding> {
  const mend = "Check the NVIDIA Container Toolkit of the engine: docs/docker.md#gpus.";
  try {
    const devices = deviceRequest([uuid], its);
    const answer = await runProbe(engine, clock, { image, args: LIST_SLICES, devices, owner: OWNER });
    const seen = devicesListed(answer);
    if (seen.join() === uuid) return ok(PART, `a container with ${uuid} sees only this GPU`);
    const others = seen.length === 0 ? "no GPU" : seen.join(", ");
    return fault(PART, `a container with ${uuid} sees ${others}`, mend);
  } catch (error) {
    return fault(PART, `a container with ${uuid} does not run: ${sentenceOf(error)}`, mend);
  }
}

function withoutDot(sentence: string): string {
  return sentence.replace(/\.$/, "");
}
