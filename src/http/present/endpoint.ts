import type { Endpoint } from "../../domain/endpoint.ts";
import { HIDDEN, WEBHOOK_RETRIES } from "../../domain/webhook.ts";
import type { Engine } from "../../engine/engine.ts";
import type { WorkerView } from "../../engine/endpoint-workers.ts";
import { type FleetView, fleetOf } from "../../engine/fleet-of.ts";
import { jobTimes } from "../../engine/job-times.ts";
import { readableEnv } from "../../engine/records/readable-env.ts";
import { openEnv } from "../../engine/records/sealed-env.ts";
import { mayUseTemplate, shownTemplateOf } from "../../engine/records/templates.ts";
import type { Dialect } from "../call.ts";
import { dateText } from "../manage/date-text.ts";
import { presentTemplate } from "./template.ts";
import { presentWorker } from "./worker.ts";

/** What comes with a record when it is asked for. */
export interface Included {
  readonly template: boolean;
  /** Undefined: not asked for. */
  readonly workers: readonly WorkerView[] | undefined;
  /** That of the template. */
  readonly dialect: Dialect;
}

/**
 * The record; its times are those that hold, whoever has said them. "None" is an empty value where public
 * clients demand one.
 */
export function presentEndpoint(engine: Engine, endpoint: Endpoint, included?: Included): object {
  const { account, createdAt, webhookHeaders, sealedEnv: _sealedEnv, ...shown } = endpoint;
  return {
    ...shown,
    userId: account,
    templateId: endpoint.templateId ?? "",
    // Strict public clients demand one.
    version: engine.configuration.releases(endpoint.id)[0]?.number ?? 0,
    env: readableEnv(engine, `endpoint ${endpoint.id}`, () => openEnv(engine, endpoint)),
    ...jobTimes(engine, endpoint.id),
    webhookRetries: endpoint.webhookRetries ?? WEBHOOK_RETRIES,
    // Their values are secrets.
    webhookHeaders: webhookHeaders && Object.fromEntries(webhookHeaders.names.map((name) => [name, HIDDEN])),
    createdAt: dateText(createdAt),
    fleet: presentFleet(fleetOf(engine, endpoint.id)),
    template: included?.template ? templateOf(engine, endpoint, included.dialect) : undefined,
    workers: included?.workers?.map(presentWorker),
  };
}

/** Undefined where there is none, and where it is another account's and public no longer. */
function templateOf(
  engine: Engine,
  { account, templateId = "" }: Endpoint,
  dialect: Dialect,
): object | undefined {
  if (!mayUseTemplate(engine, account, templateId)) return undefined;
  return presentTemplate(shownTemplateOf(engine, account, templateId), dialect);
}

function presentFleet(fleet: FleetView | undefined): object | undefined {
  if (fleet === undefined) return undefined;
  const { state, reason, nextStartAt, lastExit, coldStart } = fleet;
  return {
    state,
    reason,
    nextStartAt: nextStartAt === undefined ? undefined : dateText(nextStartAt),
    lastExit: lastExit === undefined ? undefined : { ...lastExit, at: dateText(lastExit.at) },
    coldStartMs: coldStart === undefined ? undefined : Math.round(coldStart),
  };
}
