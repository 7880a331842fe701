import { isDeepStrictEqual } from "node:util";
import type { ErrorCode } from "../../src/domain/errors.ts";
import type { Members } from "./body-rule.ts";
import type { Draft, Target } from "./draft.ts";
import type { Check } from "./judge.ts";
import { MUTATIONS, mutationsOf, type MutationName } from "./mutations.ts";
import type { Operation } from "./operation.ts";
import { ALL_OPERATIONS, OPERATIONS } from "./operations.ts";
import { fuzzedEndpoint, type Scenario } from "./scenario.ts";
import { until } from "../support/until.ts";
import { pickOf } from "./world.ts";

const ofClients = ALL_OPERATIONS.filter(({ access }) => access === "client");
const ofWorkers = ALL_OPERATIONS.filter(({ access }) => access === "worker");
const onEndpoints = ofClients.filter(({ path }) => path.includes("{endpoint}"));
const onKeys = [OPERATIONS.rotateKey, OPERATIONS.revokeKey];
const onTemplates = [OPERATIONS.updateTemplate, OPERATIONS.patchTemplate, OPERATIONS.deleteTemplate];
const onLogins = [OPERATIONS.readRegistryLogin, OPERATIONS.deleteRegistryLogin];
const onJobs = onEndpoints.filter(({ path }) => path.includes("{job}"));

/** The rules of RESTler that apply, and one of Schemathesis: each plays its scene with things of its own. */
export const SCENES = [
  ["UseAfterFree", useAfterFree],
  ["LeakageRule", leakage],
  ["ResourceHierarchy", resourceHierarchy],
  ["NameSpaceRule", nameSpace],
  ["InvalidDynamicObject", invalidDynamicObject],
  ["ensure_resource_availability", resourceAvailability],
] as const satisfies readonly (readonly [Check, (scenario: Scenario) => Promise<void>])[];

/** What is gone is gone everywhere: an endpoint with its jobs and tokens, a purged and a forgotten job. */
async function useAfterFree(scenario: Scenario): Promise<void> {
  const endpoint = await scenario.endpoint();
  const worker = await scenario.worker(endpoint);
  const purged = await scenario.job(endpoint);
  await scenario.must(OPERATIONS.purge, { endpoint });
  for (const operation of onJobs) await scenario.ask(operation, { endpoint, job: purged }, ["JOB_NOT_FOUND"]);

  const forgotten = await scenario.job(endpoint);
  await scenario.must(OPERATIONS.cancel, { endpoint, job: forgotten });
  const target = { endpoint, job: forgotten };
  await scenario.ask(OPERATIONS.status, target, ["ok", "JOB_NOT_FOUND"], (draft) => {
    draft.query = [["ttl", "1"]];
  });
  await until("the job is forgotten", async () => {
    return (await scenario.ask(OPERATIONS.status, target, ["ok", "JOB_NOT_FOUND"], plain))?.verdict !== "ok";
  });
  for (const operation of onJobs) {
    await scenario.ask(operation, { endpoint, job: forgotten }, ["JOB_NOT_FOUND"]);
  }

  const { id: key, key: secret } = await scenario.must(OPERATIONS.createKey, {}, (draft) => {
    draft.members = named(["scopes", '["read"]']);
  });
  const withIt = (draft: Draft): void => void (draft.key = secret);
  await scenario.ask(OPERATIONS.health, { endpoint }, ["ok"], withIt);
  await scenario.ask(OPERATIONS.revokeKey, { key });
  const [template = ""] = scenario.world.templates;
  const [registryLogin = ""] = scenario.world.registryLogins;
  for (const operation of ofClients) {
    await scenario.ask(
      operation,
      { endpoint, job: purged, template, registryLogin, key },
      ["KEY_UNKNOWN"],
      withIt,
    );
  }

  const { id: removed } = await scenario.must(OPERATIONS.createTemplate, {});
  await scenario.ask(OPERATIONS.deleteTemplate, { template: removed });
  for (const operation of onTemplates) {
    await scenario.ask(operation, { template: removed }, ["TEMPLATE_NOT_FOUND"]);
  }
  const { id: login } = await scenario.must(OPERATIONS.createRegistryLogin, {});
  await scenario.ask(OPERATIONS.deleteRegistryLogin, { registryLogin: login });
  for (const operation of onLogins) {
    await scenario.ask(operation, { registryLogin: login }, ["REGISTRY_LOGIN_NOT_FOUND"]);
  }

  await scenario.ask(OPERATIONS.deleteEndpoint, { endpoint });
  for (const operation of onEndpoints) {
    await scenario.ask(operation, { endpoint, job: purged }, ["ENDPOINT_NOT_FOUND"]);
  }
  for (const operation of ofWorkers) {
    await scenario.ask(operation, { endpoint, job: purged, worker }, ["KEY_UNKNOWN"]);
  }
}

