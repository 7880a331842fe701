import type { SeededRandom } from "../crash/seeded-random.ts";
import { bodyOf, type Draft, pathOf, type Target, validDraft } from "./draft.ts";
import type { Expected } from "./fuzz-client.ts";
import { HEAD_TOO_LARGE, MODEL_FAILURE } from "./judge.ts";
import { MUTATIONS, mutationsOf } from "./mutations.ts";
import { codesOf, type Operation } from "./operation.ts";
import { ALL_OPERATIONS, OPERATIONS } from "./operations.ts";
import { type KnownEndpoint, type KnownWorker, pickOf, type World } from "./world.ts";

/** A request, what it names, and what must come of it. */
export interface Chosen {
  readonly draft: Draft;
  readonly target: Target;
  readonly expected: Omit<Expected, "number">;
}

/**
 * What is drawn more often than the rest: without jobs there is nothing to ask about, and few endpoints have
 * a release to pause, or to go back to.
 */
const WEIGHTS = new Map<Operation, number>([
  [OPERATIONS.run, 5],
  [OPERATIONS.status, 3],
  [OPERATIONS.jobDone, 3],
  [OPERATIONS.jobTake, 2],
  [OPERATIONS.exchange, 2],
  [OPERATIONS.cancel, 2],
  [OPERATIONS.retry, 3],
  [OPERATIONS.rollBack, 3],
  [OPERATIONS.pauseRelease, 3],
]);
const DRAWN = ALL_OPERATIONS.flatMap((operation) =>
  Array.from({ length: WEIGHTS.get(operation) ?? 1 }, () => operation),
);

/** Two fifths are right, two fifths have one thing wrong, the rest is anything. */
export function choose(random: SeededRandom, world: World): Chosen {
  const operation = pickOf(random, DRAWN);
  const roll = random.next();
  if (roll < 0.4) return right(operation, random, world);
  if (roll < 0.8) return wrong(operation, random, world);
  return hostile(operation, random, world);
}

function right(operation: Operation, random: SeededRandom, world: World): Chosen {
  const isRemoving = operation.name === "delete an endpoint";
  const passing = world.endpoints.filter(({ isKept }) => !isKept);
  if (isRemoving && passing.length === 0) return right(OPERATIONS.createEndpoint, random, world);
  const endpoint = isRemoving
    ? pickOf(random, passing)
    : random.chance(0.8)
      ? world.kept(random)
      : world.any(random);
  const removed = removal(operation, random, world);
  if (typeof removed === "function") return right(removed(), random, world);
  const target = {
    ...sparing(operation, targetOn(endpoint, random, world)),
    ...removed,
    ...calling(operation, random, world),
  };
  if (target.job === "" && operation.path.includes("{job}")) {
    return right(OPERATIONS.run, random, world);
  }
  // What is not kept may be gone by the time that the request arrives, and its tokens with it.
  const verdicts = new Set<string>(["ok", ...operation.conflicts]);
  if (isOfModels(operation)) verdicts.add(MODEL_FAILURE);
  if (!endpoint.isKept) for (const code of ["ENDPOINT_NOT_FOUND", "KEY_UNKNOWN"]) verdicts.add(code);
  if (!endpoint.isKept || endpoint.isPurged) verdicts.add("JOB_NOT_FOUND");
  if (operation === OPERATIONS.purge && endpoint.isKept && !endpoint.isPurged) {
    return right(OPERATIONS.health, random, world);
  }
  const draft = validDraft(operation, target, random, world);
  report(draft, target, endpoint, random);
  const name = idempotent(draft, random);
  if (name === "again") verdicts.add("IDEMPOTENCY_MISMATCH");
  return { draft, target, expected: { what: "right", verdicts, ...patienceFor(draft, endpoint, random) } };
}

/**
 * What an operation that removes things is to remove, beside endpoints: whoever draws it is the only one, and
 * the first one of each kind stays. A function answers the operation that makes one, where there is none.
 */
function removal(operation: Operation, random: SeededRandom, world: World): Target | (() => Operation) {
  const draw = (ids: string[]): string => ids.splice(random.integer(1, ids.length - 1), 1)[0] ?? "";
  switch (operation) {
    case OPERATIONS.revokeKey:
      return world.keys.length > 1 ? { key: draw(world.keys) } : () => OPERATIONS.createKey;
    case OPERATIONS.deleteTemplate:
      return world.templates.length > 1
        ? { template: draw(world.templates) }
        : () => OPERATIONS.createTemplate;
    case OPERATIONS.deleteRegistryLogin:
      return world.registryLogins.length > 1
        ? { registryLogin: draw(world.registryLogins) }
        : () => OPERATIONS.createRegistryLogin;
    default:
      return {};
  }
}

