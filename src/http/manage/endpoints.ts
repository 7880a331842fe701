import type { Access } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import { endpointWorkers } from "../../engine/endpoint-workers.ts";
import type { Engine } from "../../engine/engine.ts";
import { deleteEndpoint } from "../../engine/records/delete-endpoint.ts";
import { createEndpoint, updateEndpoint } from "../../engine/records/endpoints.ts";
import { endpointsOf, findEndpoint } from "../../engine/records/find-endpoint.ts";
import { runtimes } from "../../engine/records/template-uses.ts";
import { accountOperation, endpointOperation } from "../account-operation.ts";
import type { Dialect } from "../call.ts";
import { listReply } from "../list-reply.ts";
import { requireScope } from "../opened.ts";
import { ENDPOINT, ENDPOINTS } from "../answers/endpoint.ts";
import { flag, type QueryOf } from "../parameters.ts";
import { endpointParts, endpointRecord } from "../present/endpoint.ts";
import { jsonReply, noContent, type Part } from "../reply.ts";
import { CREATE_ENDPOINT, UPDATE_ENDPOINT } from "./endpoint-schema.ts";
import { endpointWarnings } from "./warnings.ts";

const INCLUDED = {
  includeTemplate: flag("Whether the template comes with the record."),
  includeWorkers: flag("Whether the workers come with the record."),
};

const list = accountOperation({
  id: "listEndpoints",
  method: "GET",
  path: "/v1/endpoints",
  access: "manage",
  tag: "endpoints",
  summary: "List endpoints",
  query: INCLUDED,
  answers: { 200: { description: "The account's endpoints.", json: ENDPOINTS } },
  handle({ engine, budgets }, call, { access, query }) {
    const present = including(engine, query(), call.dialect);
    return listReply(call, budgets.answers.clients, records(engine, access.account, present));
  },
});

const create = accountOperation({
  id: "createEndpoint",
  method: "POST",
  path: "/v1/endpoints",
  access: "manage",
  tag: "endpoints",
  summary: "Create an endpoint",
  description:
    "`name` may be left out where there is a `templateId`: then it is the id. " +
    "`workersMin` is at most `workersMax`. `rateLimits` needs a key with the scope admin.",
  body: {
    schema: CREATE_ENDPOINT.meta({ id: "EndpointCreation", description: "What is said of a new endpoint." }),
    example: { name: "chat", workersMax: 3, env: { MODEL: "large" } },
    isRequired: true,
  },
  answers: { 200: { description: "The endpoint.", json: ENDPOINT } },
  errors: ["TEMPLATE_NOT_FOUND", "NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle({ engine }, _call, { access, body }) {
    const given = await body();
    refuseRaisedLimits(access, given);
    const endpoint = await createEndpoint(engine, access.account, given);
    return jsonReply(endpointParts(engine, endpoint, endpointWarnings(engine, endpoint, given)));
  },
});

const read = endpointOperation({
  id: "readEndpoint",
  method: "GET",
  path: "/v1/endpoints/{endpoint}",
  access: "manage",
  tag: "endpoints",
  summary: "Read an endpoint",
  query: INCLUDED,
  answers: { 200: { description: "The endpoint.", json: ENDPOINT } },
  async handle({ engine }, { dialect }, { endpoint, query }) {
    const record = await including(engine, query(), dialect)(endpoint);
    return jsonReply(record());
  },
});

const remove = endpointOperation({
  id: "deleteEndpoint",
  method: "DELETE",
  path: "/v1/endpoints/{endpoint}",
  access: "manage",
  tag: "endpoints",
  summary: "Delete an endpoint",
  description:
    "Jobs that wait are removed; those that run may end within the drain grace, and are cancelled " +
    "then. Its workers' tokens go with it.",
  answers: { 204: { description: "It is gone, but for what still runs." } },
  async handle({ engine }, _call, { access, endpoint }) {
    await deleteEndpoint(engine, access.account, endpoint.id);
    return noContent();
  },
});

const update = endpointOperation({
  id: "updateEndpoint",
  method: "POST",
  path: "/v1/endpoints/{endpoint}/update",
  access: "manage",
  tag: "endpoints",
  summary: "Change an endpoint, by POST",
  description: "What is not named stays; null puts the default back. `workersMin` is at most `workersMax`.",
  body: {
    schema: UPDATE_ENDPOINT.meta({ id: "EndpointChanges", description: "What is to change of an endpoint." }),
    example: { workersMax: 5, runRetentionMs: 3_600_000 },
    isRequired: false,
  },
  answers: { 200: { description: "The endpoint.", json: ENDPOINT } },
  errors: ["TEMPLATE_NOT_FOUND", "NAME_TAKEN", "CHANGED_MEANWHILE", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle({ engine }, _call, { access, endpoint: { id }, body }) {
    const changes = await body();
    refuseRaisedLimits(access, changes);
    const changed = await updateEndpoint(engine, access.account, id, changes);
    return jsonReply(endpointParts(engine, changed, endpointWarnings(engine, changed, changes)));
  },
});

/** Endpoints: create, list, read, change, delete. */
export const ENDPOINT_OPERATIONS = [
  list,
  create,
  read,
  {
    ...update,
    id: "patchEndpoint",
    method: "PATCH",
    path: "/v1/endpoints/{endpoint}",
    summary: "Change an endpoint",
  },
  remove,
  update,
] as const;

/** Presents records with what the query includes. */
function including(
  engine: Engine,
  { includeTemplate: template, includeWorkers }: QueryOf<typeof INCLUDED>,
  dialect: Dialect,
): (endpoint: Endpoint) => Promise<() => Part[]> {
  const runtime = runtimes(engine);
  return async (endpoint) => {
    const workers = includeWorkers ? await endpointWorkers(engine, endpoint.id) : undefined;
    return endpointRecord(engine, endpoint, { template, runtime, workers, dialect });
  };
}

async function* records(engine: Engine, account: string, present: ReturnType<typeof including>) {
  for (const id of endpointsOf(engine, account).map((endpoint) => endpoint.id)) {
    // Skips endpoints that were deleted meanwhile.
    const endpoint = findEndpoint(engine, account, id);
    if (endpoint === undefined) continue;
    yield await present(endpoint);
  }
}

/** Only the operator decides how much load a server takes. */
function refuseRaisedLimits(access: Access, { rateLimits }: { rateLimits?: unknown }): void {
  if (rateLimits === undefined || rateLimits === null) return;
  requireScope(access, "admin", "rateLimits");
}
