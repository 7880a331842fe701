import { ForebayError } from "../../domain/errors.ts";
import type { WorkerToken } from "../../domain/worker.ts";
import type { WithFleet } from "../fleet-state.ts";
import type { StoreAccess, WithLog } from "../verb-needs.ts";
import type { RecordAccess, WithConfiguration } from "./configuration.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

/** What counting the run time of workers needs. */
export interface TemplateUses extends RecordChanges, WithFleet, WithLog {}

const MINUTE = 60_000;

/** For each template, how many whole minutes its workers have run, including those that run now. */
export function runtimes(
  engine: WithConfiguration & WithFleet & Pick<StoreAccess, "clock">,
): (template: string) => number {
  const { all, get } = engine.configuration;
  const now = engine.clock.now();
  const live = Map.groupBy(all("worker"), ({ template }) => template);
  return (template) => {
    const use = get("templateUse", template);
    const running = (live.get(template) ?? []).filter(({ id }) => use?.counted.includes(id) !== true);
    const ms = running.reduce((sum, token) => sum + ranUntil(engine, token, now), use?.ranMs ?? 0);
    return Math.floor(ms / MINUTE);
  };
}

/** 0 if the worker does not run yet. */
function ranUntil(engine: WithFleet, { id, runsSince }: WorkerToken, until: number): number {
  const since = runsSince ?? engine.fleet.managed.get(id)?.runsSince ?? until;
  return Math.max(0, until - since);
}

/**
 * Stores when a worker started to run, and how long its image was pulled, so that both survive a crash. If
 * they cannot be stored, only this server knows them.
 */
export async function noteRunSince(engine: TemplateUses, worker: string): Promise<void> {
  const token = engine.configuration.get("worker", worker);
  const { runsSince, pullMs } = engine.fleet.managed.get(worker) ?? {};
  if (token === undefined || token.runsSince !== undefined || runsSince === undefined) return;
  try {
    await putRecord(engine, "worker", { ...token, runsSince, pullMs });
  } catch (error) {
    if (!(error instanceof ForebayError)) throw error;
    // Its token was removed meanwhile.
    if (error.code === "CHANGED_MEANWHILE") return;
    engine.log.warn("since when a worker runs was not written", { worker, reason: error.message });
  }
}

/**
 * Adds the run of a worker, which ended at `until`, to its template. A second call for the same worker adds
 * nothing.
 */
export async function countRun(engine: TemplateUses, worker: string, until: number): Promise<void> {
  const { get } = engine.configuration;
  for (;;) {
    const token = get("worker", worker);
    const template = token?.template === undefined ? undefined : get("template", token.template);
    if (token === undefined || template === undefined) return;
    const { id, account } = template;
    const use = get("templateUse", id) ?? { id, account, ranMs: 0, counted: [] };
    const ran = ranUntil(engine, token, until);
    if (ran === 0 || use.counted.includes(worker)) return;
    const present = use.counted.filter((other) => get("worker", other) !== undefined);
    const counted = [...present, worker];
    try {
      await putRecord(engine, "templateUse", { ...use, ranMs: use.ranMs + ran, counted });
      // If the template was deleted meanwhile, nothing is kept.
      if (get("template", id) === undefined) await forgetTemplateUse(engine, id);
      return;
    } catch (error) {
      if (!(error instanceof ForebayError)) throw error;
      if (error.code === "CHANGED_MEANWHILE") continue;
      // The jobs of the worker must be handed out again even if this cannot be stored.
      engine.log.warn("the run of a worker was not counted", { worker, reason: error.message });
      return;
    }
  }
}

export async function forgetTemplateUse(engine: RecordAccess, template: string): Promise<void> {
  await engine.store.apply([{ step: "remove", kind: "templateUse", id: template }], engine.clock.now());
  await engine.configuration.refresh();
}
