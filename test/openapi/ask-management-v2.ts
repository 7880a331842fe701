import type { Answer } from "../support/answer.ts";

/** Sends the example of an operation, and holds the answer against the document. */
type Ask = (
  id: string,
  ids?: Record<string, string>,
  change?: { body?: unknown; query?: string; status?: number },
) => Promise<Answer>;

export const STOCK = { query: "?include=AVAILABILITY&product=SERVERLESS" };

const LOGIN = { name: "registry-2", username: "bot", password: "s3cr3t" };

/** Calls each operation of the management API v2 that needs no worker and no GPU. */
export async function askManagementV2(ask: Ask): Promise<void> {
  const { json: endpoint } = await ask("createEndpointV2", {}, { status: 201 });
  const { json: template } = await ask("createTemplateV2", {}, { status: 201 });
  const { json: login } = await ask("createRegistryV2", {}, { status: 201, body: LOGIN });
  const ids = { endpoint: endpoint.id, template: template.id, registryLogin: login.id, cpu: "cpu" };
  for (const kind of ["Endpoint", "Template"]) {
    await ask(`list${kind}sV2`);
    await ask(`read${kind}V2`, ids);
    await ask(`update${kind}V2`, ids);
  }
  await ask("listRegistriesV2");
  await ask("readRegistryV2", ids);
  await ask("listWorkersV2", ids);
  await ask("listReleasesV2", ids);
  await ask("listCpuTypesV2", {}, STOCK);
  await ask("readCpuTypeV2", ids, STOCK);
  for (const kind of ["Endpoint", "Template", "Registry"]) {
    await ask(`delete${kind}V2`, ids, { status: 204 });
  }
}
