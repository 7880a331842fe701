import { z } from "zod";

// What docs/api.md promises of hosts. Nothing more may be in an answer.

const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const count = z.int().min(0);

const GPU = z.strictObject({
  uuid: z.string().optional(),
  index: count.optional(),
  name: z.string().optional(),
  memoryInMb: count.optional(),
  utilization: z.number().min(0).max(1).optional(),
  memoryUsedInMb: count.optional(),
  state: z.enum(["FREE", "ALLOCATED", "OUT_OF_USE"]),
  reason: z.string().optional(),
  worker: z.strictObject({ id, endpoint: id }).optional(),
});
export const HOST = z.strictObject({
  name: id,
  provider: z.enum(["process", "docker"]),
  isConfigured: z.boolean(),
  address: z.string().optional(),
  labels: z.array(z.string().regex(/^[A-Za-z0-9_.-]{1,63}$/)).max(20),
  isDraining: z.boolean(),
  away: z.string().optional(),
  cores: z.number().optional(),
  memoryInMb: count.optional(),
  diskFreeInMb: count.optional(),
  gpus: z.array(GPU),
  gpuFault: z.string().optional(),
  workers: z.array(
    z.strictObject({
      id,
      endpoint: id,
      startedAt: z.iso.datetime().optional(),
      gpus: z.array(z.string()),
    }),
  ),
});
export const HOSTS = z.strictObject({ hosts: z.array(HOST), nextCursor: z.string().min(1).optional() });
