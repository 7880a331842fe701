import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { seededRandom } from "../crash/seeded-random.ts";
import { processesWith } from "../support/processes.ts";
import { ServerProcess } from "../support/server-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { canaries, changedInputs, drained, filesOf, recount } from "./aftermath.ts";
import { choose } from "./choose.ts";
import type { Verdict } from "../history/check-history.ts";
import { FuzzClient } from "./fuzz-client.ts";
import { FuzzHistory } from "./fuzz-history.ts";
import { FUZZED_ENDPOINT } from "./fuzzed-endpoint.ts";
import { Journal } from "./journal.ts";
import { learn } from "./learn.ts";
import { liveWorker } from "./live-workers.ts";
import { OPERATIONS } from "./operations.ts";
import { SCENES } from "./rules.ts";
import { Scenario, ScenarioOver } from "./scenario.ts";
import { type KnownEndpoint, World } from "./world.ts";

/** What is looked at after the last request. */
type Look = "drained" | "canaries" | "counters" | "inputs" | "workers" | "stop" | "log" | "files";

/** What a run has come to. */
export interface Ran {
  readonly journal: Journal;
  /** What is wrong with the server after all that, by what was looked at. */
  readonly aftermath: Readonly<Record<Look, readonly string[]>>;
  /** Resident memory of the server: when a quarter was done, and at the end, MB. */
  readonly memory: { readonly early: number; readonly late: number };
  readonly jobs: number;
  /** On what clients saw of the jobs that workers end. */
  readonly verdict: Verdict;
  readonly seconds: number;
}

const CLIENTS = 16;

/** A run with more faults than this has shown enough; a server that is gone answers nothing any more. */
const MOST_FAULTS = 1_000;

/** After so many requests a rule plays its scene. */
const SCENE_EVERY = 250;

/** Whatever nobody reports comes back within a second; no record of a job goes before the end. */
const FLAGS = {
  "ping-interval-ms": "200",
  "delivery-lease-ms": "500",
  "worker-lease-ms": "700",
  "rehand-delay-ms": "300",
  "take-hold-ms": "300",
  "stop-hold-ms": "100",
  "stream-hold-ms": "50",
  "sweep-interval-ms": "50",
  "run-retention-ms": "3600000",
  "runsync-retention-ms": "3600000",
  "drain-grace-ms": "1000",
};

/** By this variable its processes are found. */
const MARK = "FOREBAY_FUZZ_RUN";