/** Operations that remove things of the world. */
const REMOVALS: ReadonlySet<Operation> = new Set<Operation>([
  OPERATIONS.deleteEndpoint,
  OPERATIONS.revokeKey,
  OPERATIONS.deleteTemplate,
  OPERATIONS.deleteRegistryLogin,
]);

/** Exactly one thing is wrong, and everything that the request names is there. */
function wrong(operation: Operation, random: SeededRandom, world: World): Chosen {
  const endpoint = pickOf(
    random,
    world.endpoints.filter(({ isKept, isPurged }) => isKept && !isPurged),
  );
  const target = {
    ...sparing(operation, targetOn(endpoint, random, world)),
    ...calling(operation, random, world),
  };
  const draft = validDraft(operation, target, random, world);
  const mutation = pickOf(random, mutationsOf(operation));
  const mutated = MUTATIONS[mutation](draft, random, world);
  if (mutated === undefined) return wrong(operation, random, world);
  const check = mutation === "key" ? "ignored_auth" : undefined;
  const { what, codes } = mutated;
  return { draft, target, expected: { what, verdicts: codes, ...(check === undefined ? {} : { check }) } };
}

/** Anything at all: several things wrong, ids of things that are gone or of another kind, broken bytes. */
function hostile(operation: Operation, random: SeededRandom, world: World): Chosen {
  if (REMOVALS.has(operation) || operation === OPERATIONS.purge) {
    return wrong(operation, random, world);
  }
  const endpoint =
    random.chance(0.2) && world.gone.length > 0 ? pickOf(random, world.gone) : world.any(random);
  const target = {
    ...sparing(operation, { ...targetOn(endpoint, random, world), ...mixedUp(random, world) }),
    ...calling(operation, random, world),
  };
  const draft = validDraft(operation, target, random, world);
  const whats = Array.from({ length: random.integer(0, 3) }, () => {
    const mutation = pickOf(random, mutationsOf(operation));
    return MUTATIONS[mutation](draft, random, world)?.what ?? "";
  });
  if (draft.announced === undefined && random.chance(0.3)) scramble(draft, random);
  const verdicts = new Set<string>(["ok", HEAD_TOO_LARGE, ...codesOf(operation)]);
  if (isOfModels(operation)) verdicts.add(MODEL_FAILURE);
  const check = "response_schema_conformance" as const;
  const expected = { what: `hostile: ${whats.join("; ")}`, verdicts, check };
  return { draft, target, expected: { ...expected, ...patienceFor(draft, endpoint, random) } };
}

/** Calls of models make jobs whose records nobody reads: they go to an endpoint that nobody counts. */
function calling(operation: Operation, random: SeededRandom, world: World): Target {
  return isOfModels(operation) ? { endpoint: world.models, route: random.pick(operation.routes) } : {};
}

function isOfModels(operation: Operation): boolean {
  return operation === OPERATIONS.openai || operation === OPERATIONS.openaiModels;
}

/** What a path can name at this endpoint. */
function targetOn(endpoint: KnownEndpoint, random: SeededRandom, world: World): Target {
  const { recent, deliveries, workers, id } = endpoint;
  return {
    endpoint: id,
    job: recent.length === 0 ? "" : pickOf(random, recent),
    template: world.templates[0] ?? "",
    registryLogin: world.registryLogins[0] ?? "",
    key: world.keys[0] ?? "",
    delivery: pickOf(random, ["msg_none", ...deliveries]),
    operation: pickOf(random, ["none", ...world.operations]),
    // Few endpoints have a release, and most of these have one.
    version: random.chance(0.8) ? "1" : random.pick(["2", "3", "0", "01", "1e0", "none"]),
    worker: workers.length === 0 ? nobody(id) : pickOf(random, workers),
  };
}

/** No worker is ended by whom others call: what is asked of its token is to be answered as documented. */
function sparing(operation: Operation, target: Target): Target {
  return operation === OPERATIONS.stopWorker ? { ...target, worker: nobody(target.endpoint ?? "") } : target;
}

/** Calls of a worker that was never admitted. */
function nobody(endpoint: string): KnownWorker {
  return { endpoint, id: "nobody", token: "none" };
}

