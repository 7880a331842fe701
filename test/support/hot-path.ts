import type { Step } from "../../src/store/steps.ts";
import type { Store } from "../../src/store/store.ts";
import { ManualClock } from "./manual-clock.ts";
import { TestServer } from "./test-server.ts";
import type { TestWorker } from "./test-worker.ts";
import { until } from "./until.ts";

/** The ways of a job from submit to done. */
export const HOT_PATHS = [
  "public protocol, the worker waits",
  "public protocol, the job waits",
  "exchange, the worker waits",
  "exchange, the job waits",
] as const;

export type HotPath = (typeof HOT_PATHS)[number];

/** By phase. A worker that waits has taken before the submit; a job that waits is taken after it. */
export type Phases = Readonly<Record<"submit" | "take" | "done", string>>;

/** What one job cost in each phase. */
export interface JobCost {
  /** Calls of the store that the engine awaits: the steps of an `apply`, or the name of a read. */
  readonly calls: Phases;
  /** SQL statements by kind, BEGIN and COMMIT included. */
  readonly statements: Phases;
  /** The same statements as they were run. */
  readonly run: readonly string[];
}

/**
 * The calls of the store for one job. These are exact: a call that is added here is paid for by every job, so
 * think twice before you change a line.
 */
export const STORE_CALLS: Readonly<Record<HotPath, Phases>> = {
  "public protocol, the worker waits": {
    take: "",
    submit: "writePayload, apply enqueue+take",
    done: "writePayload, apply finish",
  },
  "public protocol, the job waits": {
    submit: "writePayload, apply enqueue",
    take: "apply take",
    done: "writePayload, apply finish",
  },
  "exchange, the worker waits": {
    take: "stopping, stopping",
    submit: "writePayload, apply enqueue+take, stopping",
    done: "writePayload, apply finish, stopping",
  },
  "exchange, the job waits": {
    submit: "writePayload, apply enqueue",
    take: "apply take, stopping",
    done: "writePayload, apply finish, stopping",
  },
};

/** Jobs that `costOfJob` runs. */
export const HOT_PATH_JOBS = 2;

/** Sees each statement that the database of a server runs. */
export interface StatementTap {
  /** Flags of the server under test. */
  readonly flags: Record<string, string>;
  /** The statements since the last call. */
  taken(): string[];
}

/**
 * What a job costs on this path. Runs HOT_PATH_JOBS jobs and answers the cost of the last one, so that caches
 * are filled. Time stands still: no background job runs.
 */
export async function costOfJob(path: HotPath, tap: StatementTap): Promise<JobCost> {
  const clock = new ManualClock();
  const server = await TestServer.start({ clock, flags: tap.flags });
  const endpoint = await server.endpoint();
  const worker = await server.worker(endpoint);
  const counted = countCalls(server.forebay.engine.store);
  const world: World = { server, clock, endpoint, worker, counted, tap };
  for (let job = 1; job < HOT_PATH_JOBS; job++) await runJob(path, world);
  const cost = await runJob(path, world);
  await server.stop();
  return cost;
}

interface World {
  readonly server: TestServer;
  readonly clock: ManualClock;
  readonly endpoint: string;
  readonly worker: TestWorker;
  readonly counted: { taken(): string[] };
  readonly tap: StatementTap;
}

async function runJob(path: HotPath, world: World): Promise<JobCost> {
  const { server, clock, endpoint, worker, counted, tap } = world;
  const isExchange = path.startsWith("exchange");
  const calls = { submit: "", take: "", done: "" };
  const statements = { ...calls };
  const run: string[] = [];
  const phase = async (name: keyof Phases): Promise<void> => {
    await clock.advance(0);
    calls[name] = counted.taken().join(", ");
    const ran = tap.taken();
    statements[name] = ran.flatMap(kindOf).join(", ");
    run.push(...ran);
  };
  const take = async (): Promise<string> => {
    const { json } = await (isExchange ? worker.exchange({ take: 1, wait: 3_000 }) : worker.take());
    return isExchange ? json.jobs[0].job.id : json.id;
  };

  counted.taken();
  tap.taken();
  let id: string;
  if (path.endsWith("the worker waits")) {
    const taking = take();
    const { parkedTakes } = server.forebay.engine;
    await until("the worker waits", () => parkedTakes.endpoints().includes(endpoint));
    await phase("take");
    await server.run(endpoint, { n: 1 });
    id = await taking;
    await phase("submit");
  } else {
    await server.run(endpoint, { n: 1 });
    await phase("submit");
    id = await take();
    await phase("take");
  }
  const output = { n: 2 };
  if (isExchange) await worker.exchange({ results: [{ id, attempt: 1, output }] });
  else await worker.done(id, { output });
  await phase("done");
  return { calls, statements, run };
}

/** Notes each call of the store from here on. */
function countCalls(store: Store): { taken(): string[] } {
  let noted: string[] = [];
  for (const [name, call] of Object.entries(store)) {
    if (typeof call !== "function" || name === "onSignals" || name === "close") continue;
    const noting = (...args: unknown[]): unknown => {
      noted.push(name === "apply" ? `apply ${stepsOf(args[0])}` : name);
      return call(...args);
    };
    Object.assign(store, { [name]: noting });
  }
  return {
    taken() {
      const all = noted;
      noted = [];
      return all;
    },
  };
}

function stepsOf(steps: unknown): string {
  // The first argument of `apply` is its list of steps.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (steps as readonly Step[]).map(({ step }) => step).join("+");
}

/** The verbs of a statement and their tables; hints to other servers wait for a timer and are left out. */
function kindOf(statement: string): string[] {
  if (statement.includes("pg_notify")) return [];
  const schema = statement.includes("forebay.") ? String.raw`forebay\.` : "";
  const tables = new RegExp(String.raw`\b(INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN) ${schema}(\w+)`, "g");
  const parts = [...statement.replaceAll(/\s+/g, " ").matchAll(tables)].map(([, verb = "", table = ""]) => {
    const isRead = verb === "FROM" || verb === "JOIN";
    return `${isRead ? "SELECT" : verb.replace(/ .*/, "")} ${table}`;
  });
  return [parts.length === 0 ? statement : [...new Set(parts)].join(" + ")];
}
