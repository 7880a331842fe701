import { NO_NUMBERS, operation } from "./operation.ts";
import {
  NEW_V2_ENDPOINT,
  NEW_V2_REGISTRY,
  NEW_V2_TEMPLATE,
  V2_ENDPOINT_UPDATE,
  V2_TEMPLATE_UPDATE,
} from "./v2-bodies.ts";
import * as shapes from "./v2-shapes.ts";

const STOCK = {
  include: { valid: ["AVAILABILITY"], wrong: ["", "availability", "PRICE"] },
  product: { valid: ["POD", "SERVERLESS,CLUSTER"], wrong: ["", "GPU"] },
} as const;

const template = "/v2/templates/{template}";
const registry = "/v2/registries/{registryLogin}";
const endpoint = "/v2/serverless/{endpoint}";

/** docs/api.md, the management API v2. */
export const V2_OPERATIONS = {
  createTemplateV2: operation(
    { name: "create a v2 template", methods: ["POST"], path: "/v2/templates", body: NEW_V2_TEMPLATE },
    shapes.V2_TEMPLATE,
  ),
  listTemplatesV2: operation({ name: "list v2 templates", path: "/v2/templates" }, shapes.V2_TEMPLATES),
  readTemplateV2: operation({ name: "read a v2 template", path: template }, shapes.V2_TEMPLATE),
  updateTemplateV2: operation(
    {
      name: "change a v2 template",
      methods: ["PATCH"],
      path: template,
      body: V2_TEMPLATE_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.V2_TEMPLATE,
  ),
  deleteTemplateV2: operation(
    {
      name: "delete a v2 template",
      methods: ["DELETE"],
      path: template,
      mayBeEmpty: true,
      conflicts: ["IN_USE"],
    },
    undefined,
  ),
  createRegistryV2: operation(
    { name: "create a v2 registry", methods: ["POST"], path: "/v2/registries", body: NEW_V2_REGISTRY },
    shapes.V2_REGISTRY,
  ),
  listRegistriesV2: operation({ name: "list v2 registries", path: "/v2/registries" }, shapes.V2_REGISTRIES),
  readRegistryV2: operation({ name: "read a v2 registry", path: registry }, shapes.V2_REGISTRY),
  deleteRegistryV2: operation(
    {
      name: "delete a v2 registry",
      methods: ["DELETE"],
      path: registry,
      mayBeEmpty: true,
      conflicts: ["IN_USE"],
    },
    undefined,
  ),
  createEndpointV2: operation(
    { name: "create a v2 endpoint", methods: ["POST"], path: "/v2/serverless", body: NEW_V2_ENDPOINT },
    shapes.V2_ENDPOINT,
  ),
  listEndpointsV2: operation({ name: "list v2 endpoints", path: "/v2/serverless" }, shapes.V2_ENDPOINTS),
  readEndpointV2: operation({ name: "read a v2 endpoint", path: endpoint }, shapes.V2_ENDPOINT),
  updateEndpointV2: operation(
    {
      name: "change a v2 endpoint",
      methods: ["PATCH"],
      path: endpoint,
      body: V2_ENDPOINT_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.V2_ENDPOINT,
  ),
  deleteEndpointV2: operation(
    { name: "delete a v2 endpoint", methods: ["DELETE"], path: endpoint, mayBeEmpty: true },
    undefined,
  ),
  listWorkersV2: operation({ name: "list v2 workers", path: `${endpoint}/workers` }, shapes.V2_WORKERS),
  listReleasesV2: operation({ name: "list v2 releases", path: `${endpoint}/releases` }, shapes.V2_RELEASES),
  workerLogsV2: operation(
    {
      name: "follow a v2 worker's log",
      path: `${endpoint}/workers/{worker}/logs`,
      query: {
        source: { valid: ["container", "system"], wrong: ["", "both", "Container"] },
        tail: { valid: ["0", "5000"], wrong: [...NO_NUMBERS, "5001"] },
        since: { valid: ["2026-01-31T12:00:00Z"], wrong: ["", "now", "2026-01-31"] },
      },
      conflicts: ["WORKER_NOT_FOUND", "NO_LOGS"],
    },
    undefined,
  ),
  listGpuTypesV2: operation(
    { name: "list v2 GPU types", path: "/v2/catalog/gpus", query: STOCK },
    shapes.V2_GPUS,
  ),
  readGpuTypeV2: operation(
    {
      name: "read a v2 GPU type",
      path: "/v2/catalog/gpus/{gpu}",
      query: STOCK,
      conflicts: ["NOT_SUPPORTED"],
    },
    shapes.V2_GPU,
  ),
  listCpuTypesV2: operation(
    { name: "list v2 CPU types", path: "/v2/catalog/cpus", query: STOCK },
    shapes.V2_CPUS,
  ),
  readCpuTypeV2: operation(
    {
      name: "read a v2 CPU type",
      path: "/v2/catalog/cpus/{cpu}",
      query: STOCK,
      conflicts: ["NOT_SUPPORTED"],
    },
    shapes.V2_CPU,
  ),
} as const;
