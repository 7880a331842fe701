import { hostOf } from "../domain/host.ts";
import {
  tokenIdOf,
  versionOf,
  type WorkerState,
  type WorkerToken,
  type WorkerView,
} from "../domain/worker.ts";
import { isTerminal } from "../domain/transitions.ts";
import type { WorkerContact } from "../store/store.ts";
import type { StoreAccess } from "./verb-needs.ts";
import { fleetWordsOf } from "./fleet-of.ts";
import type { WorkerSight } from "./health.ts";
import { isOutdated } from "./take-step.ts";

/** How many running jobs are read at once. */
const PAGE = 1_000;

/**
 * All workers of an endpoint, of all servers and also those that Forebay did not start, in the order of their
 * starts. Of workers that share a token, only live ones. What another server says about its workers is up to
 * half a second old.
 */
export async function endpointWorkers(engine: WorkerSight, endpoint: string): Promise<WorkerView[]> {
  const tokens = engine.configuration.all("worker").filter((token) => token.endpoint === endpoint);
  const contacts = await engine.store.workers(endpoint, 0);
  const jobs = await runningJobs(engine, endpoint);
  const draining = new Set(fleetWordsOf(engine, endpoint).flatMap((word) => word.draining ?? []));
  const byToken = Map.groupBy(contacts, ({ worker }) => tokenIdOf(worker));
  const before = engine.clock.now() - engine.durations.workerLease;
  const isGone = ({ running, lastContact }: WorkerContact): boolean => running === 0 && lastContact < before;

  async function view(
    token: WorkerToken,
    id: string,
    contact: WorkerContact | undefined,
  ): Promise<WorkerView> {
    const { managed, provider = "process", startedAt, asked } = token;
    const lost = lostReason(token);
    const isDraining = lost === undefined && (asked !== undefined || draining.has(id));
    const isSeen = contact !== undefined && !isDraining;
    const reason = lost ?? (isSeen ? await problemOf(engine, endpoint, contact) : undefined);
    const state = stateOf({ contact, reason, isDraining, isOutdated: isOutdated(engine, endpoint, id) });
    return {
      id,
      state,
      reason,
      managed,
      provider: managed ? provider : undefined,
      host: hostOf(token),
      jobs: jobs.get(id) ?? [],
      startedAt,
      lastContact: contact?.lastContact,
      heartbeats: !token.many || contact?.pings === true,
      version: versionOf(id),
    };
  }

  const viewing = tokens.flatMap((token) => {
    const own = byToken.get(token.id) ?? [];
    if (!token.many) return [view(token, token.id, own[0])];
    return own.filter((contact) => !isGone(contact)).map((contact) => view(token, contact.worker, contact));
  });
  const views = await Promise.all(viewing);
  return views.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || (a.id < b.id ? -1 : 1));
}

interface Seen {
  readonly contact: WorkerContact | undefined;
  readonly reason: string | undefined;
  readonly isDraining: boolean;
  readonly isOutdated: boolean;
}

function stateOf({ contact, reason, isDraining, isOutdated: isOld }: Seen): WorkerState {
  if (isDraining) return "DRAINING";
  if (reason !== undefined) return "UNHEALTHY";
  if (contact === undefined) return "INITIALIZING";
  if (isOld) return "OUTDATED";
  return contact.running > 0 ? "RUNNING" : "IDLE";
}

/** Why a lost worker gets no jobs; undefined for any other worker. */
function lostReason(token: WorkerToken): string | undefined {
  if (token.lostAt === undefined) return undefined;
  return `Host ${hostOf(token)} does not answer. Other workers run its jobs. If it returns, this one stops.`;
}

async function runningJobs({ store }: StoreAccess, endpoint: string): Promise<Map<string, string[]>> {
  const jobs = new Map<string, string[]>();
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = await store.unfinished(endpoint, "IN_PROGRESS", before, PAGE);
    for (const { id, worker = "" } of page) jobs.set(worker, [...(jobs.get(worker) ?? []), id]);
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return jobs;
    before = last.position;
  }
}

/** A worker that lists a job this long after its end has lost track of its jobs, ms. */
const STRAY_LIMIT = 60_000;

/** Why the worker is unhealthy, in one sentence; undefined if it is healthy. */
async function problemOf(
  engine: WorkerSight,
  endpoint: string,
  contact: WorkerContact,
): Promise<string | undefined> {
  const { clock, durations, store } = engine;
  const now = clock.now();
  const { pings, hasHungUp, lastContact, running, stray } = contact;
  // A silent worker makes no call while it runs a job.
  const mayBeQuiet = !pings && running > 0 && !hasHungUp;
  if (lastContact < now - durations.workerLease && !mayBeQuiet) {
    return hasHungUp
      ? "The worker closed its connections and sends only heartbeats. Its main process has probably ended."
      : "The worker has not called within its lease.";
  }
  if (stray === undefined) return undefined;
  const job = await store.job(endpoint, stray.job);
  if (job !== undefined && !isTerminal(job.state)) return undefined;
  if (Math.max(stray.since, job?.endedAt ?? 0) > now - STRAY_LIMIT) return undefined;
  return (
    `The worker still lists job ${stray.job} more than 60 s after the job ended. Restart the worker. ` +
    "Workers that share a working directory can read each other's list of jobs."
  );
}