/** Members with a name of their own. */
function named(...members: Members): Members {
  return [["name", JSON.stringify(crypto.randomUUID())], ...members];
}

/** What is refused only when all members are known to be of the right type. */
const REFUSED_LATE: Readonly<Record<string, readonly (readonly [ErrorCode, Members])[]>> = {
  "create a template": [["INVALID_FIELD", [["imageName", '"process/absent"']]]],
  "create an endpoint": [
    ["TEMPLATE_NOT_FOUND", [["templateId", '"absent"']]],
    [
      "INVALID_FIELD",
      [
        ["workersMin", "5"],
        ["workersMax", "4"],
      ],
    ],
  ],
};

/** A creation that was refused has made nothing: no job, no endpoint, no template. */
async function leakage(scenario: Scenario): Promise<void> {
  const endpoint = await scenario.endpoint();
  for (const operation of [OPERATIONS.run, OPERATIONS.runsync, OPERATIONS.openai]) {
    for (const kind of ["key", "header", "query", "member", "body", "size"] as const) {
      await refused(scenario, operation, { endpoint }, kind);
    }
  }
  const { requests } = await scenario.must(OPERATIONS.requests, { endpoint }, plain);
  const { jobs } = await scenario.must(OPERATIONS.health, { endpoint });
  const isEmpty = requests.length === 0 && Object.values(jobs).every((count) => count === 0);
  scenario.holds(isEmpty, `a refused submission has left ${JSON.stringify({ jobs, requests })}`);

  const { createAccount, createEndpoint, createKey, createRegistryLogin, createTemplate } = OPERATIONS;
  const creations = [createTemplate, createRegistryLogin, createEndpoint, createKey, createAccount];
  for (const operation of creations) {
    const name = JSON.stringify(crypto.randomUUID());
    const named = (draft: Draft): void => {
      if (operation === OPERATIONS.createEndpoint) fuzzedEndpoint(draft);
      draft.members = [...(draft.members ?? []).filter(([other]) => other !== "name"), ["name", name]];
    };
    for (const kind of ["key", "header", "member", "body", "size"] as const) {
      await refused(scenario, operation, {}, kind, named);
    }
    for (const [code, members] of REFUSED_LATE[operation.name] ?? []) {
      const names = new Set(members.map(([member]) => member));
      await scenario.ask(operation, {}, [code], (draft) => {
        named(draft);
        draft.members = [...(draft.members ?? []).filter(([member]) => !names.has(member)), ...members];
      });
    }
    // Names are unique: had any of these made something, the name would be taken.
    await scenario.ask(operation, {}, ["ok"], named);
    await scenario.ask(operation, {}, ["NAME_TAKEN"], named);
  }
}

/** One of its parts is made wrong, so that it must be refused. */
async function refused(
  scenario: Scenario,
  operation: Operation,
  target: Target,
  kind: MutationName,
  edit: (draft: Draft) => void = () => {},
): Promise<void> {
  if (!mutationsOf(operation).includes(kind)) return;
  let codes: readonly ErrorCode[] = [];
  const { random, world } = scenario;
  const expected: ErrorCode[] = [];
  await scenario.ask(operation, target, expected, (draft) => {
    edit(draft);
    for (let tries = 0; codes.length === 0 && tries < 20; tries++) {
      codes = MUTATIONS[kind](draft, random, world)?.codes ?? [];
    }
    expected.push(...codes);
  });
}

