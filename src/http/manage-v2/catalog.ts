import { ForebayError } from "../../domain/errors.ts";
import { hostsOf } from "../../engine/hosts.ts";
import type { Engine } from "../../engine/engine.ts";
import { accountOperation } from "../account-operation.ts";
import {
  type AVAILABILITY,
  CPU_TYPE,
  CPU_TYPES,
  type CpuTypeAnswer,
  GPU_TYPE,
  GPU_TYPES,
  type GpuTypeAnswer,
} from "../answers/v2-catalog.ts";
import { choices, type QueryParameter } from "../parameters.ts";
import { jsonValue } from "../reply.ts";
import { cpuFlavorOf, gpuTypesOf } from "./flavors.ts";

const INCLUDED = {
  include: once(choices(["AVAILABILITY"], "Also how much is free now.")),
  product: once(
    choices(["POD", "CLUSTER", "SERVERLESS"], "Public clients send it with `include`; no effect."),
  ),
};

const gpus = accountOperation({
  id: "listGpuTypesV2",
  method: "GET",
  path: "/v2/catalog/gpus",
  access: "manage",
  tag: "managementV2",
  summary: "List the types of GPUs",
  description: "Those of the hosts that the answering server sees.",
  query: INCLUDED,
  answers: { 200: { description: "The types, by name.", json: GPU_TYPES } },
  async handle({ engine }, _call, { query }) {
    return jsonValue({ gpus: await gpuTypes(engine, query().include !== undefined) });
  },
});

const gpu = accountOperation({
  id: "readGpuTypeV2",
  method: "GET",
  path: "/v2/catalog/gpus/{gpu}",
  access: "manage",
  tag: "managementV2",
  summary: "Read a type of GPU",
  query: INCLUDED,
  answers: { 200: { description: "The type.", json: GPU_TYPE } },
  errors: ["NOT_SUPPORTED"],
  async handle({ engine }, { parameters: [wanted = ""] }, { query }) {
    const types = await gpuTypes(engine, query().include !== undefined);
    const found = types.find(({ id }) => id === wanted);
    if (found !== undefined) return jsonValue(found);
    const name = JSON.stringify(wanted);
    throw notHere(`No host has GPUs of the type ${name}. GET /v2/catalog/gpus lists the types.`);
  },
});

const cpus = accountOperation({
  id: "listCpuTypesV2",
  method: "GET",
  path: "/v2/catalog/cpus",
  access: "manage",
  tag: "managementV2",
  summary: "List the types of CPUs",
  description: "One, which stands for the cores of all hosts that the answering server sees.",
  query: INCLUDED,
  answers: { 200: { description: "The type.", json: CPU_TYPES } },
  handle: ({ engine }, _call, { query }) =>
    jsonValue({ cpus: [cpuType(engine, query().include !== undefined)] }),
});

const cpu = accountOperation({
  id: "readCpuTypeV2",
  method: "GET",
  path: "/v2/catalog/cpus/{cpu}",
  access: "manage",
  tag: "managementV2",
  summary: "Read a type of CPU",
  query: INCLUDED,
  answers: { 200: { description: "The type.", json: CPU_TYPE } },
  errors: ["NOT_SUPPORTED"],
  handle({ engine }, { parameters: [wanted = ""] }, { query }) {
    const found = cpuType(engine, query().include !== undefined);
    if (found.id === wanted) return jsonValue(found);
    throw notHere(`There is no CPU type ${wanted}. GET /v2/catalog/cpus lists what there is.`);
  },
});

/** What the hosts have, in the shapes of the public API v2. */
export const V2_CATALOG_OPERATIONS = [gpus, gpu, cpus, cpu] as const;

/** The words are in one value, with commas between them. */
function once<Value>(parameter: QueryParameter<Value>): QueryParameter<Value> {
  return {
    ...parameter,
    read(query, name) {
      // Throws INVALID_QUERY if it is repeated.
      query.text(name);
      return parameter.read(query, name);
    },
  };
}

async function gpuTypes(engine: Engine, withAvailability: boolean): Promise<GpuTypeAnswer[]> {
  const types = gpuTypesOf(engine.starts.hosts());
  if (!withAvailability) return types;
  const cards = (await hostsOf(engine)).flatMap((host) => host.gpus);
  return types.map((type) => {
    const ofType = cards.filter(({ name }) => name === type.id);
    const free = ofType.filter(({ state }) => state === "FREE").length;
    return Object.assign(type, { availability: availabilityOf(free / Math.max(1, ofType.length)) });
  });
}

/** Cores are shared by all workers, so there are always some. */
function cpuType(engine: Engine, withAvailability: boolean): CpuTypeAnswer {
  const flavor = cpuFlavorOf(engine.starts.hosts());
  return withAvailability ? { ...flavor, availability: "HIGH" } : flavor;
}

/** `free`: 0 to 1. */
function availabilityOf(free: number): (typeof AVAILABILITY)[number] {
  if (free === 0) return "NONE";
  if (free < 1 / 3) return "LOW";
  return free < 2 / 3 ? "MEDIUM" : "HIGH";
}

function notHere(sentence: string): ForebayError {
  return new ForebayError("NOT_SUPPORTED", sentence);
}
