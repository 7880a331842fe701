import * as shapes from "./answer-shapes.ts";
import {
  ENDPOINT_UPDATE,
  NEW_ENDPOINT,
  NEW_TEMPLATE,
  NEW_WORKER,
  TEMPLATE_UPDATE,
} from "./management-bodies.ts";
import { operation } from "./operation.ts";

/** docs/api.md, 4.B and 4.C. */
export const MANAGEMENT_OPERATIONS = {
  createTemplate: operation(
    { name: "create a template", methods: ["POST"], path: "/v1/templates", body: NEW_TEMPLATE },
    shapes.TEMPLATE,
  ),
  updateTemplate: operation(
    {
      name: "update a template",
      methods: ["POST"],
      path: "/v1/templates/{template}/update",
      body: TEMPLATE_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.TEMPLATE,
  ),
  createEndpoint: operation(
    { name: "create an endpoint", methods: ["POST"], path: "/v1/endpoints", body: NEW_ENDPOINT },
    shapes.ENDPOINT,
  ),
  listEndpoints: operation({ name: "list endpoints", path: "/v1/endpoints" }, shapes.ENDPOINTS),
  readEndpoint: operation({ name: "read an endpoint", path: "/v1/endpoints/{endpoint}" }, shapes.ENDPOINT),
  updateEndpoint: operation(
    {
      name: "change an endpoint",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/update",
      body: ENDPOINT_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.ENDPOINT,
  ),
  patchEndpoint: operation(
    {
      name: "patch an endpoint",
      methods: ["PATCH"],
      path: "/v1/endpoints/{endpoint}",
      body: ENDPOINT_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.ENDPOINT,
  ),
  deleteEndpoint: operation(
    {
      name: "delete an endpoint",
      methods: ["DELETE"],
      path: "/v1/endpoints/{endpoint}",
      mayBeEmpty: true,
      conflicts: ["IN_USE"],
    },
    undefined,
  ),
  createWorker: operation(
    {
      name: "admit a worker",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/workers",
      body: NEW_WORKER,
    },
    shapes.ADMISSION,
  ),
  jobInput: operation(
    { name: "read a job's input", path: "/v1/endpoints/{endpoint}/jobs/{job}/input" },
    shapes.JOB_INPUT,
  ),
  healthz: operation({ name: "healthz", methods: ["GET", "HEAD"], path: "/healthz" }, shapes.SERVING),
  readyz: operation({ name: "readyz", methods: ["GET", "HEAD"], path: "/readyz" }, shapes.SERVING),
} as const;