/** A job is reached through its own endpoint only, and a worker reports for its own only. */
async function resourceHierarchy(scenario: Scenario): Promise<void> {
  const [endpoint, other] = [await scenario.endpoint(), await scenario.endpoint()];
  const job = await scenario.job(endpoint);
  const worker = await scenario.worker(other);
  for (const operation of onJobs) await scenario.ask(operation, { endpoint: other, job }, ["JOB_NOT_FOUND"]);
  await scenario.ask(OPERATIONS.jobDone, { endpoint: other, worker, job });
  await scenario.ask(OPERATIONS.jobStream, { endpoint: other, worker, job });
  const said = `[{"id":"${job}","attempt":1,"output":1}]`;
  const { ignored } = await scenario.must(OPERATIONS.exchange, { endpoint: other, worker }, (draft) => {
    draft.members = [
      ["alive", `["${job}"]`],
      ["results", said],
      ["chunks", said],
    ];
  });
  const { status } = await scenario.must(OPERATIONS.status, { endpoint, job });
  scenario.holds(status === "IN_QUEUE", `a foreign worker's report has made the job ${status}`);
  scenario.holds(ignored.includes(job), "an exchange does not say that it ignored a foreign report");
}

/**
 * What is another's stays closed: to the key of another account it is not there; a worker's token opens no
 * operation of clients, and none of another endpoint's workers; the key of clients opens none of workers.
 */
async function nameSpace(scenario: Scenario): Promise<void> {
  const [endpoint, other] = [await scenario.endpoint(), await scenario.endpoint()];
  const job = await scenario.job(endpoint);
  const [own, foreign] = [await scenario.worker(endpoint), await scenario.worker(other)];
  const [template = ""] = scenario.world.templates;
  const [registryLogin = ""] = scenario.world.registryLogins;
  const key = scenario.world.keys[0] ?? "";
  for (const { token } of [own, foreign]) {
    for (const operation of ofClients) {
      const target = { endpoint, job, template, registryLogin, key };
      await scenario.ask(operation, target, ["KEY_NOT_ALLOWED"], (draft) => (draft.key = token));
    }
  }
  for (const operation of ofWorkers) {
    const target = { endpoint, job, worker: { ...own, token: foreign.token } };
    await scenario.ask(operation, target, ["KEY_NOT_ALLOWED"]);
  }
  const { id: account } = await scenario.must(OPERATIONS.createAccount, {});
  const { key: stranger } = await scenario.must(OPERATIONS.createKey, {}, (draft) => {
    draft.members = named(["scopes", '["manage"]'], ["account", JSON.stringify(account)]);
  });
  const asStranger = (draft: Draft): void => void (draft.key = stranger);
  for (const operation of onEndpoints) {
    await scenario.ask(operation, { endpoint, job }, ["ENDPOINT_NOT_FOUND"], asStranger);
  }
  for (const operation of onTemplates) {
    await scenario.ask(operation, { template }, ["TEMPLATE_NOT_FOUND"], asStranger);
  }
  for (const operation of onLogins) {
    await scenario.ask(operation, { registryLogin }, ["REGISTRY_LOGIN_NOT_FOUND"], asStranger);
  }
  await scenario.ask(OPERATIONS.rotateKey, { key }, ["KEY_NOT_FOUND"], asStranger);
  await scenario.ask(OPERATIONS.listAccounts, {}, ["KEY_NOT_ALLOWED"], asStranger);
  const { status } = await scenario.must(OPERATIONS.status, { endpoint, job });
  scenario.holds(status === "IN_QUEUE", `a refused call has made the job ${status}`);
}

