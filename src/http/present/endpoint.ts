import type { Endpoint } from "../../domain/endpoint.ts";
import type { WorkerView } from "../../domain/worker.ts";
import type { Engine } from "../../engine/engine.ts";
import { fleetOf } from "../../engine/fleet-of.ts";
import { jobTimes } from "../../engine/job-times.ts";
import { findShownTemplate, type ShownTemplate } from "../../engine/records/templates.ts";
import { openEnvText, readableEnv } from "../../engine/records/sealed-env.ts";
import { type EndpointAnswer, presentEndpoint } from "../answers/endpoint.ts";
import type { Warning } from "../answers/members.ts";
import { presentWithoutEnv, type TemplateAnswer } from "../answers/template.ts";
import type { Dialect } from "../call.ts";
import type { Part } from "../reply.ts";
import { objectParts } from "./payload-part.ts";

/** What a record includes on request. */
export interface Included {
  readonly template: boolean;
  /** How long the workers of a template have run (`runtimes`). */
  readonly runtime: (template: string) => number;
  /** Undefined if not requested. */
  readonly workers: readonly WorkerView[] | undefined;
  /** The dialect of the template. */
  readonly dialect: Dialect;
}

/** The record as JSON after a call has written it, with the warnings of the call. */
export function endpointParts(engine: Engine, endpoint: Endpoint, warnings: readonly Warning[]): Part[] {
  return endpointRecord(engine, endpoint, undefined, warnings)();
}

/**
 * Creates the record as JSON: the same at each call, as it is now. Large members, `env` and the template, are
 * decrypted at each call. So a caller that keeps the function keeps none of them in memory.
 */
export function endpointRecord(
  engine: Engine,
  endpoint: Endpoint,
  included?: Included,
  warnings: readonly Warning[] = [],
): () => Part[] {
  const { id, account, templateId = "" } = endpoint;
  const shown = presentEndpoint(endpoint, {
    version: engine.configuration.releases(id)[0]?.number,
    times: jobTimes(engine, id),
    fleet: fleetOf(engine, id),
    workers: included?.workers,
    warnings,
  });
  // Undefined if there is none, and if it is another account's and no longer public.
  const template = included?.template
    ? findShownTemplate(engine, { account, id: templateId, runtime: included.runtime })
    : undefined;
  return () =>
    objectParts<EndpointAnswer, "env" | "template">(shown, {
      env: [readableEnv(engine, `endpoint ${id}`, () => openEnvText(engine, endpoint))],
      template: template && templateParts(template, included?.dialect ?? "spec"),
    });
}

/** A template as an account sees it. */
export function templateParts(template: ShownTemplate, dialect: Dialect): Part[] {
  return objectParts<TemplateAnswer, "env">(presentWithoutEnv(template, dialect), { env: [template.env()] });
}
