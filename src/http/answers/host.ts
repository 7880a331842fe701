import { z } from "zod";
import { GPU_STATES, type HostGpuView, type HostView } from "../../domain/host-view.ts";
import { type Answered, count, dateText, id, moment, nextCursor, type Shown } from "./members.ts";

/** The hosts where workers run, with their GPUs (docs/hosts.md). */
const holder = z.strictObject({ id, endpoint: id });

const gpu = z
  .strictObject({
    uuid: z.string().optional().meta({ description: "Left out if the driver does not tell it." }),
    index: count.optional().meta({ description: "The driver's number of the card." }),
    name: z.string().optional().meta({ description: "The driver's name of the model." }),
    memoryInMb: count.optional(),
    utilization: z.number().min(0).max(1).optional().meta({
      description: "The share of the time in which a program ran on it, read every 30 s.",
    }),
    memoryUsedInMb: count.optional(),
    state: z.enum(GPU_STATES),
    reason: z.string().optional().meta({ description: "Why it is OUT_OF_USE." }),
    worker: holder.optional().meta({
      description: "The worker that has it. It can be on another host that is the same machine.",
    }),
  })
  .meta({ id: "HostGpu", description: "A card, or a MIG slice of one." });

const host = z
  .strictObject({
    name: id,
    provider: z.enum(["process", "docker"]).meta({ description: "How its workers run." }),
    isConfigured: z.boolean().meta({ description: "Whether it comes from the settings of the server." }),
    address: z.string().optional().meta({ description: "Of its engine." }),
    labels: z.array(z.string()).meta({ description: "Endpoints choose hosts by them, with hostLabel." }),
    isDraining: z.boolean().meta({ description: "Whether it gets no new workers." }),
    away: z.string().optional().meta({ description: "Why it cannot be reached." }),
    cores: z.number().min(0).optional().meta({ description: "Left out if nobody knows." }),
    memoryInMb: count.optional(),
    diskFreeInMb: count.optional().meta({ description: "Left out if this server cannot see it." }),
    gpus: z.array(gpu),
    gpuFault: z.string().optional().meta({ description: "Why its GPUs are not known." }),
    workers: z
      .array(
        z.strictObject({
          id,
          endpoint: id,
          startedAt: moment.optional().meta({ description: "When Forebay asked for its start." }),
          gpus: z.array(z.string()).meta({ description: "The UUIDs of its GPUs." }),
        }),
      )
      .meta({ description: "The workers that Forebay started there, the oldest first." }),
  })
  .meta({ id: "Host", description: "A machine or an engine where workers run." });

const A_GPU = "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f";
const A_WORKER = { id: "w4k2m9x7q1_1", endpoint: "e3n8v5c1wz" };

export const HOST = {
  schema: host,
  example: {
    name: "gpu-1",
    provider: "docker",
    isConfigured: false,
    address: "tcp://gpu-1.example.com:2376",
    labels: ["eu"],
    isDraining: false,
    gpus: [
      {
        uuid: A_GPU,
        index: 0,
        name: "NVIDIA L40S",
        memoryInMb: 46_068,
        utilization: 0.87,
        memoryUsedInMb: 40_112,
        state: "ALLOCATED",
        worker: A_WORKER,
      },
    ],
    workers: [{ ...A_WORKER, startedAt: "2026-01-31T12:00:00.000Z", gpus: [A_GPU] }],
  },
};

export const HOSTS = {
  schema: z.strictObject({ hosts: z.array(host), nextCursor: nextCursor.optional() }),
  example: { hosts: [HOST.example] },
};

export type HostAnswer = Answered<typeof host>;
export type HostsAnswer = Answered<typeof HOSTS.schema>;
type GpuAnswer = HostAnswer["gpus"][number];

export function presentHost(view: HostView): Shown<HostAnswer> {
  const { name, kind, isConfigured, address, labels, isDraining, away, amounts, gpuFault } = view;
  return {
    name,
    provider: kind,
    isConfigured,
    address,
    labels,
    isDraining,
    away,
    cores: amounts.cores,
    memoryInMb: amounts.memoryMb,
    diskFreeInMb: view.diskFreeMb,
    gpus: view.gpus.map(presentGpu),
    gpuFault,
    workers: view.workers.map(({ id: worker, endpoint, startedAt, gpus }) => {
      return { id: worker, endpoint, startedAt: dateText(startedAt), gpus };
    }),
  };
}

function presentGpu(view: HostGpuView): Shown<GpuAnswer> {
  const { uuid, index, name, memoryMb, utilization, memoryUsedMb, state, reason, worker } = view;
  const use = { utilization, memoryUsedInMb: memoryUsedMb };
  return { uuid, index, name, memoryInMb: memoryMb, ...use, state, reason, worker };
}