/** Ids that nobody has given out, and those of things of another kind, are not found, however they look. */
async function invalidDynamicObject(scenario: Scenario): Promise<void> {
  const { random, world } = scenario;
  const endpoint = await scenario.endpoint();
  const job = await scenario.job(endpoint);
  const worker = await scenario.worker(endpoint);
  const [template = ""] = world.templates;
  const [registryLogin = ""] = world.registryLogins;
  const absent = [
    "__proto__",
    "constructor",
    "toString",
    "null",
    "0",
    "-1",
    "a".repeat(128),
    job.slice(1),
    `${job}0`,
  ];
  for (const id of [template, endpoint, ...absent]) {
    await scenario.ask(pickOf(random, onJobs), { endpoint, job: id }, ["JOB_NOT_FOUND"]);
    if (id !== endpoint) {
      await scenario.ask(pickOf(random, onEndpoints), { endpoint: id, job }, ["ENDPOINT_NOT_FOUND"]);
    }
    if (id !== template) {
      await scenario.ask(pickOf(random, onTemplates), { template: id }, ["TEMPLATE_NOT_FOUND"]);
    }
    await scenario.ask(pickOf(random, onLogins), { registryLogin: id }, ["REGISTRY_LOGIN_NOT_FOUND"]);
    await scenario.ask(OPERATIONS.readHost, { host: id }, ["HOST_NOT_FOUND"]);
    await scenario.ask(pickOf(random, onKeys), { key: id }, ["KEY_NOT_FOUND"]);
    // Late and foreign reports are no error of their worker.
    const report = random.pick([OPERATIONS.jobDone, OPERATIONS.jobStream]);
    await scenario.ask(report, { endpoint, worker, job: id });
  }
  for (const operation of [...ofClients, ...ofWorkers].filter(({ path }) => path.includes("{"))) {
    await refused(scenario, operation, { endpoint, job, template, registryLogin, worker }, "path");
  }
}

/** What was created is there at once: in its own record, in the lists, and for those who use it. */
async function resourceAvailability(scenario: Scenario): Promise<void> {
  const made = await scenario.must(OPERATIONS.createEndpoint, {}, fuzzedEndpoint);
  const endpoint = made.id;
  const read = await scenario.must(OPERATIONS.readEndpoint, { endpoint }, plain);
  const listed = await scenario.must(OPERATIONS.listEndpoints, {}, plain);
  const own = listed.find(({ id }: { id: string }) => id === endpoint);
  scenario.holds(isDeepStrictEqual(read, made), "the record of an endpoint is not the one that was made");
  scenario.holds(isDeepStrictEqual(own, made), "the list does not have the endpoint that was made");
  const worker = await scenario.worker(endpoint);
  await scenario.ask(OPERATIONS.ping, { endpoint, worker });
  const job = await scenario.job(endpoint);
  const { status } = await scenario.must(OPERATIONS.status, { endpoint, job });
  const { requests } = await scenario.must(OPERATIONS.requests, { endpoint }, plain);
  const { jobs } = await scenario.must(OPERATIONS.health, { endpoint });
  await scenario.ask(OPERATIONS.jobInput, { endpoint, job });
  scenario.holds(status === "IN_QUEUE", `a new job is ${status}`);
  scenario.holds(requests.length === 1 && requests[0]?.id === job, "requests does not have the new job");
  scenario.holds(jobs.inQueue === 1, "health does not count the new job");
  const template = await scenario.must(OPERATIONS.createTemplate, {});
  const unchanged = await scenario.must(OPERATIONS.updateTemplate, { template: template.id }, (draft) => {
    draft.members = [];
  });
  // Warnings are those of the call.
  const { isRunpod: _made, warnings: _warnings, ...before } = template;
  const { isRunpod: _read, ...after } = unchanged;
  scenario.holds(isDeepStrictEqual(after, before), "an update without members has changed the template");
}

/** Without a query. */
function plain(draft: Draft): void {
  draft.query = [];
}
