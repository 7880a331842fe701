import { checkHistory, type Verdict } from "../history/check-history.ts";
import { newProcess } from "./agenda.ts";
import { Clients } from "./client.ts";
import { forgottenJob } from "./forgotten-jobs.ts";
import { createEndpoints, createWorkers } from "./inhabitants.ts";
import { ACTIVE, type Command, type Fault, type Plan, type Timed } from "./plan.ts";
import type { Tally } from "./tally.ts";
import type { SimulatedWorker } from "./worker.ts";
import { BEGINNING, World } from "./world.ts";

export interface Simulated {
  readonly steps: number;
  readonly tally: Tally;
  readonly verdict: Verdict | undefined;
  /** What went wrong first, as a sentence. */
  readonly failure: string | undefined;
  /** Of all that happened: two runs of one plan have the same. */
  readonly digest: string;
}

/** How long everything may take to come to rest once faults have stopped, ms. */
const DRAIN = 300_000;
const LOOK_INTERVAL = 1_000;
/** How long the final looks may take, ms. */
const FINAL_LOOKS = 60_000;

/** Runs the world of a plan until all is at rest, and checks everything that happened. */
export async function simulate(plan: Plan, onLine?: (line: string) => void): Promise<Simulated> {
  const world = new World(plan.seed, plan.servers);
  world.agenda.listener = onLine;
  const clients = new Clients(world);
  let verdict: Verdict | undefined;
  try {
    const workers = await begin(world);
    planItems(world, plan, clients, workers);
    await run(world, BEGINNING + START + ACTIVE);
    world.weather.clear();
    await drain(world);
    await finalLooks(world, clients);
    if (world.failure === undefined) verdict = verdictOn(world);
  } catch (error) {
    world.fail(error);
  }
  const failure = failureOf(world, verdict);
  return { steps: world.agenda.steps, tally: world.tally, verdict, failure, digest: world.agenda.digest() };
}

/** How long the servers have to start, ms. */
const START = 3_000;

async function begin(world: World): Promise<readonly SimulatedWorker[]> {
  const [first] = world.servers;
  await startAll(world, [first]);
  if (first === undefined) throw new Error("a world needs a server");
  const created = createEndpoints(first.engine).catch((error: unknown) => world.fail(error));
  await run(world, BEGINNING + START / 2);
  await created;
  await startAll(world, world.servers);
  await run(world, BEGINNING + START);
  const workers = createWorkers(world);
  world.workers = workers;
  for (const worker of workers) worker.start();
  return workers;
}

async function startAll(
  world: World,
  servers: readonly (World["servers"][number] | undefined)[],
): Promise<void> {
  for (const server of servers) void server?.start().catch((error: unknown) => world.fail(error));
  await run(world, world.agenda.now + 400);
}

async function run(world: World, until: number): Promise<void> {
  await world.settle();
  await world.run(until, () => {
    world.invariants.check();
    const [fault = lookedFor(world)] = world.invariants.faults;
    if (fault !== undefined) world.fail(new Error(fault));
  });
  if (world.failure !== undefined) throw world.failure;
}

/** What should have happened by now and has not, as a sentence. Looked for once a second. */
function lookedFor(world: World): string | undefined {
  const { now } = world.agenda;
  if (now < world.nextLook) return undefined;
  world.nextLook = now + 1_000;
  return forgottenJob(world) ?? world.untoldStops.look();
}

function planItems(
  world: World,
  { items }: Plan,
  clients: Clients,
  workers: readonly SimulatedWorker[],
): void {
  const planned = newProcess("plan");
  for (const item of items) {
    world.agenda.after(item.at, planned, "fault" in item ? item.fault : item.what, () => {
      if ("fault" in item) strike(world, item, workers);
      else act(world, clients, item);
    });
  }
}

function act(world: World, clients: Clients, command: Timed<Command>): void {
  world.commandsUnderWay++;
  void clients
    .do(command)
    .catch((error: unknown) => world.fail(error))
    .finally(() => world.commandsUnderWay--);
}