/** Sends `count` requests to a server with live workers, and looks at what is left of it. */
export async function fuzzRun(seed: string, count: number): Promise<Ran> {
  const startedAt = performance.now();
  const mark = crypto.randomUUID();
  const program = [process.execPath, join(import.meta.dir, "worker-program.ts")];
  await using programs = await temporaryDirectory();
  const server = await ServerProcess.start({
    flags: FLAGS,
    commands: { worker: program },
    env: { [MARK]: mark, PATH: pathWithBrokenDriver(programs.path) },
  });
  const end = new AbortController();
  const workers: Promise<void>[] = [];
  const journal = new Journal();
  const history = new FuzzHistory();
  const memory = { early: 0, late: 0 };
  try {
    const world = await populated(server, workers, end.signal);
    const before = await canaries(server, world);
    let next = 0;
    let scenes = 0;
    const client = async (): Promise<void> => {
      const fuzzer = new FuzzClient(server.url, journal);
      while (journal.answered < count && journal.faults.length < MOST_FAULTS) {
        const number = next++;
        if (number % SCENE_EVERY === SCENE_EVERY - 1) await play(fuzzer, journal, seed, scenes++, world);
        else await one(fuzzer, history, seed, number, world);
        if (memory.early === 0 && journal.answered > count / 4) memory.early = residentOf(mark);
      }
      fuzzer.close();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    memory.late = residentOf(mark);
    const aftermath = {
      drained: await found(() => drained(server, world)),
      canaries: [...before, ...(await found(() => canaries(server, world)))],
      counters: await found(() => recount(server, world, history)),
      inputs: await found(() => changedInputs(server, world)),
    };
    end.abort();
    const lost = await found(async () => void (await Promise.all(workers)));
    const stop = await found(() => server.terminate());
    return {
      journal,
      aftermath: { ...aftermath, workers: lost, stop, log: errorsOf(server), files: filesOf(server) },
      memory,
      verdict: history.verdict(world.endpoints.flatMap(({ id, isServed }) => (isServed ? [id] : []))),
      jobs: world.endpoints.reduce((sum, { jobs }) => sum + jobs.size, 0),
      seconds: (performance.now() - startedAt) / 1_000,
    };
  } finally {
    end.abort();
    await Promise.allSettled(workers);
    await server.stop();
  }
}

/** While nobody knows the GPUs of the machine, no number or type of them is refused. */
function pathWithBrokenDriver(directory: string): string {
  const program = join(directory, "nvidia-smi");
  writeFileSync(program, "#!/bin/sh\nexit 9\n");
  chmodSync(program, 0o755);
  return `${directory}${delimiter}${process.env["PATH"]}`;
}

/** What a look at the server has found wrong; that it could not be looked at is wrong as well. */
async function found(look: () => Promise<readonly string[] | void>): Promise<readonly string[]> {
  try {
    return (await look()) ?? [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** The errors in the server's log, which are looked at herewith. */
function errorsOf({ log }: ServerProcess): string[] {
  const errors = log.splice(0).filter(({ level }) => level === "error");
  return errors.map((line) => JSON.stringify(line));
}

/**
 * Two endpoints with live workers that keep all jobs, one of them with workers that Forebay starts; one with
 * live workers whose queue is purged; one for calls of models; and one without workers. Each but that of the
 * models has a worker that only the fuzzer speaks for.
 */
async function populated(server: ServerProcess, live: Promise<void>[], end: AbortSignal): Promise<World> {
  const world = new World();
  const { json: template } = await server.post("/v1/templates", { name: "first", imageName: "worker" });
  world.templates.push(template.id);
  const credentials = { name: "first", username: "user", password: "pass" };
  world.registryLogins.push((await server.post("/v1/containerregistryauth", credentials)).json.id);
  world.keys.push((await server.post("/v1/keys", { name: "first", scopes: ["read"] })).json.id);
  const managed = await server.commandEndpoint("worker", {
    ...FUZZED_ENDPOINT,
    workersMin: 1,
    workersMax: 2,
  });
  const kept = { isKept: true, isServed: true, isPurged: false };
  const visited = await server.endpoint(FUZZED_ENDPOINT);
  const purged = await server.endpoint(FUZZED_ENDPOINT);
  const endpoints = [
    world.add(managed, kept),
    world.add(visited, kept),
    world.add(purged, { ...kept, isPurged: true }),
    world.add(await server.endpoint(FUZZED_ENDPOINT), { isKept: true }),
  ];
  world.models = await server.endpoint(FUZZED_ENDPOINT);
  live.push(liveWorker(await server.worker(world.models), end));
  for (const id of [visited, purged]) {
    for (const worker of await server.workers(id, 2)) live.push(liveWorker(worker, end));
    live.push(liveWorker(await server.worker(id), end));
  }
  for (const endpoint of endpoints) await inhabit(server, endpoint);
  return world;
}

async function inhabit(server: ServerProcess, { id, jobs, recent, workers }: KnownEndpoint): Promise<void> {
  const { json } = await server.post(`/v1/endpoints/${id}/workers`);
  workers.push({ endpoint: id, id: json.workerId, token: json.env.FOREBAY_WORKER_TOKEN });
  const job = await server.run(id);
  jobs.add(job);
  recent.push(job);
}

async function one(
  fuzzer: FuzzClient,
  history: FuzzHistory,
  seed: string,
  number: number,
  world: World,
): Promise<void> {
  const { draft, target, expected } = choose(seededRandom(`${seed}/${number}`), world);
  const from = performance.now();
  const answered = await fuzzer.send(draft, { ...expected, number });
  if (answered !== undefined) {
    history.note(draft, answered, { from, to: performance.now() });
    return learn(world, draft, target, answered);
  }
  const endpoint = world.find(target.endpoint ?? "");
  if (draft.operation === OPERATIONS.runsync && endpoint !== undefined) endpoint.unanswered++;
}

async function play(
  client: FuzzClient,
  journal: Journal,
  seed: string,
  number: number,
  world: World,
): Promise<void> {
  const [check, rule] = SCENES[number % SCENES.length] ?? SCENES[0];
  const random = seededRandom(`${seed}/scene/${number}`);
  try {
    await rule(new Scenario({ client, journal, check, number, random, world }));
  } catch (error) {
    if (!(error instanceof ScenarioOver)) throw error;
  }
}

/** Resident memory of the largest process of the run, which is the server's, MB. */
function residentOf(mark: string): number {
  const sizes = processesWith(`${MARK}=${mark}`).map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
  });
  return Math.round(Math.max(0, ...sizes));
}
