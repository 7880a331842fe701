import { z } from "zod";
import { type Answered, count } from "./members.ts";

/** How much of a kind of machine is free now. */
export const AVAILABILITY = ["NONE", "LOW", "MEDIUM", "HIGH"] as const;

const availability = z
  .enum(AVAILABILITY)
  .optional()
  .meta({ description: "With `include=AVAILABILITY`: how much is free now." });
const perCloud = z.strictObject({ secure: count, community: count });

const gpuType = z
  .strictObject({
    id: z.string(),
    name: z.string().meta({ description: "The name that the driver prints." }),
    pool: z.string().meta({ description: "The same: each type is a pool of its own." }),
    manufacturer: z.enum(["NVIDIA", "AMD", "UNKNOWN"]),
    memory: count.meta({ description: "GB." }),
    secure: z.boolean(),
    community: z.boolean(),
    price: z.strictObject({ secure: z.number(), community: z.number(), serverless: z.number() }),
    maxCount: perCloud.meta({ description: "The most on one host, as `secure`." }),
    availability,
  })
  .meta({ id: "V2GpuType", description: "A type of GPU that a host has. Prices are 0." });

const cpuType = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    group: z.string(),
    vcpu: z.strictObject({ min: count, max: count }),
    ramGbPerVcpu: z.number(),
    price: z.strictObject({ securePerVcpu: z.number(), serverlessPerVcpu: z.number() }),
    availability,
  })
  .meta({ id: "V2CpuType", description: "The cores of the hosts. Prices are 0." });

export type GpuTypeAnswer = Answered<typeof gpuType>;
export type CpuTypeAnswer = Answered<typeof cpuType>;

export const GPU_TYPE = {
  schema: gpuType,
  example: {
    id: "NVIDIA L40S",
    name: "NVIDIA L40S",
    pool: "NVIDIA L40S",
    manufacturer: "NVIDIA",
    memory: 45,
    secure: true,
    community: false,
    price: { secure: 0, community: 0, serverless: 0 },
    maxCount: { secure: 8, community: 0 },
  },
};

export const GPU_TYPES = {
  schema: z.strictObject({ gpus: z.array(gpuType) }),
  example: { gpus: [GPU_TYPE.example] },
};

export const CPU_TYPE = {
  schema: cpuType,
  example: {
    id: "cpu",
    name: "Cores of the hosts",
    group: "hosts",
    vcpu: { min: 1, max: 64 },
    ramGbPerVcpu: 4,
    price: { securePerVcpu: 0, serverlessPerVcpu: 0 },
  },
};

export const CPU_TYPES = {
  schema: z.strictObject({ cpus: z.array(cpuType) }),
  example: { cpus: [CPU_TYPE.example] },
};