function strike(world: World, item: Timed<Fault>, workers: readonly SimulatedWorker[]): void {
  const { tally, agenda } = world;
  const server = "server" in item ? world.servers[item.server] : undefined;
  const worker = "worker" in item ? workers[item.worker] : undefined;
  switch (item.fault) {
    case "window":
      world.weather.open(item.kind, {
        until: agenda.now + item.ms,
        chance: item.chance,
        random: world.stream(`window ${item.stream}`),
      });
      break;
    case "crash":
      if (server?.isUp === true) tally.add("fault crash");
      server?.crash(item.downtime);
      break;
    case "crash at commit":
      server?.crashAt(item.point, item.downtime);
      break;
    case "stop":
      if (server?.isUp === true) tally.add("fault stop");
      void server?.stop(item.downtime).catch((error: unknown) => world.fail(error));
      break;
    case "pause":
      if (server?.pause(item.ms) === true) tally.add("fault pause");
      break;
    case "clock step":
      world.stepClock(item.by);
      tally.add("fault clock step");
      break;
    case "worker crash":
      if (worker?.crash(item.downtime, item.isSilent) === true) {
        tally.add(item.isSilent ? "fault worker vanishes" : "fault worker crash");
      }
      break;
    case "worker pause":
      worker?.pause(item.ms);
      tally.add("fault worker pause");
      break;
  }
}

/** Faults have stopped: each job reaches an end, and each webhook its receiver. */
async function drain(world: World): Promise<void> {
  const limit = world.agenda.now + DRAIN;
  const { invariants } = world;
  while (invariants.unfinished.length > 0 || invariants.pendingWebhooks > 0 || !world.isQuiet()) {
    if (world.agenda.now > limit) {
      const jobs = invariants.unfinished.map(
        ({ id, endpoint, state, holder }) => `${endpoint}/${id} ${state} ${holder}`,
      );
      throw new Error(
        `${DRAIN / 1_000} s after the last fault ${jobs.length} jobs (${jobs.slice(0, 3).join(", ")}) and ` +
          `${invariants.pendingWebhooks} webhooks wait; open calls: ${world.unansweredCalls().join(", ")}`,
      );
    }
    await run(world, world.agenda.now + LOOK_INTERVAL);
  }
}

async function finalLooks(world: World, clients: Clients): Promise<void> {
  // A job that no client was told of is known by the worker that had it.
  const known = new Map(clients.known.map((job) => [job.id, job]));
  for (const event of world.history.events) {
    if (event.kind === "handOut")
      known.set(event.id, { id: event.id, endpoint: event.endpoint === "e0" ? 0 : 1 });
  }
  const looks = { open: known.size };
  for (const job of known.values()) {
    void clients
      .finalLook(job)
      .catch((error: unknown) => world.fail(error))
      .finally(() => looks.open--);
  }
  const limit = world.agenda.now + FINAL_LOOKS;
  while (looks.open > 0 && world.agenda.now < limit) await run(world, world.agenda.now + 100);
}

/** The history does not know which webhooks were given up: such an end need not have reached its receiver. */
function verdictOn({ history, invariants }: World): Verdict {
  const verdict = checkHistory(history.events);
  const isGivenUp = (fault: string): boolean =>
    fault.endsWith("no webhook told so") && [...invariants.givenUp].some((id) => fault.includes(id));
  const lost = verdict.faults.lost.filter((fault) => !isGivenUp(fault));
  return { ...verdict, faults: { ...verdict.faults, lost } };
}

function failureOf({ failure }: World, verdict: Verdict | undefined): string | undefined {
  if (failure !== undefined) return failure.message;
  if (verdict === undefined) return "the history was not checked";
  const [first] = Object.entries(verdict.faults).flatMap(([kind, list]) =>
    list.map((fault: string) => `${kind}: ${fault}`),
  );
  return first;
}
