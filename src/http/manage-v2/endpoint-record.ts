import type { Endpoint } from "../../domain/endpoint.ts";
import type { Engine } from "../../engine/engine.ts";
import { jobTimes } from "../../engine/job-times.ts";
import { ownerOf } from "../../engine/records/own-template.ts";
import { openEnvText, readableEnv } from "../../engine/records/sealed-env.ts";
import { findShownTemplate } from "../../engine/records/templates.ts";
import type { Warning } from "../answers/members.ts";
import { presentV2Endpoint, type V2EndpointAnswer } from "../answers/v2-endpoint.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { objectParts } from "../present/payload-part.ts";
import type { Part } from "../reply.ts";
import { cpuFlavorOf } from "./flavors.ts";

/** An endpoint in the shape of v2, as JSON; `warnings` are those of the call that has just written it. */
export function v2EndpointParts(
  { engine, publicUrl }: Pick<HttpContext, "engine" | "publicUrl">,
  { dialect }: Pick<Call, "dialect">,
  endpoint: Endpoint,
  warnings: readonly Warning[] = [],
): Part[] {
  const { id, templateId = "" } = endpoint;
  const { ramGbPerVcpu } = cpuFlavorOf(engine.starts.hosts());
  const shown = presentV2Endpoint(endpoint, {
    template: templateOf(engine, endpoint),
    ownsTemplate: ownerOf(templateId) === id,
    times: jobTimes(engine, id),
    queueUrl: `${publicUrl()}${dialect === "sdk" ? "/sdk" : ""}/v2/${id}`,
    memoryFor: (cores) => Math.max(1, Math.round(cores * ramGbPerVcpu)),
    warnings,
  });
  return objectParts<V2EndpointAnswer, "env">(shown, {
    env: [readableEnv(engine, `endpoint ${id}`, () => openEnvText(engine, endpoint))],
  });
}

function templateOf(engine: Engine, { account, templateId = "" }: Endpoint) {
  return findShownTemplate(engine, { account, id: templateId, runtime: () => 0 });
}
