import type { Endpoint } from "../domain/endpoint.ts";
import type { Engine } from "./engine.ts";
import { type Launch, launchFrom } from "./launch-from.ts";
import { usableTemplateOf } from "./records/templates.ts";

/** Throws TEMPLATE_NOT_FOUND when the account of the endpoint may use its template no longer. */
export function launchOf(engine: Engine, endpoint: Endpoint): Launch {
  const { account, templateId = "" } = endpoint;
  return launchFrom(engine, usableTemplateOf(engine, account, templateId), endpoint);
}
