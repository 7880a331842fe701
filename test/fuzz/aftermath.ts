import { join } from "node:path";
import { inspectFiles } from "../crash/inspect-files.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { CANARY } from "./canary.ts";
import type { FuzzHistory } from "./fuzz-history.ts";
import type { KnownEndpoint, World } from "./world.ts";

/** By then everything must have ended once nobody asks for anything any more, ms. */
const LIMIT = 60_000;

/** Calls under way at the same time. */
const READERS = 8;

interface Counted {
  readonly completed: number;
  readonly failed: number;
  readonly inProgress: number;
  readonly inQueue: number;
  readonly retried: number;
}

/**
 * Waits until nothing waits or runs on the endpoints that stay and have workers. A request can have asked for
 * workers that fit on no host: then their jobs wait, as they should, and first the endpoint asks for others.
 */
export async function drained(server: ServerProcess, world: World): Promise<void> {
  for (const { id } of world.endpoints.filter(({ isServed }) => isServed)) {
    const fitting = { gpuTypeIds: null, gpuCount: null, vcpuCount: null };
    const { status, text } = await server.call("PATCH", `/v1/endpoints/${id}`, fitting);
    if (status !== 200) throw new Error(`${id} cannot ask for other workers: ${status} ${text}`);
    await until(
      `all jobs of ${id} have ended`,
      async () => {
        const { jobs } = await server.health(id);
        return jobs.inQueue + jobs.inProgress === 0;
      },
      LIMIT,
    );
  }
}

/** What is wrong with the counters of the endpoints that stay, held against every job there that is known. */
export async function recount(server: ServerProcess, world: World, history: FuzzHistory): Promise<string[]> {
  const faults: string[] = [];
  for (const endpoint of world.endpoints.filter(({ isKept }) => isKept)) {
    faults.push(...(await recountOne(server, endpoint, history)));
  }
  return faults;
}

async function recountOne(
  server: ServerProcess,
  endpoint: KnownEndpoint,
  history: FuzzHistory,
): Promise<string[]> {
  const { id, jobs, removed, unanswered, retries } = endpoint;
  for (const job of await waiting(server, id)) jobs.add(job);
  const found = new Map<string, number>();
  const rest = jobs.values();
  const reader = async (): Promise<void> => {
    for (const job of rest) {
      const from = performance.now();
      const { status, json } = await server.get(`/v2/${id}/status/${job}`);
      const state = status === 404 ? "gone" : json.status;
      history.final(job, state, { from, to: performance.now() });
      found.set(state, (found.get(state) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  const of = (state: string): number => found.get(state) ?? 0;
  const { jobs: counted }: { jobs: Counted } = await server.health(id);

  const rules: [boolean, string][] = [
    [counted.completed === of("COMPLETED"), "completed"],
    // A job that is retried has failed once more than its record tells.
    [counted.failed === of("FAILED") + of("TIMED_OUT") + retries, "failed"],
    [counted.retried >= retries, "retried"],
    [counted.inQueue === of("IN_QUEUE"), "inQueue"],
    [counted.inProgress === of("IN_PROGRESS"), "inProgress"],
    [of("gone") <= removed && removed <= of("gone") + unanswered, "removed"],
  ];
  const broken = rules.filter(([holds]) => !holds).map(([, name]) => name);
  if (broken.length === 0) return [];
  const records = JSON.stringify({ ...Object.fromEntries(found), retries, removed, unanswered });
  return [`${broken.join(", ")} of ${id}: counted ${JSON.stringify(counted)}, found ${records}`];
}

/** Ids of all jobs that wait or run, page by page. */
async function waiting(server: ServerProcess, endpoint: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const from: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { json } = await server.get(`/v2/${endpoint}/requests?limit=1000${from}`);
    ids.push(...json.requests.map(({ id }: { id: string }) => id));
    cursor = json.nextCursor;
  }
  return ids;
}

/** The jobs whose input is not what was sent, byte for byte. */
export async function changedInputs(server: ServerProcess, world: World): Promise<string[]> {
  const changed: string[] = [];
  for (const { id, jobs } of world.endpoints.filter(({ isKept }) => isKept)) {
    const rest = jobs.values();
    const reader = async (): Promise<void> => {
      for (const job of rest) {
        const sent = world.inputs.get(job);
        if (sent === undefined) continue;
        const { status, text } = await server.get(`/v1/endpoints/${id}/jobs/${job}/input`);
        if (status === 200 && text !== sent) changed.push(`${job}: sent ${sent}, kept ${text}`);
      }
    };
    await Promise.all(Array.from({ length: READERS }, reader));
  }
  return changed;
}

/** A job runs through on each endpoint that has workers; the answer is what is wrong. */
export async function canaries(server: ServerProcess, world: World): Promise<string[]> {
  const served = world.endpoints.filter(({ isServed }) => isServed);
  const ended = await Promise.all(
    served.map(async (endpoint) => {
      const id = await server.run(endpoint.id, { canary: CANARY });
      endpoint.jobs.add(id);
      const { status, output } = await server.ended(endpoint.id, id);
      const isAlive = status === "COMPLETED" && output === CANARY;
      return isAlive ? [] : [`${id} of ${endpoint.id} is ${status} with ${String(output).slice(0, 100)}`];
    }),
  );
  return ended.flat();
}

/** What is wrong with the files of the server, which must have ended. */
export function filesOf(server: ServerProcess): readonly string[] {
  return inspectFiles(join(server.directory, "data")).faults;
}