/** Ids in the place of others. */
function mixedUp(random: SeededRandom, world: World): Target {
  const ids = [
    ...world.any(random).recent.slice(-3),
    ...world.gone.slice(-3).map(({ id }) => id),
    ...world.gone.slice(-3).flatMap(({ recent }) => recent.slice(-2)),
    pickOf(random, world.templates),
    world.any(random).id,
    "__proto__",
    "constructor",
    "none",
    "0".repeat(128),
    crypto.randomUUID(),
  ];
  const mixed: { -readonly [Key in keyof Target]: Target[Key] } = {};
  if (random.chance(0.3)) mixed.job = pickOf(random, ids);
  if (random.chance(0.2)) mixed.template = pickOf(random, ids);
  if (random.chance(0.2)) mixed.registryLogin = pickOf(random, ids);
  if (random.chance(0.2)) mixed.host = pickOf(random, ids);
  if (random.chance(0.2)) mixed.key = pickOf(random, ids);
  const { workers } = world.any(random);
  if (random.chance(0.3) && workers.length > 0) mixed.worker = pickOf(random, workers);
  return mixed;
}

/** A worker's report speaks mostly of what that worker was given. */
function report(draft: Draft, target: Target, endpoint: KnownEndpoint, random: SeededRandom): void {
  const { operation } = draft;
  const isDone = operation === OPERATIONS.jobDone;
  if (endpoint.taken.length === 0 || random.chance(0.2)) return;
  if (operation === OPERATIONS.exchange) {
    const index = endpoint.taken.findIndex((taken) => taken.attempt > 0);
    const [taken] = index === -1 ? [] : endpoint.taken.splice(index, 1);
    if (taken === undefined) return;
    const { job, attempt, worker } = taken;
    draft.path = pathOf(operation, { ...target, worker });
    draft.key = worker.token;
    const result = `[{"id":"${job}","attempt":${attempt},"output":${random.pick(["null", "{}", "1e999"])}}]`;
    draft.members = [...(draft.members ?? []).filter(([name]) => name !== "results"), ["results", result]];
  } else if (isDone || operation === OPERATIONS.jobStream) {
    const [taken] = isDone ? endpoint.taken.splice(0, 1) : endpoint.taken;
    if (taken === undefined) return;
    draft.path = pathOf(operation, { ...target, ...taken });
    draft.key = taken.worker.token;
  }
}

/** Some submissions have a key, and some of these one that was used before. */
function idempotent(draft: Draft, random: SeededRandom): "fresh" | "again" | undefined {
  const { operation } = draft;
  if (operation !== OPERATIONS.run && operation !== OPERATIONS.runsync) return undefined;
  if (random.chance(0.8)) return undefined;
  const isAgain = random.chance(0.5);
  draft.headers.push(["idempotency-key", isAgain ? `again-${random.integer(0, 9)}` : crypto.randomUUID()]);
  return isAgain ? "again" : "fresh";
}

/**
 * Held calls are given up where nobody would answer them for long. A runsync that is given up may have made a
 * job whose id nobody knows, so on endpoints that are counted at the end it is waited for.
 */
function patienceFor(
  draft: Draft,
  endpoint: KnownEndpoint,
  random: SeededRandom,
): Pick<Expected, "patience"> {
  const { operation } = draft;
  if (!operation.isHeld) return {};
  const isBounded = operation === OPERATIONS.runsync || operation === OPERATIONS.statusSync;
  if (isBounded && !draft.query.some(([name]) => name === "wait")) draft.query.push(["wait", "1000"]);
  if (operation === OPERATIONS.runsync) return endpoint.isServed ? {} : { patience: 100 };
  return { patience: random.integer(1, 400) };
}

/** Changes, removes or doubles bytes of the body. */
function scramble(draft: Draft, random: SeededRandom): void {
  const { body, passesOverBody } = draft.operation;
  if (body === undefined && !passesOverBody) return;
  const bytes = bodyOf(draft);
  if (bytes.length === 0 || random.chance(0.1)) {
    draft.bytes = Buffer.from(Array.from({ length: random.integer(0, 60) }, () => random.integer(0, 255)));
    return;
  }
  const changed = Buffer.from(bytes);
  for (let count = random.integer(1, 4); count > 0; count--) {
    changed[random.integer(0, changed.length - 1)] = random.integer(0, 255);
  }
  draft.bytes = random.chance(0.5) ? changed : changed.subarray(0, random.integer(0, changed.length));
}
