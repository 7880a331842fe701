import type { Access } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import { deleteEndpoint } from "../../engine/records/delete-endpoint.ts";
import { endpointOf, endpointsOf, findEndpoint } from "../../engine/records/find-endpoint.ts";
import {
  type Container,
  createEndpointWithContainer,
  updateEndpointWithContainer,
} from "../../engine/records/own-template.ts";
import { accountOperation, endpointOperation } from "../account-operation.ts";
import { V2_ENDPOINT, V2_ENDPOINTS } from "../answers/v2-endpoint.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { listReply } from "../list-reply.ts";
import { created, jsonReply, noContent } from "../reply.ts";
import { containerIn } from "./container-schema.ts";
import { v2EndpointParts } from "./endpoint-record.ts";
import { changesIn, CREATE_V2_ENDPOINT, creationIn, UPDATE_V2_ENDPOINT } from "./endpoint-schema.ts";
import { v2EndpointWarnings } from "./warnings.ts";

const WRITING = ["TEMPLATE_NOT_FOUND", "NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"] as const;

const list = accountOperation({
  id: "listEndpointsV2",
  method: "GET",
  path: "/v2/serverless",
  access: "manage",
  tag: "managementV2",
  summary: "List endpoints",
  answers: { 200: { description: "The account's endpoints.", json: V2_ENDPOINTS } },
  handle(context, call, { access }) {
    const { answers } = context.budgets;
    return listReply(call, answers.clients, records(context, call, access.account), "endpoints");
  },
});

const create = accountOperation({
  id: "createEndpointV2",
  method: "POST",
  path: "/v2/serverless",
  access: "manage",
  tag: "managementV2",
  summary: "Create an endpoint",
  description:
    "With `image` the endpoint gets a template of its own; with `templateId` alone it uses that template. " +
    "With both, its own template is a copy of that one.",
  body: {
    schema: CREATE_V2_ENDPOINT.meta({
      id: "V2EndpointCreation",
      description: "What is said of a new endpoint.",
    }),
    example: {
      name: "speech",
      type: "QUEUE",
      image: "registry.example.com/team/chat:1.2",
      args: "python handler.py",
      cpu: [{ id: "cpu", vcpuCount: 4 }],
      scaling: { type: "QUEUE_DELAY", queueDelay: 4 },
      env: { MODEL: "large" },
    },
    isRequired: true,
  },
  answers: { 201: { description: "The endpoint.", json: V2_ENDPOINT } },
  errors: WRITING,
  async handle(context, call, { access: { account }, body }) {
    const { engine } = context;
    const given = await body();
    const fields = creationIn(given);
    const endpoint = await createEndpointWithContainer(engine, account, fields, containerIn(given));
    const warnings = v2EndpointWarnings(engine, endpoint, fields);
    return created(jsonReply(v2EndpointParts(context, call, endpoint, warnings)));
  },
});

const read = endpointOperation({
  id: "readEndpointV2",
  method: "GET",
  path: "/v2/serverless/{endpoint}",
  access: "manage",
  tag: "managementV2",
  summary: "Read an endpoint",
  answers: { 200: { description: "The endpoint.", json: V2_ENDPOINT } },
  handle: (context, call, { endpoint }) => jsonReply(v2EndpointParts(context, call, endpoint)),
});

const update = endpointOperation({
  id: "updateEndpointV2",
  method: "PATCH",
  path: "/v2/serverless/{endpoint}",
  access: "manage",
  tag: "managementV2",
  summary: "Change an endpoint",
  description:
    "What is not named stays. A key that is limited to endpoints cannot set `image`, `args`, `disk`, " +
    "`ports` or `registry`.",
  body: {
    schema: UPDATE_V2_ENDPOINT.meta({
      id: "V2EndpointChanges",
      description: "What is to change of an endpoint.",
    }),
    example: { workers: { max: 5 }, image: "registry.example.com/team/chat:1.3" },
    isRequired: false,
  },
  answers: { 200: { description: "The endpoint.", json: V2_ENDPOINT } },
  errors: [...WRITING, "CHANGED_MEANWHILE"],
  async handle(context, call, { access, endpoint, body }) {
    const { engine } = context;
    const given = await body();
    // Another call can have changed it while the body arrived.
    const present = endpointOf(engine, access.account, endpoint.id);
    const fields = changesIn(given, present);
    const container = containerIn(given);
    refuseContainerOfBoundKey(access, container);
    const changed = await updateEndpointWithContainer(engine, present, fields, container);
    const warnings = v2EndpointWarnings(engine, changed, fields);
    return jsonReply(v2EndpointParts(context, call, changed, warnings));
  },
});

const remove = endpointOperation({
  id: "deleteEndpointV2",
  method: "DELETE",
  path: "/v2/serverless/{endpoint}",
  access: "manage",
  tag: "managementV2",
  summary: "Delete an endpoint",
  description: "As `DELETE /v1/endpoints/{endpoint}`; the endpoint's own template is deleted too.",
  answers: { 204: { description: "It is gone, but for what still runs." } },
  async handle({ engine }, _call, { access, endpoint }) {
    await deleteEndpoint(engine, access.account, endpoint.id);
    return noContent();
  },
});

/** Endpoints in the shapes of the public API v2. */
export const V2_ENDPOINT_OPERATIONS = [list, create, read, update, remove] as const;

/**
 * A change of the container copies a template with its variables. Keys that are bound to endpoints can
 * neither read nor change templates, as with `/v1`. Throws KEY_NOT_ALLOWED.
 */
function refuseContainerOfBoundKey({ endpoints }: Access, container: Container): void {
  const members = Object.keys(container);
  if (endpoints === undefined || members.length === 0) return;
  throw new ForebayError(
    "KEY_NOT_ALLOWED",
    "This key is limited to some endpoints and cannot change what a container is started from: image, " +
      "args, disk, ports and registry. Use another key.",
  );
}

async function* records(context: HttpContext, call: Call, account: string) {
  const { engine } = context;
  for (const { id } of endpointsOf(engine, account)) {
    // Skips endpoints that were deleted meanwhile.
    const endpoint = findEndpoint(engine, account, id);
    if (endpoint !== undefined) yield () => v2EndpointParts(context, call, endpoint);
  }
}
