import { DEFAULT_ACCOUNT } from "../../domain/account.ts";
import { TEMPLATE_DEFAULTS } from "../../domain/template.ts";

import { createEndpoint } from "./endpoints.ts";
import { createTemplate, type Templates } from "./templates.ts";

/**
 * Makes an endpoint that runs the registered command of the same name, with one worker always running. Throws
 * NAME_TAKEN, and INVALID_FIELD when there is no such command.
 */
export async function createCommandEndpoint(engine: Templates, name: string): Promise<void> {
  const fields = { ...TEMPLATE_DEFAULTS, name, imageName: `process/${name}`, isServerless: true };
  const { id: templateId } = await createTemplate(engine, DEFAULT_ACCOUNT.id, fields);
  const limits = { workersMin: 1, workersMax: 1 };
  await createEndpoint(engine, DEFAULT_ACCOUNT.id, { id: name, name, templateId, ...limits });
}
